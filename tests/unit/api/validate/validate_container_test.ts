/**
 * @module
 */

import {
  type Parts,
  type RefusedRow,
  testRefused,
  testTaken,
} from "../../../support/api/rows.ts";

const C = "spec.containers[0]";
const image = "app:1";

function ports(...ports: readonly unknown[]): Parts {
  return { container: { ports } };
}

function resources(resources: unknown): Parts {
  return { container: { resources } };
}

testRefused([
  [
    "no containers",
    { spec: { containers: [] } },
    "spec.containers",
    /Required value/,
  ],
  [
    "1000 containers",
    {
      spec: {
        containers: Array.from(
          { length: 1000 },
          (_, i) => ({ name: `c${i}`, image }),
        ),
      },
    },
    "spec.containers",
    /Too long/,
  ],
  [
    "two containers of one name",
    { spec: { containers: [{ name: "a", image }, { name: "a", image }] } },
    "spec.containers[1].name",
    /Duplicate value: "a"/,
  ],
  [
    "an init container with a container's name",
    { spec: { initContainers: [{ name: "app", image }] } },
    "spec.initContainers[0].name",
    /Duplicate value/,
  ],
  [
    "ephemeral containers",
    { spec: { ephemeralContainers: [{ name: "e", image }] } },
    "spec.ephemeralContainers",
    /Forbidden/,
  ],
  ...["App", "a.b", "../x", "a\n", "a".repeat(64)].map((
    name,
  ): RefusedRow => [
    `the container name ${JSON.stringify(name).slice(0, 20)}`,
    { container: { name } },
    `${C}.name`,
    /Invalid value/,
  ]),
  [
    "no container name",
    { container: { name: "" } },
    `${C}.name`,
    /Required value/,
  ],
  ["no image", { container: { image: "" } }, `${C}.image`, /Required value/],
  [
    "an image with a space behind it",
    { container: { image: "app " } },
    `${C}.image`,
    /whitespace/,
  ],
  [
    "a misspelt pull policy",
    { container: { imagePullPolicy: "ifNotPresent" } },
    `${C}.imagePullPolicy`,
    /Unsupported value: "ifNotPresent": supported values: "Always", "IfNotPresent", "Never"/,
  ],
  [
    "an unknown termination message policy",
    { container: { terminationMessagePolicy: "x" } },
    `${C}.terminationMessagePolicy`,
    /Unsupported/,
  ],
  [
    "a probe of an init container",
    {
      spec: {
        initContainers: [{
          name: "i",
          image,
          livenessProbe: { exec: { command: ["a"] } },
        }],
      },
    },
    "spec.initContainers[0].livenessProbe",
    /may not be set for init containers/,
  ],
  [
    "an unknown restart policy",
    { container: { restartPolicy: "Sometimes" } },
    `${C}.restartPolicy`,
    /Unsupported/,
  ],
  [
    "restart rules without a policy",
    {
      container: {
        restartPolicyRules: [{
          action: "Restart",
          exitCodes: { operator: "In", values: [1] },
        }],
      },
    },
    `${C}.restartPolicy`,
    /Required/,
  ],
  [
    "a restart rule with one exit code twice",
    {
      container: {
        restartPolicy: "Never",
        restartPolicyRules: [{
          action: "Restart",
          exitCodes: { operator: "In", values: [1, 2, 1] },
        }],
      },
    },
    `${C}.restartPolicyRules[0].exitCodes.values[2]`,
    /Duplicate/,
  ],
  [
    "a restart rule without exit codes",
    {
      container: {
        restartPolicy: "Never",
        restartPolicyRules: [{ action: "Restart" }],
      },
    },
    `${C}.restartPolicyRules[0].exitCodes`,
    /Required/,
  ],
  [
    "a resize policy that restarts under Never",
    {
      spec: { restartPolicy: "Never" },
      container: {
        resizePolicy: [{
          resourceName: "cpu",
          restartPolicy: "RestartContainer",
        }],
      },
    },
    `${C}.resizePolicy[0].restartPolicy`,
    /Forbidden/,
  ],

  [
    "port 0",
    ports({ containerPort: 0 }),
    `${C}.ports[0].containerPort`,
    /Required/,
  ],
  ...[-1, 65536, 1e9].map((
    containerPort,
  ): RefusedRow => [
    `port ${containerPort}`,
    ports({ containerPort }),
    `${C}.ports[0].containerPort`,
    /between 1 and 65535/,
  ]),
  [
    "two ports of one name",
    ports({ name: "a", containerPort: 1 }, { name: "a", containerPort: 2 }),
    `${C}.ports[1].name`,
    /Duplicate/,
  ],
  [
    "a port name of 16 characters",
    ports({ name: "a".repeat(16), containerPort: 1 }),
    `${C}.ports[0].name`,
    /no more than 15/,
  ],
  [
    "a port name without letters",
    ports({ name: "123", containerPort: 1 }),
    `${C}.ports[0].name`,
    /at least one letter/,
  ],
  [
    "a port name with two hyphens",
    ports({ name: "a--b", containerPort: 1 }),
    `${C}.ports[0].name`,
    /consecutive/,
  ],
  [
    "protocol ICMP",
    ports({ containerPort: 1, protocol: "ICMP" }),
    `${C}.ports[0].protocol`,
    /Unsupported/,
  ],
  [
    "one port of the node twice",
    ports({ containerPort: 1, hostPort: 5 }, { containerPort: 2, hostPort: 5 }),
    `${C}.ports[1].hostPort`,
    /Duplicate/,
  ],
  [
    "another port of the node with its network",
    {
      spec: { hostNetwork: true },
      ...ports({ containerPort: 1, hostPort: 2 }),
    },
    `${C}.ports[0].hostPort`,
    /must match/,
  ],
  [
    "a host IP that is none",
    ports({ containerPort: 1, hostIP: "1.2.3" }),
    `${C}.ports[0].hostIP`,
    /valid IP/,
  ],

  [
    "a negative amount",
    resources({ limits: { memory: "-1Mi" } }),
    `${C}.resources.limits[memory]`,
    /greater than or equal to 0/,
  ],
  [
    "a request above its limit",
    resources({ limits: { cpu: "1" }, requests: { cpu: "1001m" } }),
    `${C}.resources.requests[cpu]`,
    /less than or equal to cpu limit of 1/,
  ],
  [
    "an unknown resource of a container",
    resources({ limits: { disk: "1" } }),
    `${C}.resources.limits[disk]`,
    /standard resource/,
  ],
  [
    "half a device",
    resources({ limits: { "a.b/gpu": "500m" } }),
    `${C}.resources.limits[a.b/gpu]`,
    /integer/,
  ],
  [
    "a device that is requested without limit",
    resources({ requests: { "a.b/gpu": "1" } }),
    `${C}.resources.limits[a.b/gpu]`,
    /Required/,
  ],
  [
    "huge pages alone",
    resources({ limits: { "hugepages-2Mi": "2Mi" } }),
    `${C}.resources`,
    /require cpu or memory/,
  ],
  [
    "half a huge page",
    resources({ limits: { cpu: "1", "hugepages-2Mi": "1Mi" } }),
    `${C}.resources.limits[hugepages-2Mi]`,
    /multiple/,
  ],
  [
    "a container's limit above its pod's",
    {
      spec: { resources: { limits: { cpu: "1" } } },
      ...resources({ limits: { cpu: "2" } }),
    },
    `${C}.resources.limits[cpu]`,
    /pod's limit/,
  ],
]);

testTaken([
  [
    "the same port for two protocols",
    ports({ containerPort: 53 }, { containerPort: 53, protocol: "UDP" }),
  ],
  [
    "the same port on two addresses of the node",
    ports({ containerPort: 1, hostPort: 5, hostIP: "10.0.0.1" }, {
      containerPort: 1,
      hostPort: 5,
      hostIP: "fe80::1",
    }),
  ],
  [
    "a port name of 15 characters",
    ports({ name: "a".repeat(15), containerPort: 1 }),
  ],
  ["an image name of 5 KiB", { container: { image: "a".repeat(5120) } }],
  ["memory below a byte", resources({ limits: { memory: "100m" } })],
  ["a device", resources({ limits: { "a.b/gpu": "1" } })],
  ["a sidecar with a probe", {
    spec: {
      initContainers: [{
        name: "s",
        image,
        restartPolicy: "Always",
        startupProbe: { exec: { command: ["a"] } },
      }],
    },
  }],
  ["init containers that want the same port of the node one after the other", {
    spec: {
      initContainers: ["i", "j"].map((name) => ({
        name,
        image,
        ports: [{ containerPort: 1, hostPort: 5 }],
      })),
    },
  }],
]);
