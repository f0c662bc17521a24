/**
 * Everything that a pod makes the agent do, as data that can be compared.
 *
 * @module
 */

import { containerHash } from "../../../mod/api/objects/mod.ts";
import type { ContainerSpec, Pod } from "../../../mod/api/types/mod.ts";
import { decodeManifest } from "../../../mod/api/read/mod.ts";
import { type Fault, formatFault } from "../../../mod/api/fault/mod.ts";
import { storageLimits } from "../../../mod/eviction/mod.ts";
import { admit } from "../../../mod/pod/admission/mod.ts";
import { buildPodStatus } from "../../../mod/pod/status/mod.ts";
import {
  containerGrace,
  effectivePodGrace,
} from "../../../mod/pod/lifecycle/mod.ts";
import type {
  ObservedContainer,
  ObservedPod,
} from "../../../mod/pod/observed/mod.ts";
import { planPod, planResize } from "../../../mod/pod/plan/mod.ts";
import { qosClass } from "../../../mod/pod/resources/mod.ts";
import { pullPolicy } from "../../../mod/api/defaults/mod.ts";
import {
  type ContainerSpecInput,
  parseKeyFile,
  SpecBuilder,
  type SpecNode,
} from "../../../mod/runtime/spec/mod.ts";
import { identifyPod } from "../../../mod/source/file/mod.ts";
import type { Draft, Effect } from "../../../scripts/pod_fields/row.ts";
import {
  OBJECTS,
  QUANTITIES,
  type Sources,
  volumesSetUp,
} from "./pod_volume_effects.ts";
import {
  ago,
  NOW_MS,
  observed as observedPod,
  seen,
} from "../observed_pods.ts";
import { BARE_CGROUPS, bareNode } from "../../../scripts/lib/bare_node.ts";
import { asked } from "./pod_probe_effects.ts";
import { target } from "../services.ts";

/** What became of a manifest: its effects, each as a text, or why it was refused. */
export type ManifestOutcome =
  | {
    readonly kind: "taken";
    readonly effects: Readonly<Record<Effect, string>>;
  }
  | { readonly kind: "refused"; readonly message: string };

const UID = "u-1";

/** Reads a manifest and does all with it but call a runtime; `root` is a directory to write in. */
export async function effectsOf(
  draft: Draft,
  root: string,
): Promise<ManifestOutcome> {
  const result = decodeManifest(JSON.stringify(draft));
  if (result.kind === "refused") return refusal(result.faults);
  const [decoded] = result.pods;
  if (decoded === undefined) return { kind: "refused", message: "no pod" };
  const identified = identifyPod(decoded, {
    nodeName: "edge1",
    origin: { kind: "file", path: "/m/web.yaml" },
  });
  if (identified.kind === "refused") return refusal(identified.faults);
  const { metadata, spec } = identified.pod;
  // All else would differ with the UID, and the UID with every field.
  const pod: Pod = {
    ...identified.pod,
    metadata: {
      ...metadata,
      uid: UID,
      annotations: decoded.metadata.annotations ?? {},
    },
  };
  const volumes = await volumesSetUp(pod, root);
  const { requests, images } = containers(pod, volumes.sources);
  const names = (spec.volumes ?? []).map(({ name }) => name);
  const written = metadata.uid === decoded.metadata.uid ? metadata.uid : "made";
  return {
    kind: "taken",
    effects: {
      ...pureEffects(pod),
      identity: text([metadata.name, metadata.namespace, written, names]),
      container: requests.replaceAll(root, "ROOT"),
      probes: text(await asked(pod)),
      pull: images,
      volumes: volumes.files.replaceAll(root, "ROOT"),
    },
  };
}

function refusal(faults: readonly Fault[]): ManifestOutcome {
  return { kind: "refused", message: faults.map(formatFault).join("\n") };
}

function text(value: unknown): string {
  return JSON.stringify(
    value,
    (_, item: unknown) =>
      typeof item === "bigint"
        ? `${item}n`
        : item instanceof Map
        ? [...item]
        : item,
    1,
  );
}

type PureEffect = Exclude<
  Effect,
  "identity" | "container" | "probes" | "pull" | "volumes"
>;

function pureEffects(pod: Pod): Record<PureEffect, string> {
  const { initContainers = [], containers } = pod.spec;
  const all = [...initContainers, ...containers];
  return {
    sandbox: text(BUILDER.sandbox({ pod, attempt: 0 })),
    "hosts file": BUILDER.hostsFile(pod, ["10.88.0.7"]),
    plan: text(
      OBSERVATIONS.map((observed) =>
        planPod({ pod, observed: observed(pod), probes: SILENT })
      ),
    ),
    stop: text([
      effectivePodGrace(undefined, { pod }),
      all.map((container) =>
        KILL_REASONS.map((reason) => containerGrace(pod, { container, reason }))
      ),
    ]),
    admission: text(admit({ pod, others: [], node: ADMITTING }) ?? "admitted"),
    resize: text(planResize(pod, running(pod))),
    eviction: text(storageLimits(pod) ?? "none"),
    status: text(statusOf(pod)),
  };
}

const KILL_REASONS = [
  "pod_stopping",
  "liveness_failed",
  "startup_failed",
] as const;

/** Probes that have not spoken. */
const SILENT = {
  liveness: () => undefined,
  readiness: () => undefined,
  startup: () => undefined,
};

