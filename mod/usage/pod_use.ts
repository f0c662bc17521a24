/**
 * What one pod uses of the node, as far as it was measured.
 *
 * @module
 */

import type {
  ContainerStats,
  CpuFigures,
  MemoryFigures,
} from "../cri/model/mod.ts";
import type { PressureStall } from "../host/machine/mod.ts";

/** What lies on a file system. */
export interface StoredAmount {
  readonly bytes: number;
  /** Files and directories. */
  readonly inodes: number;
}

/** What one container uses; what is `undefined` was not measured. */
export interface ContainerUse {
  readonly name: string;
  /** Of all its runs; `undefined` while it does not run. */
  readonly memoryBytes: number | undefined;
  /** Of the run that was measured last; `undefined` while it does not run. */
  readonly cpu: CpuFigures | undefined;
  readonly memory: MemoryFigures | undefined;
  /** The same; `undefined` from a runtime that does not tell, too. */
  readonly swap?: ContainerStats["swap"];
  /** What it wrote outside of volumes. */
  readonly layer: StoredAmount | undefined;
  readonly logs: StoredAmount | undefined;
}

/** One emptyDir. */
export interface VolumeUse {
  readonly name: string;
  readonly stored: StoredAmount;
  readonly isInMemory: boolean;
}

/** How long the work of one pod has waited for what. */
export interface PodStalls {
  readonly cpu: PressureStall | undefined;
  readonly memory: PressureStall | undefined;
  readonly io: PressureStall | undefined;
}

/** What one pod uses. */
export interface PodUse {
  /** In the order of the spec, init containers first. */
  readonly containers: readonly ContainerUse[];
  /** `undefined` where the cgroups are not shown. */
  readonly processes: number | undefined;
  /** `undefined` where the cgroups are not shown, or the kernel does not tell. */
  readonly stalls?: PodStalls | undefined;
  /** Those that were measured. */
  readonly volumes: readonly VolumeUse[];
  /** Of emptyDirs in memory, with a limit or without. */
  readonly inMemoryBytes: number;
  /** Of emptyDirs on disk, the hosts file and termination messages. */
  readonly files: StoredAmount;
}
