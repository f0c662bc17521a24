/**
 * What makes pods, as `describe` prints it.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import { describeObject } from "../../../../mod/cli/describe/mod.ts";
import type { ShownObject } from "../../../../mod/cli/kinds/mod.ts";

const CREATED = "2026-01-01T23:55:00Z";
const OPTIONS = { events: [], time: "2026-01-02T00:00:00Z", utcOffsetMs: 0 };
const TEMPLATE = {
  metadata: { labels: { app: "web" }, annotations: { note: "x" } },
  spec: {
    serviceAccountName: "robot",
    priorityClassName: "high",
    nodeSelector: { disk: "ssd" },
    initContainers: [{ name: "prepare", image: "i:0" }],
    containers: [{ name: "server", image: "i:1", args: ["-v"] }],
    volumes: [{ name: "data", emptyDir: {} }],
  },
};

function object(
  kind: string,
  fields: Readonly<Record<string, unknown>> = {},
  metadata: Partial<ShownObject["metadata"]> = {},
): ShownObject {
  const meta = { name: "web", namespace: "shop", uid: "u", ...metadata };
  return { apiVersion: "v1", kind, metadata: meta, ...fields };
}

/** The lines of a description, without what is at their ends. */
function described(shown: ShownObject): string[] {
  return describeObject(shown, OPTIONS).split("\n").map((line) =>
    line.replace(/: {2,}/, ": ")
  );
}

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

for (
  const [kind, fields, wanted] of [
    ["ReplicaSet", {
      spec: { replicas: 3, selector: { matchLabels: { a: "b" } } },
      status: { replicas: 2, readyReplicas: 1 },
    }, ["Selector: a=b", "Replicas: 2 current / 3 desired", "Ready: 1"]],
    ["ReplicationController", { spec: { replicas: 1, selector: { a: "b" } } }, [
      "Selector: a=b",
      "Replicas: 0 current / 1 desired",
    ]],
    ["Deployment", { spec: { paused: false } }, ["MinReadySeconds: 0"]],
    ["DaemonSet", {
      spec: { template: TEMPLATE },
      status: {
        desiredNumberScheduled: 1,
        currentNumberScheduled: 2,
        updatedNumberScheduled: 3,
        numberAvailable: 4,
        numberMisscheduled: 5,
      },
    }, [
      "Node-Selector: disk=ssd",
      "Desired Number of Nodes Scheduled: 1",
      "Current Number of Nodes Scheduled: 2",
      "Number of Nodes Scheduled with Up-to-date Pods: 3",
      "Number of Nodes Scheduled with Available Pods: 4",
      "Number of Nodes Misscheduled: 5",
    ]],
    ["StatefulSet", {
      spec: {
        replicas: 3,
        updateStrategy: {
          type: "RollingUpdate",
          rollingUpdate: { partition: 1 },
        },
      },
      status: { replicas: 2 },
    }, [
      "Replicas: 3 desired | 2 total",
      "Update Strategy: RollingUpdate",
      "Partition: 1",
    ]],
    ["Job", {
      spec: {
        parallelism: 2,
        completions: 3,
        completionMode: "Indexed",
        suspend: true,
        backoffLimit: 6,
        activeDeadlineSeconds: 60,
      },
      status: {
        active: 1,
        ready: 2,
        succeeded: 3,
        failed: 4,
        startTime: CREATED,
        completionTime: "2026-01-01T23:56:40Z",
      },
    }, [
      "Parallelism: 2",
      "Completions: 3",
      "Completion Mode: Indexed",
      "Suspend: true",
      "Backoff Limit: 6",
      "Start Time: Thu, 01 Jan 2026 23:55:00 +0000",
      "Completed At: Thu, 01 Jan 2026 23:56:40 +0000",
      "Duration: 100s",
      "Active Deadline Seconds: 60",
      "Pods Statuses: 1 Active (2 Ready) / 3 Succeeded / 4 Failed",
    ]],
    ["Job", {}, [
      "Parallelism: <unset>",
      "Completions: <unset>",
      "Suspend: false",
    ]],
    ["CronJob", {
      spec: {
        schedule: "@daily",
        timeZone: "Europe/Berlin",
        concurrencyPolicy: "Forbid",
        suspend: true,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        startingDeadlineSeconds: 10,
        jobTemplate: { spec: { template: TEMPLATE } },
      },
      status: {
        lastScheduleTime: CREATED,
        active: [{ name: "a" }, { name: "b" }],
      },
    }, [
      "Schedule: @daily",
      "Time Zone: Europe/Berlin",
      "Concurrency Policy: Forbid",
      "Suspend: True",
      "Successful Job History Limit: 3",
      "Failed Job History Limit: 1",
      "Starting Deadline Seconds: 10",
      "Last Schedule Time: Thu, 01 Jan 2026 23:55:00 +0000",
      "Active Jobs: a, b",
      "Pod Template:",
    ]],
    ["CronJob", {}, [
      "Suspend: False",
      "Starting Deadline Seconds: <unset>",
      "Last Schedule Time: <unset>",
      "Active Jobs: <none>",
    ]],
    ["PersistentVolumeClaim", {
      spec: {
        storageClassName: "local",
        volumeName: "v",
        accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
        volumeMode: "Filesystem",
      },
      status: { phase: "Bound", capacity: { storage: "1Gi" } },
    }, [
      "StorageClass: local",
      "Status: Bound",
      "Volume: v",
      "Capacity: 1Gi",
      "Access Modes: ReadWriteOnce,ReadOnlyMany",
      "VolumeMode: Filesystem",
    ]],
    ["ControllerRevision", { revision: 4 }, ["Revision: 4"]],
    ["Secret", { type: "x/y", data: { b: "", a: "" } }, [
      "Type: x/y",
      "Data: a",
    ]],
    ["Secret", {}, ["Type: Opaque", "Data: <none>"]],
    ["ConfigMap", { data: { key: "one\ntwo" }, binaryData: { bin: "AA==" } }, [
      "Data:",
      "  key:",
      "    one",
      "    two",
      "BinaryData: bin",
    ]],
    ["ConfigMap", {}, ["Data: <none>", "BinaryData: <none>"]],
    ["RuntimeClass", { handler: "runsc" }, ["Handler: runsc"]],
    ["PriorityClass", {
      value: 9,
      globalDefault: true,
      preemptionPolicy: "Never",
    }, [
      "Value: 9",
      "GlobalDefault: true",
      "PreemptionPolicy: Never",
    ]],
  ] as const
) {
  Deno.test(`describeObject() of a ${kind} with ${Object.keys(fields)} has what is its own`, () => {
    const lines = described(object(kind, fields));
    for (const line of wanted) {
      ok(lines.includes(line), `${line}\n---\n${lines.join("\n")}`);
    }
    ok(lines.includes("Events: <none>"));
  });
}

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
