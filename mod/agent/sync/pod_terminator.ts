/**
 * How a pod comes to its end: stopped, then cleared away.
 *
 * @module
 */

import type { Pod, PodEvent } from "../../api/types/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import type { ObservedContainer, ObservedPod } from "../../pod/observed/mod.ts";
import { MIN_POD_GRACE_SECONDS } from "../../pod/lifecycle/mod.ts";
import type { PodReporter } from "./pod_reporter.ts";
import type { EndingPod, Retention } from "../workers/mod.ts";
import type { SyncDeps } from "./sync_deps.ts";
import type { SyncMemory } from "./sync_memory.ts";
import { NOT_KILLED, recordFailure } from "./record_failure.ts";
import type { PodInspector } from "./pod_inspector.ts";

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

const NAME_TAKEN: PodEvent = {
  type: "Warning",
  reason: "NameTaken",
  message:
    "Cannot run beside another pod of the same name: that one has run for longer, so this one stops and waits",
};

/** What came of stopping a pod. */
type Stopped =
  | { readonly kind: "stopped"; readonly sandboxIds: readonly string[] }
  | { readonly kind: "failed"; readonly error: unknown };

interface TerminatorDeps
  extends Pick<SyncDeps, "records" | "clock" | "events"> {
  readonly sessions: Pick<SyncDeps["sessions"], "delete">;
  readonly picture: Pick<SyncDeps["picture"], "act" | "forget">;
  readonly executor: Pick<SyncDeps["executor"], "killPod">;
  readonly remains: Pick<
    SyncDeps["remains"],
    "stopSandboxes" | "endVolumes" | "endCgroup" | "remove" | "renew"
  >;
  readonly statuses: Pick<
    SyncDeps["statuses"],
    "terminatePod" | "renew" | "remove"
  >;
  readonly prober: Pick<
    SyncDeps["prober"],
    "stopLivenessAndStartup" | "remove"
  >;
  readonly memory: Pick<SyncMemory, "acted" | "renew">;
  readonly inspector: Pick<PodInspector, "latest" | "now" | "stopped">;
  readonly reporter: Pick<PodReporter, "report">;
}

/** Does the second half of a pod's life. */
export class PodTerminator {
  readonly #deps: TerminatorDeps;

  constructor(deps: TerminatorDeps) {
    this.#deps = deps;
  }

  /**
   * Stops every container and sandbox of a pod (kubelet: SyncTerminatingPod).
   *
   * Its readiness is probed to the last, since clients may still send it work; what might
   * restart a container is not asked any more.
   *
   * A sandbox that cannot be stopped although its containers have ended is left to the
   * collector: neither the pod's end nor its successor waits for it. The volumes end with
   * the containers.
   *
   * @throws {Error} when something still runs
   */
  async terminate(ending: EndingPod, signal: AbortSignal): Promise<void> {
    const { uid, pod, eviction, graceSeconds, isRemoved } = ending;
    const { inspector, reporter, records, prober, memory, executor } =
      this.#deps;
    const { remains, picture } = this.#deps;
    const before = await inspector.latest(uid, signal);
    if (pod !== undefined) {
      reporter.report(pod, before, { terminal: false, eviction });
      await records.keep(uid);
      prober.stopLivenessAndStartup(uid);
    }
    // What events tell of the end meanwhile is seen by the look after it.
    using _ending = picture.act(uid);
    const kill = memory.acted(uid, () =>
      executor.killPod({
        pod,
        observed: before,
        ...(graceSeconds !== undefined && { graceSeconds }),
        // The next agent may find the manifest back, and this one's end half done.
        ...(isRemoved === true && { startsAgain: true }),
        signal,
      }));
    const stopped = await this.#watchKill(ending, kill, signal);
    // Before its session ends: what was stopped is not asked any more.
    prober.remove(uid);
    const after = await this.#lastLook(uid, stopped, signal);
    if (stopped.kind === "failed") {
      if (after.containers.some(mayRun)) throw stopped.error;
      remains.stopSandboxes(after);
    }
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
    remains.endVolumes(uid);
  }

  /**
   * Stops what runs of a pod whose name another pod has, so that no two of a name run
   * (I1): an earlier agent may have left both. It stays wanted, and starts when its name
   * falls free.
   *
   * @returns the pod as it is after that
   * @throws {Error} when something still runs
   */
  async yieldName(
    { pod, observed }: { readonly pod: Pod; readonly observed: ObservedPod },
    signal: AbortSignal,
  ): Promise<ObservedPod> {
    const { executor, events, memory, inspector } = this.#deps;
    const { uid } = pod.metadata;
    events.record(podRef(pod), NAME_TAKEN);
    const stop = memory.acted(
      uid,
      () => executor.killPod({ pod, observed, startsAgain: true, signal }),
    );
    await recordFailure(stop, { pod, failure: NOT_KILLED, events, signal });
    return await inspector.now(uid, signal);
  }

