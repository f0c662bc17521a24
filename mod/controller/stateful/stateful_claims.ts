/**
 * The claims of a StatefulSet: made before the pod that mounts them, and kept unless its
 * retention policy says otherwise.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import type { NewObject } from "../../api/access/mod.ts";
import type {
  ApiObject,
  OwnerReference,
  PersistentVolumeClaim,
  StatefulSet,
} from "../../api/workload/mod.ts";
import { defined } from "../../base/mod.ts";
import {
  type Change,
  controllerReference,
  exactRef,
  type ObjectCache,
} from "../run/mod.ts";
import { claimName, podName } from "./stateful_pod.ts";

/** ClaimsByName of a namespace, by name. */
export type ClaimsByName = ReadonlyMap<string, PersistentVolumeClaim>;

/** The names of the sets that a claim may be of. */
export function setsOfClaim(
  { metadata: { name, namespace } }: PersistentVolumeClaim,
  cache: ObjectCache,
): readonly string[] {
  return cache.list("StatefulSet", namespace)
    .filter(({ metadata, spec: { volumeClaimTemplates = [] } }) =>
      volumeClaimTemplates.some((template) => {
        const prefix = `${template.metadata?.name}-${metadata.name}-`;
        return name.startsWith(prefix) &&
          /^\d+$/.test(name.slice(prefix.length));
      })
    ).map(({ metadata }) => metadata.name);
}

/** The claims that an ordinal has already. */
export function memberClaims(
  set: StatefulSet,
  ordinal: number,
  claims: ClaimsByName,
): readonly PersistentVolumeClaim[] {
  const { volumeClaimTemplates = [] } = set.spec;
  return volumeClaimTemplates.flatMap(({ metadata }) =>
    claims.get(claimName(set, metadata?.name ?? "", ordinal)) ?? []
  );
}

/** Makes the claims that an ordinal has not got. */
export function claimCreations(
  set: StatefulSet,
  ordinal: number,
  claims: ClaimsByName,
): readonly Change[] {
  const { volumeClaimTemplates = [] } = set.spec;
  return volumeClaimTemplates.flatMap((template): readonly Change[] => {
    const name = claimName(set, template.metadata?.name ?? "", ordinal);
    if (claims.has(name)) return [];
    const object = newClaim(set, name, template);
    const events = claimEvents(set, name, podName(set, ordinal));
    return [{ verb: "create", object, events }];
  });
}

type StatefulClaim = NonNullable<
  StatefulSet["spec"]["volumeClaimTemplates"]
>[number];

function newClaim(
  set: StatefulSet,
  name: string,
  { metadata: { labels, annotations } = {}, spec }: StatefulClaim,
): NewObject {
  const isOwned = policyOf(set).whenDeleted === "Delete";
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      namespace: set.metadata.namespace,
      labels: { ...labels, ...set.spec.selector.matchLabels },
      ...(annotations !== undefined && { annotations }),
      ...(isOwned && { ownerReferences: [controllerReference(set)] }),
    },
    spec,
  };
}

/** The words of upstream's recordClaimEvent. */
function claimEvents(
  { metadata }: StatefulSet,
  claim: string,
  pod: string,
): NonNullable<Change["events"]> {
  const where = `Pod ${pod} in StatefulSet ${metadata.name}`;
  return {
    done: {
      type: "Normal",
      reason: "SuccessfulCreate",
      message: `create Claim ${claim} ${where} success`,
    },
    failed: {
      type: "Warning",
      reason: "FailedCreate",
      message: `create Claim ${claim} for ${where} failed error: {error}`,
    },
  };
}

/**
 * Whether a claim goes with a pod that is gone: it must not be used again (upstream's
 * PodClaimIsStale).
 */
export function isStale(
  set: StatefulSet,
  ordinal: number,
  claim: PersistentVolumeClaim,
): boolean {
  const pod = { apiVersion: "v1", kind: "Pod", name: podName(set, ordinal) };
  return policyOf(set).whenScaled === "Delete" &&
    (claim.metadata.ownerReferences ?? []).some((ref) => names(ref, pod));
}

/**
 * Gives a claim the owner that the retention policy wants, so that it goes with the set
 * or with a pod that is not wanted any more; nothing when it has that one already, belongs
 * to an earlier set or pod of that name, or is a manifest's own.
 */
export function ownershipChanges(
  set: StatefulSet,
  claim: PersistentVolumeClaim,
  { pod, isWanted }: { readonly pod: ApiObject; readonly isWanted: boolean },
): readonly Change[] {
  // Nobody has made what is only shown, and it goes with its manifest.
  if (claim.metadata.creationTimestamp === undefined) return [];
  const all = claim.metadata.ownerReferences ?? [];
  const own = [controllerReference(set), controllerReference(pod)];
  const isOurs = (ref: OwnerReference) => own.some((each) => names(ref, each));
  const ours = all.filter(isOurs);
  const isOld = ours.some((ref) => !own.some(({ uid }) => uid === ref.uid));
  if (isOld) return [];
  const others = all.filter((ref) => !isOurs(ref));
  const owner = ownerOf(set, { pod, isWanted, others });
  const wanted = owner === undefined ? [] : [controllerReference(owner)];
  if (isDeepStrictEqual(ours.map(essence), wanted.map(essence))) return [];
  const { resourceVersion } = claim.metadata;
  const ownerReferences = [...others, ...wanted];
  return [{
    verb: "patch",
    ref: exactRef(claim),
    patch: {
      metadata: {
        // The list is replaced as a whole, so it must be the one that was seen.
        ...defined({ resourceVersion }),
        ownerReferences,
      },
    },
  }];
}

function ownerOf(
  set: StatefulSet,
  { pod, isWanted, others }: {
    readonly pod: ApiObject;
    readonly isWanted: boolean;
    readonly others: readonly OwnerReference[];
  },
): ApiObject | undefined {
  if (others.some(({ controller }) => controller === true)) return undefined;
  const { whenDeleted, whenScaled } = policyOf(set);
  if (whenScaled === "Delete" && !isWanted) return pod;
  return whenDeleted === "Delete" ? set : undefined;
}

function policyOf({ spec }: StatefulSet): {
  readonly whenDeleted?: string;
  readonly whenScaled?: string;
} {
  return spec.persistentVolumeClaimRetentionPolicy ?? {};
}

/** Whether a reference means an object of that kind and name, whichever it was. */
function names(
  ref: OwnerReference,
  object: Pick<OwnerReference, "apiVersion" | "kind" | "name">,
): boolean {
  return ref.apiVersion === object.apiVersion && ref.kind === object.kind &&
    ref.name === object.name;
}

function essence({ uid, controller = false }: OwnerReference): unknown {
  return { uid, controller };
}
