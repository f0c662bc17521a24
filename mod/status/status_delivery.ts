/**
 * Brings statuses to whoever wants them.
 *
 * @module
 */

import {
  type BackoffOptions,
  type Clock,
  isAbort,
  jitter,
  nextDelay,
  type Random,
  TaskGroup,
} from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import type { Pod, PodStatus } from "../api/types/mod.ts";
import type { StatusSink } from "./ports.ts";
import type { StatusManager, VersionedStatus } from "./status_manager.ts";
import { patchStatus } from "./status_patch.ts";

/** What bringing statuses to a sink needs. */
export interface StatusDeliveryDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly statuses: Pick<
    StatusManager,
    "entry" | "entries" | "changes" | "departures" | "remove"
  >;
  readonly sink: StatusSink;
}

/** When what failed is tried again. */
export interface StatusDeliveryOptions {
  /** @default from one to five seconds, doubling */
  readonly retry?: BackoffOptions;
}

/** With its jitter it stays under upstream's ten seconds between two full syncs. */
const RETRY: BackoffOptions = { baseMs: 1_000, maxMs: 5_000 };

/** Spread of the retries, so that pods that failed together do not retry together. */
const RETRY_JITTER = 0.5;

/** What the sink has of one pod. */
interface Sent {
  /** The version that the sink has dealt with; 0 before the first. */
  readonly version: number;
  /** The status that it has; absent when it has none. */
  readonly status?: PodStatus;
  /** The version that found no place yet. */
  readonly deferred?: number;
}

const NOTHING_SENT: Sent = { version: 0 };

/**
 * Drives one sink: every change goes to it at once, of each pod the newest only and one
 * at a time, so that an older status never comes after a newer one. A pod that has to
 * wait holds up no other. What failed is tried again until it is taken or overtaken. Of
 * a pod that is gone the sink gets the last status, unless it has it, and then the news.
 */
export class StatusDelivery {
  readonly #deps: StatusDeliveryDeps;
  readonly #retry: BackoffOptions;
  readonly #sent = new Map<string, Sent>();
  /** What is on its way, by UID; none of it ever rejects. */
  readonly #flights = new Map<string, Promise<void>>();
  readonly #serving = new Set<string>();
  /** The pods whose last update failed. */
  readonly #failing = new Set<string>();
  #tasks: TaskGroup | undefined;
  /** The last statuses of pods that are gone. */
  #departed = new Map<string, VersionedStatus>();

  constructor(deps: StatusDeliveryDeps, options: StatusDeliveryOptions = {}) {
    this.#deps = deps;
    this.#retry = options.retry ?? RETRY;
  }

