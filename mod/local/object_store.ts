/**
 * Every object that some source delivers, found by name.
 *
 * @module
 */

import {
  type ClaimObject,
  type KeyedObject,
  type LocalObject,
  type ObjectGetter,
  type ObjectId,
  objectId,
  type ObjectRef,
  type RuntimeClassObject,
  sameObject,
} from "../api/objects/mod.ts";
import type { PriorityClass } from "../api/defaults/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import {
  isOfCluster,
  type PodObjects,
  type WithheldObject,
} from "../pod/inputs/mod.ts";

/** An object that is not what it was. Never holds what is in it. */
export interface ObjectChange extends ObjectId {
  readonly change: "added" | "changed" | "removed";
}

/**
 * How much a source has said: what a checkpoint had (`restored`), something, or all that
 * it has.
 */
export type Heard = "restored" | "part" | "whole";

/**
 * Holds the objects of all sources and answers with what is known now.
 *
 * An object that two sources have is that of the source whose name comes first, so
 * that neither the order of delivery nor a restart decides. What is held is
 * replaced, never altered. The sources' files are the authority on a node: unlike
 * at an API server, a new version of an object that is marked immutable is taken
 * like any other, since nothing could have refused the edit.
 */
export class ObjectStore implements ObjectGetter {
  /** In the order of the sources' names. */
  #sources: readonly (readonly [string, ObjectMap])[] = [];
  #winners: ObjectMap = new Map();
  /** They are asked for with each pod. */
  #priorityClasses: readonly PriorityClass[] = [];
  readonly #heard = new Map<string, Heard>();
  #withheld: ReadonlyMap<string, string> = new Map();
  /** What a checkpoint gave later than the rest of it. */
  readonly #renewed = new Set<string>();
  /** Of the source that spoke last. */
  #absence: ObjectGetter["absence"];
  readonly #expected: readonly string[];

  /** @param sources The names of all that may deliver. */
  constructor(sources: readonly string[] = []) {
    this.#expected = sources;
  }

  /**
   * Takes the full set of one source and says what that changes.
   *
   * A change says that the object of that name is another one now or has other
   * content; the same set again changes nothing.
   */
  replace(
    source: string,
    objects: readonly LocalObject[],
    heard: Heard = "whole",
    absence: ObjectGetter["absence"] = undefined,
  ): readonly ObjectChange[] {
    const isAgain = heard === "restored" && this.#heard.get(source) === heard;
    this.#heard.set(source, heard);
    this.#absence = absence;
    const own = new Map<string, LocalObject>();
    for (const object of objects) {
      const key = keyOf(objectId(object));
      if (!own.has(key)) own.set(key, object);
    }
    const others = this.#sources.filter(([name]) => name !== source);
    this.#sources = [...others, [source, own] as const]
      .sort(([a], [b]) => a < b ? -1 : 1);
    const before = this.#winners;
    const after = winnersOf(this.#sources, before);
    this.#winners = after;
    this.#priorityClasses = [...after.values()]
      .filter((object) => object.kind === "PriorityClass");
    const changes = changesBetween(before, after);
    for (const change of isAgain ? changes : []) {
      this.#renewed.add(keyOf(change));
    }
    return changes;
  }

  /**
   * Whether what is found under a name now, or that nothing is, will be so when all
   * sources have spoken: after the agent's start some are slower than others.
   */
  isCertain(id: ObjectId): boolean {
    const key = keyOf(id);
    if (this.#withheld.has(key)) return false;
    const owner = this.#ownerOf(key);
    if (owner === undefined) {
      return this.#expected.every((each) => this.#heard.get(each) === "whole");
    }
    return this.#heard.get(owner) !== "restored" &&
      this.#expected.every((each) => each >= owner || this.#heard.has(each));
  }

  /** Says of which objects a server refuses to say anything, in place of those before. */
  withhold(objects: readonly WithheldObject[]): void {
    this.#withheld = new Map(objects.map((each) => [keyOf(each), each.why]));
  }

  withheld(id: ObjectId): string | undefined {
    return this.#withheld.get(keyOf(id));
  }

  /** Whether a checkpoint gave an object later than the rest of it, so that it is the newer one. */
  isRenewed(id: ObjectId): boolean {
    const key = keyOf(id);
    return this.#renewed.has(key) &&
      this.#heard.get(this.#ownerOf(key) ?? "") === "restored";
  }

  /** Why what is not found may exist: its source has not spoken, and not all was kept of it. */
  get absence(): ObjectGetter["absence"] {
    return this.#absence;
  }

  /** The source whose object is in force. */
  #ownerOf(key: string): string | undefined {
    return this.#sources.find(([, objects]) => objects.has(key))?.[0];
  }

  /** Every object that is in force, ordered by kind, namespace and name. */
  list(): readonly LocalObject[] {
    return [...this.#winners].sort(([a], [b]) => a < b ? -1 : 1)
      .map(([, object]) => object);
  }

  /** The ConfigMap of that name, if there is one now. */
  configMap(ref: ObjectRef): KeyedObject | undefined {
    const found = this.#winners.get(keyOf({ kind: "ConfigMap", ...ref }));
    return found?.kind === "ConfigMap" ? found : undefined;
  }

  /** The Secret of that name, if there is one now. */
  secret(ref: ObjectRef): KeyedObject | undefined {
    const found = this.#winners.get(keyOf({ kind: "Secret", ...ref }));
    return found?.kind === "Secret" ? found : undefined;
  }

  /** The claim of that name, if there is one now. */
  claim(ref: ObjectRef): ClaimObject | undefined {
    const found = this.#winners.get(
      keyOf({ kind: "PersistentVolumeClaim", ...ref }),
    );
    return found?.kind === "PersistentVolumeClaim" ? found : undefined;
  }

  /** Every class of priorities that is in force, in no order. */
  priorityClasses(): readonly PriorityClass[] {
    return this.#priorityClasses;
  }

  /** Every Service, ordered by namespace and name. */
  services(): readonly Extract<LocalObject, { readonly kind: "Service" }>[] {
    return this.list().filter((object) => object.kind === "Service");
  }

  /** The class of that name, if there is one now. */
  runtimeClass(name: string): RuntimeClassObject | undefined {
    const found = this.#winners.get(
      keyOf({ kind: "RuntimeClass", namespace: "", name }),
    );
    return found?.kind === "RuntimeClass" ? found : undefined;
  }
}

