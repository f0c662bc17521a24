/**
 * Rules of the API server on whole pods: annotations that stand for fields, resources
 * of the pod, sysctls, scheduling; and what only an API server could provide.
 *
 * @module
 */

import {
  type Parts,
  type RefusedRow,
  testRefused,
  testTaken,
} from "../../support/api/rows.ts";

const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/app";
const SECCOMP = "container.seccomp.security.alpha.kubernetes.io/app";
const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";

function annotated(annotations: unknown, securityContext?: unknown): Parts {
  return {
    metadata: { annotations },
    ...(securityContext === undefined
      ? {}
      : { container: { securityContext } }),
  };
}

function sysctl(name: string, value: string): Parts {
  return { spec: { securityContext: { sysctls: [{ name, value }] } } };
}

function volume(source: unknown): Parts {
  return { spec: { volumes: [Object.assign({ name: "v" }, source)] } };
}

function together(term: unknown): Parts {
  const key = "requiredDuringSchedulingIgnoredDuringExecution";
  return { spec: { affinity: { podAffinity: { [key]: [term] } } } };
}

function preferred(weight: number): Parts {
  const podAffinityTerm = { topologyKey: "zone" };
  const key = "preferredDuringSchedulingIgnoredDuringExecution";
  return {
    spec: {
      affinity: { podAffinity: { [key]: [{ weight, podAffinityTerm }] } },
    },
  };
}

function nodeTerm(term: unknown): Parts {
  const key = "requiredDuringSchedulingIgnoredDuringExecution";
  const affinity = {
    nodeAffinity: { [key]: { nodeSelectorTerms: [term] } },
  };
  return { spec: { affinity } };
}

const TERM =
  "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]";
const NODE_TERM =
  "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]";
const SYSCTL = "spec.securityContext.sysctls[0]";
const PROFILES = "spec.containers[0].securityContext";

