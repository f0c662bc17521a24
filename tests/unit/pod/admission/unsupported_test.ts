import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import {
  deniedByGrants,
  unreachedPods,
} from "../../../../mod/pod/admission/network_grants.ts";
import {
  unsupportedFields,
  type UnsupportedSeverity,
} from "../../../../mod/pod/admission/unsupported.ts";
import { pod, spec } from "../builders.ts";
import { GOLDEN } from "../golden.ts";

type Spec = Partial<Pod["spec"]>;

const inVolume = (source: object): Spec => ({
  volumes: [{ name: "v", ...source }],
});
const inContainer = (rest: Parameters<typeof spec>[1]): Spec => ({
  containers: [spec("a"), spec("b", rest)],
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
  ["warn", "spec.imagePullSecrets", { imagePullSecrets: [{ name: "s" }] }],
  ["warn", "spec.securityContext.windowsOptions", {
    securityContext: { windowsOptions: {} },
  }],
  ...legacy.map(([kind, source]): [UnsupportedSeverity, string, Spec] => [
    "refuse",
    `spec.volumes[0].${kind}`,
    inVolume({ [kind]: source }),
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
      fsGroup: 7,
      seccompProfile: { type: "Localhost", localhostProfile: "x" },
    },
    volumes: [
      { name: "v", emptyDir: {} },
      { name: "w", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
      { name: "h", hostPath: { path: "/x", type: "Directory" } },
      { name: "c", configMap: { name: "c" } },
      { name: "s", secret: { secretName: "s" } },
      { name: "p", projected: { sources: [] } },
      { name: "d", downwardAPI: {} },
      { name: "i", image: { reference: "x" } },
      { name: "k", persistentVolumeClaim: { claimName: "k" } },
    ],
    hostUsers: false,
    runtimeClassName: "kata",
    resources: { limits: { cpu: "1" } },
    containers: [spec("a", {
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

const own = { httpGet: { port: 80 } };
const none = { podNetworks: [], nodeAddresses: [] };
const asked: readonly [
  what: string,
  body: Parameters<typeof unreachedPods>[0],
  grants: Parameters<typeof unreachedPods>[1],
  field: string | undefined,
][] = [
  [
    "a readiness probe without any pod network",
    pod({ containers: [spec("a", { readinessProbe: own })] }),
    none,
    "spec.containers[0].readinessProbe.httpGet",
  ],
  [
    "a gRPC probe of a sidecar, once for all probes",
    pod({
      initContainers: [spec("i", { livenessProbe: { grpc: { port: 1 } } })],
      containers: [spec("a", { readinessProbe: own })],
    }),
    none,
    "spec.initContainers[0].livenessProbe.grpc",
  ],
  [
    "a hook",
    pod({
      containers: [spec("a", { lifecycle: { preStop: own } })],
    }),
    none,
    "spec.containers[0].lifecycle.preStop.httpGet",
  ],
  [
    "nothing inside a pod network",
    pod({ containers: [spec("a", { readinessProbe: own })] }),
    grants,
    undefined,
  ],
  [
    "nothing of a command, nor of a host that is named",
    pod({
      containers: [spec("a", {
        readinessProbe: { exec: { command: ["true"] } },
        livenessProbe: { httpGet: { port: 1, host: "10.88.0.1" } },
      })],
    }),
    none,
    undefined,
  ],
  [
    "the node's network when no address of the node may be asked",
    pod({
      hostNetwork: true,
      containers: [spec("a", { readinessProbe: own })],
    }),
    { ...grants, nodeAddresses: [] },
    "spec.containers[0].readinessProbe.httpGet",
  ],
  [
    "nothing of the node's network when an address may be asked",
    pod({
      hostNetwork: true,
      containers: [spec("a", { readinessProbe: own })],
    }),
    { ...none, nodeAddresses: ["192.0.2.1"] },
    undefined,
  ],
  [
    "nothing of the node's network when its addresses are not known",
    pod({
      hostNetwork: true,
      containers: [spec("a", { readinessProbe: own })],
    }),
    { podNetworks: [] },
    undefined,
  ],
];
for (const [what, body, given, field] of asked) {
  Deno.test(`unreachedPods() tells ${what}`, () => {
    deepStrictEqual(
      unreachedPods(body, given).map((fault) => fault.field),
      field === undefined ? [] : [field],
    );
  });
}
