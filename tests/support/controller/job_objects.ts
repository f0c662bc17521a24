/**
 * Jobs and their pods, for tests of what becomes of them.
 *
 * @module
 */

import type {
  ContainerStatus,
  Pod,
  PodStatus,
} from "../../../mod/api/types/mod.ts";
import type { Job } from "../../../mod/api/workload/mod.ts";
import { controllerReference } from "../../../mod/controller/run/mod.ts";

/** A whole second, as times in statuses are. */
export const JOB_NOW_MS: number = Date.parse("2026-05-01T12:00:00Z");

/** A time relative to {@linkcode JOB_NOW_MS}. */
export function atSecond(seconds: number): string {
  return new Date(JOB_NOW_MS + seconds * 1000).toISOString()
    .replace(".000Z", "Z");
}

/** A Job that has begun, with one pod at a time, for which one success is enough. */
export function job(
  spec: Partial<Job["spec"]> = {},
  status: NonNullable<Job["status"]> = {},
): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "pi", namespace: "shop", uid: "job" },
    spec: {
      parallelism: 1,
      backoffLimit: 6,
      completionMode: "NonIndexed",
      suspend: false,
      selector: { matchLabels: { app: "pi" } },
      template: {
        metadata: { labels: { app: "pi" } },
        spec: { restartPolicy: "Never", containers: [{ name: "main" }] },
      },
      ...spec,
    },
    status: { startTime: atSecond(-60), ...status },
  };
}

/** What a pod of a Job is, other than its name. */
export interface JobPodOptions {
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed";
  readonly index?: number | string;
  readonly tracked?: boolean;
  readonly deleted?: boolean;
  readonly ready?: boolean;
  readonly endedAt?: number;
  readonly exitCode?: number;
  readonly failures?: number;
  readonly ignored?: number;
  readonly restarts?: number;
  readonly conditions?: PodStatus["conditions"];
  readonly owned?: boolean;
  readonly createdAt?: number;
  readonly surplus?: true;
}

/** A pod of {@linkcode job}; its UID is its name. */
export function jobPod(name: string, options: JobPodOptions = {}): Pod {
  const { phase = "Running", index, tracked = true, owned = true } = options;
  const annotations = {
    ...(options.surplus && { "skerry.dev/surplus-of-job": "true" }),
    ...(index !== undefined &&
      { "batch.kubernetes.io/job-completion-index": `${index}` }),
    ...(options.failures !== undefined &&
      { "batch.kubernetes.io/job-index-failure-count": `${options.failures}` }),
    ...(options.ignored !== undefined && {
      "batch.kubernetes.io/job-index-ignored-failure-count":
        `${options.ignored}`,
    }),
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      uid: name,
      resourceVersion: "7",
      labels: { app: "pi" },
      annotations,
      creationTimestamp: atSecond(options.createdAt ?? -50),
      ...(tracked && { finalizers: ["batch.kubernetes.io/job-tracking"] }),
      ...(options.deleted && { deletionTimestamp: atSecond(-1) }),
      ...(owned && { ownerReferences: [controllerReference(job())] }),
    },
    spec: { nodeName: "node", containers: [{ name: "main" }] },
    status: { phase, ...statusOf(phase, options) },
  };
}

/** The status of a pod whose container ended at a time. */
export function endedPodStatus(
  phase: "Succeeded" | "Failed",
  atMs: number,
): PodStatus {
  const endedAt = Math.floor((atMs - JOB_NOW_MS) / 1000);
  return { phase, ...statusOf(phase, { endedAt }) };
}

function statusOf(
  phase: string,
  { ready = false, endedAt = -30, exitCode, restarts = 0, conditions = [] }:
    JobPodOptions,
): Pick<PodStatus, "conditions" | "containerStatuses"> {
  const hasEnded = phase === "Succeeded" || phase === "Failed";
  const container: ContainerStatus = {
    name: "main",
    image: "",
    imageID: "",
    ready,
    restartCount: restarts,
    state: hasEnded
      ? {
        terminated: {
          exitCode: exitCode ?? (phase === "Failed" ? 1 : 0),
          finishedAt: atSecond(endedAt),
        },
      }
      : {},
  };
  return {
    conditions: [
      ...conditions,
      { type: "Ready", status: ready ? "True" : "False" },
    ],
    containerStatuses: [container],
  };
}
