/**
 * What the API server fills in where a manifest of a workload is silent
 * (pkg/apis/apps/v1/defaults.go, batch/v1 and core/v1).
 *
 * @module
 */

import type {
  V1CronJobSpec,
  V1DaemonSetSpec,
  V1DeploymentSpec,
  V1JobSpec,
  V1ReplicaSetSpec,
  V1ReplicationControllerSpec,
  V1StatefulSetSpec,
} from "@kubernetes/client-node";
import type { ObjectMeta, PodSpec, Wire } from "../types/mod.ts";
import type {
  CronJob,
  DaemonSet,
  Deployment,
  JobTemplate,
  LabelSelector,
  ManifestMeta,
  PodTemplate,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
  WorkloadManifest,
} from "../workload/mod.ts";
import { applyPodDefaults } from "./defaults.ts";

/** A workload as it is written: of the right types, and anything may be missing. */
export type WrittenWorkload =
  | WrittenAs<"ReplicationController", V1ReplicationControllerSpec>
  | WrittenAs<"ReplicaSet", V1ReplicaSetSpec>
  | WrittenAs<"Deployment", V1DeploymentSpec>
  | WrittenAs<"DaemonSet", V1DaemonSetSpec>
  | WrittenAs<"StatefulSet", V1StatefulSetSpec>
  | WrittenAs<"Job", V1JobSpec>
  | WrittenAs<"CronJob", V1CronJobSpec>;

interface WrittenAs<Kind extends string, Spec> {
  readonly kind: Kind;
  readonly metadata?: ObjectMeta;
  readonly spec?: Partial<Wire<Spec>>;
}

type WrittenSpec<Kind extends WrittenWorkload["kind"]> = NonNullable<
  Extract<WrittenWorkload, { readonly kind: Kind }>["spec"]
>;

/**
 * Fills in the defaults of a workload and of its template, so that its pods have theirs.
 *
 * Idempotent. What must be given and is not becomes empty, which no validation takes.
 */
export function applyWorkloadDefaults(
  written: WrittenWorkload,
): WorkloadManifest {
  const { kind } = written;
  const metadata = withName(written.metadata ?? {});
  switch (kind) {
    case "ReplicationController": {
      const spec = replicationControllerSpec(written.spec ?? {});
      const labelled = withLabels(metadata, spec.template);
      return { apiVersion: "v1", kind, metadata: labelled, spec };
    }
    case "ReplicaSet": {
      const spec = replicaSetSpec(written.spec ?? {});
      return { apiVersion: "apps/v1", kind, metadata, spec };
    }
    case "Deployment": {
      const spec = deploymentSpec(written.spec ?? {});
      return { apiVersion: "apps/v1", kind, metadata, spec };
    }
    case "DaemonSet": {
      const spec = daemonSetSpec(written.spec ?? {});
      return { apiVersion: "apps/v1", kind, metadata, spec };
    }
    case "StatefulSet": {
      const spec = statefulSetSpec(written.spec ?? {});
      return { apiVersion: "apps/v1", kind, metadata, spec };
    }
    case "Job": {
      const { selector, ...rest } = written.spec ?? {};
      const spec = {
        ...jobSpec(rest),
        ...(selector !== undefined && { selector }),
      };
      const labelled = withLabels(metadata, spec.template);
      return { apiVersion: "batch/v1", kind, metadata: labelled, spec };
    }
    case "CronJob": {
      const spec = cronJobSpec(written.spec ?? {});
      return { apiVersion: "batch/v1", kind, metadata, spec };
    }
  }
}

function withName(metadata: ObjectMeta): ManifestMeta {
  const { name = "", namespace } = metadata;
  return { ...metadata, name, namespace: namespace || "default" };
}

/** Without labels of its own it has those of its pods. */
function withLabels(
  metadata: ManifestMeta,
  { metadata: { labels = {} } = {} }: PodTemplate,
): ManifestMeta {
  const isLabelled = Object.keys(metadata.labels ?? {}).length > 0;
  const isEmpty = Object.keys(labels).length === 0;
  return isLabelled || isEmpty ? metadata : { ...metadata, labels };
}

/** A template as it is written. */
interface WrittenTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec?: Partial<PodSpec>;
}

/** The template with all that a pod has by default. */
function templateOf(written: WrittenTemplate = {}): PodTemplate {
  const { metadata, spec = {} } = written;
  const full = applyPodDefaults({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {},
    spec: { ...spec, containers: spec.containers ?? [] },
  });
  return { ...(metadata !== undefined && { metadata }), spec: full.spec };
}

/** What selects nothing by itself. */
const NO_SELECTOR: LabelSelector = {};

function replicationControllerSpec(
  spec: WrittenSpec<"ReplicationController">,
): ReplicationController["spec"] {
  const template = templateOf(spec.template);
  const isSelecting = Object.keys(spec.selector ?? {}).length > 0;
  return {
    ...spec,
    replicas: spec.replicas ?? 1,
    selector: (isSelecting ? spec.selector : template.metadata?.labels) ?? {},
    template,
  };
}

function replicaSetSpec(
  spec: WrittenSpec<"ReplicaSet">,
): ReplicaSet["spec"] {
  return {
    ...spec,
    replicas: spec.replicas ?? 1,
    selector: spec.selector ?? NO_SELECTOR,
    template: templateOf(spec.template),
  };
}

