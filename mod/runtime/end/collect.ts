/**
 * Removing what dead containers and gone pods leave in the runtime and on the disk.
 *
 * @module
 */

import { describeError } from "../../base/text/mod.ts";
import type { RuntimeService } from "../../cri/model/mod.ts";
import type { ObservedContainer, ObservedPod } from "../../pod/observed/mod.ts";
import type { ContainerFiles } from "../observe/mod.ts";

/** How many dead containers a pod keeps. */
export interface DeadKept {
  /** Of each container name; at least one, whose end the status and the logs still show. */
  readonly perContainer: number;
  /** Those that were made later stay, however many they are; nanoseconds since the epoch. */
  readonly bornBefore: bigint;
}

/** The newest of each name and no other. */
export const NEWEST_ONLY: DeadKept = {
  perContainer: 1,
  // Later than any time that a runtime can say.
  bornBefore: 2n ** 64n,
};

/**
 * Decides what of a living pod is removed: of each container name all dead ones but those
 * that are kept, the newest first; of the sandboxes those that are neither ready, nor the
 * newest, nor hold a container that stays. Pure.
 *
 * Upstream: pkg/kubelet/kuberuntime/kuberuntime_gc.go with its defaults.
 */
export function findLeftovers(
  pod: Pick<ObservedPod, "containers" | "sandboxes">,
  { perContainer, bornBefore }: DeadKept = NEWEST_ONLY,
): Pick<ObservedPod, "containers" | "sandboxes"> {
  const kept = new Map<string, number>();
  const containers: ObservedContainer[] = [];
  for (const container of pod.containers) {
    if (container.state === "running") continue;
    const number = kept.get(container.name) ?? 0;
    const isKept = number < Math.max(1, perContainer) ||
      container.createdAt >= bornBefore;
    if (isKept) kept.set(container.name, number + 1);
    else containers.push(container);
  }
  const removed = new Set(containers);
  const inUse = new Set(
    pod.containers.filter((container) => !removed.has(container))
      .map((container) => container.sandboxId),
  );
  const sandboxes = pod.sandboxes.slice(1)
    .filter(({ id, ready }) => !ready && !inUse.has(id));
  return { containers, sandboxes };
}

/**
 * How many dead containers of each name pods keep together: fewer than each may, where
 * all of them would be more than `most`. One of each name always stays. Pure.
 */
export function fairShare(
  pods: readonly Pick<ObservedPod, "containers" | "sandboxes">[],
  kept: DeadKept,
  most: number,
): number {
  let total = 0;
  let groups = 0;
  for (const pod of pods) {
    const removed = new Set(findLeftovers(pod, kept).containers);
    const left = pod.containers.filter((container) =>
      container.state !== "running" && !removed.has(container)
    );
    total += left.length;
    groups += new Set(left.map(({ name }) => name)).size;
  }
  if (total <= most) return kept.perContainer;
  return Math.min(kept.perContainer, Math.max(1, Math.floor(most / groups)));
}

// What StopContainer is given for one that is to be dead already.
const STOP_TIMEOUT_SECONDS = 2;

/** The pod that a container is of. */
type Owner = Pick<ObservedPod, "uid" | "name" | "namespace">;

/** Removes containers, sandboxes and logs of pods; what is gone already is no failure. */
export class PodRemover {
  readonly #runtime: RuntimeService;
  readonly #files: ContainerFiles;

  constructor(
    deps: { readonly runtime: RuntimeService; readonly files: ContainerFiles },
  ) {
    this.#runtime = deps.runtime;
    this.#files = deps.files;
  }

  /** Removes a container that has ended, with its log and the file of its last words. */
  async removeContainer(
    pod: Owner,
    container: ObservedContainer,
    options: { readonly signal: AbortSignal },
  ): Promise<void> {
    await this.removeRecord(pod, container, options);
    await this.#files.removeLog(pod, container);
  }

  /** The same, but its log stays: the next agent counts its starts by it. */
  async removeRecord(
    pod: Owner,
    container: ObservedContainer,
    options: { readonly signal: AbortSignal },
  ): Promise<void> {
    if (container.state === "unknown") {
      // It may still run, and a runtime does not remove what runs.
      const { id } = container;
      await this.#runtime.stopContainer(id, STOP_TIMEOUT_SECONDS, options);
    }
    await this.#runtime.removeContainer(container.id, options);
    await this.#files.removeTerminationLog(pod.uid, container);
  }

  /** Removes the logs that a pod has under its name. */
  async removeLogs(pod: Owner): Promise<void> {
    await this.#files.removeNamedLogs(pod);
  }

  /** Stops a sandbox whose containers have ended, which frees its network. */
  async stopSandbox(
    id: string,
    options: { readonly signal: AbortSignal },
  ): Promise<void> {
    await this.#runtime.stopPodSandbox(id, options);
  }

  /** Removes a sandbox, and with it whatever is in it. */
  async removeSandbox(
    id: string,
    options: { readonly signal: AbortSignal },
  ): Promise<void> {
    // It may not have been stopped, or not wholly.
    await this.stopSandbox(id, options);
    await this.#runtime.removePodSandbox(id, options);
  }

  /**
   * Removes everything of a pod that was ended: containers, sandboxes and logs.
   *
   * @param options.isAgain an earlier try failed: a sandbox that was stopped may not have
   * been wholly, and is stopped once more
   * @throws {Error} When a container still runs: it has a right to its grace.
   * @throws {AggregateError} with everything that could not be removed; the rest is
   */
  async removePod(
    pod: ObservedPod,
    options: { readonly signal: AbortSignal; readonly isAgain?: boolean },
  ): Promise<void> {
    const running = pod.containers.find(({ state }) => state === "running");
    if (running !== undefined) {
      throw new Error(
        `Cannot remove pod "${pod.uid}": its container "${running.name}" still runs, wanted none`,
      );
    }
    const { signal } = options;
    const failures: unknown[] = [];
    const sandboxes = new Map(pod.sandboxes.map((each) => [each.id, each]));
    for (const container of pod.containers) {
      // A sandbox takes its own containers with it.
      if (sandboxes.has(container.sandboxId)) continue;
      await attempt(failures, () => this.removeRecord(pod, container, options));
      signal.throwIfAborted();
    }
    for (const { id, isStopped } of sandboxes.values()) {
      await attempt(
        failures,
        () =>
          isStopped === true && !options.isAgain
            ? this.#runtime.removePodSandbox(id, options)
            : this.removeSandbox(id, options),
      );
      signal.throwIfAborted();
    }
    await attempt(failures, () => this.#files.removePodLogs(pod.uid));
    if (failures.length === 0) return;
    const why = failures.map(describeError).join("; ");
    const message = `Cannot remove pod "${pod.uid}": ${why}`;
    throw new AggregateError(failures, message);
  }
}

async function attempt(
  failures: unknown[],
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    failures.push(error);
  }
}
