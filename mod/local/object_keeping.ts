/**
 * Keeps on disk what must outlive the agent.
 *
 * @module
 */

import {
  type BackoffOptions,
  Bell,
  type Clock,
  deadline,
  nextDelay,
  unlessAborted,
} from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import type { Journal, JournalContent, JournalDamage } from "./journal.ts";
import { keyOf } from "./kept_kinds.ts";
import type { ObjectChanged, ObjectState } from "./object_state.ts";
import type { KeptObject } from "./object_table.ts";
import { isDeleted } from "./parts.ts";
import { openObject, storedObject, urgencyOf } from "./stored_object.ts";

/** What was found on disk. */
export interface FoundObjects {
  readonly objects: readonly KeptObject[];
  /** Beside objects, by their keys. */
  readonly notes: ReadonlyMap<string, unknown>;
  /** No version up to this one is free. */
  readonly revision: number;
  readonly damage: JournalDamage | undefined;
}

/** What an {@linkcode ObjectKeeping} is built on. */
export interface ObjectKeepingDeps {
  readonly state: ObjectState;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Writes changes in the order in which they were made, those of one moment together.
 *
 * A change that must not be lost is told when it is written. While the disk refuses,
 * changes are told without it, wait in memory, and are tried again. What changes often,
 * such as the status of a Job, is gathered; a status that is found out again is not
 * written. Versions are reserved in blocks before they are given out.
 */
export class ObjectKeeping {
  readonly #deps: ObjectKeepingDeps;
  readonly #notes = new Map<string, unknown>();
  /** What a later version has written, and nobody else here touches. */
  readonly #foreign = new Map<string, unknown>();
  /** The keys of what is to be written. */
  #dirty = new Set<string>();
  readonly #bell = new Bell();
  /** How many writes have begun. */
  #begun = 0;
  #isUrgent = false;
  /** Whether a power cut must not take the next write. */
  #mustLast = false;
  /** When what is not urgent is due, and what was written is synced. */
  #dueMs = Infinity;
  #syncMs = Infinity;
  /** No version above is given out before this has grown on the disk. */
  #reserved = 0;
  #failure: { readonly message: string; delayMs: number } | undefined;
  #againMs = -Infinity;

  constructor(deps: ObjectKeepingDeps) {
    this.#deps = deps;
  }

  /** Why nothing can be written at present; `undefined` when it can. */
  get failure(): string | undefined {
    return this.#failure?.message;
  }

  /** Whether so much is kept that nothing more should come. */
  get isFull(): boolean {
    return this.#deps.journal.isFull;
  }

  /**
   * Reads what is kept; asks again as long as the disk refuses, since nothing is known then.
   *
   * @param failing hears why, each time
   */
  async load(
    signal: AbortSignal,
    failing: (message: string) => void,
  ): Promise<FoundObjects> {
    const { clock, journal, log } = this.#deps;
    for (
      let delayMs = nextDelay(undefined, RETRY);;
      delayMs = nextDelay(delayMs, RETRY)
    ) {
      signal.throwIfAborted();
      try {
        const found = await journal.load();
        const { damage } = found;
        if (damage !== undefined) {
          log.error("local_store_damaged", { ...damage });
        }
        return { ...this.#open(found), damage };
      } catch (error) {
        const message = describeError(error);
        log.error("local_store_unreadable", { error: message });
        failing(message);
      }
      await clock.sleep(delayMs, signal);
    }
  }

  #open(
    { entries, isSound }: JournalContent,
  ): Omit<FoundObjects, "damage"> {
    const objects: KeptObject[] = [];
    const notes = new Map<string, unknown>();
    let revision = 0;
    for (const [key, value] of entries) {
      const [prefix = ""] = key.split("\n", 1);
      const kept = prefix === "object" ? openObject(value) : undefined;
      if (kept !== undefined) objects.push(kept);
      else if (key === RESERVED && typeof value === "number") revision = value;
      else if (prefix === "note") notes.set(key.slice("note\n".length), value);
      else this.#foreign.set(key, value);
    }
    for (const [key, value] of notes) this.#notes.set(key, value);
    for (const kept of objects) revision = Math.max(revision, kept.revision);
    // What was reserved is lost with a damaged file; versions that did not last are not known.
    const isLost = entries.size > 0 && !entries.has(RESERVED);
    if (isLost || !isSound) revision += JUMP;
    this.#reserved = revision;
    return { objects, notes, revision };
  }

