/**
 * Tests of the pods that Services lead to, as the agent knows them.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { serviceTargets } from "../../../mod/agent/service_targets.ts";
import type { WorkerView } from "../../../mod/agent/workers/mod.ts";
import type { PodStatus } from "../../../mod/api/types/mod.ts";
import { workerView } from "../../support/agent/worker_view.ts";
import { pod } from "../../support/pods.ts";
import { service, target } from "../../support/services.ts";

const READY: PodStatus = {
  phase: "Running",
  podIP: "10.88.0.9",
  startTime: "2026-01-01T00:00:01Z",
  conditions: [{ type: "Ready", status: "True" }],
};

const podNamed = (uid: string) =>
  pod({ name: uid, uid, labels: { app: "web" } });
const running = (uid: string): WorkerView => workerView(podNamed(uid));
const ending = (uid: string): WorkerView =>
  workerView(podNamed(uid), {
    state: { kind: "terminating", cause: "removed", graceSeconds: 1 },
  });

/** The pod that is told of them. */
const READER = pod({ name: "reader" });
const ofCluster = { "kubernetes.io/config.source": "api" };

function addresses(
  statuses: Readonly<Record<string, PodStatus>>,
  options: {
    readonly pods?: readonly WorkerView[];
    readonly of?: Parameters<typeof service>[0];
  } = {},
): readonly (string | undefined)[] {
  const { pods = Object.keys(statuses).map(running), of = {} } = options;
  return serviceTargets(READER, {
    objects: { servicesFor: () => [service(of)] },
    statuses: { get: (uid) => statuses[uid] },
    pods: () => pods,
  }).map(({ address }) => address);
}

Deno.test("serviceTargets() lists each Service that has a pod", () => {
  const found = serviceTargets(READER, {
    objects: {
      servicesFor: () => [
        service({ name: "api" }),
        service({ name: "db", selector: { app: "db" } }),
        service(),
      ],
    },
    statuses: { get: () => READY },
    pods: () => [running("a")],
  });
  deepStrictEqual(found, [target({ name: "api" }), target()]);
});

Deno.test("serviceTargets() asks for no pods without Services", () => {
  let asked = 0;
  const pods = () => {
    asked++;
    return [];
  };
  const statuses = { get: () => READY };
  const objects = { servicesFor: () => [] };
  deepStrictEqual(serviceTargets(READER, { objects, statuses, pods }), []);
  strictEqual(asked, 0);
});

Deno.test("serviceTargets() leads to the pod that started first", () => {
  const at = (podIP: string, startTime: string) => ({
    ...READY,
    podIP,
    startTime,
  });
  const statuses = {
    a: at("10.0.0.1", "2026-01-01T00:00:02Z"),
    b: at("10.0.0.2", "2026-01-01T00:00:01Z"),
    c: { ...READY, podIP: "10.0.0.3", startTime: "never" },
  };
  deepStrictEqual(addresses(statuses), ["10.0.0.2"]);
  deepStrictEqual(addresses({ a: statuses.c, b: statuses.a }), ["10.0.0.1"]);
});

const UNFIT: readonly (readonly [string, PodStatus])[] = [
  ["not ready", { ...READY, conditions: [{ type: "Ready", status: "False" }] }],
  ["without conditions", { phase: "Running", podIP: "10.88.0.9" }],
  [
    "ready in its containers only",
    { ...READY, conditions: [{ type: "ContainersReady", status: "True" }] },
  ],
];

for (const [what, status] of UNFIT) {
  Deno.test(`serviceTargets() leaves out a pod ${what}, unless the Service takes such`, () => {
    deepStrictEqual(addresses({ a: status }), []);
    const of = { publishNotReadyAddresses: true };
    deepStrictEqual(addresses({ a: status }, { of }), ["10.88.0.9"]);
  });
}

for (const phase of ["Succeeded", "Failed"]) {
  Deno.test(`serviceTargets() never leads to a pod that is ${phase}`, () => {
    const of = { publishNotReadyAddresses: true };
    deepStrictEqual(addresses({ a: { ...READY, phase } }, { of }), []);
  });
}

Deno.test("serviceTargets() leaves out a pod that ends or has no status", () => {
  const of = { publishNotReadyAddresses: true };
  deepStrictEqual(addresses({ a: READY }, { pods: [ending("a")], of }), []);
  deepStrictEqual(addresses({}, { pods: [running("a")], of }), []);
});

Deno.test("serviceTargets() of this node never leads to a pod of a cluster", () => {
  const of = { publishNotReadyAddresses: true };
  const theirs = pod({
    uid: "a",
    labels: { app: "web" },
    annotations: ofCluster,
  });
  const pods = [workerView(theirs)];
  deepStrictEqual(addresses({ a: READY }, { pods, of }), []);
});

Deno.test("serviceTargets() gives a pod of a cluster the addresses that its Services have there", () => {
  const reader = pod({ annotations: ofCluster });
  const found = serviceTargets(reader, {
    objects: {
      servicesFor: (asking) => {
        strictEqual(asking, reader);
        return [
          service({
            name: "kubernetes",
            namespace: "default",
            address: "10.0.0.1",
          }),
          service({ name: "headless" }),
          service({ address: "10.0.0.7" }),
        ];
      },
    },
    statuses: { get: () => READY },
    pods: () => [running("a")],
  });
  deepStrictEqual(
    found.map(({ name, address, isForAll }) => [name, address, isForAll]),
    [["kubernetes", "10.0.0.1", true], ["web", "10.0.0.7", undefined]],
  );
});
