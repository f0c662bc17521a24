/**
 * Which pods are to run, out of what all sources list.
 *
 * @module
 */

import { ANNOTATION_CONFIG_SOURCE } from "../../api/vocabulary/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { SourceName } from "../../source/merge/mod.ts";

/** A pod that a source lists under a UID that it does not get. */
export interface OutdonePod {
  readonly pod: Pod;
  readonly source: SourceName;
  /** The source whose pod has the UID. */
  readonly by: SourceName;
}

/** What all sources together want. */
export interface WantedPods {
  /** By UID, each in the version that is to run. */
  readonly pods: ReadonlyMap<string, Pod>;
  readonly outdone: readonly OutdonePod[];
}

/** What is known of the earlier pods of a UID. */
export interface UidHistory {
  /**
   * The source whose pod runs, or ran last; `unknown` of a managed pod before the
   * runtime was listed.
   */
  readonly incumbentOf: (uid: string) => SourceName | "unknown" | undefined;
  /** Whether a source may list the UID, and has not said yet whether it does. */
  readonly mayStillList: (source: SourceName, uid: string) => boolean;
}

/**
 * Puts together what the sources list. Pure.
 *
 * If several sources list a UID, the version of the incumbent counts as long as that
 * source lists it, else the version of the first source that does. While the incumbent is
 * being asked, no other version counts. A pod that its source has asked to end is
 * not wanted.
 */
export function wantedPods(
  sources: ReadonlyMap<SourceName, ReadonlyMap<string, Pod>>,
  history: UidHistory,
): WantedPods {
  const pods = new Map<string, Pod>();
  const outdone: OutdonePod[] = [];
  for (const [source, listed] of sources) {
    for (const [uid, pod] of listed) {
      if (isToldToEnd(pod)) continue;
      const by = winnerOf(uid, { ...history, sources });
      if (by === source) pods.set(uid, pod);
      else if (by !== undefined) outdone.push({ pod, source, by });
    }
  }
  return { pods, outdone };
}

/** The source out of which a pod came; `undefined` for a name that is none. */
export function sourceOf(
  annotations: Readonly<Record<string, string>> | undefined,
): SourceName | undefined {
  const name = annotations?.[ANNOTATION_CONFIG_SOURCE];
  return SOURCE_NAMES.find((each) => each === name);
}

/** All that a source may be called. */
export const SOURCE_NAMES: readonly SourceName[] = [
  "file",
  "http",
  "api",
  "local",
];

function winnerOf(
  uid: string,
  context: UidHistory & {
    readonly sources: ReadonlyMap<SourceName, ReadonlyMap<string, Pod>>;
  },
): SourceName | undefined {
  const { sources, incumbentOf, mayStillList } = context;
  const listing = SOURCE_NAMES.filter((source) => {
    const pod = sources.get(source)?.get(uid);
    return pod !== undefined && !isToldToEnd(pod);
  });
  const incumbent = incumbentOf(uid);
  const first = listing.find((source) => source === incumbent) ?? listing[0];
  if (incumbent === undefined || first === incumbent) return first;
  const isAwaited = SOURCE_NAMES.some((source) =>
    (incumbent === "unknown" || incumbent === source) &&
    !listing.includes(source) && mayStillList(source, uid)
  );
  return isAwaited ? undefined : first;
}

function isToldToEnd({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}
