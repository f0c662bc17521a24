/**
 * The objects of this node, read and written as at an API server.
 *
 * @module
 */

import {
  type AccessRef,
  ApiFailure,
  type DeleteOptions,
  type KindRef,
  type ListerWatcher,
  mergePatch,
  type NewObject,
  type ObjectClient,
} from "../api/access/mod.ts";
import type { ApiObject } from "../api/workload/mod.ts";
import type { Clock, Random } from "../base/mod.ts";
import {
  checkUid,
  deleted,
  type Deletion,
  edited,
  ended,
  isFinished,
  restated,
  sameJson,
} from "./changed_object.ts";
import { immutableFaults } from "./immutable.ts";
import { KindReader } from "./kind_reader.ts";
import {
  accessRef,
  type KindFacts,
  kindFacts,
  objectWords,
} from "./kept_kinds.ts";
import { generatedName, newObject } from "./new_object.ts";
import { ObjectState } from "./object_state.ts";
import type { KeptObject } from "./object_table.ts";
import { type AnyObject, isApiObject, isDeleted } from "./parts.ts";
import type { WatchLimits } from "./watch_history.ts";

/** What a {@linkcode LocalStore} is built on. */
export interface LocalStoreDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/** How a {@linkcode LocalStore} works. */
export interface LocalStoreOptions {
  /** The node that pods are bound to when they are made. @default none */
  readonly nodeName?: string;
  readonly watchLimits?: WatchLimits;
}

/**
 * Keeps objects and behaves as an API server does: versions that rise, conflicts,
 * generations, finalizers, deletion in two steps, watches with a bounded history.
 *
 * What is given and taken is never altered. A call is over when its change is kept as
 * well as its kind demands.
 */
export class LocalStore implements ObjectClient {
  readonly #deps: LocalStoreDeps;
  readonly #options: LocalStoreOptions;
  readonly #state: ObjectState;

  constructor(deps: LocalStoreDeps, options: LocalStoreOptions = {}) {
    this.#deps = deps;
    this.#options = options;
    this.#state = new ObjectState(options.watchLimits);
  }

