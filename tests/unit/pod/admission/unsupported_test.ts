import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import {
  unsupportedFields,
  type UnsupportedSeverity,
} from "../../../../mod/pod/admission/unsupported.ts";
import { container, pod, podOfThree } from "../../../support/pods.ts";
import { GOLDEN } from "../../../support/pod/golden.ts";

type Spec = Partial<Pod["spec"]>;

const inVolume = (source: object): Spec => ({
  volumes: [{ name: "v", ...source }],
});
const inContainer = (rest: Parameters<typeof container>[1]): Spec => ({
  containers: [container("a"), container("b", rest)],
});

const legacy: readonly [string, object][] = [
  ["awsElasticBlockStore", { volumeID: "x" }],
  ["cephfs", { monitors: ["x"] }],
  ["fc", { wwids: ["x"] }],
  ["flexVolume", { driver: "x" }],
  ["iscsi", { iqn: "x", lun: 0, targetPortal: "x" }],
  ["nfs", { path: "/", server: "x" }],
  ["rbd", { image: "x", monitors: ["x"] }],
  ["vsphereVolume", { volumePath: "x" }],
];

const rows: readonly [UnsupportedSeverity, string, Spec][] = [
  ["warn", "spec.securityContext.windowsOptions", {
    securityContext: { windowsOptions: {} },
  }],
  ...legacy.map(([kind, source]): [UnsupportedSeverity, string, Spec] => [
    "refuse",
    `spec.volumes[0].${kind}`,
    inVolume({ [kind]: source }),
  ]),
  ...["clusterTrustBundle", "podCertificate", "fromTomorrow"].map((
    kind,
  ): [UnsupportedSeverity, string, Spec] => [
    "refuse",
    `spec.volumes[0].projected.sources[1].${kind}`,
    inVolume({
      projected: {
        sources: [{ configMap: { name: "c" } }, { [kind]: { path: "x" } }],
      },
    }),
  ]),
  [
    "refuse",
    "spec.volumes[0].emptyDir.medium",
    inVolume({ emptyDir: { medium: "HugePages-2Mi" } }),
  ],
  [
    "refuse",
    "spec.containers[1].volumeDevices",
    inContainer({ volumeDevices: [{ name: "v", devicePath: "/dev/x" }] }),
  ],
  [
    "warn",
    "spec.containers[1].securityContext.windowsOptions",
    inContainer({ securityContext: { windowsOptions: {} } }),
  ],
  [
    "refuse",
    "spec.containers[1].resources.limits[example.org/gpu]",
    inContainer({ resources: { limits: { "example.org/gpu": "1" } } }),
  ],
  [
    "refuse",
    "spec.containers[1].resources.requests[example.org/gpu]",
    inContainer({ resources: { requests: { "example.org/gpu": "1" } } }),
  ],
];

for (const [severity, field, rest] of rows) {
  const verb = severity === "refuse" ? "refuses" : "warns of";
  Deno.test(`unsupportedFields() ${verb} ${field}`, () => {
    const found = unsupportedFields(podOfThree(rest));
    deepStrictEqual(
      found.map((each) => [each.severity, each.field]),
      [[severity, field]],
    );
    strictEqual(/^[A-Z].*[^.]$/.test(found[0]?.message ?? ""), true);
  });
}

Deno.test("unsupportedFields() says nothing of what is honoured, or what the kubelet ignores too", () => {
  const found = unsupportedFields(pod({
    affinity: { nodeAffinity: {} },
    tolerations: [{ operator: "Exists" }],
    priority: 7,
    topologySpreadConstraints: [],
    imagePullSecrets: [{ name: "s" }],
    terminationGracePeriodSeconds: 3,
    securityContext: {
      runAsUser: 1000,
      fsGroup: 7,
      seccompProfile: { type: "Localhost", localhostProfile: "x" },
    },
    volumes: [
      { name: "v", emptyDir: {} },
      { name: "w", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
      { name: "h", hostPath: { path: "/x", type: "Directory" } },
      { name: "c", configMap: { name: "c" } },
      { name: "s", secret: { secretName: "s" } },
      {
        name: "p",
        projected: {
          sources: [
            { configMap: { name: "c" } },
            { secret: { name: "s" } },
            { downwardAPI: {} },
            { serviceAccountToken: { path: "t" } },
          ],
        },
      },
      { name: "d", downwardAPI: {} },
      { name: "i", image: { reference: "x" } },
      { name: "k", persistentVolumeClaim: { claimName: "k" } },
    ],
    hostUsers: false,
    runtimeClassName: "kata",
    resources: { limits: { cpu: "1" } },
    containers: [container("a", {
      envFrom: [{ secretRef: { name: "s" } }],
      env: [
        {
          name: "C",
          valueFrom: { configMapKeyRef: { name: "c", key: "k" } },
        },
        { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        {
          name: "B",
          valueFrom: { resourceFieldRef: { resource: "limits.cpu" } },
        },
      ],
      resources: {
        requests: {
          cpu: "1",
          memory: "1Gi",
          "ephemeral-storage": "1Gi",
          "hugepages-2Mi": "2Mi",
        },
      },
      volumeMounts: [{ name: "v", mountPath: "/v", subPath: "x" }],
      livenessProbe: { exec: { command: ["true"] } },
      readinessProbe: { httpGet: { port: 80 } },
      startupProbe: { tcpSocket: { port: 80 } },
      lifecycle: {
        stopSignal: "SIGINT",
        postStart: { httpGet: { port: 80 } },
        preStop: { sleep: { seconds: 1 } },
      },
    })],
  }));
  deepStrictEqual(found, []);
});

for (const [name, golden] of GOLDEN) {
  Deno.test(`unsupportedFields() takes golden ${name}`, () => {
    const found = unsupportedFields(golden.manifest as Pod);
    deepStrictEqual(
      found.filter(({ severity }) => severity === "refuse"),
      [],
    );
  });
}

Deno.test("unsupportedFields() takes ephemeral volumes of a cluster, whose claims a controller makes", () => {
  const subject = pod({
    volumes: [{ name: "v", ephemeral: {} }, {
      name: "n",
      nfs: { server: "x", path: "/" },
    }],
  });
  const fieldsOf = (isOfCluster: boolean) =>
    unsupportedFields(subject, { isOfCluster }).map(({ field }) => field);
  deepStrictEqual(fieldsOf(true), ["spec.volumes[1].nfs"]);
  deepStrictEqual(fieldsOf(false), [
    "spec.volumes[0].ephemeral",
    "spec.volumes[1].nfs",
  ]);
});