testRefused([
  [
    "an AppArmor annotation of no container (SE-03)",
    annotated({ [`${APP_ARMOR}2`]: "runtime/default" }),
    `metadata.annotations[${APP_ARMOR}2]`,
    /no container of this pod/,
  ],
  [
    "an AppArmor annotation that is no profile (SE-03)",
    annotated({ [APP_ARMOR]: "default" }),
    `metadata.annotations[${APP_ARMOR}]`,
    /must be a profile/,
  ],
  [
    "an AppArmor annotation beside another field (SE-03)",
    annotated({ [APP_ARMOR]: "unconfined" }, {
      appArmorProfile: { type: "RuntimeDefault" },
    }),
    `${PROFILES}.appArmorProfile.type`,
    /must match/,
  ],
  [
    "an AppArmor annotation beside another profile (SE-03)",
    annotated({ [APP_ARMOR]: "localhost/a" }, {
      appArmorProfile: { type: "Localhost", localhostProfile: "b" },
    }),
    `${PROFILES}.appArmorProfile.localhostProfile`,
    /must match/,
  ],
  [
    "a seccomp annotation that is no profile (SE-03)",
    annotated({ [SECCOMP]: "none" }),
    `metadata.annotations[${SECCOMP}]`,
    /must be a profile/,
  ],
  [
    "a seccomp annotation that leaves the directory (SE-03)",
    annotated({ [SECCOMP_POD]: "localhost/../x" }),
    `metadata.annotations[${SECCOMP_POD}]`,
    /'\.\.'/,
  ],
  [
    "a seccomp annotation beside another field (SE-03)",
    annotated({ [SECCOMP]: "unconfined" }, {
      seccompProfile: { type: "RuntimeDefault" },
    }),
    `${PROFILES}.seccompProfile.type`,
    /must match/,
  ],
  ...(["", "/etc/x", "../../x"] as const).map((path): RefusedRow => [
    `a local seccomp profile "${path}" (SE-03)`,
    {
      container: {
        securityContext: {
          seccompProfile: { type: "Localhost", localhostProfile: path },
        },
      },
    },
    `${PROFILES}.seccompProfile.localhostProfile`,
    /Required value|relative path|'\.\.'/,
  ]),
  [
    "a sysctl with a second one in its value (SE-06)",
    sysctl("kernel.shm_rmid_forced", "1+kernel.core_pattern=|/x"),
    `${SYSCTL}.value`,
    /'\+'/,
  ],
  [
    "a sysctl with a line break in its value (SE-06)",
    sysctl("kernel.shm_rmid_forced", "1\n2"),
    `${SYSCTL}.value`,
    /control characters/,
  ],
  [
    "a sysctl with a blank before its value (SE-06)",
    sysctl("kernel.shm_rmid_forced", " 1"),
    `${SYSCTL}.value`,
    /blank/,
  ],
  [
    "a pattern of sysctls (SE-06)",
    sysctl("net.*", "1"),
    `${SYSCTL}.name`,
    /name of a sysctl/,
  ],
  [
    "a stop signal that there is not",
    {
      spec: { os: { name: "linux" } },
      container: { lifecycle: { stopSignal: "SIGNAL" } },
    },
    "spec.containers[0].lifecycle.stopSignal",
    /name of a signal/,
  ],
  [
    "a real-time signal beyond the last",
    {
      spec: { os: { name: "linux" } },
      container: { lifecycle: { stopSignal: "SIGRTMIN+16" } },
    },
    "spec.containers[0].lifecycle.stopSignal",
    /name of a signal/,
  ],
  [
    "requests of the pod below those of its containers",
    {
      spec: { resources: { requests: { cpu: "1" } } },
      container: { resources: { requests: { cpu: "1500m" } } },
    },
    "spec.resources.requests[cpu]",
    /not be less than .*1500m/,
  ],
  [
    "scheduling gates",
    { spec: { schedulingGates: [{ name: "example.com/g" }] } },
    "spec.schedulingGates",
    /on its node already/,
  ],
  [
    "label keys without a selector",
    together({ topologyKey: "zone", matchLabelKeys: ["a"] }),
    `${TERM}.matchLabelKeys`,
    /labelSelector/,
  ],
  [
    "a label key to match and to differ by",
    together({
      topologyKey: "zone",
      labelSelector: {},
      matchLabelKeys: ["a"],
      mismatchLabelKeys: ["a"],
    }),
    `${TERM}.matchLabelKeys[0]`,
    /mismatchLabelKeys/,
  ],
  [
    "a label key that the selector has",
    together({
      topologyKey: "zone",
      labelSelector: { matchLabels: { a: "b" } },
      matchLabelKeys: ["a"],
    }),
    `${TERM}.matchLabelKeys[0]`,
    /labelSelector/,
  ],
  [
    "a node label with a wrong value",
    nodeTerm({
      matchExpressions: [{ key: "zone", operator: "In", values: ["-x"] }],
    }),
    `${NODE_TERM}.matchExpressions[0].values[0]`,
    /letter or digit/,
  ],
  ...[0, 101].map((weight): RefusedRow => [
    `a preference of weight ${weight}`,
    preferred(weight),
    "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight",
    /between 1 and 100/,
  ]),
  [
    "a node of a wrong name",
    nodeTerm({
      matchFields: [{ key: "metadata.name", operator: "In", values: ["A_b"] }],
    }),
    `${NODE_TERM}.matchFields[0].values[0]`,
    /RFC 1123/,
  ],
  [
    "a file of the resources of a container that is not there (VO-04)",
    volume({
      downwardAPI: {
        items: [{
          path: "cpu",
          resourceFieldRef: { containerName: "none", resource: "limits.cpu" },
        }],
      },
    }),
    "spec.volumes[0].downwardAPI.items[0].resourceFieldRef.containerName",
    /no container of this pod/,
  ],
  ...(["../x", "/abs", "a/../b"] as const).map((subPath): RefusedRow => [
    `the subPath "${subPath}" (VO-04)`,
    {
      ...volume({ emptyDir: {} }),
      container: { volumeMounts: [{ name: "v", mountPath: "/v", subPath }] },
    },
    "spec.containers[0].volumeMounts[0].subPath",
    /relative path|'\.\.'/,
  ]),
  [
    "a gitRepo volume, by its name (SE-07)",
    volume({ gitRepo: { repository: "ext::sh", directory: ".git/hooks" } }),
    "spec.volumes[0].gitRepo",
    /gitRepo volumes are not supported/,
  ],
  [
    "a volume source in another case (SRC-32)",
    volume({ hostpath: { path: "/data" } }),
    "spec.volumes[0].hostpath",
    /Unknown field: .*did you mean "hostPath"/,
  ],
  [
    "an unknown volume source (SRC-32, SE-07)",
    volume({ unknownFS: {} }),
    "spec.volumes[0].unknownFS",
    /Unknown field/,
  ],
]);

