/**
 * Tables of what is wrong with workloads.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { decodeManifest } from "../../../mod/api/read/mod.ts";
import type { WorkloadKind } from "../../../mod/api/workload/mod.ts";

type Json = Readonly<Record<string, unknown>>;

/** What a test changes in a valid manifest. */
export interface ManifestPatch {
  readonly metadata?: Json;
  readonly spec?: Json;
  /** The spec of the pods. */
  readonly pod?: Json;
  /** The labels of the pods. */
  readonly labels?: Json;
}

const VERSIONS: Readonly<Record<WorkloadKind, string>> = {
  ReplicationController: "v1",
  ReplicaSet: "apps/v1",
  Deployment: "apps/v1",
  DaemonSet: "apps/v1",
  StatefulSet: "apps/v1",
  Job: "batch/v1",
  CronJob: "batch/v1",
};

/** A valid manifest with some parts changed; `null` takes one away. */
export function workloadJson(
  kind: WorkloadKind,
  patch: ManifestPatch = {},
): string {
  const { labels = { app: "web" } } = patch;
  const isJob = kind === "Job" || kind === "CronJob";
  const template = {
    metadata: { labels },
    spec: {
      restartPolicy: isJob ? "Never" : "Always",
      containers: [{ name: "main", image: "web:1" }],
      ...patch.pod,
    },
  };
  const matchLabels = { app: "web" };
  const selector = kind === "ReplicationController"
    ? matchLabels
    : { matchLabels };
  const spec = {
    ...(!isJob && { selector }),
    template,
    ...patch.spec,
  };
  return JSON.stringify({
    apiVersion: VERSIONS[kind],
    kind,
    metadata: { name: "web", ...patch.metadata },
    spec: kind === "CronJob"
      ? {
        schedule: "0 * * * *",
        jobTemplate: { spec: { template } },
        ...patch.spec,
      }
      : spec,
  });
}

/** The faults of a manifest, `field: message` each. */
export function faultsOfJson(text: string): readonly string[] {
  const result = decodeManifest(text);
  return result.kind === "ok"
    ? []
    : result.faults.map(({ field, message }) => `${field}: ${message}`);
}

/** What is tried, in words; what is changed; and what is wrong with it, if anything is. */
export type WorkloadRow = readonly [
  what: string,
  patch: ManifestPatch,
  ...faults: readonly string[],
];

/** Declares one test for each row. */
export function testWorkloads(
  kind: WorkloadKind,
  rows: readonly WorkloadRow[],
): void {
  for (const [what, patch, ...faults] of rows) {
    const verb = faults.length === 0 ? "takes" : "refuses";
    Deno.test(`validateWorkload() ${verb} a ${kind} with ${what}`, () => {
      deepStrictEqual(faultsOfJson(workloadJson(kind, patch)), faults);
    });
  }
}
