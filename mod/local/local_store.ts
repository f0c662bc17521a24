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
import {
  type Clock,
  isAbort,
  type Random,
  unlessAborted,
} from "../base/mod.ts";
import { type Logger, silentLogger } from "../base/telemetry/mod.ts";
import type { LocalObject } from "../api/objects/mod.ts";
import { bindPods } from "./bound_pods.ts";
import { checkUid } from "./changed_object.ts";
import { Journal, type JournalDamage } from "./journal.ts";
import { type JournalDisk, journalDisk } from "./journal_disk.ts";
import {
  accessRef,
  type KindFacts,
  kindFacts,
  objectWords,
} from "./kept_kinds.ts";
import { KindReader } from "./kind_reader.ts";
import { OwnerGarbage } from "./owner_garbage.ts";
import { LocalLosses } from "./local_losses.ts";
import { ManifestKeeper, type RefusedManifest } from "./manifest_keeper.ts";
import type { ManifestObject } from "./manifest_sets.ts";
import { ObjectKeeping } from "./object_keeping.ts";
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
  /** @default silent */
  readonly log?: Logger;
  /** @default the real one */
  readonly disk?: JournalDisk;
}

/** How a {@linkcode LocalStore} works. */
export interface LocalStoreOptions {
  /**
   * Where objects are kept; made when the first one is.
   *
   * @default nowhere: they end with the store
   */
  readonly directory?: string;
  /** The node that pods are bound to when they are made. @default none */
  readonly nodeName?: string;
  /**
   * All sources of manifests that there are: what came from another one goes.
   *
   * @default any that speaks, and nothing goes
   */
  readonly sources?: readonly string[];
  readonly watchLimits?: WatchLimits;
  /**
   * So many pods may be there that have not ended; more are refused.
   *
   * @default a thousand
   */
  readonly mostPods?: number;
}

/**
 * Keeps objects and behaves as an API server does: versions that rise, conflicts,
 * generations, finalizers, deletion in two steps, watches with a bounded history.
 *
 * What is given and taken is never altered. A call is over when its change is kept as
 * well as its kind demands.
 */
export class LocalStore implements ObjectClient {
  readonly #clock: Clock;
  readonly #state: ObjectState;
  readonly #losses: LocalLosses;
  readonly #keeping: ObjectKeeping | undefined;
  readonly #edits: ObjectEdits;
  readonly #manifests: ManifestKeeper;
  readonly #garbage: OwnerGarbage;
  readonly #nodeName: string | undefined;
  /** What is to be shown when everything else is known. */
  #shown: readonly LocalObject[] | undefined;

  constructor(deps: LocalStoreDeps, options: LocalStoreOptions = {}) {
    const state = new ObjectState(options.watchLimits);
    const losses = new LocalLosses();
    const keeping = keepingOf(state, deps, options);
    const { clock, random } = deps;
    const { nodeName, sources, mostPods = MOST_PODS } = options;
    const lostIn = (key: string) => losses.lostIn(key);
    const kept = { state, clock, random };
    const isFull = () => keeping?.isFull === true;
    const room = { mostPods, isFull };
    const edits = new ObjectEdits({ ...kept, nodeName, lostIn, ...room });
    const note = (key: string, value: unknown) => keeping?.note(key, value);
    const manifests = new ManifestKeeper(sources, { state, edits, note });
    const garbage = new OwnerGarbage({
      state,
      edits,
      isCertain: (owner, namespace) => losses.isCertain(owner, namespace),
    });
    if (keeping !== undefined) state.block("they have not been read");
    state.use({
      changed: (change) => keeping?.changed(change) ?? 0,
      followed: (change) => {
        losses.followed(change);
        const { key, before, after } = change;
        // A manifest may wait for its name.
        const isFree = after === undefined && before?.origin.kind !== "shown";
        if (isFree) manifests.settle(key);
        garbage.followed(change);
      },
    });
    this.#clock = clock;
    this.#state = state;
    this.#losses = losses;
    this.#keeping = keeping;
    this.#edits = edits;
    this.#manifests = manifests;
    this.#garbage = garbage;
    this.#nodeName = nodeName;
  }

  /** What of the kept objects cannot be read; `undefined` when nothing is missing. */
  get damage(): JournalDamage | undefined {
    return this.#losses.damage;
  }

  /** Why nothing can be written at present; `undefined` when it can. */
  get writeFailure(): string | undefined {
    return this.#keeping?.failure;
  }

