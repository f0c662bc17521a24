/**
 * Objects for controllers: a small store that notes each call, refuses what it is told to,
 * and shows in its cache only what it is told to show.
 *
 * @module
 */

import {
  type AccessRef,
  ApiFailure,
  type DeleteOptions,
  type NewObject,
  type ObjectClient,
} from "../../../mod/api/access/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import { isRecord } from "../../../mod/base/mod.ts";
import {
  CONTROLLER_KINDS,
  controllerOf,
  isEndedPod,
  isOfKind,
  type ObjectCache,
} from "../../../mod/controller/run/mod.ts";
import { freezeDeep } from "../../../mod/informer/shared/mod.ts";
import type {
  ControllerKind,
  ControllerKinds,
} from "../../../mod/controller/run/step.ts";
import { isControllerKind } from "../../../mod/controller/run/kinds.ts";

/** Says what a call is to be refused with; nothing lets it through. */
export type Refusal = (
  verb: string,
  object: Pick<AccessRef, "kind" | "name">,
) => ApiFailure | undefined;

/** A store, and a cache of it that may be behind; who alters what is in it fails. */
export class ScriptedObjects implements ObjectClient {
  /** What was done, as `create Pod web-1`. */
  readonly calls: string[] = [];
  refuse: Refusal = () => undefined;
  /** The same, after the call was done: its answer is lost. */
  lose: Refusal = () => undefined;
  /** Calls that began and wait, as long as `isHeld`. */
  held: (() => void)[] | undefined;
  readonly #objects = new Map<string, ApiObject>();
  /** What the cache shows of a kind, if it is not what is there. */
  readonly #frozen = new Map<string, Picture>();
  /** Changes that the cache has not seen. */
  #unseen: ApiObject[] = [];
  #version = 100;
  #names = 0;
  #made = new Map<string, number>();
  /** When objects are made; a constant if nobody says. */
  now: () => string = () => "2026-01-01T00:00:00Z";
  /** Whether Pods that have not ended wait for {@linkcode drop} when they are deleted. */
  isGraceful = false;
  /** Called after each change, as soon as the cache shows it. */
  onChange: (object: ApiObject) => void = () => {};
  /** Called after each change, whatever the cache shows. */
  onWrite: (object: ApiObject) => void = () => {};

