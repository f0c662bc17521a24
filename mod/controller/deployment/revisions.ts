/**
 * The ReplicaSets of a Deployment, each of which is one version of its template.
 *
 * @module
 */

import { stableJson } from "../../api/objects/mod.ts";
import type {
  ApiObject,
  Deployment,
  PodTemplate,
  ReplicaSet,
} from "../../api/workload/mod.ts";
import type { NewObject } from "../../api/access/mod.ts";
import { defined } from "../../base/mod.ts";
import { safeHash } from "../history/mod.ts";
import {
  byAge,
  type Change,
  controllerOf,
  controllerReference,
  exactRef,
  isOfKind,
} from "../run/mod.ts";
import type { RolloutBudget } from "./rollout_budget.ts";

/** Label of a ReplicaSet and its pods: which template they are of. */
const HASH_LABEL = "pod-template-hash";
const REVISION = "deployment.kubernetes.io/revision";
const HISTORY = "deployment.kubernetes.io/revision-history";
const DESIRED = "deployment.kubernetes.io/desired-replicas";
const MOST = "deployment.kubernetes.io/max-replicas";
/** On a Deployment: a version that is not there in time gives way to the last one that was. */
const ROLLBACK = "skerry.dev/rollback-on-deadline";
/** On a ReplicaSet: the last number under which all of its pods were available. */
const COMPLETE = "skerry.dev/was-complete";
/** On a ReplicaSet: the last number under which it was not there in time. */
const FAILED = "skerry.dev/missed-deadline";

/** Kept by controllers, so not a Deployment's to hand down. */
const OWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  REVISION,
  HISTORY,
  DESIRED,
  MOST,
  COMPLETE,
  FAILED,
  "kubectl.kubernetes.io/last-applied-configuration",
  "deprecated.deployment.rollback.to",
]);

/** The versions of a Deployment. */
export interface Revisions {
  /** That of its template; absent before it was made. */
  readonly newest: ReplicaSet | undefined;
  /** The one that is to run: the newest, or the last good one in its place. */
  readonly target: ReplicaSet | undefined;
  /** All but the target, the older first. */
  readonly old: readonly ReplicaSet[];
}

/** Sorts the ReplicaSets of a Deployment into versions. */
export function revisionsOf(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): Revisions {
  const sorted = sets.toSorted(byAge);
  const wanted = plainTemplate(deployment.spec.template);
  // Several are alike if a hash collided; the oldest counts, as upstream.
  const newest = sorted.find(({ spec }) =>
    plainTemplate(spec.template) === wanted
  );
  // A template that comes back has a new number, and with it the whole time again.
  const hasFailed = newest !== undefined && wantsRollback(deployment) &&
    numberIn(newest, FAILED) === wantedRevision(newest, sets);
  const good = hasFailed
    ? sorted.filter((each) => each !== newest && completedAs(each) > 0)
      .toSorted((a, b) => completedAs(a) - completedAs(b)).at(-1)
    : undefined;
  const target = good ?? newest;
  return { newest, target, old: sorted.filter((each) => each !== target) };
}

/** Whether a version that misses its deadline gives way to the last good one. */
export function wantsRollback({ metadata }: Deployment): boolean {
  return metadata.annotations?.[ROLLBACK] === "true";
}

/** Whether all pods of a version were available since it has its number. */
export function wasComplete(set: ReplicaSet): boolean {
  return completedAs(set) === revisionOf(set);
}

/** Whether it is noted that a version was not there in time since it has its number. */
export function hasMissed(set: ReplicaSet): boolean {
  return numberIn(set, FAILED) === revisionOf(set);
}

/** The last number under which all pods of a version were available; 0 if never. */
function completedAs(set: ReplicaSet): number {
  return numberIn(set, COMPLETE);
}

/** The number of a version, from 1; 0 for one that has none. */
export function revisionOf(set: ReplicaSet): number {
  return numberIn(set, REVISION);
}

function numberIn({ metadata }: ReplicaSet, key: string): number {
  const text = metadata.annotations?.[key] ?? "";
  return /^\d+$/.test(text) ? Number(text) : 0;
}

/** The newest version has the highest number. */
function wantedRevision(
  newest: ReplicaSet,
  sets: readonly ReplicaSet[],
): number {
  const others = sets.filter((each) => each !== newest);
  return Math.max(revisionOf(newest), nextRevision(others));
}

function nextRevision(sets: readonly ReplicaSet[]): number {
  return Math.max(0, ...sets.map(revisionOf)) + 1;
}

/** Notes that a version did, or did not, become what its Deployment wanted. */
export function noteOutcome(
  set: ReplicaSet,
  outcome: "complete" | "failed",
): Change {
  const key = outcome === "complete" ? COMPLETE : FAILED;
  return annotate(set, { [key]: `${revisionOf(set)}` });
}

