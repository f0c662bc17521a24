/**
 * Rows of a runtime's lists and what was seen of pods, with the dull parts filled in.
 *
 * @module
 */

import type {
  Pod,
  PodEvent,
  PodRef,
  PodSpec,
} from "../../../mod/api/types/mod.ts";
import type {
  Container,
  RuntimeContainerStatus,
  Sandbox,
  SandboxStatus,
} from "../../../mod/cri/model/mod.ts";
import type {
  ObservedContainer,
  ObservedPod,
  ObservedSandbox,
} from "../../../mod/pod/observed/mod.ts";

const POD_LABELS = {
  "io.kubernetes.pod.name": "web",
  "io.kubernetes.pod.namespace": "shop",
};

/** A ready sandbox of pod `uid`. */
export function sandboxRow(uid: string, rest: Partial<Sandbox> = {}): Sandbox {
  return {
    id: `s-${uid}`,
    metadata: { name: "web", namespace: "shop", uid, attempt: 0 },
    state: "ready",
    createdAt: 1n,
    labels: { ...POD_LABELS, "io.kubernetes.pod.uid": uid },
    annotations: {},
    runtimeHandler: "",
    ...rest,
  };
}

/** The details of a sandbox row. */
export function sandboxDetails(
  row: Sandbox,
  rest: Partial<SandboxStatus> = {},
): SandboxStatus {
  return {
    ...row,
    ip: "10.88.0.7",
    additionalIps: [],
    networkMode: "pod",
    ...rest,
  };
}

/** A running container `c` of pod `uid`. */
export function containerRow(
  uid: string,
  rest: Partial<Container> = {},
): Container {
  return {
    id: `c-${uid}`,
    sandboxId: `s-${uid}`,
    metadata: { name: "c", attempt: 0 },
    state: "running",
    createdAt: 2n,
    labels: {
      ...POD_LABELS,
      "io.kubernetes.pod.uid": uid,
      "io.kubernetes.container.name": "c",
    },
    annotations: {},
    ...rest,
  };
}

/** The details of a container row. */
export function containerDetails(
  row: Container,
  rest: Partial<RuntimeContainerStatus> = {},
): RuntimeContainerStatus {
  return {
    id: row.id,
    metadata: row.metadata,
    state: row.state,
    createdAt: row.createdAt,
    startedAt: 3n,
    finishedAt: row.state === "exited" ? 4n : 0n,
    exitCode: 0,
    image: { image: "example/app:1" },
    imageRef: "sha256:abc",
    reason: "",
    message: "",
    labels: row.labels,
    annotations: row.annotations,
    mounts: [],
    logPath: "/logs/shop_web_u/c/0.log",
    resources: undefined,
    user: undefined,
    ...rest,
  };
}

/** A ready sandbox as seen. */
export function seenSandbox(
  rest: Partial<ObservedSandbox> = {},
): ObservedSandbox {
  return {
    id: "s1",
    ready: true,
    attempt: 0,
    createdAt: 1n,
    hostNetwork: false,
    ip: "10.88.0.7",
    additionalIps: [],
    ...rest,
  };
}

/** A running container as seen; its id is its name and restart count. */
export function seenContainer(
  name: string,
  rest: Partial<ObservedContainer> = {},
): ObservedContainer {
  const { restartCount = 0 } = rest;
  return {
    id: `${name}-${restartCount}`,
    sandboxId: "s1",
    name,
    state: "running",
    createdAt: 2n,
    startedAt: 3n,
    finishedAt: 0n,
    exitCode: 0,
    reason: "",
    message: "",
    image: "example/app:1",
    imageRef: "sha256:abc",
    hash: "",
    restartCount,
    logPath: `${name}/${restartCount}.log`,
    user: undefined,
    ...rest,
  };
}

/** A pod as seen. */
export function seenPod(rest: Partial<ObservedPod> = {}): ObservedPod {
  return {
    uid: "u-1",
    name: "web",
    namespace: "shop",
    sandboxes: [seenSandbox()],
    containers: [],
    ips: ["10.88.0.7"],
    ...rest,
  };
}

/** A pod with the containers named. */
export function podOf(
  names: readonly string[],
  spec: Partial<PodSpec> = {},
): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "shop", uid: "u-1" },
    spec: {
      containers: names.map((name) => ({ name, image: "example/app:1" })),
      terminationGracePeriodSeconds: 10,
      ...spec,
    },
  };
}

/** An event sink that keeps texts `reason: message`. */
export class EventList {
  readonly texts: string[] = [];
  readonly events: PodEvent[] = [];

  record(_pod: PodRef, event: PodEvent): void {
    this.events.push(event);
    this.texts.push(`${event.type} ${event.reason}: ${event.message}`);
  }
}
