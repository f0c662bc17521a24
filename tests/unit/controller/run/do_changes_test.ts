/** What a step wishes is done in its order, and no more than is wise. */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import { doChanges } from "../../../../mod/controller/run/do_changes.ts";
import type { Change } from "../../../../mod/controller/run/mod.ts";
import { ScriptedObjects } from "../../../support/controller/scripted_objects.ts";

const OWNER = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web", namespace: "shop", uid: "owner" },
} as const;

function create(name: string): Change {
  return {
    verb: "create",
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "shop" },
    },
    events: {
      done: { type: "Normal", reason: "Made", message: "Made {name}" },
      failed: { type: "Warning", reason: "Not", message: "{name}: {error}" },
    },
  };
}

function ref(name: string) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    namespace: "shop",
    name,
    uid: `uid-${name}`,
  };
}

class Rig {
  readonly objects = new ScriptedObjects();
  readonly told: string[] = [];
  readonly wrote: string[] = [];
  readonly deleted: string[] = [];
  readonly #ended = new AbortController();

  do(changes: readonly Change[]) {
    return doChanges(OWNER, changes, {
      client: this.objects,
      signal: this.#ended.signal,
      listener: {
        wrote: ({ metadata }) => void this.wrote.push(metadata.name),
        deleted: ({ name }) => void this.deleted.push(name),
        tell: ({ reason, message }) =>
          void this.told.push(`${reason} ${message}`),
      },
    });
  }

  end(): void {
    this.#ended.abort();
  }

  /** Lets calls wait until there are no more, and says how many came each time. */
  async batches(run: Promise<unknown>): Promise<number[]> {
    const sizes: number[] = [];
    let isOver = false;
    void run.finally(() => {
      isOver = true;
    });
    for (let turn = 0; turn < 100 && !isOver; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      const waiting = this.objects.held?.splice(0) ?? [];
      if (waiting.length > 0) sizes.push(waiting.length);
      for (const resolve of waiting) resolve();
    }
    await run;
    return sizes;
  }
}

function pods(count: number): Change[] {
  return Array.from({ length: count }, (_, at) => create(`web-${at}`));
}

/** TestSlowStartBatch. */
const batches: readonly (readonly [number, readonly number[]])[] = [
  [0, []],
  [1, [1]],
  [3, [1, 2]],
  [4, [1, 2, 1]],
  [10, [1, 2, 4, 3]],
];

for (const [count, expected] of batches) {
  Deno.test(`${count} creations go out in batches of ${expected}`, async () => {
    const rig = new Rig();
    rig.objects.held = [];
    deepStrictEqual(await rig.batches(rig.do(pods(count))), expected);
    strictEqual(rig.objects.calls.length, count);
  });
}

Deno.test("deletions go out all at once, and creations begin slowly again after them", async () => {
  const rig = new Rig();
  rig.objects.held = [];
  const deletions = ["a", "b", "c"].map((name): Change => ({
    verb: "delete",
    ref: ref(name),
  }));
  const run = rig.do([...pods(3), ...deletions, create("x"), create("y")]);
  deepStrictEqual(await rig.batches(run), [1, 2, 3, 1, 1]);
  deepStrictEqual(rig.deleted, ["a", "b", "c"]);
});

Deno.test("a failure ends the batches; what was done beside it counts", async () => {
  const rig = new Rig();
  rig.objects.refuse = (_verb, { name }) =>
    name === "web-1" ? new ApiFailure("Forbidden", "too many") : undefined;
  const failures = await rig.do(pods(8));
  deepStrictEqual(failures.map(({ failure }) => failure.reason), ["Forbidden"]);
  deepStrictEqual(rig.objects.calls, [
    "create Pod web-0",
    "create Pod web-1",
    "create Pod web-2",
  ]);
  deepStrictEqual(rig.wrote, ["web-0", "web-2"]);
  deepStrictEqual(rig.told.toSorted(), [
    "Made Made web-0",
    "Made Made web-2",
    "Not web-1: too many",
  ]);
});

Deno.test("what is gone needs no deletion and no patch", async () => {
  const rig = new Rig();
  const failures = await rig.do([
    { verb: "delete", ref: ref("a") },
    { verb: "patch", ref: ref("a"), patch: {} },
  ]);
  deepStrictEqual(failures, []);
  deepStrictEqual(rig.wrote, []);
});

const adoption: Change = {
  verb: "patch",
  ref: ref("a"),
  patch: { metadata: { labels: { adopted: "yes" } } },
  isAdoption: true,
};

const livesOn: Readonly<Record<string, readonly [object, readonly string[]]>> =
  {
    "as it was": [{}, ["get ReplicaSet web", "patch Pod a"]],
    "as another one": [{ uid: "new" }, ["get ReplicaSet web"]],
    "about to go": [
      { deletionTimestamp: "2026-01-01T00:00:00Z" },
      ["get ReplicaSet web"],
    ],
  };

for (const [state, [metadata, calls]] of Object.entries(livesOn)) {
  Deno.test(`an owner that is ${state} is looked at before it adopts`, async () => {
    const rig = new Rig();
    rig.objects.put({ ...OWNER, metadata: { ...OWNER.metadata, ...metadata } });
    rig.objects.put({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...ref("a") },
    });
    const failures = await rig.do([adoption]);
    deepStrictEqual(rig.objects.calls, calls);
    deepStrictEqual(
      failures.map(({ failure }) => failure.reason),
      calls.length === 2 ? [] : ["Conflict"],
    );
  });
}

Deno.test("an owner that is gone adopts nothing, and one that cannot be read neither", async () => {
  const rig = new Rig();
  strictEqual((await rig.do([adoption]))[0]?.failure.reason, "Conflict");
  rig.objects.refuse = () => new ApiFailure("Timeout", "no answer");
  await rejects(rig.do([adoption]), /no answer/);
});

Deno.test("what no API says is a failure as well, and an abort is none", async () => {
  const rig = new Rig();
  rig.objects.refuse = () => {
    throw new TypeError("broken client");
  };
  const [failed] = await rig.do(pods(1));
  strictEqual(failed?.failure.reason, "InternalError");
  rig.objects.refuse = () => {
    rig.end();
    throw new DOMException("ended", "AbortError");
  };
  await rejects(rig.do(pods(1)), { name: "AbortError" });
});

Deno.test("a name with marks in it is told as it is", async () => {
  const rig = new Rig();
  rig.objects.refuse = () => new ApiFailure("Invalid", "{name} $& {error}");
  await rig.do([create("$&")]);
  deepStrictEqual(rig.told, ["Not $&: {name} $& {error}"]);
});
