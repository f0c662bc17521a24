/**
 * What an API server gives, read without trust.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  readClusterObject,
  readClusterPod,
} from "../../../../mod/api/read/mod.ts";

const META = {
  name: "web",
  namespace: "shop",
  uid: "u1",
  resourceVersion: "7",
  creationTimestamp: "2026-01-01T00:00:00Z",
  managedFields: [{ manager: "kubectl" }],
  ownerReferences: [
    { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "r1" },
  ],
};
const POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: META,
  spec: { containers: [{ name: "c", image: "a" }], nodeName: "kiosk-1" },
};

const faultsOf = (object: unknown): readonly string[] => {
  const reading = readClusterPod(object);
  return reading.kind === "refused"
    ? reading.faults.map(({ field }) => field)
    : [];
};

Deno.test("readClusterPod() keeps all that the server says of a pod", () => {
  const reading = readClusterPod(POD);
  ok(reading.kind === "read");
  deepStrictEqual(reading.value, POD);
});

Deno.test("readClusterPod() leaves out what a later API has", () => {
  const spec = { ...POD.spec, teleport: { to: "moon" } };
  const reading = readClusterPod({ ...POD, spec, later: 1 });
  ok(reading.kind === "read");
  deepStrictEqual(reading.value, POD);
});

const wrong: readonly (readonly [string, unknown, readonly string[]])[] = [
  ["text", "garbage", [""]],
  ["nothing", null, [""]],
  ["a list", [], [""]],
  ["no name", { ...POD, metadata: { ...META, name: "" } }, ["metadata.name"]],
  ["no UID", { ...POD, metadata: { ...META, uid: undefined } }, [
    "metadata.uid",
  ]],
  ["no namespace", { ...POD, metadata: { ...META, namespace: 5 } }, [
    "metadata.namespace",
    "metadata.namespace",
  ]],
  ["no containers", { ...POD, spec: {} }, ["spec.containers"]],
  ["a number for containers", { ...POD, spec: { containers: 3 } }, [
    "spec.containers",
    "spec.containers",
  ]],
  ["a text for a number", {
    ...POD,
    spec: { ...POD.spec, terminationGracePeriodSeconds: "soon" },
  }, ["spec.terminationGracePeriodSeconds"]],
];
for (const [title, object, fields] of wrong) {
  Deno.test(`readClusterPod() refuses ${title}`, () => {
    const found = faultsOf(object);
    ok(found.length > 0);
    for (const field of fields) {
      ok(field === "" || found.includes(field), `${found}`);
    }
  });
}

const container = (fields: object) => ({
  ...POD,
  spec: { containers: [{ name: "c", image: "a", ...fields }] },
});
const volumes = (...names: readonly string[]) => ({
  ...POD,
  spec: { ...POD.spec, volumes: names.map((name) => ({ name, emptyDir: {} })) },
});
const FIRST = "spec.containers[0]";
const harmful: readonly (readonly [string, unknown, string])[] = [
  ["a UID that leads upwards", {
    ...POD,
    metadata: { ...META, uid: "../../etc" },
  }, "metadata.uid"],
  ["a UID of a million letters", {
    ...POD,
    metadata: { ...META, uid: "a".repeat(1_000_000) },
  }, "metadata.uid"],
  ["a name that leads upwards", {
    ...POD,
    metadata: { ...META, name: "../../etc" },
  }, "metadata.name"],
  ["a name that steers terminals", {
    ...POD,
    metadata: { ...META, name: "a\u001b[2Jb" },
  }, "metadata.name"],
  ["a namespace that leads upwards", {
    ...POD,
    metadata: { ...META, namespace: ".." },
  }, "metadata.namespace"],
  ["annotations that no API server takes", {
    ...POD,
    metadata: { ...META, annotations: { a: "b".repeat(256 * 1024) } },
  }, "metadata.annotations"],
  [
    "a container whose name leads upwards",
    container({ name: "../../c" }),
    `${FIRST}.name`,
  ],
  [
    "a container without a name",
    container({ name: undefined }),
    `${FIRST}.name`,
  ],
  ["an init container whose name leads upwards", {
    ...POD,
    spec: { ...POD.spec, initContainers: [{ name: "a/b", image: "a" }] },
  }, "spec.initContainers[0].name"],
  ["an ephemeral container with the name of another", {
    ...POD,
    spec: { ...POD.spec, ephemeralContainers: [{ name: "c", image: "a" }] },
  }, "spec.ephemeralContainers[0].name"],
  [
    "a volume whose name leads upwards",
    volumes("v", "../v"),
    "spec.volumes[1].name",
  ],
  ["two volumes of one name", volumes("v", "v"), "spec.volumes[1].name"],
  [
    "a probe without a pause",
    container({ livenessProbe: { periodSeconds: -1, exec: {} } }),
    `${FIRST}.livenessProbe.periodSeconds`,
  ],
];
for (const [title, object, field] of harmful) {
  Deno.test(`readClusterPod() refuses ${title}`, () => {
    deepStrictEqual(faultsOf(object), [field]);
  });
}

Deno.test("readClusterPod() takes of a status only conditions that are some", () => {
  const reading = readClusterPod({
    ...POD,
    status: {
      phase: "Running",
      conditions: [{ type: "A", status: "True" }, 5, { type: "B" }, null],
    },
  });
  ok(reading.kind === "read");
  deepStrictEqual(reading.value.status, {
    phase: "Running",
    conditions: [{ type: "A", status: "True" }],
  });
  for (const conditions of ["none", undefined, { A: true }]) {
    const odd = readClusterPod({ ...POD, status: { conditions } });
    ok(odd.kind === "read");
    deepStrictEqual(odd.value.status?.conditions, []);
  }
});

Deno.test("readClusterObject() reads what pods refer to, whoever owns it", () => {
  const reading = readClusterObject("Secret", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...META, finalizers: ["x"], generation: 3 },
    type: "Opaque",
    immutable: true,
    data: { token: btoa("hunter2") },
    later: 1,
  });
  ok(reading.kind === "read");
  const { value } = reading;
  ok(value.kind === "Secret");
  strictEqual(value.namespace, "shop");
  strictEqual(value.name, "web");
  strictEqual(value.immutable, true);
  strictEqual(new TextDecoder().decode(value.entries.get("token")), "hunter2");
});

Deno.test("readClusterObject() refuses garbage without a word of a Secret", () => {
  const odd = [
    "hunter2",
    { metadata: META, data: "hunter2" },
    { metadata: META, data: { key: "hunter2 is no base64" } },
    { data: { key: btoa("hunter2") } },
  ];
  for (const object of odd) {
    const reading = readClusterObject("Secret", object);
    ok(reading.kind === "refused");
    strictEqual(JSON.stringify(reading.faults).includes("hunter2"), false);
  }
});

Deno.test("readClusterObject() reads a ConfigMap and a RuntimeClass", () => {
  const map = readClusterObject("ConfigMap", {
    metadata: META,
    data: { a: "1" },
  });
  ok(map.kind === "read" && map.value.kind === "ConfigMap");
  const { name: _name, namespace: _namespace, ...rest } = META;
  const runtimeClass = readClusterObject("RuntimeClass", {
    metadata: { ...rest, name: "safe" },
    handler: "kata",
  });
  ok(runtimeClass.kind === "read");
  ok(runtimeClass.value.kind === "RuntimeClass");
  strictEqual(runtimeClass.value.handler, "kata");
});

const serviceOf = (spec: unknown) =>
  readClusterObject("Service", {
    apiVersion: "v1",
    kind: "Service",
    metadata: META,
    spec,
    status: { loadBalancer: {} },
  });

Deno.test("readClusterObject() reads the address and the ports of a Service", () => {
  deepStrictEqual(
    serviceOf({
      clusterIP: "10.0.0.7",
      clusterIPs: ["10.0.0.7"],
      type: "NodePort",
      selector: { app: "web" },
      ports: [
        { name: "dns", protocol: "UDP", port: 53, targetPort: "dns" },
        { protocol: "SCTP", port: 7 },
        { protocol: "TCP", port: 80, targetPort: 8080, nodePort: 30080 },
      ],
    }),
    {
      kind: "read",
      value: {
        kind: "Service",
        namespace: "shop",
        name: "web",
        address: "10.0.0.7",
        selector: {},
        ports: [
          { name: "dns", protocol: "UDP", port: 53, targetPort: 53 },
          { name: "", protocol: "SCTP", port: 7, targetPort: 7 },
          { name: "", protocol: "TCP", port: 80, targetPort: 80 },
        ],
        isHeadless: false,
        publishNotReadyAddresses: false,
      },
    },
  );
});

for (
  const [what, spec, isHeadless] of [
    ["that is headless", { clusterIP: "None", ports: null }, true],
    ["of another name", { type: "ExternalName", externalName: "a.b" }, false],
    ["without a spec", undefined, false],
  ] as const
) {
  Deno.test(`readClusterObject() finds no address in a Service ${what}`, () => {
    const reading = serviceOf(spec);
    ok(reading.kind === "read" && reading.value.kind === "Service");
    strictEqual(reading.value.address, undefined);
    strictEqual(reading.value.isHeadless, isHeadless);
    deepStrictEqual(reading.value.ports, []);
  });
}

for (
  const [field, spec] of [
    ["spec.clusterIP", { clusterIP: 7 }],
    ["spec.ports", { ports: {} }],
    ["spec.ports[0].port", { ports: [{ port: "80" }] }],
    ["spec.ports[0].port", { ports: [{ port: 1.5 }] }],
    ["spec.ports[0].port", { ports: ["80"] }],
    ["spec.ports[0].name", { ports: [{ port: 80, name: 7 }] }],
    ["spec.ports[0].protocol", { ports: [{ port: 80, protocol: 6 }] }],
  ] as const
) {
  Deno.test(`readClusterObject() refuses a Service for ${field} of ${JSON.stringify(spec)}`, () => {
    const reading = serviceOf(spec);
    ok(reading.kind === "refused");
    deepStrictEqual(reading.faults.map(({ field }) => field), [field]);
  });
}

Deno.test("readClusterPod() takes of a status only containers that are some", () => {
  const container = {
    name: "c",
    image: "a",
    imageID: "",
    ready: false,
    restartCount: 1,
    state: { terminated: { exitCode: 0 } },
  };
  const odd = Object.keys(container).map((field) => ({
    ...container,
    [field]: [],
  }));
  const reading = readClusterPod({
    ...POD,
    status: {
      containerStatuses: [container, 5, null, ...odd],
      initContainerStatuses: "none",
    },
  });
  ok(reading.kind === "read");
  deepStrictEqual(reading.value.status, {
    conditions: [],
    containerStatuses: [container],
  });
});
