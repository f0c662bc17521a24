/**
 * What one pod uses of the node, as far as it was measured.
 *
 * @module
 */

/** What lies on a file system. */
export interface StoredAmount {
  readonly bytes: number;
  /** Files and directories. */
  readonly inodes: number;
}

/** What one container uses; what is `undefined` was not measured. */
export interface ContainerUse {
  readonly name: string;
  /** `undefined` while it does not run. */
  readonly memoryBytes: number | undefined;
  /** What it wrote outside of volumes. */
  readonly layer: StoredAmount | undefined;
  readonly logs: StoredAmount | undefined;
}

/** What one pod uses. */
export interface PodUse {
  /** In the order of the spec, init containers first. */
  readonly containers: readonly ContainerUse[];
  /** Of emptyDirs in memory, with a limit or without. */
  readonly inMemoryBytes: number;
  /** Of emptyDirs on disk, the hosts file and termination messages. */
  readonly files: StoredAmount;
}
