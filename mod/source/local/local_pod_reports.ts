/**
 * What became of the pods that controllers have made.
 *
 * @module
 */

import { hasFailed, type ObjectClient } from "../../api/access/mod.ts";
import type { Pod, PodStatus } from "../../api/types/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import { isLocalPod } from "../../api/vocabulary/mod.ts";
import {
  type BackoffOptions,
  Bell,
  type Clock,
  nextDelay,
} from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import type { SharedInformer } from "../../informer/shared/mod.ts";

/** What reports go through. */
export interface LocalPodReportsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly client: Pick<ObjectClient, "get" | "updateStatus">;
  /** Says that nothing is left of a pod that was deleted. */
  readonly finishDelete: (uid: string, signal: AbortSignal) => Promise<void>;
  readonly pods: SharedInformer<Pod>;
  /** Whether the agent knows that a pod is to end, and has nothing of it any more. */
  readonly isGone: (uid: string) => boolean;
}

/**
 * While pods end, how often it is asked whether they have: soon after anything moves, since
 * the last of a pod goes unheard, and seldom while it uses up its grace.
 */
const ENDING_LOOKS: BackoffOptions = { baseMs: 200, maxMs: 30_000 };

/** What is refused is tried again; the store is in memory, so that costs little. */
const REFUSED_TRIES: BackoffOptions = { baseMs: 1_000, maxMs: 30_000 };

/** A status of the agent, and the pod that it is of. */
interface StatusReport {
  readonly pod: Pod;
  readonly status: PodStatus;
}

/** A pod whose status the store has refused. */
interface Refusal {
  readonly reason: string;
  readonly delayMs: number;
  readonly dueMs: number;
}

/** Somebody else may write to the object meanwhile; each writes once or twice. */
const WRITE_TRIES = 5;

/**
 * Writes the agent's statuses into the node's own store, the newest of each pod, and says
 * when deleted pods are gone. Costs nothing while nothing changes.
 */
export class LocalPodReports {
  readonly #deps: LocalPodReportsDeps;
  /** By UID: what the store has not got yet. */
  readonly #pending = new Map<string, StatusReport>();
  /** By UID: those of them that it did not take. */
  readonly #refused = new Map<string, Refusal>();
  readonly #bell = new Bell();
  #hasMoved = false;

  constructor(deps: LocalPodReportsDeps) {
    this.#deps = { ...deps, log: deps.log.named("source") };
  }

  /** Takes the newest status of a pod; pods of other sources are none of its business. */
  changed({ pod, status }: StatusReport): void {
    if (!isLocalPod(pod)) return;
    this.#pending.set(pod.metadata.uid, { pod, status });
    this.look();
  }

  /** A status that is not there any more says nothing. */
  removed(uid: string): void {
    this.#pending.delete(uid);
    this.#refused.delete(uid);
    this.look();
  }

  /** Has it asked soon whether pods are gone. */
  look(): void {
    this.#hasMoved = true;
    this.#bell.ring();
  }

  /** Whether the store has all that was reported. */
  get isIdle(): boolean {
    return this.#pending.size === 0;
  }

  /** Writes statuses that outlived the last agent; what is refused waits for {@linkcode run}. */
  async catchUp(
    reports: readonly StatusReport[],
    signal: AbortSignal,
  ): Promise<void> {
    for (const report of reports) {
      this.#pending.set(report.pod.metadata.uid, report);
    }
    await this.#writeAll(signal);
  }

  /** Reports until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, pods } = this.#deps;
    using _handler = pods.addHandler(({ kind }) => {
      if (kind !== "removed") this.look();
    }, { name: "ending-pods" });
    let delayMs: number | undefined;
    while (!signal.aborted) {
      if (this.#hasMoved) delayMs = undefined;
      this.#hasMoved = false;
      await this.#writeAll(signal);
      const isEnding = await this.#finish(signal);
      // What came meanwhile is looked at at once.
      if (this.#hasMoved) continue;
      delayMs = nextDelay(delayMs, ENDING_LOOKS);
      const endingMs = isEnding ? clock.monotonic() + delayMs : Infinity;
      const tries = [...this.#refused.values()].map(({ dueMs }) => dueMs);
      const untilMs = Math.min(endingMs, ...tries);
      await this.#bell.wait(signal, { clock, untilMs });
    }
  }

  /**
   * Writes one status; does nothing when the pod is gone, or another one of its name.
   *
   * @throws {ApiFailure} When the store refuses.
   */
  async #write(
    { metadata: { namespace, name, uid } }: Pod,
    status: PodStatus,
    signal: AbortSignal,
  ): Promise<void> {
    const { client } = this.#deps;
    const ref = { apiVersion: "v1", kind: "Pod", namespace, name };
    for (let tries = 1; tries <= WRITE_TRIES; tries++) {
      try {
        const held = await client.get(ref, signal);
        if (held.metadata.uid !== uid) return;
        const next: ApiObject & { readonly status: PodStatus } = {
          ...held,
          status,
        };
        await client.updateStatus(next, signal);
        return;
      } catch (error) {
        if (hasFailed(error, "NotFound")) return;
        if (!hasFailed(error, "Conflict") || tries === WRITE_TRIES) throw error;
      }
    }
  }

  async #writeAll(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    // Read one by one: while one is written, a newer status may come of the next, or none.
    for (const uid of [...this.#pending.keys()]) {
      const next = this.#pending.get(uid);
      const { dueMs = 0 } = this.#refused.get(uid) ?? {};
      if (next === undefined || dueMs > clock.monotonic()) continue;
      try {
        await this.#write(next.pod, next.status, signal);
        this.#refused.delete(uid);
      } catch (error) {
        if (signal.aborted) return;
        this.#refuse(next, describeError(error));
        continue;
      }
      if (this.#pending.get(uid) === next) this.#pending.delete(uid);
    }
  }

  /** Has a status tried again; the pod may be forgotten by now, or have a newer one. */
  #refuse({ pod: { metadata } }: StatusReport, reason: string): void {
    const { uid, namespace, name } = metadata;
    if (!this.#pending.has(uid)) return;
    const { clock, log } = this.#deps;
    const before = this.#refused.get(uid);
    const delayMs = nextDelay(before?.delayMs, REFUSED_TRIES);
    const dueMs = clock.monotonic() + delayMs;
    this.#refused.set(uid, { reason, delayMs, dueMs });
    if (before?.reason === reason) return;
    log.warn("local_status_refused", {
      pod: `${namespace}/${name}`,
      uid,
      reason,
    });
  }

  /** @returns whether there are pods that end and are still there */
  async #finish(signal: AbortSignal): Promise<boolean> {
    const { pods, isGone, finishDelete } = this.#deps;
    let isEnding = false;
    for (const { metadata } of pods.lister.list()) {
      if (metadata.deletionTimestamp === undefined) continue;
      if (isGone(metadata.uid)) await finishDelete(metadata.uid, signal);
      else isEnding = true;
    }
    return isEnding;
  }
}
