/**
 * Workloads as a cluster hands them out.
 *
 * @module
 */

import { isRawObject, type RawObject, type RawValue } from "../text/mod.ts";
import {
  change,
  CLUSTER_METADATA,
  isExported,
  type PlainPod,
  SERVER_FIELDS,
  without,
  withoutNotes,
} from "./exported_pod.ts";

/**
 * Takes from a workload what only a cluster sets, so that the output of `kubectl get
 * deployment -o yaml` is a manifest.
 *
 * Its status, its UID and what an API server writes into every object means nothing in a
 * file. If it comes from a cluster, so do its owners, its finalizers, the annotations in
 * which controllers note something, and the selector and labels that the cluster has made
 * for a Job: the Job gets its own here.
 */
export function withoutStoreFields(workload: RawObject): PlainPod {
  const { status, ...rest } = workload;
  const leftOut: string[] = [];
  const isFound = isExported(workload);
  const fields = isFound ? CLUSTER_METADATA : STORE_FIELDS;
  const plain = change(
    rest,
    "metadata",
    (metadata) =>
      without(metadata, fields, (key) => leftOut.push(`metadata.${key}`)),
  );
  if (!isFound) return { value: plain, leftOut: [] };
  const unmarked = withoutNotes(
    plain,
    CONTROLLER_NOTES,
    (field) => leftOut.push(field),
  );
  const value = workload["kind"] === "Job"
    ? withoutSelector(unmarked, leftOut)
    : unmarked;
  if (status !== undefined) leftOut.push("status");
  return { value, leftOut };
}

/** What the store gives to everything, also where a manifest says something else. */
const STORE_FIELDS: ReadonlySet<string> = new Set([...SERVER_FIELDS, "uid"]);

/** What controllers write into the metadata of what they control. */
const CONTROLLER_NOTES: ReadonlySet<string> = new Set([
  "batch.kubernetes.io/cronjob-scheduled-timestamp",
  "batch.kubernetes.io/job-tracking",
  "deployment.kubernetes.io/desired-replicas",
  "deployment.kubernetes.io/max-replicas",
  "deployment.kubernetes.io/revision",
  "deprecated.daemonset.template.generation",
]);

/** What a cluster calls the pods of a Job. */
const JOB_LABELS: ReadonlySet<string> = new Set([
  "batch.kubernetes.io/controller-uid",
  "batch.kubernetes.io/job-name",
  "controller-uid",
  "job-name",
]);

/** The Job without the selector that was made for it, and the labels that go with that. */
function withoutSelector(job: RawObject, leftOut: string[]): RawObject {
  const { spec } = job;
  if (isRawObject(spec) && spec["manualSelector"] === true) return job;
  const plain = (path: string) => (metadata: RawValue) =>
    change(metadata, "labels", (labels) =>
      without(
        labels,
        JOB_LABELS,
        (key) => leftOut.push(`${path}.labels[${key}]`),
      ));
  const unlabelled = change(job, "metadata", plain("metadata"));
  return change(unlabelled, "spec", (spec) =>
    change(
      without(spec, SELECTOR, (key) => leftOut.push(`spec.${key}`)),
      "template",
      (template) =>
        change(template, "metadata", plain("spec.template.metadata")),
    ));
}

const SELECTOR: ReadonlySet<string> = new Set(["selector"]);
