/**
 * What measuring needs of the node.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import type { AmountLeft, FileSystemLeft } from "../host/machine/mod.ts";
import type { PodStalls, StoredAmount } from "./pod_use.ts";

/** Measures what lies in directories. */
export interface StorageMeter {
  /** The emptyDirs of a pod by volume name. */
  volumes(
    pod: Pod,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, StoredAmount>>;
  /** All below a directory on the same file system; nothing when it is not there. */
  directory(path: string, signal: AbortSignal): Promise<StoredAmount>;
}

/** Counts the processes of a pod; `undefined` when nothing shows them. */
export type ProcessMeter = (pod: Pod) => Promise<number | undefined>;

/** How long the work of a pod has waited; `undefined` when nothing tells. */
export type StallMeter = (pod: Pod) => Promise<PodStalls | undefined>;

/** What is left of the memory that all pods may have; `undefined` when nothing limits them. */
export type PodsMemory = () => Promise<AmountLeft | undefined>;

/** Where pods keep their files. */
export interface MeteredPaths {
  /** The directories of pods by UID. */
  readonly podsDir: string;
  readonly podLogsDir: string;
}

/** What the whole machine says of itself. */
export interface Machine {
  memory(): AmountLeft;
  /** Nothing of nothing without swap. */
  swap(): AmountLeft;
  /** What all processors together have worked since the boot; `undefined` when it is not told. */
  cpuNanos(): bigint | undefined;
  /** Processes, as the files of a host view say; `undefined` when they are not there. */
  processes(hostView: string): Promise<AmountLeft | undefined>;
  /** The file system in which a path lies; `undefined` when the path is not there. */
  fileSystem(path: string): Promise<FileSystemLeft | undefined>;
}
