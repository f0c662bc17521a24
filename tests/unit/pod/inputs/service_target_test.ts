/**
 * Tests of which pod a Service leads to.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  serviceTarget,
  type ServingPod,
} from "../../../../mod/pod/inputs/service_target.ts";
import { container, sidecar } from "../../../support/pods.ts";
import { service, servicePort, serving } from "../../../support/services.ts";

function addressOf(
  pods: readonly ServingPod[],
  of = service(),
): string | undefined {
  return serviceTarget(of, pods)?.address;
}

const CHOICES: readonly {
  readonly title: string;
  readonly pods: readonly ServingPod[];
  readonly of?: Parameters<typeof service>[0];
  readonly expected: string | undefined;
}[] = [
  {
    title: "the oldest pod",
    pods: [
      serving("a", { address: "10.0.0.1", startedMs: 2_000 }),
      serving("b", { address: "10.0.0.2", startedMs: 1_000 }),
      serving("c", { address: "10.0.0.3", startedMs: 3_000 }),
    ],
    expected: "10.0.0.2",
  },
  {
    title: "the first by name of two that came at one time",
    pods: [
      serving("b", { address: "10.0.0.2" }),
      serving("a", { address: "10.0.0.1" }),
      serving("c", { address: "10.0.0.3" }),
    ],
    expected: "10.0.0.1",
  },
  {
    title: "none of two whose age is not known before one whose age is",
    pods: [
      serving("a", { address: "10.0.0.1", startedMs: Infinity }),
      serving("b", { address: "10.0.0.2", startedMs: Infinity }),
      serving("c", { address: "10.0.0.3", startedMs: 5_000 }),
    ],
    expected: "10.0.0.3",
  },
  {
    title: "a younger pod if the oldest is not ready",
    pods: [
      serving("a", { address: "10.0.0.1", isReady: false }),
      serving("b", { address: "10.0.0.2", startedMs: 2_000 }),
    ],
    expected: "10.0.0.2",
  },
  {
    title: "a pod that is not ready, if the Service takes such",
    pods: [serving("a", { address: "10.0.0.1", isReady: false })],
    of: { publishNotReadyAddresses: true },
    expected: "10.0.0.1",
  },
  {
    title: "nothing without pods",
    pods: [],
    expected: undefined,
  },
  {
    title: "no pod without an address",
    pods: [
      serving("a", { address: undefined }),
      serving("b", { address: "10.0.0.2", startedMs: 2_000 }),
    ],
    expected: "10.0.0.2",
  },
  {
    title: "no pod of another namespace",
    pods: [serving("a", { draft: { namespace: "back" } })],
    expected: undefined,
  },
  {
    title: "no pod with another label",
    pods: [serving("a", { draft: { labels: { app: "db" } } })],
    expected: undefined,
  },
  {
    title: "no pod with one of two labels",
    pods: [serving("a")],
    of: { selector: { app: "web", tier: "front" } },
    expected: undefined,
  },
  {
    title: "a pod that has more labels",
    pods: [serving("a", { draft: { labels: { app: "web", tier: "x" } } })],
    expected: "10.88.0.9",
  },
  {
    title: "any pod for a Service without ports",
    pods: [serving("a")],
    of: { ports: [] },
    expected: "10.88.0.9",
  },
  {
    title: "no pod without the port",
    pods: [serving("a")],
    of: { ports: [servicePort({ targetPort: "http" })] },
    expected: undefined,
  },
];

for (const { title, pods, of, expected } of CHOICES) {
  Deno.test(`serviceTarget() chooses ${title}`, () => {
    strictEqual(addressOf(pods, service(of)), expected);
  });
}

Deno.test("serviceTarget() leads to a number as it is", () => {
  deepStrictEqual(
    serviceTarget(service({ ports: [servicePort({ name: "http" })] }), [
      serving("a"),
    ]),
    {
      name: "web",
      namespace: "shop",
      address: "10.88.0.9",
      ports: [{ name: "http", protocol: "TCP", port: 80, target: 8080 }],
    },
  );
});

// Upstream: TestFindPort of pkg/api/v1/pod.
Deno.test("serviceTarget() finds named ports by name and protocol, and leaves out the others", () => {
  const draft = {
    containers: [
      container("a", {
        ports: [
          { name: "dns", containerPort: 53, protocol: "UDP" },
          { containerPort: 1 },
        ],
      }),
      container("b", { ports: [{ name: "dns", containerPort: 5353 }] }),
    ],
    initContainers: [
      container("once", { ports: [{ name: "early", containerPort: 7 }] }),
      sidecar("proxy", { ports: [{ name: "proxy", containerPort: 15001 }] }),
      sidecar("second", { ports: [{ name: "dns", containerPort: 9 }] }),
    ],
  };
  const ports = [
    servicePort({ port: 1, targetPort: "dns" }),
    servicePort({ port: 2, targetPort: "dns", protocol: "UDP" }),
    servicePort({ port: 3, targetPort: "dns", protocol: "SCTP" }),
    servicePort({ port: 4, targetPort: "early" }),
    servicePort({ port: 5, targetPort: "proxy" }),
  ];
  const found = serviceTarget(service({ ports }), [serving("a", { draft })]);
  deepStrictEqual(found?.ports, [
    { name: "", protocol: "TCP", port: 1, target: 5353 },
    { name: "", protocol: "UDP", port: 2, target: 53 },
    { name: "", protocol: "TCP", port: 5, target: 15001 },
  ]);
});

Deno.test("serviceTarget() goes on to a pod that has a port", () => {
  const draft = {
    containers: [
      container("c", { ports: [{ name: "http", containerPort: 81 }] }),
    ],
  };
  const pods = [
    serving("a", { address: "10.0.0.1" }),
    serving("b", { address: "10.0.0.2", startedMs: 2_000, draft }),
  ];
  const ports = [servicePort({ targetPort: "http" })];
  strictEqual(addressOf(pods, service({ ports })), "10.0.0.2");
});