/** SRC-29: what a pod from a file may not refer to. */
const API_ONLY: readonly (readonly [string, Parts, string])[] = [
  [
    "a service account",
    { spec: { serviceAccountName: "x" } },
    "spec.serviceAccountName",
  ],
  [
    "a service account by its old name",
    { spec: { serviceAccount: "x" } },
    "spec.serviceAccount",
  ],
  [
    "a resource claim",
    { spec: { resourceClaims: [{ name: "x" }] } },
    "spec.resourceClaims",
  ],
  [
    "a resource claim of a container",
    { container: { resources: { claims: [{ name: "x" }] } } },
    "spec.containers[0].resources.claims",
  ],
  ["a CSI volume", volume({ csi: { driver: "x" } }), "spec.volumes[0].csi"],
  [
    "a claim from a template",
    volume({ ephemeral: {} }),
    "spec.volumes[0].ephemeral",
  ],
  ...([
    ["serviceAccountToken", { path: "x" }],
    ["clusterTrustBundle", { path: "x" }],
    ["podCertificate", { keyType: "ED25519", signerName: "a/b" }],
  ] as const).map(([kind, source]): readonly [string, Parts, string] => [
    `a projected ${kind}`,
    volume({ projected: { sources: [{ [kind]: source }] } }),
    `spec.volumes[0].projected.sources[0].${kind}`,
  ]),
];

testRefused(API_ONLY.map(([what, parts, field]): RefusedRow => [
  `${what} in a file (SRC-29)`,
  parts,
  field,
  /static pods may not reference .*no API server/,
]));

testTaken([
  [
    "ConfigMaps, Secrets and claims, which can be documents (SRC-29)",
    {
      spec: {
        imagePullSecrets: [{ name: "s" }],
        volumes: [
          { name: "a", configMap: { name: "c" } },
          { name: "b", secret: { secretName: "s" } },
          { name: "c", persistentVolumeClaim: { claimName: "p" } },
          {
            name: "d",
            projected: { sources: [{ secret: { name: "s" } }] },
          },
        ],
      },
      container: {
        envFrom: [{ secretRef: { name: "s" } }],
        env: [{
          name: "A",
          valueFrom: { configMapKeyRef: { name: "c", key: "k" } },
        }],
      },
    },
  ],
  [
    "profile annotations that say what the fields say (SE-03)",
    {
      metadata: {
        annotations: {
          [APP_ARMOR]: "localhost/a",
          [SECCOMP]: "docker/default",
        },
      },
      container: {
        securityContext: {
          appArmorProfile: { type: "Localhost", localhostProfile: "a" },
          seccompProfile: { type: "RuntimeDefault" },
        },
      },
    },
  ],
  [
    "an empty AppArmor annotation",
    annotated({ [APP_ARMOR]: "" }),
  ],
  [
    "a sysctl of two numbers (SE-06)",
    sysctl("net.ipv4.ip_local_port_range", "1024 65535"),
  ],
  [
    "a sysctl in the spelling with slashes (SE-06)",
    sysctl("kernel/shm_rmid_forced", "1"),
  ],
  [
    "the last real-time signals",
    {
      spec: { os: { name: "linux" } },
      container: { lifecycle: { stopSignal: "SIGRTMIN+15" } },
    },
  ],
  ["a preference of the least weight", preferred(1)],
  ["a preference of the greatest weight", preferred(100)],
  ["a volume that says nothing, as an empty directory (SRC-32)", volume({})],
]);
