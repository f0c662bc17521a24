/**
 * What the logs need of the rest of the agent.
 *
 * @module
 */

import type { PodRef } from "../api/types/mod.ts";
import type { CallOptions } from "../cri/model/mod.ts";

/** Where the log of one run of a container lies, below the directory of all logs. */
export interface LogPlace {
  /** The name of the pod's directory. */
  readonly podDirectory: string;
  /** The name of the container's directory in it. */
  readonly directory: string;
  /** The name of the file that is written to, such as `0.log`. */
  readonly file: string;
}

/** The log of a container that runs. */
export interface RunningLog extends LogPlace {
  readonly pod: PodRef;
  readonly container: string;
  readonly containerId: string;
}

/** The part of the runtime that opens logs again. */
export interface LogRuntime {
  reopenContainerLog(containerId: string, options?: CallOptions): Promise<void>;
}
