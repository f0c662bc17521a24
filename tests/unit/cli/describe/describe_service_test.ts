/**
 * A Service, as `describe` and `explain` print it.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import {
  describeObject,
  serviceSentences,
} from "../../../../mod/cli/describe/mod.ts";
import type { ShownObject } from "../../../../mod/cli/kinds/mod.ts";
import { container, pod, type PodDraft } from "../../../support/pods.ts";

const PORTS = [
  { name: "http", port: 80, protocol: "TCP", targetPort: "http" },
  { port: 53, protocol: "UDP", targetPort: 5353 },
];

function service(fields: Readonly<Record<string, unknown>> = {}): ShownObject {
  const metadata = { name: "web", namespace: "shop", uid: "u" };
  const spec = {
    type: "ClusterIP",
    selector: { app: "web" },
    ports: PORTS,
    ...fields,
  };
  return { apiVersion: "v1", kind: "Service", metadata, spec };
}

function web(
  status: Readonly<Record<string, string>> = {},
  { isReady = true, ...draft }: PodDraft & { readonly isReady?: boolean } = {},
): Pod {
  const ports = [{ name: "http", containerPort: 8080 }];
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
  return pod({
    labels: { app: "web" },
    containers: [container("c", { ports })],
    ...draft,
    status: { phase: "Running", podIP: "10.0.0.1", conditions, ...status },
  });
}

function shown(object: ShownObject, pods: readonly Pod[]): string[] {
  const time = "2026-01-02T00:00:00Z";
  const text = describeObject(object, {
    events: [],
    pods,
    time,
    utcOffsetMs: 0,
  });
  return text.split("\n").map((line) => line.replace(/: {2,}/, ": ")).slice(4);
}

const LEADS = (address: string) =>
  `  It leads to ${address}, the address of the oldest pod that can serve`;

Deno.test("describeObject() shows the ports of a Service, and where programs find them", () => {
  deepStrictEqual(shown(service({ clusterIP: "None" }), [web()]), [
    "Selector: app=web",
    "Type: ClusterIP",
    "IP: None",
    "Port: http  80/TCP",
    "TargetPort: http/TCP",
    "Endpoints: 10.0.0.1:8080",
    "Port: <unset>  53/UDP",
    "TargetPort: 5353/UDP",
    "Endpoints: 10.0.0.1:5353",
    "Explanation:",
    LEADS("10.0.0.1"),
    "Events: <none>",
    "",
  ]);
});

Deno.test("describeObject() tells ports of one number by their protocols, and IPv6", () => {
  const ports = [
    { name: "a", port: 53, protocol: "TCP", targetPort: 1 },
    { name: "b", port: 53, protocol: "UDP", targetPort: 2 },
    { name: "c", port: 54, protocol: "SCTP", targetPort: 3 },
  ];
  deepStrictEqual(
    shown(service({ ports }), [web({ podIP: "fd00::1" })])
      .filter((line) => /^(?:Endpoints|IP|Target)/.test(line)),
    [
      "IP: <none>",
      "TargetPort: 1/TCP",
      "Endpoints: [fd00::1]:1",
      "TargetPort: 2/UDP",
      "Endpoints: [fd00::1]:2",
      "TargetPort: 3/SCTP",
      "Endpoints: [fd00::1]:3",
    ],
  );
});

Deno.test("describeObject() shows no endpoint of a port that the pod has not", () => {
  const ports = [
    { name: "a", port: 80, protocol: "TCP", targetPort: "http" },
    { name: "b", port: 81, protocol: "TCP", targetPort: "more" },
  ];
  deepStrictEqual(
    shown(service({ ports }), [web()])
      .filter((line) => /^(?:Endpoints| )/.test(line)),
    [
      "Endpoints: 10.0.0.1:8080",
      "Endpoints: <none>",
      LEADS("10.0.0.1"),
      '  Port 81 leads nowhere: that pod has no port named "more"',
    ],
  );
});

Deno.test("describeObject() shows no endpoints of a Service that leads nowhere", () => {
  deepStrictEqual(shown(service({ ports: PORTS.slice(1) }), []).slice(3, 8), [
    "Port: <unset>  53/UDP",
    "TargetPort: 5353/UDP",
    "Endpoints: <none>",
    "Explanation:",
    '  It leads nowhere: no pod of namespace "shop" has the labels app=web that it selects',
  ]);
});

const NONE = "It leads nowhere: no pod of namespace";
for (
  const [name, object, pods, begin] of [
    ["a pod that ended", service(), [web({ phase: "Succeeded" })], NONE],
    ["a pod that ends", service(), [
      web({}, { metadata: { deletionTimestamp: "2026-01-02T00:00:00Z" } }),
    ], NONE],
    ["another namespace", service(), [web({}, { namespace: "x" })], NONE],
    ["a pod without a status", service(), [
      pod({ labels: { app: "web" } }),
    ], "It leads nowhere: none of the pods with the labels app=web is ready"],
    ["a pod that is not ready", service(), [
      web({}, { isReady: false }),
    ], "It leads nowhere: none of the pods with the labels app=web is ready"],
    [
      "one that is meant all the same",
      service({
        publishNotReadyAddresses: true,
      }),
      [web({}, { isReady: false })],
      "It leads to 10.0.0.1",
    ],
    ["the older pod", service(), [
      web({ podIP: "10.0.0.2", startTime: "2026-01-01T00:00:02Z" }),
      web({ podIP: "10.0.0.1", startTime: "2026-01-01T00:00:01Z" }),
      web({ podIP: "10.0.0.3" }),
    ], "It leads to 10.0.0.1"],
  ] as const
) {
  Deno.test(`serviceSentences() with ${name} begin with "${begin}"`, () => {
    const sentences = serviceSentences(object, pods);
    deepStrictEqual(sentences.map((each) => each.startsWith(begin)), [true]);
  });
}