  /** Hears of a change. @returns the write that must be over before it is told */
  changed({ key, revision, before, after }: ObjectChanged): number {
    const urgency = urgencyOf(before, after);
    if (urgency !== "none") {
      this.#dirty.add(`object\n${key}`);
      this.#foreign.delete(`object\n${key}`);
    }
    if (revision > this.#reserved - BLOCK / 2) this.#dirty.add(RESERVED);
    // Its records go when that is told: what is found without them would run once more.
    this.#mustLast ||= isEndOfPod(before, after);
    const mustWait = urgency === "now" || revision > this.#reserved;
    this.#want(mustWait);
    return mustWait && this.#failure === undefined ? this.#begun + 1 : 0;
  }

  /** Keeps something beside objects; `undefined` for nothing. */
  note(key: string, value: unknown): void {
    if (value === undefined && !this.#notes.has(key)) return;
    if (value === undefined) this.#notes.delete(key);
    else this.#notes.set(key, value);
    this.#dirty.add(`note\n${key}`);
    this.#want(true);
  }

  #want(isUrgent: boolean): void {
    if (this.#dirty.size === 0) return;
    this.#isUrgent ||= isUrgent;
    const nowMs = this.#deps.clock.monotonic();
    this.#dueMs = Math.min(this.#dueMs, nowMs + GATHER_MS);
    this.#bell.ring();
  }

  /** Writes until `signal` aborts, and then what was asked for last. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    while (!signal.aborted) {
      const nowMs = clock.monotonic();
      const isWanted = this.#isUrgent || nowMs >= this.#dueMs;
      if (nowMs >= this.#againMs && isWanted) await this.#write();
      else if (nowMs >= this.#syncMs) await this.#sync();
      else {
        const dueMs = this.#isUrgent ? -Infinity : this.#dueMs;
        const untilMs = Math.min(Math.max(dueMs, this.#againMs), this.#syncMs);
        await this.#bell.wait(signal, { clock, untilMs });
      }
    }
    using limit = deadline(clock, LAST_WRITES_MS);
    // It never rejects, and goes on if the disk answers later.
    await unlessAborted(this.#writeLast(), limit.signal).catch(() => {});
    // Who still waits must not wait for ever.
    this.#deps.state.release(Infinity);
  }

  async #writeLast(): Promise<void> {
    const hasMore = this.#failure === undefined && this.#dirty.size > 0;
    if (hasMore) await this.#write();
    if (this.#deps.journal.isUnsynced) await this.#sync();
  }

  async #write(): Promise<void> {
    const { journal, state, clock } = this.#deps;
    const keys = this.#dirty;
    const reserved = keys.has(RESERVED) ? state.revision + BLOCK : undefined;
    const isLasting = reserved !== undefined || this.#mustLast;
    const write = ++this.#begun;
    this.#mustLast = false;
    this.#dirty = new Set();
    this.#isUrgent = false;
    this.#dueMs = Infinity;
    const changes = new Map<string, unknown>();
    for (const key of keys) changes.set(key, this.#valueOf(key));
    if (reserved !== undefined) changes.set(RESERVED, reserved);
    try {
      await journal.write(changes, {
        snapshot: () => this.#snapshot(reserved ?? this.#reserved),
        isLasting,
      });
      this.#reserved = reserved ?? this.#reserved;
      this.#succeed();
      if (journal.isUnsynced) {
        this.#syncMs = Math.min(this.#syncMs, clock.monotonic() + SYNC_MS);
      }
    } catch (error) {
      for (const key of keys) this.#dirty.add(key);
      this.#fail(error);
    }
    // What waited for it is told in any case.
    state.release(this.#failure === undefined ? write : Infinity);
  }

  async #sync(): Promise<void> {
    this.#syncMs = Infinity;
    try {
      await this.#deps.journal.sync();
    } catch (error) {
      // The next write says everything anew, though nothing has changed.
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const { clock, log } = this.#deps;
    const message = describeError(error);
    if (this.#failure === undefined) {
      log.error("local_store_not_written", { error: message });
    }
    const delayMs = nextDelay(this.#failure?.delayMs, RETRY);
    this.#failure = { message, delayMs };
    this.#againMs = clock.monotonic() + delayMs;
    this.#isUrgent = true;
  }

  #succeed(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#againMs = -Infinity;
    this.#deps.log.info("local_store_written_again");
  }

  #valueOf(key: string): unknown {
    if (key.startsWith("note\n")) {
      return this.#notes.get(key.slice("note\n".length));
    }
    const kept = this.#deps.state.table.byKey(key.slice("object\n".length));
    return kept && storedObject(kept);
  }

  *#snapshot(reserved: number): Iterable<readonly [string, unknown]> {
    yield [RESERVED, reserved];
    for (const kept of this.#deps.state.table.all()) {
      const value = storedObject(kept);
      if (value !== undefined) yield [`object\n${keyOf(kept.object)}`, value];
    }
    for (const [key, value] of this.#notes) yield [`note\n${key}`, value];
    yield* this.#foreign;
  }
}

/** Whether a Pod was to stay, and is not any more. */
function isEndOfPod(
  before: KeptObject | undefined,
  after: KeptObject | undefined,
): boolean {
  return before?.object.kind === "Pod" && !isDeleted(before.object) &&
    (after === undefined || isDeleted(after.object));
}

const RESERVED = "reserved";

// So many versions are given out between two writes that do nothing else.
const BLOCK = 100_000;

// More versions than a node gives out in its life.
const JUMP = 2 ** 32;

// The status of a Job changes with each of its pods.
const GATHER_MS = 1000;

// A power cut in this time leaves an earlier state, in which no pod is that has ended.
const SYNC_MS = 5000;

// A sick disk must not hold up the end.
const LAST_WRITES_MS = 1000;

// As for other records.
const RETRY: BackoffOptions = { baseMs: 1000, maxMs: 60_000 };
