/**
 * Who controls an object, and how a controller takes and gives up what it finds.
 *
 * @module
 */

import { matchesLabels } from "../../api/access/mod.ts";
import type {
  ApiObject,
  LabelSelector,
  OwnerReference,
} from "../../api/workload/mod.ts";
import { defined } from "../../base/mod.ts";
import type { Change, ExactRef } from "./step.ts";

/** The one owner that controls an object, if it has one. */
export function controllerOf(
  object: Pick<ApiObject, "metadata">,
): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) =>
    controller === true
  );
}

/** How an object names the one that controls it. */
export function controllerReference(owner: ApiObject): OwnerReference {
  const { apiVersion, kind, metadata: { name, uid } } = owner;
  return {
    apiVersion,
    kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Names exactly this object. */
export function exactRef(object: ApiObject): ExactRef {
  const { apiVersion, kind, metadata: { namespace, name, uid } } = object;
  return { apiVersion, kind, namespace, name, uid };
}

/** What belongs to an owner, and what must be done so that it is said everywhere. */
export interface Claimed<T extends ApiObject> {
  /** Those that it controls, with those that it adopts now. */
  readonly mine: readonly T[];
  readonly changes: readonly Change[];
}

/**
 * Says what belongs to an owner, as upstream's ControllerRefManager: what it controls and
 * its selector means, stays; what its selector does not mean is released; what nobody
 * controls and its selector means is adopted, if neither is being deleted.
 *
 * @param options.mayAdopt a further condition, such as that a pod has not ended
 */
export function claim<T extends ApiObject>(
  owner: ApiObject,
  candidates: readonly T[],
  options: {
    readonly selector: LabelSelector;
    readonly mayAdopt?: (candidate: T) => boolean;
  },
): Claimed<T> {
  const { selector, mayAdopt = () => true } = options;
  const isEnding = owner.metadata.deletionTimestamp !== undefined;
  const mine: T[] = [];
  const changes: Change[] = [];
  for (const candidate of candidates) {
    const { labels, deletionTimestamp, namespace } = candidate.metadata;
    const controller = controllerOf(candidate);
    const isMeant = matchesLabels(selector, labels);
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata.uid) continue;
      if (isMeant) mine.push(candidate);
      else if (!isEnding) changes.push(release(owner, candidate));
    } else if (
      isMeant && !isEnding && deletionTimestamp === undefined &&
      namespace === owner.metadata.namespace && mayAdopt(candidate)
    ) {
      mine.push(candidate);
      changes.push(adopt(owner, candidate));
    }
  }
  return { mine, changes };
}

// The list of owners is replaced as a whole, so it must be the one that was seen.
function adopt(owner: ApiObject, candidate: ApiObject): Change {
  const others = candidate.metadata.ownerReferences ?? [];
  const ownerReferences = [...others, controllerReference(owner)];
  return {
    verb: "patch",
    ref: exactRef(candidate),
    patch: {
      metadata: { ...sameVersion(candidate), ownerReferences },
    },
    isAdoption: true,
  };
}

function release(owner: ApiObject, candidate: ApiObject): Change {
  const ownerReferences = (candidate.metadata.ownerReferences ?? [])
    .filter(({ uid }) => uid !== owner.metadata.uid);
  return {
    verb: "patch",
    ref: exactRef(candidate),
    patch: { metadata: { ...sameVersion(candidate), ownerReferences } },
  };
}

/** In a patch: the object must be the one that was seen. */
function sameVersion({ metadata: { resourceVersion } }: ApiObject): {
  readonly resourceVersion?: string;
} {
  return defined({ resourceVersion });
}
