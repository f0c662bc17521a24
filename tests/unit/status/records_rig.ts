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
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import type { RecordFiles, RunRecordFiles } from "../../../mod/status/ports.ts";
import { StatusManager } from "../../../mod/status/status_manager.ts";
import { StatusRecords } from "../../../mod/status/status_records.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { container, podOf } from "./builders.ts";

/** A disk in memory that counts what is written to it. */
export class MemoryFiles implements RecordFiles {
  readonly texts: Map<string, string> = new Map();
  readonly writes: boolean[] = [];
  /** Without one, the pod has no directory. */
  directories: Set<string> = new Set(["u"]);
  isFull = false;
  /** How many reads fail from now on. */
  failingReads = 0;

  read(uid: string): Promise<string | undefined> {
    if (this.failingReads-- > 0) {
      return Promise.reject(new Error("Too many open files"));
    }
    return Promise.resolve(this.texts.get(uid));
  }

  write(
    uid: string,
    text: string,
    { durable }: { readonly durable: boolean },
  ): Promise<boolean> {
    if (this.isFull) return Promise.reject(new Error("No space left"));
    if (!this.directories.has(uid)) return Promise.resolve(false);
    this.writes.push(durable);
    this.texts.set(uid, text);
    return Promise.resolve(true);
  }
}

/** A run directory in memory. */
export class MemoryRunFiles implements RunRecordFiles {
  readonly texts: Map<string, string> = new Map();
  writes = 0;

  list(): Promise<readonly string[]> {
    return Promise.resolve([...this.texts.keys()]);
  }

  read(uid: string): Promise<string | undefined> {
    return Promise.resolve(this.texts.get(uid));
  }

  write(uid: string, text: string): Promise<void> {
    this.writes++;
    this.texts.set(uid, text);
    return Promise.resolve();
  }

  remove(uid: string): Promise<void> {
    this.texts.delete(uid);
    return Promise.resolve();
  }
}

/** When the pod was begun. */
export const START = "2026-01-02T03:04:05Z";
/** The pod `u`. */
export const POD: Pod = podOf("u");

/** The status of a pod in a phase, with a container that was restarted so often. */
export function status(phase: string, restartCount = 0): PodStatus {
  return {
    phase,
    startTime: START,
    containerStatuses: [{
      name: "c",
      restartCount,
      ready: false,
      image: "",
      imageID: "",
    }],
  };
}

/** What an agent keeps records with. */
export interface RecordsRig {
  readonly statuses: StatusManager;
  readonly records: StatusRecords;
  readonly files: MemoryFiles;
  readonly runFiles: MemoryRunFiles;
  readonly clock: FakeClock;
}

/** An agent's records, over what an earlier one may have left. */
export function setUp(
  files: MemoryFiles = new MemoryFiles(),
  runFiles: MemoryRunFiles = new MemoryRunFiles(),
): RecordsRig {
  const clock = new FakeClock();
  const log = silentLogger;
  const statuses = new StatusManager({ clock, log });
  const records = new StatusRecords({
    statuses,
    files,
    runFiles,
    log,
    clock,
  });
  return { statuses, records, files, runFiles, clock };
}

/** The status of a pod whose container runs under an id. */
export function running(
  id: string,
  rest: Partial<ContainerStatus> = {},
): PodStatus {
  const at = container("c", {
    containerID: `containerd://${id}`,
    state: { running: {} },
    ...rest,
  });
  return { phase: "Running", startTime: START, containerStatuses: [at] };
}
