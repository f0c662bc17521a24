/**
 * Brings statuses to a sink.
 *
 * @module
 */

import type { StrategicPatch } from "../api/access/mod.ts";
import { type Clock, WriteBehind } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import type { Pod, PodStatus } from "../api/types/mod.ts";
import type { StatusManager, StoredStatus } from "./status_manager.ts";
import { patchStatus } from "./status_patch.ts";

/** News of the status of one pod. */
export interface StatusUpdate extends StoredStatus {
  readonly uid: string;
  /** Makes what differs from the status that this sink took last. */
  readonly patch: () => StrategicPatch;
}

/** What became of an update. */
export type StatusReceipt =
  | { readonly kind: "taken" }
  /** There is no place for it yet; the next change or flush brings it again. */
  | { readonly kind: "deferred" }
  /** The sink has no such pod any more (HTTP 404): this version is of no use there. */
  | { readonly kind: "gone" }
  /** Another pod bears the name: what is known of this one is dropped, and that one left alone. */
  | { readonly kind: "replaced" };

/**
 * A receiver of statuses. It gets one update at a time for each pod, only the newest, and
 * updates of several pods at once.
 */
export interface StatusSink {
  /** Names the sink in logs, in snake_case. */
  readonly name: string;
  /**
   * Whether the last status of a pod is for it, too, when it had none before.
   *
   * @default false
   */
  readonly wantsEnds?: boolean;
  /**
   * Whether it mostly fails for all pods or for none: then one is tried for all.
   *
   * @default false
   */
  readonly failsAsOne?: boolean;
  /**
   * Takes a status.
   *
   * @throws {Error} when it has to be tried again
   */
  put(update: StatusUpdate, signal: AbortSignal): Promise<StatusReceipt>;
  /**
   * Takes note that a pod is gone.
   *
   * @throws {Error} when it has to be tried again
   */
  remove(uid: string, signal: AbortSignal): Promise<void>;
}

interface StatusDeliveryDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly statuses: Pick<StatusManager, "stored" | "follow" | "remove">;
  readonly sink: StatusSink;
}

/** It stays under upstream's ten seconds between two full syncs. */
const RETRY = { baseMs: 1_000, maxMs: 5_000 };

/**
 * Updates on their way at the same time. When a thousand pods change at once, the agent
 * must not be left without descriptors for anything else.
 */
const AT_ONCE = 16;

/** What the sink has of one pod. */
interface Sent {
  /** The version that the sink has dealt with; 0 before the first. */
  readonly version: number;
  /** The status that it has; absent when it has none. */
  readonly status?: PodStatus;
}

/** What the sink is to get about one pod. */
interface PendingStatus {
  /** How an earlier life of the pod ended. */
  readonly last?: StoredStatus | undefined;
  readonly next: StoredStatus | "gone";
}

/**
 * Drives one sink. Every change goes to it at once. For each pod it gets one status at a
 * time and only the newest, so an older status never comes after a newer one. A pod that
 * has to wait delays no other. A failed write is tried again until it succeeds or a newer
 * one replaces it. When a pod is gone, the sink gets the last status, unless it has it,
 * and then the removal.
 */
export class StatusDelivery {
  readonly #deps: StatusDeliveryDeps;
  /** Outlives a pod until the sink knows that it is gone. */
  readonly #sent = new Map<string, Sent>();
  readonly #writes: WriteBehind<PendingStatus>;

