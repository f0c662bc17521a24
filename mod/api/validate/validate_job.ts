/**
 * Checks Jobs and what CronJobs make (pkg/apis/batch/validation).
 *
 * @module
 */

import type { Place } from "../fault/mod.ts";
import type {
  CronJob,
  JobTemplate,
  ManifestMeta,
  WorkloadManifest,
} from "../workload/mod.ts";
import { isTimeZone, parseSchedule } from "../schedule/mod.ts";
import {
  checkFields,
  type FieldChecks,
  oneOf,
  own,
  range,
  required,
} from "./checks.ts";
import {
  checkFailurePolicy,
  checkSuccessPolicy,
} from "./validate_job_policies.ts";
import { validateMarks } from "./validate_metadata.ts";
import { validatePodTemplate } from "./validate_pod.ts";
import { validateSelected } from "./validate_scheduling.ts";
import { labelProblem } from "./names.ts";

type JobManifest = Extract<WorkloadManifest, { readonly kind: "Job" }>;
type JobSpec = JobTemplate["spec"];

/** The most pods that an Indexed Job may have at a time. */
const MAX_INDEXES = 100_000;
/** More completions than these need less of everything else. */
const MANY_COMPLETIONS = 100_000;
const MAX_FOR_MANY = 10_000;

/** Reports what is wrong with a Job beside its name. */
export function validateJob({ metadata, spec }: JobManifest, at: Place): void {
  const specAt = at.child("spec");
  validateJobSpec(spec, specAt);
  validateOwnLabels({ metadata, spec }, at);
  validateJobSelector(spec, specAt);
  validateHostnames(metadata, spec, at);
}

/** Reports what is wrong with a CronJob. */
export function validateCronJob(
  { metadata, spec }: Pick<CronJob, "spec"> & {
    readonly metadata: ManifestMeta;
  },
  at: Place,
): void {
  if (metadata.name.length > MAX_CRON_NAME) {
    // Its Jobs have eleven letters more, and their name is a label.
    at.child("metadata").child("name").tooLong(
      `must be no more than ${MAX_CRON_NAME} characters`,
    );
  }
  const specAt = at.child("spec");
  checkFields(spec, specAt, CRON_JOB);
  const jobAt = specAt.child("jobTemplate").child("spec");
  const { metadata: marks = {}, spec: job } = spec.jobTemplate;
  validateMarks(marks, specAt.child("jobTemplate").child("metadata"));
  validateJobSpec(job, jobAt);
  if (job.manualSelector === true) {
    jobAt.child("manualSelector").unsupported(true, ["false"]);
  }
}

const MAX_CRON_NAME = 52;

