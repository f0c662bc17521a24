/**
 * Pods and runtime pictures for the tests of `mod/pod`, with the dull parts filled in.
 *
 * @module
 */

import { containerHash } from "../../../mod/api/objects/mod.ts";
import type { ContainerSpec, Pod } from "../../../mod/api/types/mod.ts";
import type {
  ObservedContainer,
  ObservedPod,
  ObservedSandbox,
} from "../../../mod/pod/observed/observed.ts";
import type {
  ProbeVerdict,
  ProbeVerdicts,
} from "../../../mod/pod/plan/plan_steps.ts";
import type { StatusInput } from "../../../mod/pod/status/status.ts";

/** The moment at which the tests stand: 2026-01-02T03:04:05Z. */
export const NOW_MS = 1_767_323_045_000;

/** Nanoseconds since the epoch, so many seconds before {@linkcode NOW_MS}. */
export function ago(seconds: number): bigint {
  return BigInt(NOW_MS - seconds * 1000) * 1_000_000n;
}

/** A container of the spec. */
export function spec(
  name: string,
  rest: Partial<ContainerSpec> = {},
): ContainerSpec {
  return { name, image: "localhost/busybox:1.35", ...rest };
}

/** A sidecar of the spec. */
export function sidecarSpec(
  name: string,
  rest: Partial<ContainerSpec> = {},
): ContainerSpec {
  return spec(name, { restartPolicy: "Always", ...rest });
}

/** What a test pod may differ in. */
export type PodOptions = Partial<Pod["spec"]> & {
  readonly metadata?: Partial<Pod["metadata"]>;
  readonly status?: Pod["status"];
};

/** A pod with the containers a, b and c unless told otherwise. */
export function pod(options: PodOptions = {}): Pod {
  const { metadata, status, ...rest } = options;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default", uid: "u1", ...metadata },
    spec: {
      restartPolicy: "Always",
      containers: [spec("a"), spec("b"), spec("c")],
      ...rest,
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** A ready sandbox s0 with an address. */
export function sandbox(
  rest: Partial<ObservedSandbox> = {},
): ObservedSandbox {
  return {
    id: "s0",
    ready: true,
    attempt: 0,
    createdAt: ago(100),
    hostNetwork: false,
    ip: "10.88.0.5",
    additionalIps: [],
    ...rest,
  };
}

/** A record of a container, by default running and made from {@linkcode spec}. */
export function seen(
  name: string,
  rest: Partial<ObservedContainer> = {},
): ObservedContainer {
  const ended = rest.state === "exited";
  return {
    id: `${name}-${rest.restartCount ?? 0}`,
    sandboxId: "s0",
    name,
    state: "running",
    createdAt: ago(90),
    startedAt: ago(90),
    finishedAt: ended ? ago(10) : 0n,
    exitCode: 0,
    reason: ended ? (rest.exitCode ?? 0) === 0 ? "Completed" : "Error" : "",
    message: "",
    image: "localhost/busybox:1.35",
    imageRef: "sha256:1",
    hash: containerHash(spec(name)),
    restartCount: 0,
    logPath: `${name}/0.log`,
    user: undefined,
    ...rest,
  };
}

/** A record that ended with this code. */
export function ended(
  name: string,
  exitCode: number,
  rest: Partial<ObservedContainer> = {},
): ObservedContainer {
  return seen(name, { state: "exited", exitCode, ...rest });
}

/** What the runtime shows; one ready sandbox unless told otherwise. */
export function observed(
  containers: readonly ObservedContainer[] = [],
  sandboxes: readonly ObservedSandbox[] = [sandbox()],
): ObservedPod {
  const newest = sandboxes[0];
  return {
    uid: "u1",
    name: "web",
    namespace: "default",
    sandboxes,
    containers,
    ips: newest?.ready && newest.ip ? [newest.ip] : [],
  };
}

/** Probes that have said nothing but this. */
export function probes(
  said: {
    readonly liveness?: Readonly<Record<string, ProbeVerdict>>;
    readonly startup?: Readonly<Record<string, ProbeVerdict>>;
  } = {},
): ProbeVerdicts {
  return {
    liveness: (id) => said.liveness?.[id],
    startup: (id) => said.startup?.[id],
  };
}

/** The input of a status, with nothing known from before. */
export function statusInput(
  rest: Partial<StatusInput> & Pick<StatusInput, "pod" | "observed">,
): StatusInput {
  return {
    previous: undefined,
    waiting: new Map(),
    probes: { readiness: () => undefined, startup: () => undefined },
    nowMs: NOW_MS,
    runtimeName: "containerd",
    terminal: false,
    hostIps: [],
    ...rest,
  };
}
