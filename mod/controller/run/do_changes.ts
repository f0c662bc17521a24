/**
 * Does what a step wishes.
 *
 * @module
 */

import {
  ApiFailure,
  hasFailed,
  type ObjectClient,
} from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import { isAbort } from "../../base/mod.ts";
import { exactRef } from "./owner.ts";
import type { Change, ChangeFailure, ChangeWords, ExactRef } from "./step.ts";

/** Hears what was done. */
export interface ChangeListener {
  wrote(object: ApiObject): void;
  deleted(ref: ExactRef): void;
  tell(words: ChangeWords): void;
}

/**
 * Does changes for an object: those of one verb that stand together side by side,
 * creations in slow-start batches. After a failure in one such group the later groups are
 * not begun; what was dropped is wished again at the next look.
 *
 * @param owner absent when it is gone, and adopts nothing
 * @returns what failed
 * @throws {unknown} The reason of `signal` when it aborts.
 */
export async function doChanges(
  owner: ApiObject | undefined,
  changes: readonly Change[],
  deps: {
    readonly client: ObjectClient;
    readonly listener: ChangeListener;
    readonly signal: AbortSignal;
  },
): Promise<readonly ChangeFailure[]> {
  for (const group of groupsOf(changes)) {
    const failures = await doGroup(owner, group, deps);
    if (failures.length > 0) return failures;
  }
  return [];
}

type Deps = Parameters<typeof doChanges>[2];

/** Changes of one verb that stand together; creations in batches that double. */
function groupsOf(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  let limit = 0;
  for (const change of changes) {
    const last = groups.at(-1);
    const isSame = last?.[0]?.verb === change.verb;
    if (isSame && last.length < limit) {
      last.push(change);
      continue;
    }
    // As upstream's slowStartBatch: a quota or a bad template fails once, not a hundred times.
    if (change.verb !== "create") limit = Infinity;
    else limit = isSame ? limit * 2 : 1;
    groups.push([change]);
  }
  return groups;
}

async function doGroup(
  owner: ApiObject | undefined,
  group: readonly Change[],
  deps: Deps,
): Promise<readonly ChangeFailure[]> {
  const isAdopting = group.some((change) =>
    change.verb === "patch" && change.isAdoption === true
  );
  if (isAdopting && !await isStillThere(owner, deps)) {
    const message = "The object that would adopt it is not what it was";
    const failure = new ApiFailure("Conflict", message);
    return group.map((change) => ({ change, failure }));
  }
  const failures = await Promise.all(
    group.map((change) => doOne(change, deps)),
  );
  return failures.filter((each) => each !== undefined);
}

/** Upstream's RecheckDeletionTimestamp: the cache may be behind. */
async function isStillThere(
  owner: ApiObject | undefined,
  deps: Deps,
): Promise<boolean> {
  const found = owner && await findNow(exactRef(owner), deps);
  return found !== undefined &&
    found.metadata.deletionTimestamp === undefined;
}

/** The very object as it is now; nothing when it is gone, or is another one by now. */
async function findNow(
  ref: ExactRef,
  { client, signal }: Deps,
): Promise<ApiObject | undefined> {
  try {
    const found = await client.get(ref, signal);
    return found.metadata.uid === ref.uid ? found : undefined;
  } catch (error) {
    if (hasFailed(error, "NotFound")) return undefined;
    throw error;
  }
}

async function doOne(
  change: Change,
  deps: Deps,
): Promise<ChangeFailure | undefined> {
  const { listener } = deps;
  const { done, failed } = change.events ?? {};
  try {
    const name = await call(change, deps);
    if (done !== undefined && name !== undefined) {
      listener.tell(fill(done, { name, error: "" }));
    }
    return undefined;
  } catch (error) {
    if (isAbort(error, deps.signal)) throw error;
    const failure = error instanceof ApiFailure
      ? error
      : new ApiFailure("InternalError", describeError(error), { cause: error });
    const { name = "" } = change.verb === "create"
      ? change.object.metadata
      : change.ref;
    if (failed !== undefined) {
      listener.tell(fill(failed, { name, error: failure.message }));
    }
    return { change, failure };
  }
}

/** @returns the name of the object; nothing if it was there, or gone, already */
async function call(
  change: Change,
  deps: Deps,
): Promise<string | undefined> {
  const { client, listener, signal } = deps;
  switch (change.verb) {
    case "create": {
      const made = await unlessSame(
        change,
        () => client.create(change.object, signal),
        deps,
      );
      listener.wrote(made.object);
      return made.isNew ? made.object.metadata.name : undefined;
    }
    case "patch": {
      const { ref, patch } = change;
      const isDone = await unlessGone(ref, async () => {
        listener.wrote(await client.patch(ref, patch, signal));
      }, deps);
      return isDone ? ref.name : undefined;
    }
    case "delete": {
      const { ref, ref: { uid }, options } = change;
      const isDone = await unlessGone(
        ref,
        () => client.delete(ref, { ...options, uid }, signal),
        deps,
      );
      listener.deleted(ref);
      return isDone ? ref.name : undefined;
    }
  }
}

/** What is there already counts if it is what was wished. */
async function unlessSame(
  { object, isSame }: Extract<Change, { readonly verb: "create" }>,
  act: () => Promise<ApiObject>,
  { client, signal }: Deps,
): Promise<{ readonly object: ApiObject; readonly isNew: boolean }> {
  try {
    return { object: await act(), isNew: true };
  } catch (error) {
    const { apiVersion, kind, metadata: { namespace, name } } = object;
    const mayBe = name !== undefined && isSame !== undefined &&
      hasFailed(error, "AlreadyExists");
    if (!mayBe) throw error;
    const ref = { apiVersion, kind, namespace, name };
    const found = await client.get(ref, signal);
    if (!isSame(found)) throw error;
    return { object: found, isNew: false };
  }
}

/**
 * What is gone already, or is another one of that name by now, needs nothing done to it.
 *
 * @returns whether it was done
 */
async function unlessGone(
  ref: ExactRef,
  act: () => Promise<void>,
  deps: Deps,
): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (hasFailed(error, "NotFound")) return false;
    // Said of another UID, but also of another version of the same.
    const isOther = hasFailed(error, "Conflict") &&
      await findNow(ref, deps) === undefined;
    if (!isOther) throw error;
    return false;
  }
}

function fill(
  words: ChangeWords,
  values: { readonly name: string; readonly error: string },
): ChangeWords {
  const message = words.message.replace(
    /\{(name|error)\}/g,
    (_found, key: "name" | "error") => values[key],
  );
  return { ...words, message };
}
