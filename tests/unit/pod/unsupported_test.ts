import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../mod/api/mod.ts";
import {
  deniedByGrants,
  unsupportedFields,
  type UnsupportedSeverity,
} from "../../../mod/pod/mod.ts";
import { pod, spec } from "./builders.ts";
import { GOLDEN } from "./golden.ts";

type Spec = Partial<Pod["spec"]>;

const probe = { httpGet: { port: 80 } };
const inVolume = (source: object): Spec => ({
  volumes: [{ name: "v", ...source }],
});
const inContainer = (rest: Parameters<typeof spec>[1]): Spec => ({
  containers: [spec("a"), spec("b", rest)],
});

const rows: readonly [UnsupportedSeverity, string, Spec][] = [
  ["refuse", "spec.imagePullSecrets", { imagePullSecrets: [{ name: "s" }] }],
  ["refuse", "spec.hostUsers", { hostUsers: false }],
  ["refuse", "spec.runtimeClassName", { runtimeClassName: "kata" }],
  ["refuse", "spec.resourceClaims", { resourceClaims: [{ name: "gpu" }] }],
  ["refuse", "spec.resources", { resources: { limits: { cpu: "1" } } }],
  ["refuse", "spec.securityContext.fsGroup", {
    securityContext: { fsGroup: 0 },
  }],
  [
    "refuse",
    "spec.securityContext.seccompProfile.type",
    { securityContext: { seccompProfile: { type: "Localhost" } } },
  ],
  [
    "refuse",
    "spec.volumes[0].configMap",
    inVolume({ configMap: { name: "c" } }),
  ],
  [
    "refuse",
    "spec.volumes[0].secret",
    inVolume({ secret: { secretName: "s" } }),
  ],
  ["refuse", "spec.volumes[0].projected", inVolume({ projected: {} })],
  ["refuse", "spec.volumes[0].downwardAPI", inVolume({ downwardAPI: {} })],
  [
    "refuse",
    "spec.volumes[0].persistentVolumeClaim",
    inVolume({ persistentVolumeClaim: { claimName: "c" } }),
  ],
  ["refuse", "spec.volumes[0].image", inVolume({ image: { reference: "x" } })],
  [
    "refuse",
    "spec.volumes[0].nfs",
    inVolume({ nfs: { path: "/", server: "x" } }),
  ],
  [
    "refuse",
    "spec.volumes[0].emptyDir.medium",
    inVolume({ emptyDir: { medium: "Memory" } }),
  ],
  [
    "warn",
    "spec.volumes[0].emptyDir.sizeLimit",
    inVolume({ emptyDir: { sizeLimit: "1Gi" } }),
  ],
  [
    "refuse",
    "spec.volumes[0].hostPath.type",
    inVolume({ hostPath: { path: "/x", type: "DirectoryOrCreate" } }),
  ],
  [
    "refuse",
    "spec.containers[1].envFrom",
    inContainer({ envFrom: [{ configMapRef: { name: "c" } }] }),
  ],
  [
    "refuse",
    "spec.containers[1].env[1].valueFrom.secretKeyRef",
    inContainer({
      env: [
        { name: "A", value: "x" },
        { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      ],
    }),
  ],
  [
    "refuse",
    "spec.containers[1].env[0].valueFrom.configMapKeyRef",
    inContainer({
      env: [{
        name: "B",
        valueFrom: { configMapKeyRef: { key: "k", name: "c" } },
      }],
    }),
  ],
  [
    "refuse",
    "spec.containers[1].env[0].valueFrom.fileKeyRef",
    inContainer({
      env: [{
        name: "B",
        valueFrom: { fileKeyRef: { key: "k", path: "p", volumeName: "v" } },
      }],
    }),
  ],
  [
    "refuse",
    "spec.containers[1].volumeMounts[0].subPath",
    inContainer({
      volumeMounts: [{ name: "v", mountPath: "/v", subPath: "x" }],
    }),
  ],
  [
    "refuse",
    "spec.containers[1].volumeMounts[0].subPathExpr",
    inContainer({
      volumeMounts: [{ name: "v", mountPath: "/v", subPathExpr: "$(X)" }],
    }),
  ],
  [
    "refuse",
    "spec.containers[1].volumeMounts[0].recursiveReadOnly",
    inContainer({
      volumeMounts: [{
        name: "v",
        mountPath: "/v",
        readOnly: true,
        recursiveReadOnly: "Enabled",
      }],
    }),
  ],
  [
    "refuse",
    "spec.containers[1].volumeDevices",
    inContainer({ volumeDevices: [{ name: "v", devicePath: "/dev/x" }] }),
  ],
  [
    "refuse",
    "spec.containers[1].securityContext.seccompProfile.type",
    inContainer({ securityContext: { seccompProfile: { type: "Localhost" } } }),
  ],
  [
    "refuse",
    "spec.containers[1].lifecycle.postStart.httpGet",
    inContainer({ lifecycle: { postStart: { httpGet: { port: 80 } } } }),
  ],
  [
    "refuse",
    "spec.containers[1].lifecycle.preStop.tcpSocket",
    inContainer({ lifecycle: { preStop: { tcpSocket: { port: 80 } } } }),
  ],
  [
    "warn",
    "spec.containers[1].lifecycle.stopSignal",
    inContainer({ lifecycle: { stopSignal: "SIGINT" } }),
  ],
  [
    "warn",
    "spec.containers[1].livenessProbe",
    inContainer({ livenessProbe: probe }),
  ],
  [
    "warn",
    "spec.containers[1].readinessProbe",
    inContainer({ readinessProbe: probe }),
  ],
  [
    "warn",
    "spec.containers[1].startupProbe",
    inContainer({ startupProbe: probe }),
  ],
  [
    "refuse",
    "spec.containers[1].resources.limits[hugepages-2Mi]",
    inContainer({ resources: { limits: { "hugepages-2Mi": "2Mi" } } }),
  ],
  [
    "refuse",
    "spec.containers[1].resources.limits[example.org/gpu]",
    inContainer({ resources: { limits: { "example.org/gpu": "1" } } }),
  ],
  [
    "warn",
    "spec.containers[1].resources.requests[ephemeral-storage]",
    inContainer({ resources: { requests: { "ephemeral-storage": "1Gi" } } }),
  ],
  [
    "warn",
    "spec.initContainers[0].startupProbe",
    { initContainers: [spec("i", { startupProbe: probe })] },
  ],
];

for (const [severity, field, rest] of rows) {
  const verb = severity === "refuse" ? "refuses" : "warns of";
  Deno.test(`unsupportedFields() ${verb} ${field}`, () => {
    const found = unsupportedFields(pod(rest));
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
    imagePullSecrets: [],
    terminationGracePeriodSeconds: 3,
    securityContext: {
      runAsUser: 1000,
      seccompProfile: { type: "RuntimeDefault" },
    },
    volumes: [
      { name: "v", emptyDir: {} },
      { name: "w", emptyDir: { medium: "" } },
      { name: "h", hostPath: { path: "/x", type: "" } },
    ],
    containers: [spec("a", {
      env: [
        { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        {
          name: "B",
          valueFrom: { resourceFieldRef: { resource: "limits.cpu" } },
        },
      ],
      resources: { requests: { cpu: "1", memory: "1Gi" } },
      volumeMounts: [{ name: "v", mountPath: "/v", subPath: "" }],
      lifecycle: {
        postStart: { exec: { command: ["true"] } },
        preStop: { sleep: { seconds: 1 } },
      },
    })],
  }));
  deepStrictEqual(found, []);
});

