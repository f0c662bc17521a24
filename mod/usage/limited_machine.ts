/**
 * What the machine says of itself, without waiting for a disk that hangs.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import { TimeLimit } from "../host/files/mod.ts";
import type { Machine } from "./ports.ts";

/**
 * The same machine, but a file system that does not answer in time rejects: the rest of the
 * node is measured all the same, and no look at it keeps a thread for files for good.
 */
export function limitMachine(machine: Machine, clock: Clock): Machine {
  const limit = limitOn(clock);
  return {
    ...machine,
    fileSystem: (path) => limit.run(path, () => machine.fileSystem(path)),
  };
}

/** Says on which device a path is. */
type StatPath = (path: string) => Promise<Pick<Deno.FileInfo, "dev">>;

/** Which disks paths are on; one that does not answer counts as one that is not there. */
export class Devices {
  readonly #limit: TimeLimit;
  readonly #stat: StatPath;

  constructor(deps: { readonly clock: Clock; readonly stat: StatPath }) {
    this.#stat = deps.stat;
    this.#limit = limitOn(deps.clock);
  }

  /** Whether both are there, on two disks. */
  async differ(a: string, b: string): Promise<boolean> {
    const [first, second] = await Promise.all([this.#of(a), this.#of(b)]);
    // Where one of them is not there, nothing says that they differ.
    return first !== undefined && second !== undefined && first !== second;
  }

  /** Whether they are on one disk, or neither is there. */
  async areSame(a: string, b: string): Promise<boolean> {
    return await this.#of(a) === await this.#of(b);
  }

  async #of(path: string): Promise<number | undefined> {
    try {
      return (await this.#limit.run(path, () => this.#stat(path))).dev;
    } catch {
      return undefined;
    }
  }
}

function limitOn(clock: Clock): TimeLimit {
  return new TimeLimit(clock, { limitMs: LIMIT_MS, asksAgain: true });
}

// A healthy disk answers in milliseconds.
const LIMIT_MS = 3000;
