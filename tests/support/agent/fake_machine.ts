/**
 * A machine that has as much left as a test says.
 *
 * @module
 */

import type { Machine } from "../../../mod/usage/mod.ts";

const GI = 2 ** 30;

/** What is left of something. */
interface Left {
  capacity: number;
  available: number;
}

/** Of everything half is left; the file system is the same for all paths. */
export class FakeMachine implements Machine {
  readonly left: Left = { capacity: 8 * GI, available: 4 * GI };
  readonly disk: Left = { capacity: 100 * GI, available: 50 * GI };
  readonly pids: Left = { capacity: 1000, available: 500 };
  readonly inodes: Left = { capacity: 1000, available: 500 };
  /** Whether file systems cannot be asked. */
  isBlind = false;
  /** The path that is not there. */
  missing: string | undefined;
  /** Each path that was asked for, in order. */
  readonly asked: string[] = [];

  swap(): Left {
    return { capacity: GI, available: GI - 5 };
  }

  memory(): Left {
    return this.left;
  }

  processes(): Promise<Left> {
    return Promise.resolve(this.pids);
  }

  cpuNanos(): bigint {
    return 90_000_000_000n;
  }

  fileSystem(
    path: string,
  ): Promise<{ bytes: Left; inodes: Left } | undefined> {
    this.asked.push(path);
    if (this.isBlind) {
      return Promise.reject(new Error("the disk does not answer"));
    }
    const left = { bytes: this.disk, inodes: this.inodes };
    return Promise.resolve(path === this.missing ? undefined : left);
  }
}
