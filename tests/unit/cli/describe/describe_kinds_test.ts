/**
 * What objects of a kind have, as `describe` prints it.
 *
 * @module
 */

import { match, ok } from "node:assert/strict";
import { describeTemplate } from "../../../../mod/cli/describe/mod.ts";
import {
  CREATED,
  described,
  object,
  TEMPLATE,
} from "../../../support/cli/shown_objects.ts";
import { pod } from "../../../support/pods.ts";

const OWNER = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web" };
const OWN = [{ ...OWNER, uid: "u", controller: true }];
const OTHERS = [
  { ...OWNER, uid: "u", controller: false },
  { ...OWNER, uid: "other", controller: true },
];
const persistentVolumeClaim = { claimName: "web" };
/** Pods of the object `web`, and of others. */
const PODS = [
  pod({
    name: "running",
    status: { phase: "Running" },
    metadata: { ownerReferences: OWN },
    volumes: [{ name: "data", persistentVolumeClaim }],
  }),
  ...["Running", "Pending", "Failed"].map((phase) =>
    pod({ status: { phase }, metadata: { ownerReferences: OWN } })
  ),
  pod({ status: { phase: "Running" }, metadata: { ownerReferences: OTHERS } }),
];

for (
  const [kind, fields, wanted] of [
    ["ReplicaSet", {
      spec: { replicas: 3, selector: { matchLabels: { a: "b" } } },
      status: { replicas: 2, readyReplicas: 1 },
    }, [
      "Selector: a=b",
      "Replicas: 2 current / 3 desired",
      "Pods Status: 2 Running / 1 Waiting / 0 Succeeded / 1 Failed",
    ]],
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
      "Pods Status: 2 Running / 1 Waiting / 0 Succeeded / 1 Failed",
      "Desired Number of Nodes Scheduled: 1",
      "Current Number of Nodes Scheduled: 2",
      "Number of Nodes Scheduled with Up-to-date Pods: 3",
      "Number of Nodes Scheduled with Available Pods: 4",
      "Number of Nodes Misscheduled: 5",
    ]],
    ["StatefulSet", {
      spec: {
        replicas: 3,
        serviceName: "web",
        podManagementPolicy: "Parallel",
        updateStrategy: {
          type: "RollingUpdate",
          rollingUpdate: { partition: 1, maxUnavailable: "50%" },
        },
        persistentVolumeClaimRetentionPolicy: {
          whenDeleted: "Retain",
          whenScaled: "Delete",
        },
        volumeClaimTemplates: [{
          metadata: {
            name: "data",
            labels: { a: "b" },
            annotations: { c: "d" },
          },
          spec: {
            accessModes: ["ReadWriteOnce"],
            storageClassName: "fast",
            resources: { requests: { storage: "1Gi" } },
          },
        }, { metadata: { name: "more" }, spec: {} }],
      },
      status: { replicas: 2 },
    }, [
      "Service Name: web",
      "Pod Management Policy: Parallel",
      "Replicas: 3 desired | 2 total",
      "Update Strategy: RollingUpdate",
      "  Partition: 1",
      "  MaxUnavailable: 50%",
      "Persistent Volume Claim Retention Policy:",
      "  WhenDeleted: Retain",
      "  WhenScaled: Delete",
      "Pods Status: 2 Running / 1 Waiting / 0 Succeeded / 1 Failed",
      "Volume Claims:",
      "  data:",
      "    StorageClass: fast",
      "    Labels: a=b",
      "    Annotations: c=d",
      "    Capacity: 1Gi",
      "    Access Modes: ReadWriteOnce",
      "  more:",
      "    Capacity: <default>",
    ]],
    ["StatefulSet", {}, [
      "Update Strategy:",
      "Replicas: 0 desired | 0 total",
      "Volume Claims: <none>",
    ]],
    ["Job", {
      spec: {
        parallelism: 2,
        completions: 3,
        completionMode: "Indexed",
        suspend: true,
        backoffLimit: 6,
        ttlSecondsAfterFinished: 5,
        activeDeadlineSeconds: 60,
      },
      status: {
        completedIndexes: "0-7",
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
      "TTL Seconds After Finished: 5",
      "Active Deadline Seconds: 60s",
      "Pods Statuses: 1 Active (2 Ready) / 3 Succeeded / 4 Failed",
      "Completed Indexes: 0-7",
    ]],
    ["Job", { spec: { completionMode: "Indexed" } }, [
      "Completed Indexes: <none>",
    ]],
    ["Job", {
      spec: { completionMode: "Indexed" },
      // The 50th character is a comma, and so is one behind it.
      status: { completedIndexes: `${"10,".repeat(16)}100,200,300` },
    }, [`Completed Indexes: ${"10,".repeat(16)}100,...`]],
    ["Job", {
      spec: { completionMode: "Indexed" },
      status: { completedIndexes: `${"10,".repeat(15)}1000000,2` },
    }, [`Completed Indexes: ${"10,".repeat(15)}1000000,...`]],
    ["Job", {
      spec: { completionMode: "Indexed" },
      status: { completedIndexes: `${"10,".repeat(16)}1000000` },
    }, [`Completed Indexes: ${"10,".repeat(16)}1000000`]],
    ["Job", {}, [
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
        jobTemplate: {
          spec: {
            parallelism: 4,
            completions: 5,
            activeDeadlineSeconds: 6,
            template: TEMPLATE,
          },
        },
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
      "Starting Deadline Seconds: 10s",
      "Parallelism: 4",
      "Completions: 5",
      "Active Deadline Seconds: 6s",
      "Last Schedule Time: Thu, 01 Jan 2026 23:55:00 +0000",
      "Active Jobs: a, b",
      "Pod Template:",
    ]],
    ["CronJob", {}, [
      "Suspend: False",
      "Time Zone: <unset>",
      "Successful Job History Limit: <unset>",
      "Failed Job History Limit: <unset>",
      "Parallelism: <unset>",
      "Completions: <unset>",
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
      "Access Modes: RWO,ROX",
      "VolumeMode: Filesystem",
      "Used By: running",
    ]],
    ["PersistentVolumeClaim", {}, [
      "StorageClass:",
      "Status:",
      "Volume:",
      "Capacity:",
      "Access Modes:",
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
      description: "high",
    }, [
      "Description: high",
      "Value: 9",
      "GlobalDefault: true",
      "PreemptionPolicy: Never",
    ]],
  ] as const
) {
  Deno.test(`describeObject() of a ${kind} with ${Object.keys(fields)} has what is its own`, () => {
    const lines = described(object(kind, fields), { pods: PODS });
    for (const line of wanted) {
      ok(lines.includes(line), `${line}\n---\n${lines.join("\n")}`);
    }
    ok(lines.includes("Events: <none>"));
  });
}

Deno.test("describeTemplate() names a port behind that of its host as well, as kubectl does", () => {
  const ports = [{ containerPort: 80, hostPort: 8080, name: "http" }];
  const containers = [{ name: "main", image: "a", ports }];
  match(
    describeTemplate({ spec: { containers } }),
    /Port: +80\/TCP \(http\)\n +Host Port: +8080\/TCP \(http\)\n/,
  );
});
