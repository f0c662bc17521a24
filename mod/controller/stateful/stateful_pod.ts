/**
 * The pods of a StatefulSet: what each is called, and how it is made.
 *
 * @module
 */

import type { NewObject } from "../../api/access/mod.ts";
import type { Pod, PodCondition, Volume } from "../../api/types/mod.ts";
import type { PodTemplate, StatefulSet } from "../../api/workload/mod.ts";
import { defined } from "../../base/mod.ts";
import { findCondition } from "../../pod/status/mod.ts";
import { withFailures } from "../failures/mod.ts";
import {
  availableInMs,
  type Change,
  exactRef,
  podFromTemplate,
  readySince,
} from "../run/mod.ts";
import { failuresAt, type TemplateVersion } from "./stateful_versions.ts";

/** Label of a pod: its name, so that a Service can mean one pod. */
const NAME_LABEL = "statefulset.kubernetes.io/pod-name";
/** Label of a pod: its ordinal. */
const INDEX_LABEL = "apps.kubernetes.io/pod-index";
/** Label of a pod: the ControllerRevision whose template it was made from. */
const REVISION_LABEL = "controller-revision-hash";

/** The ordinal of a pod; `undefined` for one that is none of the set's by name. */
export function ordinalOf(
  set: StatefulSet,
  pod: Pick<Pod, "metadata">,
): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const { name } = pod.metadata;
  const digits = name.slice(prefix.length);
  // "web-01" is nobody's: there would be two pods of one ordinal.
  return name.startsWith(prefix) && /^(0|[1-9]\d{0,9})$/.test(digits)
    ? Number(digits)
    : undefined;
}

/** The first ordinal of a set. */
export function startOf({ spec }: StatefulSet): number {
  return spec.ordinals?.start ?? 0;
}

/** What the pod of an ordinal is called. */
export function podName(set: StatefulSet, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

/** What the claim of a template and an ordinal is called. */
export function claimName(
  set: StatefulSet,
  template: string,
  ordinal: number,
): string {
  return `${template}-${set.metadata.name}-${ordinal}`;
}

/** The version that a pod was made of; empty when it does not say. */
export function versionOf({ metadata }: Pod): string {
  return metadata.labels?.[REVISION_LABEL] ?? "";
}

/** Whether a pod runs and has been ready for long enough. */
export function isAvailable(
  { spec: { minReadySeconds = 0 } }: StatefulSet,
  pod: Pod,
  nowMs: number,
): boolean {
  return isRunningAndReady(pod) &&
    availableInMs(pod, minReadySeconds, nowMs) === 0;
}

/** Whether a pod runs and is ready. */
export function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === "Running" && readySince(pod) !== undefined;
}

/** Whether the node has said how ready a pod is; after it began anew that takes a moment. */
export function isReported(pod: Pod): boolean {
  return conditionOf(pod, "Ready") !== undefined;
}

/** Whether the node has said of a pod that it is not ready. */
export function isUnready(pod: Pod): boolean {
  return conditionOf(pod, "Ready")?.status === "False";
}

function conditionOf(pod: Pod, type: string): PodCondition | undefined {
  return findCondition(pod.status?.conditions, type);
}

/** The pod of an ordinal, made of a version. */
export function newPod(
  set: StatefulSet,
  ordinal: number,
  version: TemplateVersion,
): NewObject & {
  readonly metadata: { readonly name: string };
  readonly spec: PodTemplate["spec"];
} {
  const { metadata: { generateName: _prefix, ...metadata }, spec, ...rest } =
    podFromTemplate(set, version.template);
  const name = podName(set, ordinal);
  const annotations = withFailures(
    metadata.annotations,
    failuresAt(version, ordinal),
  );
  const { serviceName = "" } = set.spec;
  const volumes = volumesOf(set, ordinal, spec.volumes);
  return {
    ...rest,
    metadata: {
      ...metadata,
      name,
      namespace: set.metadata.namespace,
      labels: {
        ...metadata.labels,
        ...identity(name, ordinal),
        [REVISION_LABEL]: version.name,
      },
      ...defined({ annotations }),
    },
    spec: {
      ...spec,
      hostname: name,
      ...(serviceName !== "" && { subdomain: serviceName }),
      ...(volumes.length > 0 && { volumes }),
    },
  };
}

/** The claims of an ordinal, and those volumes of the template that are no claim's. */
function volumesOf(
  set: StatefulSet,
  ordinal: number,
  others: readonly Volume[] = [],
): readonly Volume[] {
  const { volumeClaimTemplates = [] } = set.spec;
  const claims = volumeClaimTemplates.map(({ metadata }): Volume => {
    const { name = "" } = metadata ?? {};
    const persistentVolumeClaim = { claimName: claimName(set, name, ordinal) };
    return { name, persistentVolumeClaim };
  });
  const names = new Set(claims.map(({ name }) => name));
  return [...claims, ...others.filter(({ name }) => !names.has(name))];
}

function identity(
  name: string,
  ordinal: number,
): Readonly<Record<string, string>> {
  return { [NAME_LABEL]: name, [INDEX_LABEL]: `${ordinal}` };
}

/** What gives a pod back the labels that say who it is; nothing when it has them. */
export function identityChanges(
  set: StatefulSet,
  pod: Pod,
  ordinal: number,
): readonly Change[] {
  const { name, labels } = pod.metadata;
  if (labels?.[NAME_LABEL] === name) return [];
  return [{
    verb: "patch",
    ref: exactRef(pod),
    patch: { metadata: { labels: identity(name, ordinal) } },
    events: podEvents(set, name, "update"),
  }];
}

/** Makes the pod of an ordinal. */
export function creation(
  set: StatefulSet,
  ordinal: number,
  version: TemplateVersion,
): Change {
  const object = newPod(set, ordinal, version);
  const events = podEvents(set, object.metadata.name, "create");
  return { verb: "create", object, events };
}

/** Ends a pod. */
export function deletion(set: StatefulSet, pod: Pod): Change {
  const events = podEvents(set, pod.metadata.name, "delete");
  return { verb: "delete", ref: exactRef(pod), events };
}

type Verb = "create" | "update" | "delete";

const VERBS = { create: "Create", update: "Update", delete: "Delete" } as const;

/** The words of upstream's recordPodEvent. */
function podEvents(
  { metadata }: StatefulSet,
  pod: string,
  verb: Verb,
): NonNullable<Change["events"]> {
  const words = `${verb} Pod ${pod} in StatefulSet ${metadata.name}`;
  return {
    done: {
      type: "Normal",
      reason: `Successful${VERBS[verb]}`,
      message: `${words} successful`,
    },
    failed: {
      type: "Warning",
      reason: `Failed${VERBS[verb]}`,
      message: `${words} failed error: {error}`,
    },
  };
}
