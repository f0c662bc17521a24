/**
 * Stopping what a plan wants stopped, before anything is started.
 *
 * @module
 */

import type { EventSink, Pod } from "../../api/types/mod.ts";
import { findContainer } from "../../api/vocabulary/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { RuntimeService } from "../../cri/model/mod.ts";
import { containerGrace } from "../../pod/lifecycle/mod.ts";
import {
  type KillReason,
  type PodPlan,
  stopNotes,
  wholeStop,
} from "../../pod/plan/mod.ts";
import type { ObservedContainer, ObservedPod } from "../../pod/observed/mod.ts";
import { PodRemover } from "./collect.ts";
import {
  type ContainerFiles,
  type ContainerNotes,
  listPod,
  type ListService,
} from "../observe/mod.ts";
import { type PodKiller, SandboxesLeft } from "./kill.ts";
import { causeOf, type SyncReport } from "../account/mod.ts";

/** The part of an execution that stopping looks at. */
export interface StopInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly plan: PodPlan;
  readonly signal: AbortSignal;
}

/** Does the first half of a plan. */
export class PlanStops {
  readonly #deps: {
    readonly runtime: ListService;
    readonly killer: PodKiller;
    readonly notes: ContainerNotes;
    readonly events: EventSink;
  };
  readonly #remover: PodRemover;

  constructor(
    deps: {
      readonly runtime: RuntimeService;
      readonly files: ContainerFiles;
      readonly killer: PodKiller;
      readonly notes: ContainerNotes;
      readonly events: EventSink;
    },
  ) {
    this.#deps = deps;
    this.#remover = new PodRemover(deps);
  }

  /** Stops what the plan wants stopped; false when the rest must wait. */
  async run(input: StopInput, report: SyncReport): Promise<boolean> {
    const { plan } = input;
    try {
      await this.#note(input);
      if (plan.sandbox.kind === "keep") {
        await this.#stopSome(input, report);
      } else await this.#stopAll(input, report);
      if (plan.startInit.length > 0) await this.#clearInit(input, report);
      return true;
    } catch (error) {
      input.signal.throwIfAborted();
      report.changed();
      report.podFailed({
        reason: plan.sandbox.kind === "keep"
          ? "KillContainerError"
          : "KillPodSandboxError",
        message: describeError(error),
        cause: causeOf(error),
      });
      return false;
    }
  }

  /** Remembers why they are stopped, should the agent end before they start again. */
  async #note({ pod, observed, plan }: StopInput): Promise<void> {
    const graces = plan.kill.map(({ containerName, reason }) => {
      const container = findContainer(pod, containerName);
      return containerGrace(pod, { container, reason });
    });
    const graceSeconds = Math.max(containerGrace(pod), ...graces);
    const notes = stopNotes(plan, { pod, observed });
    await this.#deps.notes.stopping(pod, notes, { graceSeconds });
  }

  /** The same of a whole pod that starts again some time later. */
  async noteWhole(pod: Pod, observed: ObservedPod): Promise<void> {
    const notes = wholeStop({ pod, observed }, "to_restart");
    const graceSeconds = containerGrace(pod);
    await this.#deps.notes.stopping(pod, notes, { graceSeconds });
  }

  async #stopAll(input: StopInput, report: SyncReport): Promise<void> {
    const { pod, observed, plan, signal } = input;
    const { sandbox } = plan;
    const isNew = sandbox.kind === "create";
    if (isNew && sandbox.replacesId !== undefined) {
      this.#recordSandboxChanged(pod);
    }
    // One that is not ready was stopped before, and its network goes when it is removed;
    // before a new one is made all of them are stopped once more.
    const isStopped = isNew
      ? observed.sandboxes.length === 0
      : !observed.sandboxes.some(({ ready }) => ready);
    if (isStopped && !observed.containers.some(mayRun)) return;
    const reasons = plan.kill;
    try {
      await this.#deps.killer.killPod({ pod, observed, reasons, signal });
    } catch (error) {
      if (!(error instanceof SandboxesLeft)) throw error;
      const { uid } = observed;
      const { alive } = await listPod(this.#deps.runtime, uid, { signal });
      if (alive) throw error;
      // What is left is the network of a sandbox that is over: that is a collector's.
      report.leftUnstopped(error.sandboxIds);
    }
    report.stopped();
  }

  async #stopSome(input: StopInput, report: SyncReport): Promise<void> {
    const { pod, observed, plan, signal } = input;
    const podIps = this.#deps.killer.addressesOf(pod, observed);
    for (const step of plan.kill) {
      const container = { id: step.containerId, name: step.containerName };
      const kill = { ...step, pod, container, podIps, signal };
      await this.#deps.killer.killContainer(kill);
      report.stopped();
    }
    for (const step of plan.reset) {
      const container = { id: step.containerId, name: step.containerName };
      if (step.kill) {
        const reason: KillReason = "pod_stopping";
        await this.#deps.killer.killContainer({
          pod,
          container,
          podIps,
          reason,
          graceSeconds: 0,
          signal,
        });
      }
      const record = observed.containers.find(({ id }) => id === container.id);
      if (record !== undefined) {
        await this.#remover.removeRecord(observed, record, { signal });
      }
    }
    if (plan.reset.length > 0) {
      report.again("RestartingAllContainers", "All containers are restarted");
    }
  }

  /**
   * Removes records of init containers: all of them when the pod starts anew, so that
   * none counts as done; else all but the newest of a name. One that cannot be removed
   * stops nothing: it is of another sandbox, or not the newest, and says nothing.
   */
  async #clearInit(input: StopInput, report: SyncReport): Promise<void> {
    const { pod, observed, plan, signal } = input;
    const startsAnew = plan.sandbox.kind === "create";
    for (const { name } of pod.spec.initContainers ?? []) {
      const records = observed.containers.filter((seen) => seen.name === name);
      const dead = startsAnew
        ? records
        : records.filter((seen) => !mayRun(seen)).slice(1);
      for (const container of dead) {
        try {
          await this.#remover.removeContainer(observed, container, { signal });
          report.stopped();
        } catch {
          // The collector tries again; it is no reason to look at the pod at once.
          signal.throwIfAborted();
        }
      }
    }
  }

  #recordSandboxChanged(pod: Pod): void {
    this.#deps.events.record(podRef(pod), {
      type: "Normal",
      reason: "SandboxChanged",
      message: "Pod sandbox changed, it will be killed and re-created.",
    });
  }
}

/** True unless the container is known not to run. */
function mayRun(container: ObservedContainer): boolean {
  return container.state === "running" || container.state === "unknown";
}