const refusedGolden = new Set([
  "downward-volume",
  // An emptyDir in memory.
  "emptydir",
  "hostpath",
  "hostpath-missing",
  "runtimeclass-missing",
  // It has an fsGroup.
  "security-user",
]);
for (const [name, golden] of GOLDEN) {
  const refused = refusedGolden.has(name);
  Deno.test(`unsupportedFields() ${refused ? "refuses" : "takes"} golden ${name}`, () => {
    const found = unsupportedFields(golden.manifest as Pod);
    strictEqual(found.some(({ severity }) => severity === "refuse"), refused);
  });
}

const grants = {
  podNetworks: ["10.88.0.0/16", "fd00::/64"],
  nodeAddresses: ["192.0.2.1"],
};
const hosts: readonly [host: string | undefined, denied: boolean][] = [
  [undefined, false],
  ["", false],
  ["10.88.3.4", false],
  ["fd00::9", false],
  ["192.0.2.1", false],
  ["192.0.2.2", true],
  ["127.0.0.1", true],
  ["localhost", true],
];
for (const [host, denied] of hosts) {
  Deno.test(`deniedByGrants() ${denied ? "denies" : "allows"} a probe of host "${host}"`, () => {
    const httpGet = { port: 80, ...(host === undefined ? {} : { host }) };
    const faults = deniedByGrants(
      pod({
        containers: [spec("a"), spec("b", { livenessProbe: { httpGet } })],
      }),
      grants,
    );
    deepStrictEqual(
      faults.map(({ field }) => field),
      denied ? ["spec.containers[1].livenessProbe.httpGet.host"] : [],
    );
    for (const { message } of faults) {
      strictEqual(message.includes("--pod-network"), true);
    }
  });
}

Deno.test("deniedByGrants() looks at hooks, sockets and init containers too", () => {
  const tcpSocket = { host: "203.0.113.9", port: 1 };
  const faults = deniedByGrants(
    pod({
      initContainers: [spec("i", { startupProbe: { tcpSocket } })],
      containers: [spec("a", {
        lifecycle: { preStop: { httpGet: { host: "203.0.113.9", port: 1 } } },
      })],
    }),
    { podNetworks: [], nodeAddresses: [] },
  );
  deepStrictEqual(faults, [
    {
      field: "spec.initContainers[0].startupProbe.tcpSocket.host",
      message: 'Cannot allow host "203.0.113.9": it lies outside the pod ' +
        "networks (none), wanted it inside one given by --pod-network",
    },
    {
      field: "spec.containers[0].lifecycle.preStop.httpGet.host",
      message: 'Cannot allow host "203.0.113.9": it lies outside the pod ' +
        "networks (none), wanted it inside one given by --pod-network",
    },
  ]);
});
