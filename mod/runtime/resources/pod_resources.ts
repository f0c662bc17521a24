/**
 * The resources of pods while they run: their cgroup, and changes in place.
 *
 * @module
 */

import type { Sessions } from "../../base/mod.ts";
import type { ContainerSpec, EventSink, Pod } from "../../api/types/mod.ts";
import { findContainer } from "../../api/vocabulary/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { PodRecords } from "../../host/files/mod.ts";
import type { AmountLeft } from "../../host/machine/mod.ts";
import { CriError, type RuntimeService } from "../../cri/model/mod.ts";
import type { ObservedPod } from "../../pod/observed/mod.ts";
import {
  type PodPlan,
  RESIZED_RESOURCES,
  type ResizedResource,
  type ResizePlan,
  type ResizeUpdate,
  wantedResources,
} from "../../pod/plan/mod.ts";
import { ActuatedStore } from "./actuated_resources.ts";
import { causeOf, type SyncReport } from "../account/mod.ts";
import type { PodCgroups } from "./pod_cgroups.ts";
import {
  type NodeFacts,
  overheadResources,
  resizedResources,
  sandboxResources,
} from "../spec/mod.ts";

/** The reason of the kubelet's event (its FailedToCreatePodContainer). */
const NO_POD_CGROUP = "FailedCreatePodContainer";

interface PodResourcesDeps {
  readonly runtime: Pick<
    RuntimeService,
    "updateContainerResources" | "updatePodSandboxResources"
  >;
  readonly records: Pick<PodRecords, "section">;
  readonly events: EventSink;
  readonly cgroups: PodCgroups;
  /** The node as the builders of configurations know it. */
  readonly node: NodeFacts;
  readonly sessions: Sessions;
}

interface Resize {
  readonly pod: Pod;
  readonly plan: PodPlan;
  readonly signal: AbortSignal;
}

/** Keeps the cgroups of pods and resizes containers that run. */
export class PodResources {
  readonly #deps: PodResourcesDeps;
  readonly #actuated: ActuatedStore;
  /** Why the last resize of a pod failed, by its UID. */
  readonly #errors: Map<string, string>;

  constructor(deps: PodResourcesDeps) {
    this.#deps = deps;
    this.#actuated = new ActuatedStore(deps);
    this.#errors = deps.sessions.map();
  }

  /**
   * Has the pod's cgroup before its sandbox is made; the report says why it has none.
   *
   * @returns false when the sandbox cannot be made for that
   */
  async prepareSandbox(pod: Pod, report: SyncReport): Promise<boolean> {
    try {
      await this.#deps.cgroups.ensure(pod);
      return true;
    } catch (error) {
      const message = `unable to ensure pod container exists: ${
        describeError(error)
      }`;
      const reason = "FailedToCreatePodContainer";
      this.#recordWarning(pod, NO_POD_CGROUP, message);
      report.podFailed({ reason, message, cause: causeOf(error) });
      return false;
    }
  }

  /** What is left of the memory that all pods together may have, if that is limited. */
  memoryLeft(): Promise<AmountLeft | undefined> {
    return this.#deps.cgroups.memoryLeft();
  }

  /** How long the work of the pod has waited; `undefined` when nothing tells. */
  stalls(pod: Pod): ReturnType<PodCgroups["stalls"]> {
    return this.#deps.cgroups.stalls(pod);
  }

  /** How many processes and threads the pod has; `undefined` when that is not known. */
  processes(pod: Pod): Promise<number | undefined> {
    return this.#deps.cgroups.processes(pod);
  }

  /** The pod's sandbox was made: what the runtime made of its cgroup is limited. */
  async sandboxMade(pod: Pod): Promise<void> {
    await this.#remember(pod, this.#actuated.sandboxMade(pod));
    try {
      await this.#deps.cgroups.update(pod);
    } catch (error) {
      const message = `Cannot limit the pod as a whole: ${
        describeError(error)
      }`;
      this.#recordWarning(pod, NO_POD_CGROUP, message);
    }
  }

  /** A container of the pod was started. */
  async started(
    pod: Pod,
    container: ContainerSpec,
    containerId: string,
  ): Promise<void> {
    const of = { id: containerId, name: container.name };
    const resources = wantedResources(pod, container);
    await this.#remember(pod, this.#actuated.resized(pod, of, resources));
  }

  /** The same pod with what is known of its containers' resources. */
  async complete(observed: ObservedPod): Promise<ObservedPod> {
    const completed = await this.#actuated.complete(observed);
    const resizeError = this.#errors.get(observed.uid);
    return resizeError === undefined
      ? completed
      : { ...completed, resizeError };
  }

