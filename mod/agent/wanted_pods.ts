/**
 * Which pods are to run, out of what all sources list.
 *
 * @module
 */

import { ANNOTATION_CONFIG_SOURCE, type Pod } from "../api/mod.ts";
import type { SourceName } from "../source/mod.ts";

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

/**
 * Puts together what the sources list. Pure.
 *
 * Of a UID that several list the version of `incumbentOf` counts as long as that
 * source lists it, else that of the first source that does. A pod that its source
 * tells to end is not wanted.
 */
export function wantedPods(
  sources: ReadonlyMap<SourceName, ReadonlyMap<string, Pod>>,
  incumbentOf: (uid: string) => SourceName | undefined,
): WantedPods {
  const pods = new Map<string, Pod>();
  const outdone: OutdonePod[] = [];
  for (const [source, listed] of sources) {
    for (const [uid, pod] of listed) {
      if (isToldToEnd(pod)) continue;
      const by = winnerOf(uid, { sources, incumbentOf });
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
export const SOURCE_NAMES: readonly SourceName[] = ["file", "http", "api"];

function winnerOf(
  uid: string,
  context: {
    readonly sources: ReadonlyMap<SourceName, ReadonlyMap<string, Pod>>;
    readonly incumbentOf: (uid: string) => SourceName | undefined;
  },
): SourceName | undefined {
  const { sources, incumbentOf } = context;
  const listing = SOURCE_NAMES.filter((source) => {
    const pod = sources.get(source)?.get(uid);
    return pod !== undefined && !isToldToEnd(pod);
  });
  const [first] = listing;
  if (listing.length < 2) return first;
  const incumbent = incumbentOf(uid);
  return incumbent !== undefined && listing.includes(incumbent)
    ? incumbent
    : first;
}

function isToldToEnd({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}
