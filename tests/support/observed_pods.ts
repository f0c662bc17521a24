/**
 * What was observed of pods, with the dull parts filled in.
 *
 * @module
 */

import { containerHash } from "../../mod/api/objects/mod.ts";
import type {
  ObservedContainer,
  ObservedPod,
  ObservedSandbox,
} from "../../mod/pod/observed/mod.ts";
import type { ProbeVerdict, ProbeVerdicts } from "../../mod/pod/plan/mod.ts";
import type { buildPodStatus } from "../../mod/pod/status/mod.ts";
import { container, IMAGE } from "./pods.ts";

type StatusInput = Parameters<typeof buildPodStatus>[0];

/** The moment at which the tests stand: 2026-01-02T03:04:05Z. */
export const NOW_MS = 1_767_323_045_000;

/** Nanoseconds since the epoch, so many seconds before {@linkcode NOW_MS}. */
export function ago(seconds: number): bigint {
  return BigInt(NOW_MS - seconds * 1000) * 1_000_000n;
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

/** A record of a container, by default running and made from {@linkcode container}. */
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
    image: IMAGE,
    imageRef: "sha256:1",
    hash: containerHash(container(name)),
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
    uid: "u-1",
    name: "web",
    namespace: "shop",
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
