/**
 * Stopping all pods because the machine goes down.
 *
 * @module
 */

import { type Clock, deadline, unlessAborted } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import {
  planShutdown,
  shutdownGrace,
  type ShutdownGroup,
} from "../pod/lifecycle/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import type { PodEviction } from "../pod/status/mod.ts";
import { sourceOf } from "./desired/mod.ts";
import type { ParkedPods, PodWorkers, WorkerView } from "./workers/mod.ts";

interface ShutdownDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly workers: Pick<PodWorkers, "evict" | "list" | "interrupt">;
  readonly parked: Pick<ParkedPods, "begin" | "park">;
  /** Has it told that no pod starts here any more. */
  readonly goingDown: (signal: AbortSignal) => Promise<void>;
}

/**
 * A container that ignores SIGTERM is killed when its grace is over, which is when the time
 * of its group is: the runtime is given this much longer to see that it has ended.
 */
const LAST_WAIT_MS = 2_000;

/** In upstream's words (pkg/kubelet/nodeshutdown). */
const TERMINATED: PodEviction = {
  reason: "Terminated",
  message: "Pod was terminated in response to imminent node shutdown.",
  disruption: true,
};

/**
 * Stops the pods in groups of their priority, the lowest first; those of a cluster that run
 * once end for good. A group that takes longer
 * than its time is not waited for any more; its containers have been told to end.
 *
 * @throws {unknown} the reason of `signal` when it aborts first
 */
export async function shutDownNode(
  groups: readonly ShutdownGroup[],
  { deps, signal }: {
    readonly deps: ShutdownDeps;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { clock, log, workers, parked, goingDown } = deps;
  const running = workers.list().filter(isUnderWay)
    .map(({ uid, state }) => ({ uid, state, pod: state.pod }));
  // One that has ended and is about to begin anew does not any more.
  parked.begin(running.map(({ uid }) => uid));
  const all = [goingDown(signal)];
  for (const { graceSeconds, members } of planShutdown(running, groups)) {
    const work = members.map(({ uid, pod, state }) => {
      const grace = pod === undefined
        ? graceSeconds
        : shutdownGrace(pod, graceSeconds);
      const done = parked.park(uid, { graceSeconds: grace });
      const isOver = pod !== undefined && runsOnce(pod) &&
        workers.evict(uid, TERMINATED, { graceSeconds: grace });
      // One that ends already is left to do so.
      if (!isOver && isToRun(state)) workers.interrupt(uid);
      return done;
    });
    all.push(...work);
    log.info("shutdown_group", { pods: members.length, graceSeconds });
    const isDone = await within(work, graceSeconds * 1_000, { clock, signal });
    if (!isDone) log.warn("shutdown_group_late", { graceSeconds });
  }
  await within(all, LAST_WAIT_MS, { clock, signal });
}

/** @returns whether all was done in time */
async function within(
  work: readonly Promise<void>[],
  limitMs: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<boolean> {
  using limit = deadline(clock, limitMs, signal);
  try {
    await unlessAborted(Promise.all(work), limit.signal);
    return true;
  } catch {
    // The work itself never fails: its worker tries again.
    signal.throwIfAborted();
    return false;
  }
}

/**
 * Whether a pod does not go on after the boot: its cluster was promised that it runs once,
 * and a controller makes another in its place.
 */
function runsOnce({ metadata, spec }: Pod): boolean {
  return spec.restartPolicy === "Never" &&
    sourceOf(metadata.annotations) === "api";
}

function isUnderWay({ state }: WorkerView): boolean {
  return state.kind === "syncing" || state.kind === "terminating";
}

function isToRun(state: WorkerView["state"]): boolean {
  return state.kind === "syncing" ||
    state.kind === "terminating" && state.stop.kind === "deferred";
}