  /** From now on the cache stays as it is, for all kinds or some. */
  freeze(...kinds: readonly ControllerKind[]): void {
    const names = kinds.length === 0 ? Object.keys(CONTROLLER_KINDS) : kinds;
    const picture = {
      objects: new Map(this.#objects),
      version: this.#version,
    };
    for (const kind of names) {
      if (!this.#frozen.has(kind)) this.#frozen.set(kind, picture);
    }
  }

  /** The cache shows everything again. */
  thaw(): void {
    this.#frozen.clear();
    for (const object of this.#unseen.splice(0)) this.onChange(object);
  }

  /** Puts an object there without a call. */
  put(object: ApiObject): ApiObject {
    const resourceVersion = `${++this.#version}`;
    const kept = freezeDeep({
      ...object,
      metadata: { ...object.metadata, resourceVersion },
    });
    this.#objects.set(keyOf(kept.kind, kept.metadata), kept);
    this.#changed(kept);
    return kept;
  }

  /** Takes an object away without a call. */
  drop(kind: string, namespace: string, name: string): void {
    const key = keyOf(kind, { namespace, name });
    const object = this.#objects.get(key);
    this.#objects.delete(key);
    this.#version++;
    if (object !== undefined) this.#changed(object);
  }

  /** All that is there of a kind. */
  all<Kind extends ControllerKind>(kind: Kind): ControllerKinds[Kind][] {
    return [...this.#objects.values()].filter((each) => isOfKind(kind, each));
  }

  readonly cache: ObjectCache = {
    get: (kind, namespace, name) => {
      const found = this.#shown(kind).get(keyOf(kind, { namespace, name }));
      return found !== undefined && isOfKind(kind, found) ? found : undefined;
    },
    list: (kind, namespace) =>
      [...this.#shown(kind).values()].filter((each) => isOfKind(kind, each))
        .filter((each) => each.metadata.namespace === namespace),
    candidates: (kind, owner) =>
      this.cache.list(kind, owner.namespace).filter((each) => {
        const controller = controllerOf(each);
        return controller === undefined || controller.uid === owner.uid;
      }),
    version: (kind) => `${this.#frozen.get(kind)?.version ?? this.#version}`,
  };

  async get(ref: AccessRef): Promise<ApiObject> {
    await this.#call("get", ref);
    return this.#find(ref);
  }

  async create(object: NewObject): Promise<ApiObject> {
    const { metadata } = object;
    const name = metadata.name ?? `${metadata.generateName}${++this.#names}`;
    await this.#call("create", { kind: object.kind, name });
    if (this.#objects.has(keyOf(object.kind, { ...metadata, name }))) {
      throw new ApiFailure("AlreadyExists", `${name} already exists`);
    }
    // What takes the name of another is another one.
    const count = (this.#made.get(name) ?? 0) + 1;
    this.#made.set(name, count);
    const made = this.put({
      ...object,
      metadata: {
        ...metadata,
        name,
        uid: count === 1 ? `uid-${name}` : `uid-${name}-${count}`,
        creationTimestamp: this.now(),
        generation: 1,
      },
    });
    return this.#answer("create", made);
  }

  async update(object: ApiObject): Promise<ApiObject> {
    await this.#call("update", { kind: object.kind, ...object.metadata });
    return this.put(object);
  }

  async updateStatus(object: ApiObject): Promise<ApiObject> {
    const { kind, metadata } = object;
    await this.#call("status", { kind, ...metadata });
    const found = this.#find({ kind, ...metadata });
    checkVersion(found, metadata);
    const status = "status" in object ? object.status : undefined;
    const changed: ApiObject & { readonly status: unknown } = {
      ...found,
      status,
    };
    return this.#answer("status", this.put(changed));
  }

  async patch(
    ref: AccessRef & { readonly uid?: string },
    patch: Readonly<Record<string, unknown>>,
  ): Promise<ApiObject> {
    await this.#call("patch", ref);
    const found = this.#find(ref);
    const { resourceVersion: _version, ...metadata } = found.metadata;
    const patched = {
      ...found,
      ...mergePatch({ ...found, metadata }, patch),
    };
    checkVersion(found, {
      ...patched.metadata,
      uid: ref.uid ?? found.metadata.uid,
    });
    const generation = found.metadata.generation ?? 0;
    const kept = patch["spec"] === undefined ? patched : {
      ...patched,
      metadata: { ...patched.metadata, generation: generation + 1 },
    };
    return this.#answer("patch", this.put(kept));
  }

  async delete(ref: AccessRef, { uid }: DeleteOptions): Promise<void> {
    await this.#call("delete", ref);
    const found = this.#find(ref);
    checkVersion(found, { uid: uid ?? found.metadata.uid });
    const waits = this.isGraceful && isOfKind("Pod", found) &&
      !isEndedPod(found);
    if (waits) {
      const metadata = { ...found.metadata, deletionTimestamp: this.now() };
      this.put({ ...found, metadata });
    } else this.drop(ref.kind, ref.namespace, ref.name);
    this.#answer("delete", found);
  }

  #shown(kind: string): ReadonlyMap<string, ApiObject> {
    return this.#frozen.get(kind)?.objects ?? this.#objects;
  }

  #changed(object: ApiObject): void {
    this.onWrite(object);
    if (this.#frozen.has(object.kind)) this.#unseen.push(object);
    else this.onChange(object);
  }

  #answer(verb: string, object: ApiObject): ApiObject {
    const { kind, metadata: { name } } = object;
    const loss = this.lose(verb, { kind, name });
    if (loss !== undefined) throw loss;
    return object;
  }

  #find(
    ref: Pick<AccessRef, "kind" | "namespace" | "name">,
  ): ApiObject {
    const found = this.#objects.get(keyOf(ref.kind, ref));
    if (found === undefined || !isControllerKind(ref.kind)) {
      throw new ApiFailure("NotFound", `there is no ${ref.kind} ${ref.name}`);
    }
    return found;
  }

  async #call(
    verb: string,
    object: Pick<AccessRef, "kind" | "name">,
  ): Promise<void> {
    this.calls.push(`${verb} ${object.kind} ${object.name}`);
    const { held } = this;
    await (held === undefined
      ? Promise.resolve()
      : new Promise<void>((resolve) => held.push(resolve)));
    const refusal = this.refuse(verb, object);
    if (refusal !== undefined) throw refusal;
  }
}

/** What a cache shows that stands still. */
interface Picture {
  readonly objects: ReadonlyMap<string, ApiObject>;
  readonly version: number;
}

/** As an API server: what is meant is that very object, at that version if it is said. */
function checkVersion(
  { metadata }: ApiObject,
  { uid, resourceVersion = metadata.resourceVersion }: {
    readonly uid: string;
    readonly resourceVersion?: string;
  },
): void {
  if (
    uid !== metadata.uid || resourceVersion !== metadata.resourceVersion
  ) throw new ApiFailure("Conflict", `${metadata.name} has changed`);
}

function keyOf(
  kind: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  return `${kind} ${namespace}/${name}`;
}

/** RFC 7386. */
function mergePatch(
  target: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    const old = merged[key];
    if (value === null) delete merged[key];
    else if (isRecord(value)) {
      merged[key] = mergePatch(isRecord(old) ? old : {}, value);
    } else merged[key] = value;
  }
  return merged;
}
