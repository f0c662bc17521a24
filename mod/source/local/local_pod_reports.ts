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

/** Somebody else may write to the object meanwhile; each writes once or twice. */
const WRITE_TRIES = 5;

/**
 * Writes the agent's statuses into the node's own store, the newest of each pod, and says
 * when deleted pods are gone. Costs nothing while nothing changes.
 */
export class LocalPodReports {
  readonly #deps: LocalPodReportsDeps;
  readonly #pending = new Map<
    string,
    { readonly pod: Pod; readonly status: PodStatus }
  >();
  readonly #bell = new Bell();
  #hasMoved = false;
  #isWriting = false;

  constructor(deps: LocalPodReportsDeps) {
    this.#deps = { ...deps, log: deps.log.named("source") };
  }

  /** Takes the newest status of a pod; pods of other sources are none of its business. */
  changed(
    { pod, status }: { readonly pod: Pod; readonly status: PodStatus },
  ): void {
    if (!isLocalPod(pod)) return;
    this.#pending.set(pod.metadata.uid, { pod, status });
    this.look();
  }

  /** A status that is not there any more says nothing. */
  removed(uid: string): void {
    this.#pending.delete(uid);
    this.look();
  }

  /** Has it asked soon whether pods are gone. */
  look(): void {
    this.#hasMoved = true;
    this.#bell.ring();
  }

  /** Whether the store has all that was reported. */
  get isIdle(): boolean {
    return this.#pending.size === 0 && !this.#isWriting;
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
      this.#isWriting = true;
      await this.#writeAll(signal);
      this.#isWriting = false;
      const isEnding = await this.#finish(signal);
      // What came meanwhile is looked at at once.
      if (this.#hasMoved) continue;
      delayMs = nextDelay(delayMs, ENDING_LOOKS);
      const untilMs = isEnding ? clock.monotonic() + delayMs : Infinity;
      await this.#bell.wait(signal, { clock, untilMs });
    }
  }

  /**
   * Writes one status; does nothing when the pod is gone, or another one of its name.
   *
   * @throws {ApiFailure} When the store refuses.
   */
  async write(
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
    // Read one by one: while one is written, a newer status may come of the next, or none.
    for (const uid of [...this.#pending.keys()]) {
      const next = this.#pending.get(uid);
      if (next === undefined) continue;
      this.#pending.delete(uid);
      try {
        await this.write(next.pod, next.status, signal);
      } catch (error) {
        if (signal.aborted) return;
        const reason = describeError(error);
        this.#deps.log.warn("local_status_lost", { uid, reason });
      }
    }
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
