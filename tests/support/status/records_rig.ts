/**
 * Records of statuses on a disk and in a run directory that are memory.
 *
 * @module
 */

import type {
  ContainerStatus,
  Pod,
  PodStatus,
} from "../../../mod/api/types/mod.ts";
import { Sessions } from "../../../mod/base/mod.ts";
import { type Logger, silentLogger } from "../../../mod/base/telemetry/mod.ts";
import type { RunDirectoryFiles } from "../../../mod/status/mod.ts";
import { StatusManager } from "../../../mod/status/status_manager.ts";
import { StatusRecords } from "../../../mod/status/status_records.ts";
import { FakeClock } from "../fake_clock.ts";
import { RecordDisk } from "../record_disk.ts";
import { bareStatus } from "../pods.ts";
import { phaseStatus, statusPod } from "./builders.ts";

/** A run directory in memory. */
export class MemoryRunFiles
  implements Pick<RunDirectoryFiles, keyof RunDirectoryFiles> {
  readonly texts: Map<string, string> = new Map();
  writes = 0;

  list(): Promise<readonly string[]> {
    return Promise.resolve([...this.texts.keys()]);
  }

  read(uid: string): Promise<string | undefined> {
    return Promise.resolve(this.texts.get(uid));
  }

  write(uid: string, text: string): void {
    this.writes++;
    this.texts.set(uid, text);
  }

  remove(uid: string): void {
    this.texts.delete(uid);
  }
}

/** When the pod was begun. */
export const START = "2026-01-02T03:04:05Z";
/** The pod `u`. */
export const POD: Pod = statusPod("u");

/** The status of a pod in a phase, with a container that was restarted so often. */
export function recordedStatus(phase: string, restartCount = 0): PodStatus {
  return { ...phaseStatus(phase, [restartCount]), startTime: START };
}

/** What an agent keeps records with. */
export interface RecordsRig {
  readonly statuses: StatusManager;
  readonly records: StatusRecords;
  readonly disk: RecordDisk;
  /** Ends what is held of a pod. */
  readonly sessions: Sessions;
  /** Takes over what an earlier agent left of pods. */
  readonly load: (uids: Iterable<string>) => Promise<void>;
  readonly runFiles: MemoryRunFiles;
  readonly clock: FakeClock;
}

/** An agent's records, over what an earlier one may have left. */
export function recordsRig(
  disk: RecordDisk = new RecordDisk(),
  runFiles: MemoryRunFiles = new MemoryRunFiles(),
  log: Logger = silentLogger,
): RecordsRig {
  disk.put("u");
  const clock = new FakeClock();
  const sessions = new Sessions();
  const podRecords = disk.records({ sessions, clock });
  const statuses = new StatusManager({ clock, log });
  const records = new StatusRecords({
    statuses,
    podRecords,
    runFiles,
    log,
    clock,
  });
  const load = async (uids: Iterable<string>): Promise<void> => {
    const all = [...uids];
    await podRecords.load(all);
    await records.load(all);
  };
  return { statuses, records, disk, sessions, load, runFiles, clock };
}

/** The status of a pod whose container runs under an id. */
export function runningStatus(
  id: string,
  rest: Partial<ContainerStatus> = {},
): PodStatus {
  const at = bareStatus("c", {
    containerID: `containerd://${id}`,
    state: { running: {} },
    ...rest,
  });
  return { phase: "Running", startTime: START, containerStatuses: [at] };
}
