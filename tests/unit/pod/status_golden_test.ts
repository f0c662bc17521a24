import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { containerHash } from "../../../mod/api/objects/mod.ts";
import type {
  ContainerSpec,
  ContainerStatus,
  Pod,
  PodStatus,
} from "../../../mod/api/types/mod.ts";
import { buildPodStatus } from "../../../mod/pod/status/status.ts";
import type {
  ObservedContainer,
  ObservedPod,
} from "../../../mod/pod/observed/observed.ts";
import { statusOfNotTaken } from "../../../mod/pod/status/status.ts";
import type {
  StatusProbes,
  WaitingReason,
} from "../../../mod/pod/status/container_statuses.ts";
import {
  ago,
  NOW_MS,
  sandbox,
  seen,
  statusInput,
} from "../../support/observed_pods.ts";
import { GOLDEN, type Golden } from "../../support/pod/golden.ts";

const POD_IP = "10.88.0.5";
const REFUSED = [
  "node-selector-mismatch",
  "sysctl-unsafe",
  "too-much-memory",
];
/** The kubelet crashed on it. */
const WITHOUT_STATUS = ["runtimeclass-missing"];

/** What they all said by the time that the statuses were recorded. */
const SUCCEEDING: StatusProbes = {
  readiness: () => "success",
  startup: () => "success",
};

for (const [name, golden] of GOLDEN) {
  if (WITHOUT_STATUS.includes(name) || REFUSED.includes(name)) continue;
  Deno.test(`buildPodStatus() reports golden ${name} as the kubelet does`, () => {
    const expected = readStatus(golden);
    const pod = readPod(golden);
    const built = buildPodStatus(statusInput({
      pod,
      observed: observedFrom(pod, expected),
      waiting: waitingFrom(expected),
      probes: SUCCEEDING,
      // The one that ran out of time began long ago.
      previous: name === "active-deadline"
        ? { startTime: "2026-01-02T03:04:00Z" }
        : undefined,
    }));
    deepStrictEqual(normalised(built), normalised(expected));
  });
}

for (const name of REFUSED) {
  Deno.test(`statusOfNotTaken() reports golden ${name} as the kubelet does`, () => {
    const golden = GOLDEN.get(name);
    ok(golden);
    const expected = readStatus(golden);
    const built = statusOfNotTaken({
      pod: readPod(golden),
      kind: "refused",
      reason: expected.reason ?? "",
      message: (expected.message ?? "").replace("Pod was rejected: ", ""),
      nowMs: NOW_MS,
    });
    deepStrictEqual(normalised(built), normalised(expected));
  });
}

Deno.test("the golden files are all here", () => {
  strictEqual(GOLDEN.size, 44);
});

// The recorded JSON is the wire form by construction: hence the casts here.
function readStatus(golden: Golden): PodStatus {
  return JSON.parse(
    JSON.stringify(golden.status).replaceAll("<POD_IP>", POD_IP),
  ) as PodStatus;
}

function readPod(golden: Golden): Pod {
  const manifest = golden.manifest as Pod;
  const metadata = golden.metadata as Pod["metadata"];
  const { spec } = manifest;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: {
      ...spec,
      restartPolicy: spec.restartPolicy ?? "Always",
      containers: spec.containers.map(withRequests),
    },
    status: { phase: "Pending" },
  };
}

/** Defaulting, as far as it shows in the status. */
function withRequests(container: ContainerSpec): ContainerSpec {
  const { limits, requests } = container.resources ?? {};
  if (limits === undefined) return container;
  return {
    ...container,
    resources: { limits, requests: { ...limits, ...requests } },
  };
}

function observedFrom(pod: Pod, status: PodStatus): ObservedPod {
  const containers = [
    ...status.containerStatuses ?? [],
    ...status.initContainerStatuses ?? [],
  ].flatMap((each) => recordOf(pod, each));
  const ready = status.conditions?.[0]?.status === "True";
  const hostNetwork = pod.spec.hostNetwork === true;
  const made = ready || containers.length > 0;
  return {
    uid: pod.metadata.uid,
    name: pod.metadata.name,
    namespace: pod.metadata.namespace,
    sandboxes: made
      ? [sandbox({ ready, hostNetwork, ip: hostNetwork ? "" : POD_IP })]
      : [],
    containers,
    ips: made && !hostNetwork ? [POD_IP] : [],
  };
}

function recordOf(pod: Pod, status: ContainerStatus): ObservedContainer[] {
  const id = status.containerID?.replace("containerd://", "");
  if (id === undefined) return [];
  const terminated = status.state?.terminated;
  const spec = pod.spec.containers.find(({ name }) => name === status.name);
  return [seen(status.name, {
    id,
    state: terminated === undefined ? "running" : "exited",
    exitCode: terminated?.exitCode ?? 0,
    reason: terminated?.reason ?? "",
    message: terminated?.message ?? "",
    image: status.image,
    imageRef: status.imageID,
    restartCount: status.restartCount,
    startedAt: ago(20),
    finishedAt: terminated === undefined ? 0n : ago(10),
    hash: spec === undefined ? "" : containerHash(spec),
  })];
}

/** The refused and failed starts, which only the agent knows. */
function waitingFrom(status: PodStatus): Map<string, WaitingReason> {
  const waiting = new Map<string, WaitingReason>();
  for (const { name, state } of status.containerStatuses ?? []) {
    const { reason = "", message } = state?.waiting ?? {};
    if (message !== undefined) waiting.set(name, { reason, message });
  }
  return waiting;
}

const TIMES = new Set([
  "startTime",
  "startedAt",
  "finishedAt",
  "lastTransitionTime",
]);

/** Times become placeholders; the probe time, always null, is not written by us. */
function normalised(status: PodStatus): unknown {
  return JSON.parse(JSON.stringify(status), (key, value) => {
    if (key === "lastProbeTime") return undefined;
    if (!TIMES.has(key)) return value;
    ok(value === "<TIME>" || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value));
    return "<TIME>";
  });
}
