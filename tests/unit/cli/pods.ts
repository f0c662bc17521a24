/**
 * Pods with a status, for what clients show.
 *
 * @module
 */

import type {
  ContainerStatus,
  Pod,
  PodStatus,
} from "../../../mod/api/types/mod.ts";

/** A pod of namespace `default` on node `n1`. */
export function pod(
  name: string,
  options: {
    readonly containers?: readonly string[];
    readonly inits?: readonly string[];
    readonly sidecars?: readonly string[];
    readonly status?: PodStatus;
    readonly metadata?: Partial<Pod["metadata"]>;
  } = {},
): Pod {
  const { containers = ["c"], inits = [], sidecars = [] } = options;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      ...options.metadata,
    },
    spec: {
      nodeName: "n1",
      containers: containers.map((each) => ({ name: each, image: "i" })),
      initContainers: [
        ...sidecars.map((each) => ({
          name: each,
          image: "i",
          restartPolicy: "Always",
        })),
        ...inits.map((each) => ({ name: each, image: "i" })),
      ],
    },
    ...(options.status === undefined ? {} : { status: options.status }),
  };
}

/** The status of one container; running and ready unless said otherwise. */
export function container(
  name: string,
  options: Partial<ContainerStatus> = {},
): ContainerStatus {
  return {
    name,
    image: "i",
    imageID: "sha256:1",
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: "2024-01-01T00:00:00Z" } },
    ...options,
  };
}

/** A container that waits, for a reason. */
export function waiting(
  name: string,
  reason: string,
  options: Partial<ContainerStatus> = {},
): ContainerStatus {
  return container(name, {
    ready: false,
    started: false,
    state: { waiting: { reason } },
    ...options,
  });
}

/** A container that ended. */
export function ended(
  name: string,
  exitCode: number,
  options: { readonly reason?: string; readonly signal?: number } = {},
): ContainerStatus {
  return container(name, {
    ready: false,
    started: false,
    state: { terminated: { exitCode, ...options } },
  });
}
