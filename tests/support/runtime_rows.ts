/**
 * Rows of a runtime's lists and their details, with the dull parts filled in.
 *
 * @module
 */

import type {
  Container,
  RuntimeContainerStatus,
  Sandbox,
  SandboxStatus,
} from "../../mod/cri/model/mod.ts";

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
    imageRef: "sha256:1",
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