/** What the annotations of the newest set and its Deployment should be, where they differ. */
export function annotationChanges(
  deployment: Deployment,
  { newest }: Pick<Revisions, "newest">,
  sets: readonly ReplicaSet[],
): readonly Change[] {
  if (newest === undefined) return [];
  const known = revisionOf(newest);
  const revision = `${wantedRevision(newest, sets)}`;
  const { annotations = {} } = newest.metadata;
  const history = longerHistory(annotations[HISTORY], known);
  const wanted = {
    ...inherited(deployment),
    ...(`${known}` !== revision && {
      [REVISION]: revision,
      ...(history !== "" && { [HISTORY]: history }),
    }),
  };
  const { minReadySeconds = 0 } = deployment.spec;
  const hasSpec = (newest.spec.minReadySeconds ?? 0) === minReadySeconds;
  const changes: Change[] = [];
  if (!hasSpec || differs(annotations, wanted)) {
    changes.push({
      verb: "patch",
      ref: exactRef(newest),
      patch: {
        metadata: { annotations: wanted },
        ...(!hasSpec && { spec: { minReadySeconds } }),
      },
    });
  }
  if (differs(deployment.metadata.annotations, { [REVISION]: revision })) {
    changes.push(annotate(deployment, { [REVISION]: revision }));
  }
  return changes;
}

/** As upstream's maxRevHistoryLengthInChars. */
const LONGEST_HISTORY = 2_000;

/** The numbers that a version had, the oldest of which are forgotten. */
function longerHistory(before: string | undefined, known: number): string {
  const numbers = [...(before ?? "").split(","), known > 0 ? `${known}` : ""]
    .filter((each) => each !== "");
  while (numbers.join().length > LONGEST_HISTORY) numbers.shift();
  return numbers.join();
}

/** Whether a ReplicaSet is the one that a Deployment would make. */
export function isSetOf(deployment: Deployment, found: ApiObject): boolean {
  return isOfKind("ReplicaSet", found) &&
    controllerOf(found)?.uid === deployment.metadata.uid &&
    plainTemplate(found.spec.template) ===
      plainTemplate(deployment.spec.template);
}

/** The ReplicaSet that a Deployment has not got yet. */
export function newReplicaSet(
  deployment: Deployment,
  replicas: number,
  { sets, budget }: {
    readonly sets: readonly ReplicaSet[];
    readonly budget: RolloutBudget;
  },
): NewObject & { readonly spec: ReplicaSet["spec"] } {
  const { metadata, spec, spec: { template, minReadySeconds } } = deployment;
  const { collisionCount } = deployment.status ?? {};
  const hash = safeHash(plainTemplate(template), collisionCount);
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${metadata.name.slice(0, LONGEST_NAME - HASH_LENGTH - 1)}-${hash}`,
      namespace: metadata.namespace,
      labels,
      annotations: {
        ...inherited(deployment),
        [REVISION]: `${nextRevision(sets)}`,
        ...replicaAnnotations(deployment, budget),
      },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      selector: {
        ...spec.selector,
        matchLabels: { ...spec.selector.matchLabels, [HASH_LABEL]: hash },
      },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** How many pods the Deployment wanted when a set was scaled last; NaN when that is not known. */
export function annotatedSize(
  { metadata }: ReplicaSet,
  which: "desired" | "most",
): number {
  const key = which === "desired" ? DESIRED : MOST;
  return Number(metadata.annotations?.[key] ?? NaN);
}

/** Scales a set, and notes for what; nothing when that is so already. */
export function scaleChange(
  deployment: Deployment,
  set: ReplicaSet,
  { to, budget }: { readonly to: number; readonly budget: RolloutBudget },
): readonly Change[] {
  const from = set.spec.replicas;
  const { resourceVersion } = set.metadata;
  const annotations = replicaAnnotations(deployment, budget);
  if (from === to && !differs(set.metadata.annotations, annotations)) return [];
  const way = from < to ? "up" : "down";
  return [{
    verb: "patch",
    ref: exactRef(set),
    // What was reckoned from another state of the set is not done, as upstream.
    patch: {
      metadata: { ...defined({ resourceVersion }), annotations },
      spec: { replicas: to },
    },
    ...(from !== to && { events: { done: scaled(set, way, { from, to }) } }),
  }];
}

/** What is told when a set is scaled. */
export function scaled(
  { metadata: { name } }: { readonly metadata: { readonly name?: string } },
  way: "up" | "down",
  { from, to }: { readonly from: number; readonly to: number },
): {
  readonly type: "Normal";
  readonly reason: string;
  readonly message: string;
} {
  return {
    type: "Normal",
    reason: "ScalingReplicaSet",
    message: `Scaled ${way} replica set ${name} from ${from} to ${to}`,
  };
}

function replicaAnnotations(
  { spec: { replicas } }: Deployment,
  { maxSurge }: RolloutBudget,
): Readonly<Record<string, string>> {
  return { [DESIRED]: `${replicas}`, [MOST]: `${replicas + maxSurge}` };
}

function inherited(
  { metadata: { annotations = {} } }: Deployment,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(annotations).filter(([key]) => !OWN_ANNOTATIONS.has(key)),
  );
}

function annotate(
  object: ReplicaSet | Deployment,
  annotations: Readonly<Record<string, string>>,
): Change {
  const patch = { metadata: { annotations } };
  return { verb: "patch", ref: exactRef(object), patch };
}

function differs(
  has: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).some(([key, value]) => has?.[key] !== value);
}

/** A template as text, without the label that tells versions apart. */
function plainTemplate({ metadata = {}, spec }: PodTemplate): string {
  const { annotations = {}, labels = {}, ...rest } = metadata;
  const { [HASH_LABEL]: _hash, ...plain } = labels;
  return stableJson({
    metadata: { ...rest, annotations, labels: plain },
    spec,
  });
}

/** Of a DNS subdomain, and of a hash. */
const LONGEST_NAME = 253;
const HASH_LENGTH = 10;