const CRON_JOB: FieldChecks<CronJob["spec"]> = {
  schedule: required((text, at) => {
    try {
      parseSchedule(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      at.invalid(text, error.message);
    }
  }),
  timeZone: (name, at) => {
    if (name === undefined || isTimeZone(name)) return;
    at.invalid(
      name,
      "must be a time zone of the IANA's data base, such as Europe/Berlin",
    );
  },
  concurrencyPolicy: oneOf("Allow", "Forbid", "Replace"),
  startingDeadlineSeconds: range(0),
  successfulJobsHistoryLimit: range(0),
  failedJobsHistoryLimit: range(0),
};

/** Reports what is wrong with what a Job does. */
function validateJobSpec(spec: JobSpec, at: Place): void {
  checkFields(spec, at, JOB);
  validateIndexes(spec, at);
  const { podFailurePolicy, template } = spec;
  const templateAt = at.child("template");
  validatePodTemplate(template, templateAt);
  const { restartPolicy } = template.spec;
  const policyAt = templateAt.child("spec").child("restartPolicy");
  // That is the default, so it was perhaps not even written.
  if (restartPolicy === "Always") {
    policyAt.required('valid values: "OnFailure", "Never"');
  }
  if (podFailurePolicy !== undefined && restartPolicy === "OnFailure") {
    policyAt.invalid(
      restartPolicy,
      'only "Never" is supported when `podFailurePolicy` is specified',
    );
  }
}

const JOB: FieldChecks<JobSpec> = {
  parallelism: range(0),
  completions: range(0),
  activeDeadlineSeconds: range(0),
  backoffLimit: range(0),
  backoffLimitPerIndex: range(0),
  maxFailedIndexes: range(0),
  ttlSecondsAfterFinished: range(0),
  completionMode: oneOf("Indexed", "NonIndexed"),
  managedBy: (manager, at) => {
    if (manager === undefined || manager === OWN_MANAGER) return;
    at.unsupported(manager, [OWN_MANAGER]);
  },
  podReplacementPolicy: (policy, at, { podFailurePolicy }) => {
    const all = podFailurePolicy === undefined
      ? ["Failed", "TerminatingOrFailed"]
      : ["Failed"];
    oneOf(...all)(policy, at);
  },
  podFailurePolicy: checkFailurePolicy,
  successPolicy: checkSuccessPolicy,
};

/** Nobody else manages Jobs on a node. */
const OWN_MANAGER = "kubernetes.io/job-controller";

function validateIndexes(spec: JobSpec, at: Place): void {
  const { completions, completionMode, parallelism } = spec;
  const { backoffLimitPerIndex, maxFailedIndexes } = spec;
  const isIndexed = completionMode === "Indexed";
  if (isIndexed && completions === undefined) {
    at.child("completions").required("when `completionMode` is Indexed");
  }
  if (isIndexed) range(0, MAX_INDEXES)(parallelism, at.child("parallelism"));
  if (backoffLimitPerIndex === undefined) {
    if (maxFailedIndexes === undefined) return;
    return at.child("backoffLimitPerIndex").required(
      "when `maxFailedIndexes` is specified",
    );
  }
  if (!isIndexed) {
    return at.child("backoffLimitPerIndex").invalid(
      backoffLimitPerIndex,
      "requires `completionMode` Indexed",
    );
  }
  const failedAt = at.child("maxFailedIndexes");
  const most = Math.min(completions ?? Infinity, MAX_INDEXES);
  range(0, most)(maxFailedIndexes, failedAt);
  if (completions === undefined || completions <= MANY_COMPLETIONS) return;
  if (maxFailedIndexes === undefined) {
    failedAt.required(`when \`completions\` is above ${MANY_COMPLETIONS}`);
  }
  range(0, MAX_FOR_MANY)(maxFailedIndexes, failedAt);
  range(0, MAX_FOR_MANY)(parallelism, at.child("parallelism"));
}

/** The labels by which a Job knows its pods; each with whether it is its UID. */
const OWN_LABELS: readonly (readonly [string, boolean])[] = [
  ["batch.kubernetes.io/controller-uid", true],
  ["batch.kubernetes.io/job-name", false],
  ["controller-uid", true],
  ["job-name", false],
];

/** Reports labels in the place of those that the Job's pods get. */
function validateOwnLabels(
  { metadata: { name }, spec }: Pick<JobManifest, "metadata" | "spec">,
  at: Place,
): void {
  if (spec.manualSelector === true) return;
  if (name.length > MAX_LABEL) {
    at.child("metadata").child("name").tooLong(
      `must be no more than ${MAX_LABEL} characters, since it is a label of its pods`,
    );
  }
  const labelsAt = at.child("spec").child("template").child("metadata")
    .child("labels");
  for (const [key, isUid] of OWN_LABELS) {
    const value = own(spec.template.metadata?.labels, key);
    if (value === undefined) continue;
    if (isUid) labelsAt.key(key).invalid(value, "the Job's own UID comes here");
    else if (value !== name) {
      labelsAt.key(key).invalid(value, `must be ${JSON.stringify(name)}`);
    }
  }
}

const MAX_LABEL = 63;

function validateJobSelector(spec: JobManifest["spec"], at: Place): void {
  const { manualSelector = false, selector, template, completionMode } = spec;
  const selectorAt = at.child("selector");
  if (selector === undefined) {
    if (manualSelector) selectorAt.required("when `manualSelector` is true");
    return;
  }
  if (!manualSelector) {
    return selectorAt.invalid(
      selector,
      "`selector` will be auto-generated; leave it out, or set `manualSelector`",
    );
  }
  const given = completionMode === "Indexed" ? [INDEX_LABEL] : [];
  validateSelected({ selector, template, given }, at);
}

/** Each pod of an Indexed Job has its own. */
const INDEX_LABEL = "batch.kubernetes.io/job-completion-index";

/** The pods of an Indexed Job have the Job's name and their index as hostname. */
function validateHostnames(
  { name }: ManifestMeta,
  { completionMode, completions = 0 }: JobSpec,
  at: Place,
): void {
  if (completionMode !== "Indexed" || completions <= 0) return;
  const problem = labelProblem(`${name}-${completions - 1}`);
  if (problem === undefined) return;
  at.child("metadata").child("name").invalid(
    name,
    `the name and an index together ${problem}`,
  );
}
