/**
 * Measures what the node has left.
 *
 * @module
 */

import type { AmountLeft, FileSystemLeft } from "../host/machine/mod.ts";
import type { Machine, PodsMemory } from "./ports.ts";

/** What is left; what could not be measured is `undefined`. */
export interface NodeFigures {
  readonly memory: AmountLeft | undefined;
  /** A capacity of 0 without swap. */
  readonly swap: AmountLeft | undefined;
  /** `undefined` where nothing shows them. */
  readonly processes: AmountLeft | undefined;
  /** Nanoseconds that all processors together have worked since the boot. */
  readonly cpuNanos: bigint | undefined;
  /** Where pods' volumes and logs lie. */
  readonly nodeFs: FileSystemLeft | undefined;
  /** Where the runtime keeps images and writable layers. */
  readonly imageFs: FileSystemLeft | undefined;
  /** Where the runtime keeps writable layers, if that is a disk of their own. */
  readonly containerFs: FileSystemLeft | undefined;
  /** What is left to all pods together; `undefined` when they are not limited so. */
  readonly podsMemory: AmountLeft | undefined;
}

/** Where the file systems are found. */
export interface NodeMeterPaths {
  readonly nodeFs: string;
  /** Absent when nothing shows the runtime's file system. */
  readonly imageFs?: string;
  /** Absent when nothing shows a file system of writable layers alone. */
  readonly containerFs?: string;
  /** The directory that shows how many processes there are, and may be. */
  readonly processes?: string;
}

/** Measures the node when it is asked; it keeps nothing. */
export class NodeMeter {
  readonly #machine: Machine;
  readonly #podsMemory: PodsMemory;
  readonly #paths: NodeMeterPaths;

  constructor(
    deps: { readonly machine: Machine; readonly podsMemory: PodsMemory },
    paths: NodeMeterPaths,
  ) {
    this.#machine = deps.machine;
    this.#podsMemory = deps.podsMemory;
    this.#paths = paths;
  }

  /** What is left now. */
  async measure(): Promise<NodeFigures> {
    const machine = this.#machine;
    const { nodeFs, imageFs, containerFs, processes } = this.#paths;
    return {
      memory: plausible(machine.memory()),
      swap: machine.swap(),
      cpuNanos: machine.cpuNanos(),
      processes: await found(processes, (path) => machine.processes(path)),
      nodeFs: await found(nodeFs, (path) => machine.fileSystem(path)),
      imageFs: await found(imageFs, (path) => machine.fileSystem(path)),
      containerFs: await found(containerFs, (path) => machine.fileSystem(path)),
      podsMemory: await found("", () => this.#podsMemory()),
    };
  }
}

async function found<Figures>(
  path: string | undefined,
  ask: (path: string) => Promise<Figures | undefined>,
): Promise<Figures | undefined> {
  try {
    return path === undefined ? undefined : await ask(path);
  } catch {
    // A disk that cannot be asked is not one that is full.
    return undefined;
  }
}

/** A kernel that tells nothing of free memory says 0 in all. */
function plausible(memory: AmountLeft): AmountLeft | undefined {
  return memory.capacity > 0 ? memory : undefined;
}
