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
  readonly labels?: Pod["metadata"]["labels"];
  readonly annotations?: Pod["metadata"]["annotations"];
  /** What is left of the metadata. */
  readonly metadata?: Partial<Pod["metadata"]>;
  readonly status?: Pod["status"];
};

/** A pod with one container `c`. */
export function pod(draft: PodDraft = {}): Pod {
  const {
    name = "web",
    namespace = "shop",
    uid = "u-1",
    labels,
    annotations,
    metadata,
    status,
    ...spec
  } = draft;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      uid,
      ...labels && { labels },
      ...annotations && { annotations },
      ...metadata,
    },
    spec: { containers: [container("c")], ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

/** A pod `uid` that is named so, too, and has 30 seconds to end. */
export function podOf(uid: string, draft: PodDraft = {}): Pod {
  return pod({ name: uid, uid, terminationGracePeriodSeconds: 30, ...draft });
}

/** A pod with the containers a, b and c. */
export function podOfThree(draft: PodDraft = {}): Pod {
  return pod({ containers: containers("a", "b", "c"), ...draft });
}

/** A container of a pod's spec. */
export function container(
  name: string = "c",
  fields: Partial<ContainerSpec> = {},
): ContainerSpec {
  return { name, image: IMAGE, ...fields };
}

/** Containers of these names. */
export function containers(...names: readonly string[]): ContainerSpec[] {
  return names.map((name) => container(name));
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

/** What is told of a container that waits for a reason. */
export function waitingStatus(
  name: string,
  reason: string,
  fields: Partial<ContainerStatus> = {},
): ContainerStatus {
  return containerStatus(name, {
    ready: false,
    started: false,
    state: { waiting: { reason } },
    ...fields,
  });
}

/** What is told of a container that ended. */
export function endedStatus(
  name: string,
  exitCode: number,
  terminated: Omit<
    NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>,
    "exitCode"
  > = {},
): ContainerStatus {
  return containerStatus(name, {
    ready: false,
    started: false,
    state: { terminated: { exitCode, ...terminated } },
  });
}

/** What is told of a container of which nothing is known but these fields. */
export function bareStatus(
  name: string,
  fields: Partial<ContainerStatus> = {},
): ContainerStatus {
  return {
    name,
    restartCount: 0,
    ready: false,
    image: "",
    imageID: "",
    ...fields,
  };
}
