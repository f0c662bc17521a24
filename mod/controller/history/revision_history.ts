/**
 * Which template is which version.
 *
 * The rules are those of upstream's pkg/controller/history.
 *
 * @module
 */

import type { NewObject } from "../../api/access/mod.ts";
import { stableJson } from "../../api/objects/mod.ts";
import type {
  ControllerRevision,
  DaemonSet,
  StatefulSet,
} from "../../api/workload/mod.ts";
import { defined } from "../../base/mod.ts";
import {
  type Change,
  claim,
  controllerReference,
  exactRef,
} from "../run/mod.ts";
import { revisionData } from "./revision_data.ts";
import { safeHash } from "./safe_hash.ts";

/** Whose templates are kept. */
export type RevisionOwner = StatefulSet | DaemonSet;

/** The versions of a template. */
export interface RevisionHistory {
  /** Those that are there, the oldest first. */
  readonly revisions: readonly ControllerRevision[];
  /** The version of the template as it is now. */
  readonly newest: { readonly name: string; readonly hash: string };
  /** How many names were taken already. */
  readonly collisionCount: number;
  /** What is to be done before any pod is made of the newest version. */
  readonly changes: readonly Change[];
}

/**
 * Sorts the revisions of an owner, and says what is missing: the newest version is made,
 * or, when an earlier one comes back, that one gets the next number.
 *
 * @param seen all ControllerRevisions of the namespace
 * @param notes annotations of a version that is made, besides those of the owner
 */
export function planHistory(
  owner: RevisionOwner,
  seen: readonly ControllerRevision[],
  notes?: Readonly<Record<string, string>>,
): RevisionHistory {
  const { selector, template } = owner.spec;
  const claimed = claim(owner, seen, { selector });
  const revisions = claimed.mine.toSorted(byNumber);
  const last = revisions.at(-1);
  const number = (last?.revision ?? 0) + 1;
  const content = stableJson(revisionData(template));
  const known = revisions.findLast(({ data }) => stableJson(data) === content);
  const { collisionCount = 0 } = owner.status ?? {};
  if (known === undefined) {
    const free = freeName(owner, { content, collisionCount, seen });
    const object = newRevision(owner, { ...free, number, notes });
    const changes = [...claimed.changes, { verb: "create", object } as const];
    return { revisions, changes, newest: free, ...free };
  }
  const { name, labels } = known.metadata;
  const newest = { name, hash: labels?.[hashLabel(owner)] ?? name };
  const renumbered: Change = {
    verb: "patch",
    ref: exactRef(known),
    patch: { revision: number },
  };
  return {
    revisions,
    newest,
    collisionCount,
    changes: known === last
      ? claimed.changes
      : [...claimed.changes, renumbered],
  };
}

/** The older first. */
function byNumber(a: ControllerRevision, b: ControllerRevision): number {
  if (a.revision !== b.revision) return a.revision - b.revision;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** The first name of a content that nothing else has. */
function freeName(
  { metadata }: RevisionOwner,
  { content, collisionCount, seen }: {
    readonly content: string;
    readonly collisionCount: number;
    readonly seen: readonly ControllerRevision[];
  },
): Pick<RevisionHistory, "collisionCount"> & RevisionHistory["newest"] {
  const taken = new Set(seen.map((each) => each.metadata.name));
  // As upstream's ControllerRevisionName: what is added must fit as well.
  const prefix = metadata.name.slice(0, LONGEST_PREFIX);
  for (let count = collisionCount;; count++) {
    const hash = safeHash(content, count);
    const name = `${prefix}-${hash}`;
    if (!taken.has(name)) return { name, hash, collisionCount: count };
  }
}

const LONGEST_PREFIX = 223;

function newRevision(
  owner: RevisionOwner,
  { name, hash, number, notes }: RevisionHistory["newest"] & {
    readonly number: number;
    readonly notes: Readonly<Record<string, string>> | undefined;
  },
): NewObject & Pick<ControllerRevision, "data" | "revision"> {
  const { namespace, annotations: inherited } = owner.metadata;
  const { template } = owner.spec;
  const annotations = notes === undefined
    ? inherited
    : { ...inherited, ...notes };
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name,
      namespace,
      labels: { ...template.metadata?.labels, [hashLabel(owner)]: hash },
      ...defined({ annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    data: revisionData(template),
    revision: number,
  };
}

/** The two kinds have their own, upstream as well. */
function hashLabel({ kind }: RevisionOwner): string {
  return kind === "DaemonSet"
    ? "controller-revision-hash"
    : "controller.kubernetes.io/hash";
}
