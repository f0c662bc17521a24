/**
 * How a pod comes to its end: stopped, then cleared away.
 *
 * @module
 */

import { type PodEvent, podRef } from "../api/mod.ts";
import type { ObservedPod } from "../pod/mod.ts";
import { STATUS_RECORD } from "../status/mod.ts";
import type { PodReporter } from "./pod_reporter.ts";
import type { EndingPod, Keep } from "./ports.ts";
import type { SyncDeps } from "./sync_deps.ts";
import type { SyncMemory } from "./sync_memory.ts";
import { NOT_KILLED, tellFailure } from "./tell_failure.ts";
import type { PodLook } from "./pod_look.ts";

/** Upstream's killPodNow: 10 s, or one and a half times the grace. */
const LEAST_KILL_MS = 10_000;
const KILL_MS_PER_GRACE_SECOND = 1_500;

/** A runtime that stopped a sandbox knows how its containers ended, or will in a moment. */
const CONFIRM_LOOKS = 5;
const CONFIRM_PAUSE_MS = 100;

const EXCEEDED_GRACE: PodEvent = {
  type: "Warning",
  reason: "ExceededGracePeriod",
  message:
    "Container runtime did not kill the pod within specified grace period.",
};

/** What ending pods needs. */
export interface EnderDeps extends
  Pick<
    SyncDeps,
    | "cache"
    | "executor"
    | "collector"
    | "volumes"
    | "statuses"
    | "records"
    | "prober"
    | "resources"
    | "clock"
    | "events"
  > {
  readonly memory: SyncMemory;
  readonly look: PodLook;
  readonly reporter: PodReporter;
}

/** Does the second half of a pod's life. */
export class PodEnder {
  readonly #deps: EnderDeps;

  constructor(deps: EnderDeps) {
    this.#deps = deps;
  }

  /**
   * Stops every container and sandbox of a pod (kubelet: SyncTerminatingPod).
   *
   * Its readiness is asked to the last, for whoever still sends it work; what might
   * restart a container is not asked any more.
   *
   * @throws {Error} when something still runs
   */
  async terminate(ending: EndingPod, signal: AbortSignal): Promise<void> {
    const { uid, pod, eviction, graceSeconds } = ending;
    const { look, reporter, records, prober, memory, executor } = this.#deps;
    const before = await look.latest(uid, signal);
    if (pod !== undefined) {
      reporter.report(pod, before, { terminal: false, eviction });
      await records.keep(uid);
      prober.stopLivenessAndStartup(uid);
    }
    const kill = memory.acted(uid, () =>
      executor.killPod({
        pod,
        observed: before,
        ...(graceSeconds !== undefined && { graceSeconds }),
        signal,
      }));
    await this.#watchKill(ending, kill, signal);
    prober.remove(uid);
    const after = await this.#lastLook(uid, signal);
    const running = after.containers.filter((container) =>
      container.state === "running"
    );
    if (running.length > 0) {
      throw new Error(
        `Cannot end pod "${after.namespace}/${after.name}": ${
          running.map((container) => `"${container.name}"`).join(", ")
        } still running after the grace period`,
      );
    }
    if (pod !== undefined) {
      reporter.report(pod, after, { terminal: true, eviction });
      await records.keep(uid);
    }
  }

  /** Looks at what was stopped, again for a while if the runtime has more to tell of it. */
  async #lastLook(uid: string, signal: AbortSignal): Promise<ObservedPod> {
    const { clock, look } = this.#deps;
    let seen = await look.now(uid, signal);
    for (let times = 0; times < CONFIRM_LOOKS; times++) {
      if (!seen.containers.some((one) => one.isUnconfirmed)) break;
      await clock.sleep(CONFIRM_PAUSE_MS, signal);
      seen = await look.now(uid, signal);
    }
    return seen;
  }

  /** Waits for the containers to be stopped, and tells when that fails or takes too long. */
  async #watchKill(
    ending: EndingPod,
    kill: Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, events } = this.#deps;
    const { pod, eviction, graceSeconds } = ending;
    if (pod === undefined) return await kill;
    // Only who evicts waits for the end, and not for ever (kubelet: killPodNow).
    using _limit = eviction === undefined ? undefined : clock.after(
      Math.max(LEAST_KILL_MS, (graceSeconds ?? 0) * KILL_MS_PER_GRACE_SECOND),
      () => events.record(podRef(pod), EXCEEDED_GRACE),
    );
    await tellFailure(kill, { pod, fault: NOT_KILLED, events, signal });
  }

  /**
   * Clears what a stopped pod leaves behind (kubelet: SyncTerminatedPod).
   *
   * @throws {Error} when something could not be removed
   */
  async release(
    ending: EndingPod,
    keep: Keep,
    signal: AbortSignal,
  ): Promise<void> {
    const { uid } = ending;
    await this.#deps.resources?.remove(uid, signal);
    if (keep !== "all") await this.#clear(uid, { keep, signal });
    await this.#finish(ending, keep);
  }

  async #clear(
    uid: string,
    options: {
      readonly keep: Exclude<Keep, "all">;
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    const { look, collector, volumes } = this.#deps;
    const { keep, signal } = options;
    const observed = await look.now(uid, signal);
    await collector.removePod(observed, { keepLogs: keep === "logs", signal });
    // The same UID starts again: from what is there now, not from what was.
    if (keep === "logs") await look.now(uid, signal);
    // Of an evicted pod the record says so: were it gone for a moment, a crash then
    // would run the pod again.
    const removal = await volumes.remove(
      uid,
      keep === "evidence" ? { keep: STATUS_RECORD } : {},
    );
    if (removal.kind === "left") {
      throw new Error(
        `Cannot remove the directory of pod "${uid}": something is still mounted at "${
          removal.mounts.join('", "')
        }"; unmount it`,
      );
    }
    this.#deps.memory.forget(uid);
    this.#deps.executor.forget(uid);
  }

  /** Says for good how the pod ended, or forgets that there was one. */
  async #finish({ uid, pod }: EndingPod, keep: Keep): Promise<void> {
    const { statuses, records, cache } = this.#deps;
    if (pod !== undefined) statuses.terminatePod(pod);
    switch (keep) {
      case "all":
      case "evidence":
        return await records.keep(uid);
      case "logs":
        records.forget(uid);
        return statuses.renew(uid);
      case "nothing":
        records.forget(uid);
        // Whoever has the UID next must not find these dead in its past.
        cache.delete(uid);
        return statuses.remove(uid);
    }
  }
}