type ObjectMap = ReadonlyMap<string, LocalObject>;

/** The first of each name; what says the same as before stays the very same object. */
function winnersOf(
  sources: readonly (readonly [string, ObjectMap])[],
  before: ObjectMap,
): ObjectMap {
  const winners = new Map<string, LocalObject>();
  for (const [, objects] of sources) {
    for (const [key, object] of objects) {
      if (winners.has(key)) continue;
      const held = before.get(key);
      const isSame = held !== undefined && sameObject(held, object);
      winners.set(key, isSame ? held : object);
    }
  }
  return winners;
}

function changesBetween(
  before: ObjectMap,
  after: ObjectMap,
): readonly ObjectChange[] {
  const changes: ObjectChange[] = [];
  for (const key of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const old = before.get(key);
    const now = after.get(key);
    if (old === now) continue;
    const object = now ?? old;
    if (object === undefined) continue;
    const existing = old === undefined ? "added" : "changed";
    const change = now === undefined ? "removed" : existing;
    changes.push({ ...objectId(object), change });
  }
  return changes;
}

// No name holds a line feed, so equal texts are equal names.
function keyOf({ kind, namespace, name }: ObjectId): string {
  return [kind, namespace, name].join("\n");
}

/** The source whose pods refer to nothing of this node's, and to whose objects no other may. */
const CLUSTER = "api";

/**
 * Holds what manifests deliver, and beside it what an API server does: a pod finds only
 * what comes from where it does itself.
 *
 * @example One name in two places
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { ObjectRealms } from "./object_store.ts";
 *
 * const objects = new ObjectRealms(["file"]);
 * const handler = "kata";
 * objects.replace("file", [{
 *   kind: "RuntimeClass",
 *   name: "safe",
 *   handler,
 *   overhead: new Map(),
 *   nodeSelector: {},
 * }]);
 * const of = (source: string) => ({
 *   metadata: {
 *     name: "web",
 *     namespace: "shop",
 *     uid: "u1",
 *     annotations: { "kubernetes.io/config.source": source },
 *   },
 * });
 * const seen = (source: string) => objects.seenBy(of(source));
 * strictEqual(seen("file").runtimeClass("safe")?.handler, "kata");
 * strictEqual(seen("api").runtimeClass("safe"), undefined);
 * ```
 */
export class ObjectRealms extends ObjectStore implements PodObjects {
  readonly #cluster = new ObjectStore([CLUSTER]);

  /** @param sources The names of all that may deliver. */
  constructor(sources: readonly string[] = []) {
    super(sources.filter((source) => source !== CLUSTER));
  }

  override replace(
    source: string,
    objects: readonly LocalObject[],
    heard: Heard = "whole",
    absence: ObjectGetter["absence"] = undefined,
  ): readonly ObjectChange[] {
    return source === CLUSTER
      ? this.#cluster.replace(source, objects, heard, absence)
      : super.replace(source, objects, heard);
  }

  /** Only a server withholds objects: those of the cluster. */
  override withhold(objects: readonly WithheldObject[]): void {
    this.#cluster.withhold(objects);
  }

  seenBy(pod: Pick<Pod, "metadata">): ObjectGetter {
    return isOfCluster(pod) ? this.#cluster : this;
  }

  /** Every Service of where a pod comes from, ordered by namespace and name. */
  servicesFor(pod: Pick<Pod, "metadata">): ReturnType<ObjectStore["services"]> {
    return (isOfCluster(pod) ? this.#cluster : this).services();
  }

  /** @param pod the one that refers to it; absent for what refers to the node's own */
  override isCertain(id: ObjectId, pod?: Pick<Pod, "metadata">): boolean {
    return pod !== undefined && isOfCluster(pod)
      ? this.#cluster.isCertain(id)
      : super.isCertain(id);
  }

  /** @param pod the one that refers to it */
  override isRenewed(id: ObjectId, pod?: Pick<Pod, "metadata">): boolean {
    return pod !== undefined && isOfCluster(pod)
      ? this.#cluster.isRenewed(id)
      : super.isRenewed(id);
  }
}
