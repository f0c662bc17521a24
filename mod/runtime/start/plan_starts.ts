/**
 * Starting what a plan wants started, one container after the other.
 *
 * @module
 */

import { isRestartableInit } from "../../api/vocabulary/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import { type Activities, causeOf, type SyncReport } from "../account/mod.ts";
import type { ContainerStarter } from "./start_container.ts";
import type {
  StartContext,
  StartResult,
  StartTarget,
} from "./start_context.ts";
import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import type { PodPlan } from "../../pod/plan/mod.ts";

/** Does the second half of a plan. */
export class PlanStarts {
  readonly #starter: Pick<ContainerStarter, "start">;
  readonly #activities: Activities;

  constructor(
    deps: {
      readonly starter: Pick<ContainerStarter, "start">;
      readonly activities: Activities;
    },
  ) {
    this.#starter = deps.starter;
    this.#activities = deps.activities;
  }

  /** @returns the ids of the containers that were started */
  async run(
    context: StartContext,
    options: { readonly targets: readonly StartTarget[]; report: SyncReport },
  ): Promise<readonly string[]> {
    const started: string[] = [];
    const { report } = options;
    for (const target of options.targets) {
      const result = await this.#startOne(context, target);
      context.releaseSlot();
      switch (result.kind) {
        case "started":
          started.push(result.containerId);
          report.changed();
          continue;
        case "pulling":
          report.pulling();
          break;
        case "failed":
          report.failed(result.failure);
          if (result.changed) report.stopped();
      }
      // What follows an ordinary init container may count on its work.
      const isOrdinaryInit = target.kind === "init" &&
        !isRestartableInit(target.container);
      if (isOrdinaryInit) break;
    }
    return started;
  }

  async #startOne(
    context: StartContext,
    target: StartTarget,
  ): Promise<StartResult> {
    using _starting = this.#activities.begin(context.pod.metadata.uid, {
      kind: "starting_container",
      container: target.container.name,
    });
    try {
      return await this.#starter.start(context, target);
    } catch (error) {
      context.signal.throwIfAborted();
      return {
        kind: "failed",
        failure: {
          container: target.container.name,
          reason: "RunContainerError",
          message: describeError(error),
          cause: causeOf(error),
        },
        changed: true,
      };
    }
  }
}

/** Lists what is started, in order: ephemeral, init, app; each in the plan's order. Pure. */
export function startTargets(pod: Pod, plan: PodPlan): readonly StartTarget[] {
  const { initContainers = [], containers, ephemeralContainers = [] } =
    pod.spec;
  const ephemeral = named(ephemeralContainers, plan.startEphemeral)
    .map((container): StartTarget => ({
      container,
      kind: "ephemeral",
      targetName: container.targetContainerName,
    }));
  const init = named(initContainers, plan.startInit)
    .map((container): StartTarget => ({ container, kind: "init" }));
  const app = named(containers, plan.start)
    .map((container): StartTarget => ({ container, kind: "app" }));
  return [...ephemeral, ...init, ...app];
}

function named<Container extends Pick<ContainerSpec, "name">>(
  containers: readonly Container[],
  names: readonly string[],
): readonly Container[] {
  return names.flatMap((name) =>
    containers.find((container) => container.name === name) ?? []
  );
}