  /** Follows the statuses from now on. */
  constructor(deps: StatusDeliveryDeps) {
    const { clock, log, sink, statuses } = deps;
    this.#deps = deps;
    this.#writes = new WriteBehind(
      {
        write: (uid, pending, signal) => this.#deliver(uid, pending, signal),
        failing: (error, uid) =>
          log.error("status_failed", { sink: sink.name, uid, error }),
        recovered: () => log.info("status_recovered", { sink: sink.name }),
      },
      clock,
      { retry: RETRY, atOnce: AT_ONCE, probes: sink.failsAsOne === true },
    );
    statuses.follow({
      changed: (stored) => this.#changed(stored),
      removed: (uid) => this.#removed(uid),
    });
  }

  /** Delivers until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#writes.run(signal);
  }

  /**
   * Brings the newest status of one pod to the sink now, if it has not got it yet.
   *
   * Never rejects: what failed is tried again by {@linkcode run}.
   */
  async flush(uid: string): Promise<void> {
    const stored = this.#deps.statuses.stored(uid);
    const version = this.#sent.get(uid)?.version ?? 0;
    if (stored !== undefined && stored.version > version) this.#changed(stored);
    await this.#writes.flush(uid);
  }

  /** Whether something of a pod is still on its way. */
  isPending(uid: string): boolean {
    return this.#writes.get(uid) !== undefined;
  }

  /** The pods that are gone, and of which the sink is still to get how they ended. */
  endings(): readonly Pod[] {
    return [...this.#writes.values()].flatMap(({ last, next }) =>
      next === "gone" && last !== undefined ? [last.pod] : []
    );
  }

  /** What the sink had of a pod is lost: it gets all of it anew, or the removal. */
  forget(uid: string): void {
    this.#sent.set(uid, { version: 0 });
    const isGone = this.#writes.get(uid)?.next === "gone";
    if (isGone) this.#writes.put(uid, { next: "gone" });
    else this.#writes.drop(uid);
  }

  #changed(next: StoredStatus): void {
    const { uid } = next.pod.metadata;
    const { last } = this.#writes.get(uid) ?? {};
    this.#writes.put(uid, { next, last });
  }

  #removed(uid: string): void {
    const { wantsEnds = false } = this.#deps.sink;
    const { last, next = "gone" } = this.#writes.get(uid) ?? {};
    // A sink that never had the pod mostly does not need its end.
    const isNeeded = this.#sent.has(uid) || wantsEnds && next !== "gone";
    if (!isNeeded) return this.#writes.drop(uid);
    const ended = next === "gone" ? last : next;
    this.#writes.put(uid, { next: "gone", last: ended });
  }

  async #deliver(
    uid: string,
    { last, next }: PendingStatus,
    signal: AbortSignal,
  ): Promise<void> {
    let sent = this.#sent.get(uid) ?? { version: 0 };
    this.#sent.set(uid, sent);
    const { wantsEnds = false } = this.#deps.sink;
    const isEndNews = last !== undefined && sent.version < last.version &&
      (sent.version > 0 || wantsEnds);
    if (isEndNews) {
      const after = await this.#put(last, sent, signal);
      // At once: should the next fail, the end does not come after it.
      if (!this.#keep(uid, sent, after) || after === undefined) return;
      sent = after;
    }
    if (next === "gone") {
      await this.#deps.sink.remove(uid, signal);
      this.#keep(uid, sent, undefined);
    } else this.#keep(uid, sent, await this.#put(next, sent, signal));
  }

  /** Takes note of what the sink has now; false when that was forgotten meanwhile. */
  #keep(uid: string, before: Sent, after: Sent | undefined): boolean {
    if (this.#sent.get(uid) !== before) return false;
    if (after === undefined) this.#sent.delete(uid);
    else this.#sent.set(uid, after);
    return true;
  }

  async #put(
    stored: StoredStatus,
    sent: Sent,
    signal: AbortSignal,
  ): Promise<Sent | undefined> {
    const { sink, statuses, log } = this.#deps;
    const { pod: { metadata: { uid } }, version, status } = stored;
    const patch = () => patchStatus(sent.status, status);
    const receipt = await sink.put({ uid, ...stored, patch }, signal);
    switch (receipt.kind) {
      case "taken":
        return { version, status };
      case "deferred":
        return sent;
      case "gone":
        return { version };
      case "replaced":
        log.info("status_dropped", { sink: sink.name, uid });
        this.#sent.delete(uid);
        if (statuses.stored(uid)?.version === version) statuses.remove(uid);
        return undefined;
    }
  }
}
