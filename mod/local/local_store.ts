/**
 * The objects of this node, read and written as at an API server.
 *
 * @module
 */

import { setImmediate } from "node:timers";
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
import type { LocalObject } from "../api/objects/mod.ts";
import { checkUid } from "./changed_object.ts";
import {
  accessRef,
  type KindFacts,
  kindFacts,
  objectWords,
} from "./kept_kinds.ts";
import { KindReader } from "./kind_reader.ts";
import { OwnerGarbage } from "./owner_garbage.ts";
import { ManifestKeeper, type RefusedManifest } from "./manifest_keeper.ts";
import type { ManifestObject } from "./manifest_sets.ts";
import { ObjectEdits } from "./object_edits.ts";
import { ObjectState } from "./object_state.ts";
import type { Heard } from "./object_store.ts";
import type { KeptObject } from "./object_table.ts";
import { isApiObject } from "./parts.ts";
import { showObjects } from "./shown_objects.ts";
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
  /**
   * All sources of manifests that there are: what came from another one goes.
   *
   * @default any that speaks, and nothing goes
   */
  readonly sources?: readonly string[];
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
  readonly #state: ObjectState;
  readonly #edits: ObjectEdits;
  readonly #manifests: ManifestKeeper;
  readonly #garbage: OwnerGarbage;

  constructor(deps: LocalStoreDeps, options: LocalStoreOptions = {}) {
    this.#deps = deps;
    const state = new ObjectState(options.watchLimits);
    const { clock, random } = deps;
    const { nodeName, sources } = options;
    const edits = new ObjectEdits({ state, clock, random, nodeName });
    this.#state = state;
    this.#edits = edits;
    this.#manifests = new ManifestKeeper(sources, { state, edits });
    this.#garbage = new OwnerGarbage({
      state,
      edits,
      isCertain: () => true,
    });
    state.use({
      changed: () => 0,
      followed: (change) => {
        const { key, before, after } = change;
        // A manifest may wait for its name.
        const isFree = after === undefined && before?.origin.kind !== "shown";
        if (isFree) this.#manifests.settle(key);
        this.#garbage.followed(change);
      },
    });
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
    return await this.#told(this.#edits.create(wish, facts, OWNED));
  }

  async update(object: ApiObject, signal: AbortSignal): Promise<ApiObject> {
    signal.throwIfAborted();
    const facts = this.#writable(object);
    const kept = this.#findOwn(accessRef(object));
    return await this.#told(this.#edits.edit(kept, object, facts));
  }

  async updateStatus(
    object: ApiObject,
    signal: AbortSignal,
  ): Promise<ApiObject> {
    signal.throwIfAborted();
    this.#writable(object);
    const kept = this.#findOwn(accessRef(object));
    return await this.#told(this.#edits.restate(kept, object));
  }

  async patch(
    ref: AccessRef & { readonly uid?: string },
    patch: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ApiObject> {
    signal.throwIfAborted();
    const facts = this.#writable(ref);
    const kept = this.#findOwn(ref);
    checkUid(kept.object, ref.uid);
    const { resourceVersion: _version, ...metadata } = kept.object.metadata;
    const wish = mergePatch({ ...kept.object, metadata }, patch);
    if (!isApiObject(wish)) {
      throw new ApiFailure(
        "Invalid",
        `Cannot patch ${objectWords(ref)}: it would have no name any more`,
      );
    }
    return await this.#told(this.#edits.edit(kept, wish, facts));
  }

  async delete(
    ref: AccessRef,
    options: DeleteOptions,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    this.#writable(ref);
    const kept = this.#findOwn(ref);
    checkUid(kept.object, options.uid);
    this.#manifests.dismiss(kept);
    this.#edits.end(kept, options);
    await this.#state.told();
  }

  /**
   * Says that a Pod that was deleted has ended, and nothing of it is left: its name is free
   * unless somebody's finalizer keeps it. Does nothing to others.
   */
  async finishDelete(uid: string): Promise<void> {
    const kept = this.#state.table.byUid(uid);
    if (kept !== undefined) this.#edits.finish(kept);
    await this.#state.told();
  }

  /**
   * Takes the full set of what the manifests of one source say. What was taken from it and
   * is not in it any more is deleted, in the background, unless the source has more to say.
   *
   * @returns all that could not be taken as it stands in a manifest, of whatever source
   */
  replaceManifests(
    source: string,
    objects: readonly ManifestObject[],
    heard: Heard = "whole",
  ): readonly RefusedManifest[] {
    this.#manifests.replace(source, objects, heard);
    return this.#manifests.refused;
  }

  /** Shows what sources have beside that, to be read only; of Secrets no value is taken. */
  showObjects(objects: readonly LocalObject[]): void {
    showObjects(this.#state, objects);
  }

  /** Removes what belongs to nothing any more, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const garbage = this.#garbage;
    while (!signal.aborted) {
      garbage.collect(COLLECTED_AT_ONCE);
      // Others are to have their turn in between.
      if (garbage.isDue) await pause();
      else await garbage.bell.wait(signal);
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

  /** The same, if it is not the picture of what a source has. */
  #findOwn(ref: AccessRef): KeptObject {
    const kept = this.#find(ref);
    if (kept.origin.kind !== "shown") return kept;
    throw new ApiFailure(
      "MethodNotAllowed",
      `Cannot change ${objectWords(ref)}: it is kept in manifests only`,
    );
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

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

// Some milliseconds.
const COLLECTED_AT_ONCE = 256;

const OWNED = { kind: "owned" } as const;
