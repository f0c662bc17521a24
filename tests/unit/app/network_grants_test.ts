/**
 * What pods need of the network that the agent was not given.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  deniedByGrants,
  unreachedPods,
} from "../../../mod/app/network_grants.ts";
import { container, pod } from "../../support/pods.ts";

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
        containers: [
          container("a"),
          container("b", { livenessProbe: { httpGet } }),
        ],
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
      initContainers: [container("i", { startupProbe: { tcpSocket } })],
      containers: [container("a", {
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
    pod({ containers: [container("a", { readinessProbe: own })] }),
    none,
    "spec.containers[0].readinessProbe.httpGet",
  ],
  [
    "a gRPC probe of a sidecar, once for all probes",
    pod({
      initContainers: [
        container("i", { livenessProbe: { grpc: { port: 1 } } }),
      ],
      containers: [container("a", { readinessProbe: own })],
    }),
    none,
    "spec.initContainers[0].livenessProbe.grpc",
  ],
  [
    "a hook",
    pod({
      containers: [container("a", { lifecycle: { preStop: own } })],
    }),
    none,
    "spec.containers[0].lifecycle.preStop.httpGet",
  ],
  [
    "nothing inside a pod network",
    pod({ containers: [container("a", { readinessProbe: own })] }),
    grants,
    undefined,
  ],
  [
    "nothing inside the only pod network",
    pod({ containers: [container("a", { readinessProbe: own })] }),
    { podNetworks: ["10.88.0.0/16"] },
    undefined,
  ],
  [
    "nothing of a command, nor of a host that is named",
    pod({
      containers: [container("a", {
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
      containers: [container("a", { readinessProbe: own })],
    }),
    { ...grants, nodeAddresses: [] },
    "spec.containers[0].readinessProbe.httpGet",
  ],
  [
    "nothing of the node's network when an address may be asked",
    pod({
      hostNetwork: true,
      containers: [container("a", { readinessProbe: own })],
    }),
    { ...none, nodeAddresses: ["192.0.2.1"] },
    undefined,
  ],
  [
    "nothing of the node's network when its addresses are not known",
    pod({
      hostNetwork: true,
      containers: [container("a", { readinessProbe: own })],
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
