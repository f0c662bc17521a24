/**
 * Removing what dead containers and gone pods leave in the runtime and on the disk.
 *
 * @module
 */

import { describeError } from "../base/mod.ts";
import type { RuntimeService } from "../cri/mod.ts";
import type { ObservedContainer, ObservedPod } from "../pod/mod.ts";
import { findLeftovers, isTidy } from "./collect_decision.ts";
import type { ContainerFiles } from "./container_files.ts";

// What StopContainer is given for one that is to be dead already.
const STOP_TIMEOUT_SECONDS = 2;

/** Removes containers, sandboxes and logs; never anything that runs as it should. */
export class PodCollector {
  readonly #runtime: RuntimeService;
  readonly #files: ContainerFiles;

  constructor(
    deps: { readonly runtime: RuntimeService; readonly files: ContainerFiles },
  ) {
    this.#runtime = deps.runtime;
    this.#files = deps.files;
  }

  /**
   * Removes older dead containers, with their logs, and older dead sandboxes of a pod
   * that lives on. Cheap when there are none: nothing is asked of the runtime.
   *
   * @returns whether anything was removed
   * @throws {AggregateError} with everything that could not be removed; the rest is
   */
  async pruneDead(
    pod: ObservedPod,
    options: { readonly signal: AbortSignal },
  ): Promise<boolean> {
    const leftovers = findLeftovers(pod);
    if (isTidy(leftovers)) return false;
    const { signal } = options;
    const failures: unknown[] = [];
    for (const container of leftovers.containers) {
      await attempt(
        failures,
        () => this.#removeContainer(container, signal),
      );
      await attempt(failures, () => this.#files.removeLog(pod, container));
      await attempt(
        failures,
        () => this.#files.pruneTerminationLogs(pod.uid, container.name),
      );
      signal.throwIfAborted();
    }
    for (const { id } of leftovers.sandboxes) {
      await attempt(failures, () => this.#removeSandbox(id, signal));
      signal.throwIfAborted();
    }
    throwAny(failures, `Cannot remove what pod "${pod.uid}" left behind`);
    return true;
  }

  /**
   * Removes everything of a pod that was ended: containers, sandboxes and, unless they
   * are to be kept, logs.
   *
   * @throws {Error} When a container still runs: it has a right to its grace.
   * @throws {AggregateError} with everything that could not be removed; the rest is
   */
  async removePod(
    pod: ObservedPod,
    options: { readonly keepLogs?: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    const running = pod.containers.find(({ state }) => state === "running");
    if (running !== undefined) {
      throw new Error(
        `Cannot remove pod "${pod.uid}": its container "${running.name}" still runs, wanted none`,
      );
    }
    const { signal } = options;
    const failures: unknown[] = [];
    const sandboxIds = new Set(pod.sandboxes.map(({ id }) => id));
    for (const container of pod.containers) {
      // A sandbox takes its own containers with it.
      if (sandboxIds.has(container.sandboxId)) continue;
      await attempt(
        failures,
        () => this.#removeContainer(container, signal),
      );
      signal.throwIfAborted();
    }
    for (const id of sandboxIds) {
      await attempt(failures, () => this.#removeSandbox(id, signal));
      signal.throwIfAborted();
    }
    if (options.keepLogs !== true) {
      await attempt(failures, () => this.#files.removePodLogs(pod));
    }
    throwAny(failures, `Cannot remove pod "${pod.uid}"`);
    this.#files.forget(pod.uid);
  }

  async #removeContainer(
    container: ObservedContainer,
    signal: AbortSignal,
  ): Promise<void> {
    if (container.state === "unknown") {
      // It may still run, and a runtime does not remove what runs.
      await this.#runtime.stopContainer(container.id, STOP_TIMEOUT_SECONDS, {
        signal,
      });
    }
    await this.#runtime.removeContainer(container.id, { signal });
  }

  async #removeSandbox(id: string, signal: AbortSignal): Promise<void> {
    // Stopping is what frees its network; it may not have been done, or not wholly.
    await this.#runtime.stopPodSandbox(id, { signal });
    await this.#runtime.removePodSandbox(id, { signal });
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

function throwAny(failures: readonly unknown[], what: string): void {
  if (failures.length === 0) return;
  const why = failures.map(describeError).join("; ");
  throw new AggregateError(failures, `${what}: ${why}`);
}
