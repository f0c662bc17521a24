/**
 * What makes pods, as `describe` prints it.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { describeObject } from "../../../../mod/cli/describe/mod.ts";
import type { ShownObject } from "../../../../mod/cli/kinds/mod.ts";
import {
  CREATED,
  described,
  object,
  OPTIONS,
  TEMPLATE,
} from "../../../support/cli/shown_objects.ts";

const OWNER = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web" };

Deno.test("describeObject() lays out a Deployment as kubectl does", () => {
  const text = describeObject(
    object("Deployment", {
      spec: {
        replicas: 3,
        minReadySeconds: 5,
        paused: true,
        selector: { matchLabels: { app: "web" } },
        strategy: {
          type: "RollingUpdate",
          rollingUpdate: { maxUnavailable: "25%", maxSurge: 1 },
        },
        template: TEMPLATE,
      },
      status: {
        replicas: 4,
        updatedReplicas: 1,
        availableReplicas: 2,
        unavailableReplicas: 6,
        conditions: [{ type: "Available", status: "True", reason: "Enough" }],
      },
    }, {
      creationTimestamp: CREATED,
      labels: { b: "2", a: "1" },
      annotations: { "deployment.kubernetes.io/revision": "7" },
    }),
    {
      ...OPTIONS,
      events: [{
        apiVersion: "v1",
        kind: "Event",
        metadata: {
          name: "e",
          namespace: "shop",
          resourceVersion: "1",
          uid: "",
          creationTimestamp: "2026-01-01T23:55:00Z",
        },
        eventTime: null,
        involvedObject: {
          apiVersion: "apps/v1",
          kind: "Deployment",
          namespace: "shop",
          name: "web",
        },
        type: "Normal",
        reason: "ScalingReplicaSet",
        message: "Scaled up",
        count: 1,
        firstTimestamp: CREATED,
        lastTimestamp: CREATED,
        source: { component: "deployment-controller", host: "n1" },
        reportingComponent: "deployment-controller",
        reportingInstance: "n1",
      }],
    },
  );
  strictEqual(
    text,
    `Name:                   web
Namespace:              shop
CreationTimestamp:      Thu, 01 Jan 2026 23:55:00 +0000
Labels:                 a=1
                        b=2
Annotations:            deployment.kubernetes.io/revision: 7
Selector:               app=web
Replicas:               3 desired | 1 updated | 4 total | 2 available | 6 unavailable
StrategyType:           RollingUpdate
MinReadySeconds:        5
RollingUpdateStrategy:  25% max unavailable, 1 max surge
Paused:                 True
Pod Template:
  Labels:               app=web
  Annotations:          note: x
  Service Account:      robot
  Init Containers:
    prepare:
      Image:        i:0
      Port:         <none>
      Host Port:    <none>
      Environment:  <none>
      Mounts:       <none>
  Containers:
    server:
      Image:        i:1
      Port:         <none>
      Host Port:    <none>
      Args:
        -v
      Environment:  <none>
      Mounts:       <none>
  Volumes:
    data:
      Type:       EmptyDir (a temporary directory that shares a pod's lifetime)
      Medium:
      SizeLimit:  <unset>
  Priority Class Name:  high
  Node-Selectors:       disk=ssd
Conditions:
  Type        Status   Reason   Message
  Available   True     Enough
Events:
  Type     Reason              Age   From                    Message
  Normal   ScalingReplicaSet   5m    deployment-controller   Scaled up
`,
  );
});

Deno.test("describeObject() says whose an object is, and that it is ending", () => {
  const owner = { apiVersion: "apps/v1", kind: "Deployment", uid: "u" };
  const lines = described(object("ReplicaSet", {}, {
    namespace: "",
    deletionTimestamp: CREATED,
    ownerReferences: [
      { ...owner, name: "other" },
      { ...owner, name: "web", controller: true },
    ],
  }));
  ok(lines.includes("Controlled By: Deployment/web"));
  ok(lines.includes("Terminating: lasts 5m"));
  ok(!lines.some((line) => line.startsWith("Namespace")));
  ok(!lines.some((line) => line.startsWith("CreationTimestamp")));
  ok(!lines.some((line) => line.startsWith("Selector")));
  ok(!lines.some((line) => line.startsWith("Pod Template")));
  ok(!lines.some((line) => line.startsWith("Conditions")));
});

Deno.test("describeObject() names the versions of a Deployment", () => {
  const template = (image: string, labels = {}) => ({
    metadata: { labels: { app: "web", ...labels } },
    spec: { containers: [{ name: "a", image }] },
  });
  const set = (
    name: string,
    image: string,
    { since, uid = "u" }: { readonly since: string; readonly uid?: string },
  ) =>
    object("ReplicaSet", {
      spec: { replicas: 2, template: template(image, hashOf(name)) },
      status: { replicas: 1 },
    }, {
      name,
      creationTimestamp: since,
      ownerReferences: [{ ...OWNER, uid, controller: true }],
    });
  const hashOf = (name: string) => ({ "pod-template-hash": name });
  const deployment = object("Deployment", {
    spec: { template: template("i:2") },
  });
  const early = "2026-01-01T00:00:00Z";
  const late = "2026-01-02T00:00:00Z";
  const alone = set("web-3", "i:2", { since: early, uid: "other" });
  const shown = (...replicaSets: readonly ShownObject[]) =>
    described(deployment, { replicaSets })
      .filter((line) => line.includes("ReplicaSet"));
  const old = set("web-1", "i:1", { since: early });
  const second = set("web-2b", "i:2", { since: late });
  const first = set("web-2a", "i:2", { since: early });
  deepStrictEqual(shown(alone), []);
  deepStrictEqual(shown(old, alone), [
    "OldReplicaSets: web-1 (1/2 replicas created)",
    "NewReplicaSet: <none>",
  ]);
  deepStrictEqual(shown(first), [
    "OldReplicaSets: <none>",
    "NewReplicaSet: web-2a (1/2 replicas created)",
  ]);
  deepStrictEqual(shown(old, second, first), [
    "OldReplicaSets: web-1 (1/2 replicas created), web-2b (1/2 replicas created)",
    "NewReplicaSet: web-2a (1/2 replicas created)",
  ]);
});

Deno.test("describeObject() has the selector above the labels, but not of all kinds", () => {
  const spec = { selector: { app: "web" } };
  const names = (kind: string) =>
    described(object(kind, { spec })).map((line) => line.split(":")[0])
      .filter((name) => name === "Labels" || name === "Selector");
  deepStrictEqual(names("ReplicationController"), ["Selector", "Labels"]);
  deepStrictEqual(names("Service"), ["Labels", "Selector"]);
  deepStrictEqual(names("Deployment"), ["Labels", "Selector"]);
});

Deno.test("describeObject() writes an annotation that is long below its key, and cuts longer lines", () => {
  const fits = "x".repeat(140 - "a: ".length);
  const lines = described(object("Deployment", {}, {
    annotations: { a: fits, b: `${fits}y`, c: "z".repeat(139), d: "1\n2\n" },
  }));
  const at = lines.findIndex((line) => line.startsWith("Annotations"));
  deepStrictEqual(
    lines.slice(at, at + 8).map((line) => line.trim()),
    [
      `Annotations: a: ${fits}`,
      "b:",
      `${fits}y`,
      "c:",
      `${"z".repeat(138)}...`,
      "d:",
      "1",
      "2",
    ],
  );
});
