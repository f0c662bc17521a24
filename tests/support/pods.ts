/**
 * Pods as the agent has them, with the dull parts filled in.
 *
 * @module
 */

import type {
  ContainerSpec,
  ContainerStatus,
  Pod,
  PodSpec,
} from "../../mod/api/types/mod.ts";

/** The image of every container that names no other. */
export const IMAGE = "localhost/busybox:1.35";

/** What a pod of a test differs in: its spec's fields, its names, and the rest. */
export type PodDraft = Partial<PodSpec> & {
  /** @default "web" */
  readonly name?: string;
  /** @default "shop" */
  readonly namespace?: string;
  /** @default "u-1" */
  readonly uid?: string;
  readonly metadata?: Partial<Pod["metadata"]>;
  readonly status?: Pod["status"];
};

/** A pod with one container `c`. */
export function pod(draft: PodDraft = {}): Pod {
  const {
    name = "web",
    namespace = "shop",
    uid = "u-1",
    metadata,
    status,
    ...spec
  } = draft;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, uid, ...metadata },
    spec: { containers: [container("c")], ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

/** A pod with the containers a, b and c. */
export function podOfThree(draft: PodDraft = {}): Pod {
  const containers = [container("a"), container("b"), container("c")];
  return pod({ containers, ...draft });
}

/** A container of a pod's spec. */
export function container(
  name: string = "c",
  fields: Partial<ContainerSpec> = {},
): ContainerSpec {
  return { name, image: IMAGE, ...fields };
}

/** A container that begins before the others and goes on beside them. */
export function sidecar(
  name: string,
  fields: Partial<ContainerSpec> = {},
): ContainerSpec {
  return container(name, { restartPolicy: "Always", ...fields });
}

/** What is told of a container: it runs and is ready. */
export function containerStatus(
  name: string,
  fields: Partial<ContainerStatus> = {},
): ContainerStatus {
  return {
    name,
    image: IMAGE,
    imageID: "sha256:1",
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: "2024-01-01T00:00:00Z" } },
    ...fields,
  };
}
