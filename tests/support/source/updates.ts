/**
 * The words of sources and of those who tell what they change.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import type {
  NotificationMode,
  PodNotification,
} from "../../../mod/source/merge/merge_mux.ts";
import { PodStorage } from "../../../mod/source/merge/merge.ts";
import type {
  SourceName,
  SourceSet,
  SourceUpdate,
} from "../../../mod/source/merge/source_set.ts";
import { FakeClock } from "../fake_clock.ts";
import { NO_EVENTS } from "../no_ops.ts";

/** Every notification mode. */
export const MODES: readonly NotificationMode[] = [
  "incremental",
  "snapshot_and_updates",
  "snapshot",
];

/** A storage that has seen nothing, in time that stands still. */
export function newStorage(): PodStorage {
  return new PodStorage({
    clock: new FakeClock(),
    log: silentLogger,
    events: NO_EVENTS,
  });
}

/** What a source may do. */
export type Op = "set" | "restore" | "add" | "update" | "delete" | "remove";

/** What the file source says. */
export function says(op: Op, ...pods: readonly Pod[]): SourceUpdate {
  return op === "set" || op === "restore"
    ? { op, source: "file", pods, objects: [], workloads: [] }
    : { op, source: "file", pods };
}

/** The full set of any source. */
export function set(source: SourceName, ...pods: readonly Pod[]): SourceSet {
  return { source, pods, objects: [], workloads: [] };
}

/** As `op:name,name` words. */
export function words(told: readonly PodNotification[]): readonly string[] {
  return told.map(({ op, pods }) => `${op}:${pods.map(nameOf)}`);
}

/** A pod's name. */
export function nameOf({ metadata }: Pod): string {
  return metadata.name;
}
