/**
 * What the store knows, and how what changes is told.
 *
 * @module
 */

import { ApiFailure } from "../api/access/mod.ts";
import { keyOf } from "./kept_kinds.ts";
import { type KeptObject, ObjectTable, type Origin } from "./object_table.ts";
import { type AnyObject, withMeta } from "./parts.ts";
import {
  type ObjectEvent,
  WatchHistory,
  type WatchLimits,
} from "./watch_history.ts";

/** What has to be done about changes. */
export interface ChangeGate {
  /**
   * Hears of every change before it is told.
   *
   * @returns the number of the write that must be over first; 0 for none
   */
  changed(change: ObjectChanged): number;
  /** Hears of it afterwards, and may change more. */
  followed(change: ObjectChanged): void;
}

/** One change as a {@linkcode ChangeGate} sees it. */
export interface ObjectChanged {
  readonly key: string;
  readonly revision: number;
  readonly before: KeptObject | undefined;
  readonly after: KeptObject | undefined;
}

const OPEN: ChangeGate = { changed: () => 0, followed: () => {} };

type Waiting =
  | { readonly write: number; readonly event: ObjectEvent }
  | { readonly write: number; readonly resolve: () => void };

/**
 * All objects and their version.
 *
 * A change is known at once to whoever reads or writes, so that no two can contradict each
 * other; watchers and the one who made it hear of it when the gate lets it through, in
 * the order in which changes were made.
 */
export class ObjectState {
  readonly table: ObjectTable = new ObjectTable();
  readonly #limits: WatchLimits | undefined;
  readonly #histories = new Map<string, WatchHistory>();
  #gate: ChangeGate = OPEN;
  #floor = 0;
  #revision = 0;
  #toldRevision = 0;
  #blocked: string | undefined;
  #waiting: Waiting[] = [];
  #written = 0;

  constructor(limits?: WatchLimits) {
    this.#limits = limits;
  }

  /** The version of the newest change. */
  get revision(): number {
    return this.#revision;
  }

  /** The version up to which watchers have heard of all changes. */
  get toldRevision(): number {
    return this.#toldRevision;
  }

  /** Has every call refused until something is known, for a reason. */
  block(reason: string): void {
    this.#blocked = reason;
  }

  /** Whether something is known. */
  get isReady(): boolean {
    return this.#blocked === undefined;
  }

  /** @throws {ApiFailure} `ServiceUnavailable` when nothing is known yet. */
  checkReady(): void {
    if (this.#blocked === undefined) return;
    throw new ApiFailure(
      "ServiceUnavailable",
      `The objects of this node are not known yet: ${this.#blocked}`,
    );
  }

  /** Lets a gate decide from now on. */
  use(gate: ChangeGate): void {
    this.#gate = gate;
  }

  /** Begins with what was kept; its versions were all given out at or before `revision`. */
  restore(objects: Iterable<KeptObject>, revision: number): void {
    for (const kept of objects) this.table.put(kept);
    this.#revision = revision;
    this.#floor = revision;
    this.#toldRevision = revision;
    this.#blocked = undefined;
  }

  /** What became of the objects of a kind. */
  history(kind: string): WatchHistory {
    const known = this.#histories.get(kind);
    if (known !== undefined) return known;
    const history = new WatchHistory(this.#floor, this.#limits);
    this.#histories.set(kind, history);
    return history;
  }

  /** Puts an object in the place of the one of its name, with a version of its own. */
  put(object: AnyObject, origin: Origin): AnyObject {
    const revision = ++this.#revision;
    const stamped = withMeta(object, { resourceVersion: `${revision}` });
    const key = keyOf(object);
    const before = this.table.byKey(key);
    const after: KeptObject = { object: stamped, origin, revision };
    this.table.put(after);
    this.#tell({
      type: before === undefined ? "ADDED" : "MODIFIED",
      object: stamped,
      ...(before && { before: before.object }),
      revision,
    }, { key, revision, before, after });
    return stamped;
  }

  /** Removes an object. */
  remove(kept: KeptObject): void {
    const revision = ++this.#revision;
    const { object } = kept;
    const key = keyOf(object);
    this.table.remove(key);
    const last = withMeta(object, { resourceVersion: `${revision}` });
    this.#tell(
      { type: "DELETED", object: last, before: object, revision },
      { key, revision, before: kept, after: undefined },
    );
  }

  /** Tells all that waited for this write, or for an earlier one. */
  release(write: number): void {
    this.#written = write;
    const until = this.#waiting.findIndex((each) => each.write > write);
    const ready = until === -1 ? this.#waiting : this.#waiting.slice(0, until);
    this.#waiting = until === -1 ? [] : this.#waiting.slice(until);
    for (const each of ready) {
      if ("event" in each) this.#publish(each.event);
      else each.resolve();
    }
  }

  /** Waits until all is told that has changed so far. */
  told(): Promise<void> {
    const last = this.#waiting.at(-1);
    if (last === undefined) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ write: last.write, resolve });
    return promise;
  }

  #tell(event: ObjectEvent, change: ObjectChanged): void {
    const needed = this.#gate.changed(change);
    // Nothing overtakes what waits.
    const write = Math.max(needed, this.#waiting.at(-1)?.write ?? 0);
    if (write <= this.#written) this.#publish(event);
    else this.#waiting.push({ write, event });
    this.#gate.followed(change);
  }

  #publish(event: ObjectEvent): void {
    this.#toldRevision = event.revision;
    this.history(event.object.kind).publish(event);
  }
}