  /**
   * Gives running containers what the plan says. What fails is reported and tried again
   * with a later plan; the rest of the plan goes on.
   *
   * @throws {unknown} The reason of the signal when it aborts.
   */
  async resize(resize: Resize, report: SyncReport): Promise<void> {
    const { pod, plan, signal } = resize;
    if (plan.resize === undefined) return;
    const { uid } = pod.metadata;
    const killed = new Set(plan.kill.map(({ containerId }) => containerId));
    const updates = plan.resize.updates.filter(({ containerId }) =>
      !killed.has(containerId)
    );
    const todo: ResizePlan = { ...plan.resize, updates };
    const isInPlace = updates.length > 0 || todo.podAfter !== undefined;
    if (isInPlace) {
      const message = `Pod resize started: ${describeResize(todo)}`;
      this.#recordNormal(pod, "ResizeStarted", message);
    }
    try {
      for (const resource of RESIZED_RESOURCES) {
        await this.#resizeOne(resource, { ...resize, todo });
        report.stopped();
      }
      if (todo.podAfter !== undefined) {
        await this.#remember(pod, this.#actuated.podResized(pod));
      }
    } catch (error) {
      signal.throwIfAborted();
      report.stopped();
      const cause = causeOf(error);
      const message = cause.words;
      this.#errors.set(uid, message);
      this.#recordWarning(pod, "ResizeError", message);
      report.failed({ reason: "ResizePodInPlaceError", message, cause });
      return;
    }
    this.#errors.delete(uid);
    if (!isInPlace) return;
    await this.#announce(resize);
    const message = `Pod resize completed: ${describeResize(todo)}`;
    this.#recordNormal(pod, "ResizeCompleted", message);
  }

  /**
   * Removes what is left of a pod whose sandboxes have ended.
   *
   * @throws {FileError} When its cgroup cannot be removed.
   */
  async remove(uid: string, signal: AbortSignal): Promise<void> {
    await this.#deps.cgroups.remove(uid, signal);
  }

  /**
   * One resource of every container. The pod's own cgroup has to be the wider one at
   * any time: it is widened first, or narrowed last.
   */
  async #resizeOne(
    resource: ResizedResource,
    job: Resize & { readonly todo: ResizePlan },
  ): Promise<void> {
    const { pod, todo } = job;
    const { cgroups } = this.#deps;
    const updates = todo.updates.filter((each) => each.resource === resource);
    const only = { only: resource };
    if (todo.podGrows[resource]) await cgroups.update(pod, only);
    else if (resource === "memory") {
      // Upstream: validateMemoryResizeAction. The kernel would make room by killing.
      const excess = await cgroups.memoryExcess(pod);
      if (excess !== 0n) {
        throw new Error(
          `Cannot lower the memory limit of the pod: it uses ${excess} bytes more than the new limit`,
        );
      }
    }
    for (const update of updates) await this.#update(update, job);
    if (!todo.podGrows[resource]) await cgroups.update(pod, only);
  }

  async #update(update: ResizeUpdate, job: Resize): Promise<void> {
    const { pod, signal } = job;
    const { containerId: id, containerName: name, after } = update;
    const container = findContainer(pod, name);
    if (container === undefined) return;
    const { requests, limits } = after;
    const linux = resizedResources({
      pod,
      container: { ...container, resources: { requests, limits } },
      node: this.#deps.node,
    });
    await this.#deps.runtime.updateContainerResources(id, linux, { signal });
    const record = this.#actuated.resized(pod, { id, name }, after);
    await this.#remember(pod, record);
  }

  /**
   * Waits until something is written down. It is done in any case, and this agent
   * knows it: a disk that refuses keeps no container from running.
   */
  async #remember(pod: Pod, record: Promise<void>): Promise<void> {
    try {
      await record;
    } catch (error) {
      const found = describeError(error);
      const message =
        `Cannot keep the resources of the pod for a restart of the agent: ${found}`;
      this.#recordWarning(pod, "FailedCheckpoint", message);
    }
  }

  /**
   * Tells the runtime that the pod was resized, for plugins behind it.
   * Many runtimes do not implement it, and the pod has its resources in any case.
   */
  async #announce({ pod, plan, signal }: Resize): Promise<void> {
    if (plan.sandbox.kind !== "keep") return;
    const { runtime, node } = this.#deps;
    const overhead = overheadResources(pod, node);
    const resources = sandboxResources(pod, node);
    const { sandboxId } = plan.sandbox;
    const amounts = { overhead, resources };
    try {
      await runtime.updatePodSandboxResources(sandboxId, amounts, { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CriError && error.kind === "unimplemented") return;
      const { words } = causeOf(error);
      const message = `Cannot tell the runtime of the resize: ${words}`;
      this.#recordWarning(pod, "ResizeError", message);
    }
  }

  #recordWarning(pod: Pod, reason: string, message: string): void {
    this.#deps.events.record(podRef(pod), { type: "Warning", reason, message });
  }

  #recordNormal(pod: Pod, reason: string, message: string): void {
    this.#deps.events.record(podRef(pod), { type: "Normal", reason, message });
  }
}

/** The new resources as the kubelet's events have them. */
function describeResize({ updates, podAfter }: ResizePlan): string {
  const containers = new Map(
    updates.map(({ containerName: name, after }) => [name, after]),
  );
  const shown = [...containers].map(([name, { requests, limits }]) => ({
    name,
    resources: { limits, requests },
  }));
  return JSON.stringify({ containers: shown, resources: podAfter });
}
