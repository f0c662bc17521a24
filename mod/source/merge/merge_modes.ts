/**
 * The forms in which changes can be told.
 *
 * The agent itself is told increments; the other modes are those of the kubelet's
 * PodConfig up to 1.18 and are for readers that want to see the whole.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { PodChange, SourceName } from "./source_set.ts";

/**
 * How much a notification tells: each change by itself (`incremental`), the merged
 * state whenever pods come or go and other changes by themselves
 * (`snapshot_and_updates`), or always the merged state (`snapshot`).
 */
export type NotificationMode =
  | "incremental"
  | "snapshot_and_updates"
  | "snapshot";

/** The pods of all sources at one moment, to replace whatever was told before. */
export interface MergedPods {
  readonly op: "set";
  /** Whose update is the occasion; `*` when there was none. */
  readonly source: SourceName | "*";
  readonly pods: readonly Pod[];
}

/** One thing that a mode tells. */
export type PodNotification = PodChange | MergedPods;

/** What one update brought about. */
export interface MergeOutcome {
  readonly source: SourceName;
  readonly changes: readonly PodChange[];
  /** Whether it was the first set of its source. */
  readonly isFirstSet: boolean;
  /** The pods of all sources after it. */
  readonly merged: readonly Pod[];
}

/**
 * Says in the words of a mode what an update brought about.
 *
 * Restored pods are told as such in every mode, and first: a snapshot instead would
 * say that their source has spoken.
 */
export function notificationsOf(
  outcome: MergeOutcome,
  mode: NotificationMode,
): readonly PodNotification[] {
  const { source, changes, isFirstSet, merged } = outcome;
  const only = (...ops: readonly PodChange["op"][]): readonly PodChange[] =>
    changes.filter(({ op, pods }) => ops.includes(op) && pods.length > 0);
  const snapshot: MergedPods = { op: "set", source, pods: merged };
  const snapshotIf = (...ops: readonly PodChange["op"][]): MergedPods[] =>
    isFirstSet || only(...ops).length > 0 ? [snapshot] : [];
  switch (mode) {
    case "incremental":
      return changes;
    case "snapshot_and_updates":
      return [
        ...only("restore"),
        ...snapshotIf("add", "remove"),
        ...only("update", "delete"),
      ];
    case "snapshot":
      return [
        ...only("restore"),
        ...snapshotIf("add", "remove", "update", "delete"),
      ];
    default:
      mode satisfies never;
      throw new TypeError(
        `Cannot tell changes: the mode is "${mode}", wanted "incremental", "snapshot_and_updates" or "snapshot"`,
      );
  }
}
