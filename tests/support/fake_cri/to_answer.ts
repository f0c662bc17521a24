/**
 * From what the fake runtime knows to the messages it answers with.
 *
 * @module
 */

import type * as wire from "../../../proto/gen/runtime/v1/api.ts";
import type { FakeImage } from "./image_store.ts";
import { usesNodeNetwork } from "./lifecycle.ts";
import type { GetResponse } from "../../../proto/gen/containerd/services/tasks/v1/tasks.ts";
import { Status } from "../../../proto/gen/containerd/types/task/task.ts";
import { toInstant } from "./event_streams.ts";
import type { FakeContainer, FakeSandbox, Move, TaskEnd } from "./model.ts";

const SANDBOX_STATE: Readonly<
  Record<FakeSandbox["state"], wire.PodSandboxState>
> = { ready: 0, not_ready: 1 };

const CONTAINER_STATE: Readonly<
  Record<FakeContainer["state"], wire.ContainerState>
> = { created: 0, running: 1, exited: 2 };

const EVENT_TYPE: Readonly<Record<Move["kind"], wire.ContainerEventType>> = {
  created: 0,
  started: 1,
  stopped: 2,
  deleted: 3,
};

/** Whether a sandbox is asked for. */
export function matchesSandbox(
  sandbox: FakeSandbox,
  filter: wire.PodSandboxFilter | undefined,
): boolean {
  if (filter === undefined) return true;
  const { id, state, labelSelector } = filter;
  return (id === "" || sandbox.id.startsWith(id)) &&
    (state === undefined || state.state === SANDBOX_STATE[sandbox.state]) &&
    hasLabels(sandbox.config.labels, labelSelector);
}

/** Whether a container is asked for. */
export function matchesContainer(
  container: FakeContainer,
  filter: wire.ContainerFilter | undefined,
): boolean {
  if (filter === undefined) return true;
  const { id, state, podSandboxId, labelSelector } = filter;
  return (id === "" || container.id.startsWith(id)) &&
    (state === undefined || state.state === CONTAINER_STATE[container.state]) &&
    (podSandboxId === "" || container.sandboxId.startsWith(podSandboxId)) &&
    hasLabels(container.config.labels, labelSelector);
}

/** A row of ListPodSandbox. */
export function toSandbox(sandbox: FakeSandbox): wire.PodSandbox {
  const { metadata, labels, annotations } = sandbox.config;
  return {
    id: sandbox.id,
    metadata,
    state: SANDBOX_STATE[sandbox.state],
    createdAt: sandbox.createdAt,
    labels,
    annotations,
    runtimeHandler: sandbox.runtimeHandler,
  };
}

/** The status of a sandbox. */
export function toSandboxStatus(sandbox: FakeSandbox): wire.PodSandboxStatus {
  const { linux } = sandbox.config;
  const options = linux?.securityContext?.namespaceOptions;
  return {
    ...toSandbox(sandbox),
    network: { ip: sandbox.ip, additionalIps: [] },
    linux: {
      namespaces: {
        options: options ?? {
          network: usesNodeNetwork(sandbox.config) ? 2 : 0,
          pid: 0,
          ipc: 0,
          targetId: "",
          usernsOptions: undefined,
        },
      },
    },
  };
}

/** A row of ListContainers. */
export function toContainer(container: FakeContainer): wire.Container {
  const { metadata, image, labels, annotations } = container.config;
  return {
    id: container.id,
    podSandboxId: container.sandboxId,
    metadata,
    image,
    imageRef: container.imageId,
    imageId: container.imageId,
    state: CONTAINER_STATE[container.state],
    createdAt: container.createdAt,
    labels,
    annotations,
  };
}

/** What a container uses. */
export function toContainerStats(
  container: FakeContainer,
): wire.ContainerStats {
  const { config: { labels }, layerBytes, memoryBytes, cpuNanos } = container;
  const { swapBytes } = container;
  const timestamp = container.measuredNanos ?? 0n;
  return {
    attributes: { id: container.id, labels },
    cpu: cpuNanos === undefined ? undefined : {
      timestamp,
      usageCoreNanoSeconds: { value: cpuNanos },
      usageNanoCores: undefined,
    },
    memory: memoryBytes === undefined ? undefined : {
      timestamp,
      workingSetBytes: { value: memoryBytes },
      availableBytes: undefined,
      usageBytes: undefined,
      rssBytes: undefined,
      pageFaults: undefined,
      majorPageFaults: undefined,
    },
    swap: swapBytes === undefined ? undefined : {
      timestamp,
      swapAvailableBytes: undefined,
      swapUsageBytes: { value: swapBytes },
    },
    writableLayer: layerBytes === undefined ? undefined : {
      fsId: undefined,
      usedBytes: { value: layerBytes },
      inodesUsed: { value: 1n },
    },
  };
}

/** What a sandbox uses. */
export function toSandboxStats(
  { id, config, network }: FakeSandbox,
): wire.PodSandboxStats {
  return {
    attributes: { id, metadata: config.metadata },
    linux: { network },
  };
}

/** The status of a container; `sandbox` is where its logs stand. */
export function toContainerStatus(
  container: FakeContainer,
  sandbox: FakeSandbox | undefined,
): wire.ContainerStatus {
  const { metadata, image, labels, annotations, mounts, logPath, stopSignal } =
    container.config;
  const { resources } = container;
  const directory = sandbox?.config.logDirectory ?? "";
  return {
    id: container.id,
    metadata,
    state: CONTAINER_STATE[container.state],
    createdAt: container.createdAt,
    startedAt: container.startedAt,
    finishedAt: container.finishedAt,
    exitCode: container.exitCode,
    image,
    imageRef: container.imageId,
    reason: container.reason,
    message: container.message,
    labels,
    annotations,
    mounts,
    logPath: logPath === "" ? "" : `${directory}/${logPath}`,
    resources: resources && { linux: resources },
    imageId: container.imageId,
    user: undefined,
    stopSignal,
  };
}

/** An image as a list or a status shows it. */
export function toImage(image: FakeImage): wire.Image {
  return {
    id: image.id,
    repoTags: image.repoTags,
    repoDigests: image.repoDigests,
    size: image.size,
    uid: image.uid === undefined ? undefined : { value: image.uid },
    username: image.username,
    pinned: image.pinned,
  };
}

/** A move, with the sandbox as it is right after. */
export function eventMessage(
  move: Move,
  sandbox: FakeSandbox | undefined,
): wire.ContainerEventResponse {
  return {
    containerId: move.id,
    containerEventType: EVENT_TYPE[move.kind],
    createdAt: move.at,
    podSandboxStatus: sandbox && toSandboxStatus(sandbox),
  };
}

function hasLabels(
  labels: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

/** containerd's words for a task; one without an end runs. */
export function taskMessage(
  containerId: string,
  end: TaskEnd | undefined,
): GetResponse {
  return {
    process: {
      containerId,
      id: containerId,
      status: end === undefined ? Status.RUNNING : Status.STOPPED,
      exitStatus: end?.code ?? 0,
      exitedAt: end && toInstant(end.at),
    },
  };
}