const NODE: SpecNode = bareNode({
  ips: ["10.0.0.5"],
  allocatable: QUANTITIES,
  cgroups: { ...BARE_CGROUPS, hugePageSizes: ["2MB"] },
  seccompProfileRoot: "/state/seccomp",
  idMapping: () => ({ hostId: 65536, containerId: 0, length: 65536 }),
  runtime: () => ({
    version: {
      version: "0.1.0",
      runtimeName: "containerd",
      runtimeVersion: "2.2.0",
      runtimeApiVersion: "v1",
    },
    handlers: [
      { name: "", userNamespaces: true, recursiveReadOnlyMounts: true },
      { name: "kata", userNamespaces: true, recursiveReadOnlyMounts: true },
    ],
    supplementalGroupsPolicy: true,
  }),
});

const ADMITTING = {
  name: "edge1",
  labels: { zone: "near", "kubernetes.io/hostname": "edge1" },
  allocatable: QUANTITIES,
  allowedUnsafeSysctls: [],
};

const BUILDER = new SpecBuilder({
  node: NODE,
  objects: OBJECTS,
  podLogsDir: "/logs",
  hostDns: () => ({ servers: ["1.1.1.1"], searches: [], options: [] }),
  clusterDns: ["10.96.0.10"],
  clusterDomain: "cluster.local",
  nodeHostsFile: () => "127.0.0.1 edge1\n",
  services: () => [target()],
});

/** What the containers of a pod are made from, and which images are pulled for it. */
function containers(
  pod: Pod,
  sources: Sources,
): { readonly requests: string; readonly images: string } {
  const kinds = [
    ...(pod.spec.initContainers ?? []).map((each) => ["init", each] as const),
    ...pod.spec.containers.map((each) => ["app", each] as const),
  ];
  const images: unknown[] = [];
  const requests = kinds.map(([kind, container]) => {
    images.push([
      container.image,
      pullPolicy(container, container.image ?? ""),
    ]);
    const given = {
      pod,
      container,
      podIps: ["10.88.0.7"],
      volumes: sources,
      keyFiles: KEY_FILES,
    };
    const needs = BUILDER.needs(given);
    if (needs.kind === "refused") return needs;
    const { environment, subPaths, images: wanted } = needs.config;
    images.push(wanted);
    return [
      subPaths,
      BUILDER.container({
        ...given,
        kind,
        restartCount: 0,
        sandboxId: "s1",
        imageRef: `ref of ${container.image}`,
        imageUser: { uid: undefined, username: "root" },
        terminationLog: "/state/last-words",
        environment,
        subPaths: new Map(
          subPaths.map((each) => [each.mountPath, `/sub/${each.subPath}`]),
        ),
        imageVolumes: new Map(
          wanted.map(({ volume, reference }) => [volume, { image: reference }]),
        ),
      }),
    ];
  });
  return {
    images: text(images),
    // The hash says only that something differs.
    requests: text(requests).replaceAll(
      /"io\.kubernetes\.container\.hash": "[0-9a-f]*"/g,
      "",
    ),
  };
}

const KEY_FILES: NonNullable<ContainerSpecInput["keyFiles"]> = new Map(
  ["v:vars", "v:other", "w:vars"].map((name) => [
    name,
    parseKeyFile(`K='${name}'\nL='other'\n`),
  ]),
);

function observed(
  pod: Pod,
  state: Partial<ObservedContainer>,
): ObservedPod {
  const { initContainers = [], containers } = pod.spec;
  const ordinary = initContainers.filter(({ restartPolicy }) =>
    restartPolicy !== "Always"
  );
  const lasting = [
    ...initContainers.filter((each) => !ordinary.includes(each)),
    ...containers,
  ];
  const ended: Partial<ObservedContainer> = { state: "exited", exitCode: 0 };
  const containerRecords = [
    ...ordinary.map((each) => record(each, ended)),
    ...lasting.map((each) => record(each, state)),
  ];
  return {
    ...observedPod(containerRecords),
    uid: UID,
    name: pod.metadata.name,
    namespace: pod.metadata.namespace,
    qosClass: qosClass(pod),
  };
}

function record(
  container: ContainerSpec,
  state: Partial<ObservedContainer>,
): ObservedContainer {
  return seen(container.name, {
    hash: containerHash(container),
    ...state.state === "exited" && { finishedAt: ago(50) },
    ...state,
  });
}

function running(pod: Pod): ObservedPod {
  const resources = {
    requests: { cpu: "500m", memory: "256Mi" },
    limits: { cpu: "500m", memory: "256Mi" },
  };
  return observed(pod, { resources });
}

const OBSERVATIONS: readonly ((pod: Pod) => ObservedPod)[] = [
  (pod) => ({ ...observed(pod, {}), sandboxes: [], containers: [] }),
  (pod) => ({ ...observed(pod, {}), containers: [] }),
  (pod) => observed(pod, { state: "exited", exitCode: 0 }),
  (pod) => observed(pod, { state: "exited", exitCode: 42 }),
];

function statusOf(pod: Pod): unknown {
  const startTime = new Date(NOW_MS - 90_000).toISOString();
  return buildPodStatus({
    pod,
    observed: observed(pod, {}),
    previous: { phase: "Running", startTime },
    waiting: new Map(),
    probes: SILENT,
    nowMs: NOW_MS,
    runtimeName: "containerd",
    terminal: false,
    hostIps: [],
  });
}