  /** Delivers until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await using tasks = new TaskGroup(signal);
    using departures = this.#deps.statuses.departures();
    this.#tasks = tasks;
    this.#departed = departures.last;
    for await (const _ of this.#deps.statuses.changes(tasks.signal)) {
      for (const uid of this.#due()) this.#serve(uid);
    }
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  /**
   * Brings the newest status of one pod to the sink now, if it has not got it yet.
   *
   * Never rejects: what failed is tried again by {@linkcode run}.
   */
  async flush(uid: string): Promise<void> {
    await this.#flights.get(uid);
    if (!this.#isBehind(uid)) return;
    // It is waited for, and ends with whoever waits.
    const { signal } = new AbortController();
    await (this.#flights.get(uid) ?? this.#begin(uid, signal));
    if (this.#failing.has(uid)) this.#serve(uid);
  }

  /** What the sink had of a pod is lost: it gets all of it anew, or hears that it is gone. */
  forget(uid: string): void {
    this.#sent.set(uid, { ...NOTHING_SENT });
    this.#failing.delete(uid);
  }

  /** Brings one pod up to date, however often that fails. */
  #serve(uid: string): void {
    if (this.#serving.has(uid)) return;
    this.#tasks?.start(async (signal) => {
      this.#serving.add(uid);
      try {
        await this.#bringUpToDate(uid, signal);
      } finally {
        this.#serving.delete(uid);
      }
    });
  }

  async #bringUpToDate(uid: string, signal: AbortSignal): Promise<void> {
    let delayMs: number | undefined;
    while (this.#isDue(uid)) {
      if (this.#failing.has(uid)) {
        delayMs = nextDelay(delayMs, this.#retry);
        const { clock, random } = this.#deps;
        await clock.sleep(jitter(random, delayMs, RETRY_JITTER), signal);
        if (!this.#isDue(uid)) return;
      } else {
        delayMs = undefined;
      }
      await (this.#flights.get(uid) ?? this.#begin(uid, signal));
      if (signal.aborted) return;
    }
  }

  /** The pods of which the sink should hear now. */
  #due(): string[] {
    for (const uid of this.#departed.keys()) {
      // A sink that never had it, or lost what it had, need not hear how it ended.
      if (!this.#sent.has(uid)) this.#departed.delete(uid);
    }
    const known = [...this.#deps.statuses.entries()].map(({ uid }) => uid);
    const uids = new Set([...known, ...this.#sent.keys()]);
    return [...uids].filter((uid) => this.#isDue(uid));
  }

  #isDue(uid: string): boolean {
    const version = this.#deps.statuses.entry(uid)?.version;
    const deferred = this.#sent.get(uid)?.deferred;
    const waits = deferred !== undefined && deferred === version;
    return !waits && this.#isBehind(uid);
  }

  #isBehind(uid: string): boolean {
    const entry = this.#deps.statuses.entry(uid);
    const sent = this.#sent.get(uid);
    if (entry === undefined) return sent !== undefined;
    // Of a pod that only a record tells of there is nothing new.
    return entry.pod !== undefined && (sent?.version ?? 0) < entry.version;
  }

  #begin(uid: string, signal: AbortSignal): Promise<void> {
    const flight = this.#deliver(uid, signal)
      .finally(() => this.#flights.delete(uid));
    this.#flights.set(uid, flight);
    return flight;
  }

  async #deliver(uid: string, signal: AbortSignal): Promise<void> {
    const sent = this.#sent.get(uid) ?? NOTHING_SENT;
    this.#sent.set(uid, sent);
    try {
      const after = await this.#tell(uid, sent, signal);
      // Unless it was forgotten meanwhile.
      if (this.#sent.get(uid) === sent) {
        if (after === undefined) this.#sent.delete(uid);
        else this.#sent.set(uid, after);
      }
      this.#succeeded(uid);
    } catch (error) {
      if (!isAbort(error, signal)) this.#failed(uid, error);
    }
  }

  /** Tells the sink the latest. Returns what it has of the pod then. */
  async #tell(
    uid: string,
    sent: Sent,
    signal: AbortSignal,
  ): Promise<Sent | undefined> {
    const { sink, statuses } = this.#deps;
    const before = await this.#tellLast(uid, sent, signal);
    if (before === undefined) return undefined;
    const entry = statuses.entry(uid);
    if (entry?.pod === undefined) {
      await sink.remove(uid, signal);
      return undefined;
    }
    return await this.#put({ ...entry, pod: entry.pod }, before, signal);
  }

  /** Tells how a pod was at its end, before it is told that it is gone or begins anew. */
  async #tellLast(
    uid: string,
    sent: Sent,
    signal: AbortSignal,
  ): Promise<Sent | undefined> {
    const last = this.#departed.get(uid);
    if (last?.pod === undefined) return sent;
    const isKnown = sent.version === 0 || sent.version >= last.version;
    const after = isKnown
      ? sent
      : await this.#put({ ...last, pod: last.pod }, sent, signal);
    if (this.#departed.get(uid) === last) this.#departed.delete(uid);
    return after;
  }

  async #put(
    entry: VersionedStatus & { readonly pod: Pod },
    sent: Sent,
    signal: AbortSignal,
  ): Promise<Sent | undefined> {
    const { sink, statuses } = this.#deps;
    const { uid, version, status } = entry;
    const patch = patchStatus(sent.status, status);
    const receipt = await sink.put({ ...entry, patch }, signal);
    switch (receipt.kind) {
      case "taken":
        return { version, status };
      case "deferred":
        return { ...sent, deferred: version };
      case "gone":
        return { version };
      case "replaced":
        this.#deps.log.info("status_dropped", { sink: sink.name, uid });
        if (statuses.entry(uid)?.version === version) statuses.remove(uid);
        this.#departed.delete(uid);
        return undefined;
    }
  }

  #succeeded(uid: string): void {
    const hadFailed = this.#failing.delete(uid);
    if (!hadFailed || this.#failing.size > 0) return;
    this.#deps.log.info("status_recovered", { sink: this.#deps.sink.name });
  }

  #failed(uid: string, error: unknown): void {
    // Once for a sink that refuses, not once for every pod.
    if (this.#failing.size === 0) {
      const sink = this.#deps.sink.name;
      this.#deps.log.error("status_failed", { sink, uid, error });
    }
    this.#failing.add(uid);
  }
}