function deploymentSpec(
  spec: WrittenSpec<"Deployment">,
): Deployment["spec"] {
  const { strategy = {} } = spec;
  const type = strategy.type || "RollingUpdate";
  const rollingUpdate = {
    ...strategy.rollingUpdate,
    maxSurge: strategy.rollingUpdate?.maxSurge ?? "25%",
    maxUnavailable: strategy.rollingUpdate?.maxUnavailable ?? "25%",
  };
  return {
    ...spec,
    replicas: spec.replicas ?? 1,
    selector: spec.selector ?? NO_SELECTOR,
    strategy: type === "RollingUpdate"
      ? { type, rollingUpdate }
      : { ...strategy, type },
    revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
    progressDeadlineSeconds: spec.progressDeadlineSeconds ?? 600,
    template: templateOf(spec.template),
  };
}

function daemonSetSpec(spec: WrittenSpec<"DaemonSet">): DaemonSet["spec"] {
  const { updateStrategy: strategy = {} } = spec;
  const type = strategy.type || "RollingUpdate";
  const rollingUpdate = {
    ...strategy.rollingUpdate,
    maxSurge: strategy.rollingUpdate?.maxSurge ?? 0,
    maxUnavailable: strategy.rollingUpdate?.maxUnavailable ?? 1,
  };
  return {
    ...spec,
    selector: spec.selector ?? NO_SELECTOR,
    updateStrategy: type === "RollingUpdate"
      ? { type, rollingUpdate }
      : { ...strategy, type },
    revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
    template: templateOf(spec.template),
  };
}

function statefulSetSpec(
  spec: WrittenSpec<"StatefulSet">,
): StatefulSet["spec"] {
  const { updateStrategy: strategy = {}, volumeClaimTemplates } = spec;
  const { persistentVolumeClaimRetentionPolicy: retention = {} } = spec;
  const type = strategy.type || "RollingUpdate";
  const rollingUpdate = {
    ...strategy.rollingUpdate,
    partition: strategy.rollingUpdate?.partition ?? 0,
  };
  return {
    ...spec,
    replicas: spec.replicas ?? 1,
    selector: spec.selector ?? NO_SELECTOR,
    podManagementPolicy: spec.podManagementPolicy || "OrderedReady",
    updateStrategy: type === "RollingUpdate"
      ? { type, rollingUpdate }
      : { ...strategy, type },
    revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
    persistentVolumeClaimRetentionPolicy: {
      whenDeleted: retention.whenDeleted || "Retain",
      whenScaled: retention.whenScaled || "Retain",
    },
    ...(volumeClaimTemplates && {
      volumeClaimTemplates: volumeClaimTemplates.map(claimTemplate),
    }),
    template: templateOf(spec.template),
  };
}

type ClaimTemplate = NonNullable<
  WrittenSpec<"StatefulSet">["volumeClaimTemplates"]
>[number];

function claimTemplate({ metadata, spec }: ClaimTemplate): ClaimTemplate {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    ...(metadata && { metadata }),
    spec: { ...spec, volumeMode: spec?.volumeMode || "Filesystem" },
  };
}

function jobSpec(
  spec: Omit<WrittenSpec<"Job">, "selector">,
): JobTemplate["spec"] {
  const { completions, parallelism, podFailurePolicy } = spec;
  const isSingle = completions === undefined && parallelism === undefined;
  const isPerIndex = spec.backoffLimitPerIndex !== undefined;
  return {
    ...spec,
    ...(isSingle && { completions: 1 }),
    parallelism: parallelism ?? 1,
    // Then every index has a limit of its own.
    backoffLimit: spec.backoffLimit ?? (isPerIndex ? MAX_INT32 : 6),
    completionMode: spec.completionMode ?? "NonIndexed",
    suspend: spec.suspend ?? false,
    podReplacementPolicy: spec.podReplacementPolicy ??
      (podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed"),
    ...(podFailurePolicy && {
      podFailurePolicy: failurePolicy(podFailurePolicy),
    }),
    template: templateOf(spec.template),
  };
}

const MAX_INT32 = 2 ** 31 - 1;

type FailurePolicy = NonNullable<WrittenSpec<"Job">["podFailurePolicy"]>;

function failurePolicy(policy: FailurePolicy): FailurePolicy {
  const rules = policy.rules?.map((rule) => ({
    ...rule,
    ...(rule.onPodConditions && {
      onPodConditions: rule.onPodConditions.map((pattern) => ({
        ...pattern,
        status: pattern.status || "True",
      })),
    }),
  }));
  return { ...policy, rules };
}

function cronJobSpec(spec: WrittenSpec<"CronJob">): CronJob["spec"] {
  const { metadata, spec: job = {} } = spec.jobTemplate ?? {};
  // Each Job gets its own; that one is written is reported where it is read.
  const { selector: _selector, ...rest }: WrittenSpec<"Job"> = job;
  return {
    ...spec,
    schedule: spec.schedule ?? "",
    concurrencyPolicy: spec.concurrencyPolicy || "Allow",
    suspend: spec.suspend ?? false,
    successfulJobsHistoryLimit: spec.successfulJobsHistoryLimit ?? 3,
    failedJobsHistoryLimit: spec.failedJobsHistoryLimit ?? 1,
    jobTemplate: {
      ...(metadata !== undefined && { metadata }),
      spec: jobSpec(rest),
    },
  };
}
