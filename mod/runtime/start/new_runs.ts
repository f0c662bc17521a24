/**
 * Numbering the runs of containers: the runtime makes names of the numbers.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import type { RuntimeService } from "../../cri/model/mod.ts";
import type { ObservedContainer, ObservedPod } from "../../pod/observed/mod.ts";
import type { ContainerFiles } from "../observe/mod.ts";
import type { StartContext, StartTarget } from "./start_context.ts";

/** One run of a container that is to be created. */
export interface NewRun {
  readonly pod: Pod;
  readonly container: ContainerSpec;
  readonly restartCount: number;
  /** Whether something in the runtime may have changed. */
  readonly changed: boolean;
}

/** Gives the next run of a container its number. */
export class NewRuns {
  readonly #runtime: Pick<RuntimeService, "removeContainer">;
  readonly #files: Pick<ContainerFiles, "restartCountFromLogs">;

  constructor(
    deps: {
      readonly runtime: Pick<RuntimeService, "removeContainer">;
      readonly files: Pick<ContainerFiles, "restartCountFromLogs">;
    },
  ) {
    this.#runtime = deps.runtime;
    this.#files = deps.files;
  }

  /** Begins to count the restarts of containers whose sandbox is still being made. */
  countRestarts(
    targets: readonly StartTarget[],
    { pod, observed }: { readonly pod: Pod; readonly observed: ObservedPod },
  ): ReadonlyMap<string, Promise<number>> {
    return new Map(targets.map(({ container: { name } }) => {
      const count = this.#restartCount(pod, name, observed);
      // Its failure is met where it is awaited, or does not matter any more.
      count.catch(() => {});
      return [name, count];
    }));
  }

  async #restartCount(
    pod: Pod,
    name: string,
    observed: ObservedPod,
  ): Promise<number> {
    const latest = highestRecord(observed, name);
    if (latest === undefined) {
      const taken = observed.taken?.restartCounts ?? [];
      return Math.max(
        await this.#files.restartCountFromLogs(pod, name),
        ...taken.filter((other) => other.name === name)
          .map((other) => other.restartCount + 1),
      );
    }
    // One that was only created never ran, so its replacement is no restart.
    return latest.state === "created"
      ? latest.restartCount
      : latest.restartCount + 1;
  }

  /**
   * The next run. A container that was created and never ran gives its number back with
   * its record; where that cannot be removed, it keeps it.
   */
  async next(
    { pod, observed, restartCounts, signal }: StartContext,
    container: ContainerSpec,
  ): Promise<NewRun> {
    const { name } = container;
    const restartCount = await (restartCounts.get(name) ??
      this.#restartCount(pod, name, observed));
    const run = { pod, container, restartCount };
    const stale = highestRecord(observed, name);
    if (stale?.state !== "created") return { ...run, changed: false };
    try {
      await this.#runtime.removeContainer(stale.id, { signal });
      return { ...run, changed: true };
    } catch {
      // The collector tries again.
      signal.throwIfAborted();
      return { ...run, restartCount: restartCount + 1, changed: true };
    }
  }
}

/** The record with the highest count, in whatever sandbox: its number is taken. */
function highestRecord(
  observed: ObservedPod,
  name: string,
): ObservedContainer | undefined {
  return observed.containers.find((container) => container.name === name);
}
