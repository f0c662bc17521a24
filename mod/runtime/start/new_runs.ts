/**
 * Numbering the runs of containers: the runtime makes names of the numbers.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import type { ObservedContainer, ObservedPod } from "../../pod/observed/mod.ts";
import type {
  ExecutorDeps,
  StartContext,
  StartTarget,
} from "./start_context.ts";

/** One run of a container that is to be created. */
export interface NewRun {
  readonly pod: Pod;
  readonly container: ContainerSpec;
  readonly restartCount: number;
  /** Whether something in the runtime may have changed. */
  readonly changed: boolean;
}

type NumberingDeps = Pick<ExecutorDeps, "runtime" | "containerFiles">;

/** Begins to count the restarts of containers whose sandbox is still being made. */
export function countRestarts(
  deps: NumberingDeps,
  targets: readonly StartTarget[],
  { pod, observed }: { readonly pod: Pod; readonly observed: ObservedPod },
): ReadonlyMap<string, Promise<number>> {
  return new Map(
    targets.map(({ container: { name } }) => [
      name,
      watched(restartCount(deps, { pod, name, observed })),
    ]),
  );
}

/** Work whose failure is met where it is awaited, or does not matter any more. */
export function watched<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

/**
 * The next run of a container. One that was created and never ran gives its number back
 * with its record; where that cannot be removed, it keeps it.
 */
export async function nextRun(
  deps: NumberingDeps,
  { pod, observed, restartCounts, signal }: StartContext,
  container: ContainerSpec,
): Promise<NewRun> {
  const { name } = container;
  const count = await (restartCounts.get(name) ??
    restartCount(deps, { pod, name, observed }));
  const run = { pod, container, restartCount: count };
  const stale = highestRecord(observed, name);
  if (stale?.state !== "created") return { ...run, changed: false };
  try {
    await deps.runtime.removeContainer(stale.id, { signal });
    return { ...run, changed: true };
  } catch {
    // The collector tries again.
    signal.throwIfAborted();
    return { ...run, restartCount: count + 1, changed: true };
  }
}

async function restartCount(
  { containerFiles }: NumberingDeps,
  of: {
    readonly pod: Pod;
    readonly name: string;
    readonly observed: ObservedPod;
  },
): Promise<number> {
  const { pod, name, observed } = of;
  const latest = highestRecord(observed, name);
  if (latest !== undefined) {
    // One that was only created never ran, so its replacement is no restart.
    return latest.restartCount + (latest.state === "created" ? 0 : 1);
  }
  const taken = (observed.taken?.restartCounts ?? [])
    .filter((other) => other.name === name);
  return Math.max(
    await containerFiles.restartCountFromLogs(pod, name),
    ...taken.map((other) => other.restartCount + 1),
  );
}

/** The record with the highest count, in whatever sandbox: its number is taken. */
function highestRecord(
  observed: ObservedPod,
  name: string,
): ObservedContainer | undefined {
  return observed.containers.find((container) => container.name === name);
}
