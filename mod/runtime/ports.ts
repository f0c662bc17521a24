/**
 * What this room needs from outside: the disk, and the builders of configurations.
 *
 * @module
 */

import type { Pod } from "../api/mod.ts";
import type { ContainerConfig, SandboxConfig } from "../cri/mod.ts";
import type {
  ContainerSpecInput,
  SandboxSpecInput,
  SpecResult,
} from "./spec_input.ts";

/** The few things done to the disk here. What is not there is never an error. */
export interface RuntimeFiles {
  /** Makes a directory and what is missing above it; one that exists is left alone. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** Writes a file in place, keeping its inode, and sets its mode whatever the umask. */
  write(path: string, content: string, mode: number): Promise<void>;
  /**
   * Writes a file that is not there yet, in a directory that may be missing too.
   *
   * @returns false, and nothing is done, when there is one
   */
  writeNew(path: string, content: string, mode: number): Promise<boolean>;
  /** At most the last `maxBytes` of a file; `undefined` when there is none. */
  readTail(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** The names in a directory; empty when there is none. */
  list(path: string): Promise<readonly string[]>;
  /** Removes a file, or a directory with all that is in it. */
  remove(path: string): Promise<void>;
}

/** Turns pods into what the runtime is asked for. Pure but for what it was made with. */
export interface SpecBuilder {
  /** The sandbox's configuration, its warnings told by the way. */
  sandbox(
    input: Pick<SandboxSpecInput, "pod" | "attempt">,
  ): SpecResult<SandboxConfig> & { readonly warnings?: readonly SpecWarning[] };
  container(
    input: Omit<ContainerSpecInput, "node">,
  ): SpecResult<ContainerConfig>;
  /** The content of the pod's `/etc/hosts`. */
  hostsFile(pod: Pod, podIps: readonly string[]): string;
  /** The node's own addresses, primary first: those of a pod on its network. */
  readonly nodeIps: readonly string[];
}

/** Something about a pod's configuration that its owner should hear. */
export interface SpecWarning {
  readonly reason: string;
  readonly message: string;
}
