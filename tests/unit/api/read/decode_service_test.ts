/**
 * Services and classes of priorities, by TestValidateServiceCreate and
 * TestValidatePriorityClass of upstream as far as a node can do what they ask.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { decodeManifest } from "../../../../mod/api/read/mod.ts";
import {
  decodedObjects,
  objectJson,
} from "../../../support/api/object_json.ts";
import type { Draft } from "../../../support/api/drafts.ts";

const SPEC = { selector: { app: "web" }, ports: [{ port: 80 }] };
const service = (spec: Draft = {}, rest: Draft = {}): string =>
  objectJson("Service", { spec: { ...SPEC, ...spec }, ...rest });

function faults(text: string): readonly string[] {
  const result = decodeManifest(text);
  return result.kind === "ok"
    ? []
    : result.faults.map(({ field, message }) => `${field}: ${message}`);
}

Deno.test("decodeManifest() reads a Service", () => {
  deepStrictEqual(decodedObjects(service()), [{
    kind: "Service",
    namespace: "default",
    name: "web",
    selector: { app: "web" },
    ports: [{ name: "", protocol: "TCP", port: 80, targetPort: 80 }],
    isHeadless: false,
    publishNotReadyAddresses: false,
  }]);
  deepStrictEqual(
    decodedObjects(service({
      type: "ClusterIP",
      clusterIP: "None",
      publishNotReadyAddresses: true,
      internalTrafficPolicy: "Local",
      ipFamilies: ["IPv4", "IPv6"],
      ipFamilyPolicy: "PreferDualStack",
      sessionAffinity: "None",
      ports: [
        { name: "http", port: 80, targetPort: "web", protocol: "TCP" },
        { name: "dns", port: 53, targetPort: 0, protocol: "UDP" },
        { name: "sig", port: 53, targetPort: 54, protocol: "SCTP" },
      ],
    })),
    [{
      kind: "Service",
      namespace: "default",
      name: "web",
      selector: { app: "web" },
      ports: [
        { name: "http", protocol: "TCP", port: 80, targetPort: "web" },
        { name: "dns", protocol: "UDP", port: 53, targetPort: 53 },
        { name: "sig", protocol: "SCTP", port: 53, targetPort: 54 },
      ],
      isHeadless: true,
      publishNotReadyAddresses: true,
    }],
  );
});

Deno.test("decodeManifest() warns of ports that nobody listens on", () => {
  const result = decodeManifest(service({
    ports: [
      { name: "a", port: 80, targetPort: 80 },
      { name: "b", port: 81, targetPort: 8080 },
    ],
  }));
  ok(result.kind === "ok");
  deepStrictEqual(
    result.warnings.map(({ field, message }) => `${field}: ${message}`),
    [
      "spec.ports[1].targetPort: Is the port to connect to on this node: there is no proxy that listens on `port`",
    ],
  );
});

Deno.test("decodeManifest() takes a headless Service without ports", () => {
  strictEqual(
    decodedObjects(service({ clusterIP: "None", ports: null })).length,
    1,
  );
});

const EXPORTED = {
  metadata: { name: "web", resourceVersion: "1", uid: "u" },
  status: { loadBalancer: {} },
};
const ADDRESSES = {
  clusterIPs: ["10.96.0.7"],
  ipFamilies: ["IPv4"],
  ipFamilyPolicy: "SingleStack",
};

Deno.test("decodeManifest() takes a Service from a cluster without its addresses", () => {
  const [plain] = decodedObjects(
    service({ clusterIP: "10.96.0.7", ...ADDRESSES }, EXPORTED),
  );
  ok(plain?.kind === "Service");
  strictEqual(plain.isHeadless, false);
  const [headless] = decodedObjects(
    service({ clusterIP: "None", ...ADDRESSES }, EXPORTED),
  );
  ok(headless?.kind === "Service");
  strictEqual(headless.isHeadless, true);
});

const NO_PROXY =
  "Forbidden: there is no proxy on this node; give the container a hostPort to reach it from outside";
const NO_DNS = "Forbidden: there is no DNS server on this node";
const NO_ADDRESS =
  "Forbidden: a Service has no address of its own on this node; leave it out, or say None";
const LABEL =
  "must consist of lower case letters, digits and '-', and start and end with a letter or digit (RFC 1123 label, such as 'my-name')";

const ROWS: readonly (readonly [string, string, ...string[]])[] = [
  ["a name", service({}, { metadata: { name: "a1-b" } })],
  [
    "no name",
    service({}, { metadata: {} }),
    "metadata.name: Required value",
  ],
  [
    "a name with a dot",
    service({}, { metadata: { name: "a.b" } }),
    `metadata.name: Invalid value: "a.b": ${LABEL}`,
  ],
  [
    "a name that begins with a digit",
    service({}, { metadata: { name: "1a" } }),
    'metadata.name: Invalid value: "1a": must start with a letter',
  ],
  [
    "no selector",
    service({ selector: null }),
    "spec.selector: Required value: a Service on this node means pods by their labels",
  ],
  [
    "an empty selector",
    service({ selector: {} }),
    "spec.selector: Required value: a Service on this node means pods by their labels",
  ],
  [
    "a selector of no label",
    service({ selector: { app: "-" } }),
    `spec.selector[app]: Invalid value: "-": must be empty or consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit`,
  ],
  ["no port", service({ ports: [] }), "spec.ports: Required value"],
  ["a NodePort", service({ type: "NodePort" }), `spec.type: ${NO_PROXY}`],
  [
    "a LoadBalancer",
    service({ type: "LoadBalancer", loadBalancerIP: "192.0.2.1" }),
    `spec.type: ${NO_PROXY}`,
    `spec.loadBalancerIP: ${NO_PROXY}`,
  ],
  [
    "an ExternalName",
    service({
      type: "ExternalName",
      externalName: "example.org",
      selector: null,
      ports: null,
    }),
    `spec.type: ${NO_DNS}`,
    `spec.externalName: ${NO_DNS}`,
  ],
  [
    "a type that is none",
    service({ type: "Other" }),
    'spec.type: Unsupported value: "Other": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
  ],
  [
    "addresses",
    service({ clusterIP: "10.96.0.7", clusterIPs: ["10.96.0.7", "None"] }),
    `spec.clusterIP: ${NO_ADDRESS}`,
    `spec.clusterIPs[0]: ${NO_ADDRESS}`,
  ],
  ["no address", service({ clusterIP: "", clusterIPs: [] })],
  [
    "everything that a proxy does",
    service({
      externalIPs: ["192.0.2.1"],
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 30000,
      loadBalancerClass: "example.org/lb",
      loadBalancerSourceRanges: ["192.0.2.0/24"],
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } },
    }),
    "spec.sessionAffinity: Forbidden: there is no proxy on this node that could keep to a pod",
    `spec.externalIPs: ${NO_PROXY}`,
    `spec.externalTrafficPolicy: ${NO_PROXY}`,
    `spec.healthCheckNodePort: ${NO_PROXY}`,
    `spec.loadBalancerClass: ${NO_PROXY}`,
    `spec.loadBalancerSourceRanges: ${NO_PROXY}`,
    "spec.sessionAffinityConfig: Forbidden: there is no proxy on this node",
  ],
  [
    "nothing of it, in so many words",
    service({
      externalIPs: [],
      externalName: "",
      healthCheckNodePort: 0,
    }),
  ],
  [
    "values that are none",
    service({
      internalTrafficPolicy: "Far",
      ipFamilies: ["IPv5"],
      ipFamilyPolicy: "Any",
      sessionAffinity: "Always",
    }),
    'spec.sessionAffinity: Unsupported value: "Always": supported values: "ClientIP", "None"',
    'spec.internalTrafficPolicy: Unsupported value: "Far": supported values: "Cluster", "Local"',
    'spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
    'spec.ipFamilyPolicy: Unsupported value: "Any": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
  ],
  [
    "two ports without names",
    service({ ports: [{ port: 80 }, { port: 81 }] }),
    "spec.ports[0].name: Required value",
    "spec.ports[1].name: Required value",
  ],
  [
    "two ports of one name and number",
    service({
      ports: [
        { name: "a", port: 80 },
        { name: "a", port: 80, protocol: "UDP" },
        { name: "b", port: 80, protocol: "TCP" },
      ],
    }),
    'spec.ports[1].name: Duplicate value: "a"',
    'spec.ports[2]: Duplicate value: "TCP 80"',
  ],
  [
    "ports that are none",
    service({
      ports: [
        { name: "a", port: 0, targetPort: 65_536 },
        { name: "b_c", port: 65_536, protocol: "ICMP" },
        { name: "d", targetPort: "a--b" },
        { name: "e", port: 5, targetPort: "" },
        { name: "f", port: 6, nodePort: 30_000 },
        { name: "g", port: 65_535, targetPort: 1 },
      ],
    }),
    "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
    "spec.ports[0].targetPort: Invalid value: 65536: must be between 1 and 65535, inclusive",
    `spec.ports[1].name: Invalid value: "b_c": ${LABEL}`,
    "spec.ports[1].port: Invalid value: 65536: must be between 1 and 65535, inclusive",
    'spec.ports[1].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
    "spec.ports[2].port: Required value",
    'spec.ports[2].targetPort: Invalid value: "a--b": must not contain consecutive hyphens',
    "spec.ports[3].targetPort: Required value",
    `spec.ports[4].nodePort: ${NO_PROXY}`,
  ],
];
for (const [what, text, ...expected] of ROWS) {
  const verb = expected.length === 0 ? "takes" : "refuses";
  Deno.test(`decodeManifest() ${verb} a Service with ${what}`, () => {
    deepStrictEqual(faults(text), expected);
  });
}

const priorityClass = (draft: Draft): string =>
  objectJson("PriorityClass", { value: 10, ...draft });

Deno.test("decodeManifest() reads a PriorityClass", () => {
  deepStrictEqual(decodedObjects(priorityClass({})), [{
    kind: "PriorityClass",
    name: "web",
    value: 10,
    globalDefault: false,
    preemptionPolicy: "PreemptLowerPriority",
    description: "",
  }]);
  deepStrictEqual(
    decodedObjects(priorityClass({
      value: -5,
      globalDefault: true,
      preemptionPolicy: "Never",
      description: "for all",
    })),
    [{
      kind: "PriorityClass",
      name: "web",
      value: -5,
      globalDefault: true,
      preemptionPolicy: "Never",
      description: "for all",
    }],
  );
  const [silent] = decodedObjects(objectJson("PriorityClass"));
  ok(silent?.kind === "PriorityClass");
  strictEqual(silent.value, 0);
});

const CLASSES: readonly (readonly [string, Draft, ...string[]])[] = [
  ["the highest value", { value: 1_000_000_000 }],
  [
    "a higher value",
    { value: 1_000_000_001 },
    "value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
  ],
  [
    "a name of the system's",
    { metadata: { name: "system-web" } },
    "metadata.name: Forbidden: names that begin with 'system-' are the system's",
  ],
  [
    "another value of the system's class",
    { metadata: { name: "system-node-critical" }, value: 2_000_000_000 },
    "metadata.name: Forbidden: names that begin with 'system-' are the system's",
  ],
  ["the system's own class", {
    metadata: { name: "system-node-critical" },
    value: 2_000_001_000,
  }],
  [
    "a namespace",
    { metadata: { name: "web", namespace: "shop" } },
    "metadata.namespace: Forbidden: not allowed on this type",
  ],
  [
    "a policy that is none",
    { preemptionPolicy: "Always" },
    'preemptionPolicy: Unsupported value: "Always": supported values: "PreemptLowerPriority", "Never"',
  ],
];
for (const [what, draft, ...expected] of CLASSES) {
  const verb = expected.length === 0 ? "takes" : "refuses";
  Deno.test(`decodeManifest() ${verb} a PriorityClass with ${what}`, () => {
    deepStrictEqual(faults(priorityClass(draft)), expected);
  });
}