  /**
   * Reads what is kept. Until this is over every call is refused, and what sources say is
   * held back; it takes as long as the disk refuses.
   *
   * @throws {unknown} The reason of `signal` when it aborts.
   */
  async load(signal: AbortSignal): Promise<void> {
    const keeping = this.#keeping;
    const state = this.#state;
    if (keeping === undefined || state.isReady) return;
    const found = await keeping.load(signal, (reason) => state.block(reason));
    this.#losses.restore(found.damage);
    state.restore(found.objects, found.revision);
    if (this.#nodeName !== undefined) bindPods(state, this.#nodeName);
    this.#manifests.restore(found.notes);
    this.#manifests.settleAll();
    if (this.#shown !== undefined) showObjects(state, this.#shown);
    this.#garbage.lookAtAll();
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
    const deps = { state: this.#state, clock: this.#clock };
    return new KindReader(this.#facts(kind), isOfKind, deps);
  }

  // deno-lint-ignore require-await -- what is thrown must reject
  async get(ref: AccessRef, signal: AbortSignal): Promise<ApiObject> {
    signal.throwIfAborted();
    return this.#find(ref).object;
  }

  async create(wish: NewObject, signal: AbortSignal): Promise<ApiObject> {
    signal.throwIfAborted();
    this.#state.checkReady();
    const facts = this.#writable(wish);
    return await this.#told(this.#edits.create(wish, facts, OWNED), signal);
  }

  async update(object: ApiObject, signal: AbortSignal): Promise<ApiObject> {
    signal.throwIfAborted();
    const facts = this.#writable(object);
    const kept = this.#findOwn(accessRef(object));
    return await this.#told(this.#edits.edit(kept, object, facts), signal);
  }

  async updateStatus(
    object: ApiObject,
    signal: AbortSignal,
  ): Promise<ApiObject> {
    signal.throwIfAborted();
    this.#writable(object);
    const kept = this.#findOwn(accessRef(object));
    return await this.#told(this.#edits.restate(kept, object), signal);
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
    return await this.#told(this.#edits.edit(kept, wish, facts), signal);
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
    await unlessAborted(this.#state.told(), signal);
  }

  /**
   * Says that a Pod that was deleted has ended, and nothing of it is left: its name is free
   * unless somebody's finalizer keeps it. Does nothing to others.
   */
  async finishDelete(
    uid: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<void> {
    const kept = this.#state.table.byUid(uid);
    if (kept !== undefined) this.#edits.finish(kept);
    await unlessAborted(this.#state.told(), signal);
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
    return this.refused;
  }

  /** All that could not be taken as it stands in a manifest, as things are now. */
  get refused(): readonly RefusedManifest[] {
    return this.#manifests.refused;
  }

  /** Shows what sources have beside that, to be read only; of Secrets no value is taken. */
  showObjects(objects: readonly LocalObject[]): void {
    if (this.#state.isReady) showObjects(this.#state, objects);
    else this.#shown = objects;
  }

  /**
   * Reads what is kept if that was not done before, and then removes what belongs to
   * nothing any more and writes what has changed, until `signal` aborts; at the end it
   * writes what was asked for last. A store that keeps its objects tells of no change
   * before it runs.
   */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.load(signal);
    } catch (error) {
      if (isAbort(error, signal)) return;
      throw error;
    }
    await Promise.all([this.#collect(signal), this.#keeping?.run(signal)]);
  }

  async #collect(signal: AbortSignal): Promise<void> {
    const garbage = this.#garbage;
    while (!signal.aborted) {
      garbage.collect(COLLECTED_AT_ONCE);
      // Others are to have their turn in between.
      if (garbage.isDue) await pause();
      else await garbage.bell.wait(signal);
    }
  }

  /** Gives something back when it is kept; the change is made whether or not that is awaited. */
  async #told(object: ApiObject, signal: AbortSignal): Promise<ApiObject> {
    // A disk may hang for good, and whoever asked does not have to.
    await unlessAborted(this.#state.told(), signal);
    return object;
  }

  #find(ref: AccessRef): KeptObject {
    this.#facts(ref);
    this.#state.checkReady();
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

function keepingOf(
  state: ObjectState,
  deps: LocalStoreDeps,
  { directory }: LocalStoreOptions,
): ObjectKeeping | undefined {
  if (directory === undefined) return undefined;
  const { clock, log = silentLogger, disk = journalDisk } = deps;
  const journal = new Journal(directory, { disk, clock, log });
  return new ObjectKeeping({ state, journal, clock, log });
}

function isAny(_object: ApiObject): _object is ApiObject {
  return true;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

// More than a device runs; a mistyped number of replicas must not fill it.
const MOST_PODS = 1000;

// Some milliseconds.
const COLLECTED_AT_ONCE = 256;

const OWNED = { kind: "owned" } as const;