  /**
   * Stops what runs of a pod because the machine goes down; it stays wanted. What is
   * written says that its containers are to run again, whatever their policy.
   *
   * @throws {Error} when something still runs
   */
  async park(
    pod: Pod,
    options: { readonly graceSeconds: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const { executor, inspector, memory, picture, prober } = this.#deps;
    const { records, reporter } = this.#deps;
    const { uid } = pod.metadata;
    const { graceSeconds, signal } = options;
    const observed = await inspector.latest(uid, signal);
    if (!isAlive(observed)) return;
    prober.stopLivenessAndStartup(uid);
    using _ending = picture.act(uid);
    const kill = memory.acted(uid, () =>
      executor.killPod({
        pod,
        observed,
        graceSeconds: Math.max(MIN_POD_GRACE_SECONDS, graceSeconds),
        startsAgain: true,
        signal,
      }));
    const ending = { uid, pod, graceSeconds };
    const stopped = await this.#watchKill(ending, kill, signal);
    prober.remove(uid);
    const after = await this.#lastLook(uid, stopped, signal);
    reporter.report(pod, after, { terminal: false });
    await records.keep(uid);
    // A sandbox whose network hangs goes with the machine.
    if (after.containers.some(mayRun)) {
      throw stopped.kind === "failed" ? stopped.error : new Error(
        `Cannot stop pod "${after.namespace}/${after.name}": some of it still runs after the grace period`,
      );
    }
  }

  /** Looks at what was stopped, again for a while until the runtime knows how it ended. */
  async #lastLook(
    uid: string,
    stopped: Stopped,
    signal: AbortSignal,
  ): Promise<ObservedPod> {
    const { clock, inspector, memory } = this.#deps;
    const look = (): Promise<ObservedPod> =>
      stopped.kind === "failed"
        ? inspector.now(uid, signal)
        // No plan is made from a look that lists nothing: it counts as a part of the end.
        : memory.acted(
          uid,
          () => inspector.stopped(uid, { ...stopped, signal }),
        );
    let seen = await look();
    for (let times = 0; times < CONFIRM_LOOKS; times++) {
      if (!seen.containers.some((one) => one.isUnconfirmed)) break;
      await clock.sleep(CONFIRM_PAUSE_MS, signal);
      seen = await look();
    }
    return seen;
  }

  /**
   * Waits for the containers to be stopped, and records an event when that fails or takes too long.
   */
  async #watchKill(
    ending: EndingPod,
    kill: Promise<readonly string[]>,
    signal: AbortSignal,
  ): Promise<Stopped> {
    const { clock, events } = this.#deps;
    const { pod, eviction, graceSeconds } = ending;
    // An eviction waits for the end, but not for ever (kubelet: killPodNow).
    using _limit = pod === undefined || eviction === undefined
      ? undefined
      : clock.after(
        Math.max(LEAST_KILL_MS, (graceSeconds ?? 0) * KILL_MS_PER_GRACE_SECOND),
        () => events.record(podRef(pod), EXCEEDED_GRACE),
      );
    try {
      const about = { failure: NOT_KILLED, events, signal };
      const sandboxIds = await (pod === undefined
        ? kill
        : recordFailure(kill, { pod, ...about }));
      return { kind: "stopped", sandboxIds };
    } catch (error) {
      signal.throwIfAborted();
      return { kind: "failed", error };
    }
  }

  /**
   * Hands what a stopped pod leaves behind to the collector, and says for good how it
   * ended (kubelet: SyncTerminatedPod).
   *
   * What is named here beside the session may outlive it: the status and its record show
   * how a pod ended as long as it is listed, and the picture shows what the runtime still
   * has of it until that is removed.
   */
  async release({ uid, pod }: EndingPod, keep: Retention): Promise<void> {
    const { sessions, memory, remains, statuses, records, picture } =
      this.#deps;
    if (pod !== undefined) statuses.terminatePod(pod);
    switch (keep) {
      case "all":
        remains.endCgroup(uid);
        return await records.keep(uid);
      case "status":
        sessions.delete(uid);
        remains.remove(uid, keep);
        return await records.keep(uid);
      case "logs":
        memory.renew(uid);
        remains.renew(uid);
        records.forget(uid);
        return statuses.renew(uid);
      case "nothing":
        sessions.delete(uid);
        remains.remove(uid, keep);
        records.forget(uid);
        // The next pod of the UID must not find these dead containers in its past.
        picture.forget(uid);
        return statuses.remove(uid);
    }
  }
}

/** Whether anything of the pod runs, or may. */
export function isAlive(
  { sandboxes, containers }: Pick<ObservedPod, "sandboxes" | "containers">,
): boolean {
  return sandboxes.some(({ ready }) => ready) || containers.some(mayRun);
}

/** True unless the container is known not to run. */
function mayRun({ state }: Pick<ObservedContainer, "state">): boolean {
  return state === "running" || state === "unknown";
}