  /**
   * Lists and watches of one kind.
   *
   * @param isOfKind what an object of the kind is
   * @throws {ApiFailure} `NotFound` when the kind is not kept.
   */
  reader(kind: KindRef): ListerWatcher<ApiObject>;
  reader<T extends ApiObject>(
    kind: KindRef,
    isOfKind: (object: ApiObject) => object is T,
  ): ListerWatcher<T>;
  reader(
    kind: KindRef,
    isOfKind: (object: ApiObject) => object is ApiObject = isAny,
  ): ListerWatcher<ApiObject> {
    const { clock } = this.#deps;
    return new KindReader(this.#facts(kind), isOfKind, {
      state: this.#state,
      clock,
    });
  }

  // deno-lint-ignore require-await -- what is thrown must reject
  async get(ref: AccessRef, signal: AbortSignal): Promise<ApiObject> {
    signal.throwIfAborted();
    return this.#find(ref).object;
  }

  async create(wish: NewObject, signal: AbortSignal): Promise<ApiObject> {
    signal.throwIfAborted();
    const facts = this.#writable(wish);
    const object = newObject(this.#named(wish), facts, {
      random: this.#deps.random,
      nowMs: this.#deps.clock.now(),
      nodeName: this.#options.nodeName,
    });
    const ref = accessRef(object);
    if (this.#state.table.get(ref) !== undefined) {
      throw new ApiFailure(
        "AlreadyExists",
        `${objectWords(ref)} is there already`,
      );
    }
    return await this.#told(this.#state.put(object, { kind: "owned" }));
  }

  /** A wish for a name that is free, if it is to be generated. */
  #named(wish: NewObject): NewObject {
    const { metadata } = wish;
    if (metadata.name || !metadata.generateName) return wish;
    let name = "";
    for (let tries = 0; tries < NAME_TRIES; tries++) {
      name = generatedName(metadata.generateName, this.#deps.random);
      const ref = { kind: wish.kind, namespace: metadata.namespace, name };
      if (this.#state.table.get(ref) === undefined) break;
    }
    return { ...wish, metadata: { ...metadata, name } };
  }

  async update(object: ApiObject, signal: AbortSignal): Promise<ApiObject> {
    signal.throwIfAborted();
    const facts = this.#writable(object);
    const kept = this.#find(accessRef(object));
    return await this.#edit(kept, object, facts);
  }

  async updateStatus(
    object: ApiObject,
    signal: AbortSignal,
  ): Promise<ApiObject> {
    signal.throwIfAborted();
    this.#writable(object);
    const kept = this.#find(accessRef(object));
    return await this.#replace(kept, restated(kept.object, object));
  }

  async patch(
    ref: AccessRef & { readonly uid?: string },
    patch: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ApiObject> {
    signal.throwIfAborted();
    const facts = this.#writable(ref);
    const kept = this.#find(ref);
    checkUid(kept.object, ref.uid);
    const { resourceVersion: _version, ...metadata } = kept.object.metadata;
    const wish = mergePatch({ ...kept.object, metadata }, patch);
    if (!isApiObject(wish)) {
      throw new ApiFailure(
        "Invalid",
        `Cannot patch ${objectWords(ref)}: it would have no name any more`,
      );
    }
    return await this.#edit(kept, wish, facts);
  }

  async delete(
    ref: AccessRef,
    options: DeleteOptions,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    this.#writable(ref);
    const kept = this.#find(ref);
    checkUid(kept.object, options.uid);
    const nowMs = this.#deps.clock.now();
    this.#end(kept, deleted(kept.object, options, nowMs));
    await this.#state.told();
  }

  /**
   * Says that a Pod that was deleted has ended, and nothing of it is left: its name is free
   * unless somebody's finalizer keeps it. Does nothing to others.
   */
  async finishDelete(uid: string): Promise<void> {
    const kept = this.#state.table.byUid(uid);
    if (kept === undefined || !isDeleted(kept.object)) return;
    this.#end(kept, ended(kept.object, this.#deps.clock.now()));
    await this.#state.told();
  }

  async #edit(
    kept: KeptObject,
    wish: AnyObject,
    facts: KindFacts,
  ): Promise<ApiObject> {
    const rules = { facts, isFixed: immutableFaults };
    const after = edited(kept.object, wish, rules);
    if (!isFinished(after)) return await this.#replace(kept, after);
    this.#state.remove({ ...kept, object: after });
    return await this.#told(after);
  }

  #replace(kept: KeptObject, after: AnyObject): Promise<ApiObject> {
    if (after === kept.object) return this.#told(after);
    return this.#told(this.#state.put(after, kept.origin));
  }

  #end(kept: KeptObject, deletion: Deletion): void {
    if (deletion.kind === "gone") this.#state.remove(kept);
    else if (!sameJson(deletion.object, kept.object)) {
      this.#state.put(deletion.object, kept.origin);
    }
  }

  /** Gives something back when it is kept. */
  async #told(object: ApiObject): Promise<ApiObject> {
    await this.#state.told();
    return object;
  }

  #find(ref: AccessRef): KeptObject {
    this.#facts(ref);
    const kept = this.#state.table.get(ref);
    if (kept !== undefined) return kept;
    throw new ApiFailure("NotFound", `${objectWords(ref)} is not there`);
  }

  #writable(ref: KindRef): KindFacts {
    const facts = this.#facts(ref);
    if (facts.isWritable) return facts;
    throw new ApiFailure(
      "MethodNotAllowed",
      `Cannot change a ${facts.kind}: it is kept in manifests only`,
    );
  }

  #facts(ref: KindRef): KindFacts {
    const facts = kindFacts(ref);
    if (facts !== undefined) return facts;
    throw new ApiFailure(
      "NotFound",
      `This node keeps no ${ref.kind} objects of version "${ref.apiVersion}"`,
    );
  }
}

function isAny(_object: ApiObject): _object is ApiObject {
  return true;
}

// As upstream since 1.30: with so many tries a clash is as good as impossible.
const NAME_TRIES = 8;
