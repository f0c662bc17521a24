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

  memory(): Left {
    return this.left;
  }

  processes(): Promise<Left> {
    return Promise.resolve(this.pids);
  }

  cpuNanos(): bigint {
    return 90_000_000_000n;
  }

  fileSystem(): Promise<{ bytes: Left; inodes: Left }> {
    return this.isBlind
      ? Promise.reject(new Error("the disk does not answer"))
      : Promise.resolve({ bytes: this.disk, inodes: this.inodes });
  }
}
