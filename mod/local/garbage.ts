/**
 * What becomes of an object when those it belongs to go.
 *
 * @module
 */

import type { Propagation } from "../api/access/mod.ts";
import type { OwnerReference } from "../api/workload/mod.ts";
import { kindFacts } from "./kept_kinds.ts";
import {
  type AnyObject,
  finalizersOf,
  FOREGROUND,
  isDeleted,
  ORPHAN,
  ownersOf,
} from "./parts.ts";

/** What is known of owners and of what they own. */
export interface OwnerView {
  byUid(uid: string): AnyObject | undefined;
  /** All that names an owner; each is looked up when it is asked for. */
  dependents(uid: string): Iterable<AnyObject>;
  /** Whether an owner that is not found is not there. */
  isCertain(owner: OwnerReference, namespace: string): boolean;
}

/** What is to be done to an object. */
export type Collection =
  | { readonly kind: "nothing" }
  /** These owners are not its own any more. */
  | { readonly kind: "disown"; readonly uids: readonly string[] }
  /** It goes; before that, its owners need not wait for it if they are not to. */
  | {
    readonly kind: "delete";
    readonly propagation: Propagation | undefined;
    readonly unblocks: boolean;
  }
  /** What it owns is to have no owner, and then it may go. */
  | { readonly kind: "orphan" }
  /** Nothing that it waits for is left. */
  | { readonly kind: "free" };

/**
 * Judges one object by the rules of upstream's garbage collector (attemptToDeleteItem).
 *
 * An object goes when none of its owners is left; as long as one is, those that are not
 * are taken from its list. An owner that is deleted in the foreground counts as gone for
 * what it owns, and waits for those that block it.
 */
export function judgeGarbage(object: AnyObject, view: OwnerView): Collection {
  if (isDeleted(object)) return judgeDeleted(object, view);
  const fates = ownersOf(object).map((owner) => ({
    owner,
    fate: fateOf(owner, object, view),
  }));
  const having = (fate: OwnerFate): readonly OwnerReference[] =>
    fates.filter((each) => each.fate === fate).map(({ owner }) => owner);
  if (fates.length === 0 || having("unknown").length > 0) return NOTHING;
  const waiting = having("waiting");
  const lost = [...having("absent"), ...waiting];
  if (having("solid").length > 0) {
    return lost.length === 0
      ? NOTHING
      : { kind: "disown", uids: lost.map(({ uid }) => uid) };
  }
  const dependents = waiting.length > 0
    ? [...view.dependents(object.metadata.uid)]
    : [];
  if (dependents.length > 0) {
    // Each would wait for the other.
    const unblocks = dependents.some(isInForeground);
    return { kind: "delete", propagation: "Foreground", unblocks };
  }
  return { kind: "delete", propagation: undefined, unblocks: false };
}

const NOTHING = { kind: "nothing" } as const;

function judgeDeleted(object: AnyObject, view: OwnerView): Collection {
  const { uid } = object.metadata;
  if (finalizersOf(object).includes(ORPHAN)) {
    return { kind: "orphan" };
  }
  if (!isInForeground(object)) return NOTHING;
  // The first one decides, mostly; it is asked whenever one of them goes.
  const isBlocked = Iterator.from(view.dependents(uid)).some((each) =>
    ownersOf(each).some((owner) =>
      owner.uid === uid && owner.blockOwnerDeletion === true
    )
  );
  return isBlocked ? NOTHING : { kind: "free" };
}

/** Whether an object waits for the end of what it owns. */
export function isInForeground(object: AnyObject): boolean {
  return isDeleted(object) && finalizersOf(object).includes(FOREGROUND);
}

type OwnerFate = "solid" | "waiting" | "absent" | "unknown";

function fateOf(
  owner: OwnerReference,
  { metadata }: AnyObject,
  view: OwnerView,
): OwnerFate {
  // Somebody else may keep what this node does not know.
  if (kindFacts(owner) === undefined) return "unknown";
  const found = view.byUid(owner.uid);
  if (found === undefined) {
    const isCertain = view.isCertain(owner, metadata.namespace);
    return isCertain ? "absent" : "unknown";
  }
  const { namespace } = found.metadata;
  const isIt = found.kind === owner.kind &&
    found.metadata.name === owner.name &&
    (namespace === "" || namespace === metadata.namespace);
  if (!isIt) return "absent";
  return isInForeground(found) ? "waiting" : "solid";
}
