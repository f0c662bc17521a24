/**
 * The events of a runtime's own stream. They say where to look, never what is true.
 *
 * @module
 */

import type { ContainerExit } from "./container_exit.ts";

/** The streams that runtimes have: that of the CRI, and containerd's own. */
export type EventStreamName = "cri" | "containerd";

/** What a stream of events delivers, or that some of it was lost. */
export type RuntimeEvent = Connected | ContainerEvent | Missed;

/** The stream is open; comes once, before everything else. */
export interface Connected {
  readonly kind: "connected";
  readonly stream: EventStreamName;
}

/** Events were dropped for lack of room: only a list shows what moved. */
export interface Missed {
  readonly kind: "missed";
}

/**
 * A container or sandbox moved; a look at it shows what is true.
 *
 * containerd's own stream reports an end some 50 ms before the CRI of the same containerd
 * shows it (on an idle machine), since the CRI waits until the process is cleaned up. The
 * stream reports the end twice: when the process has ended and when it is cleaned up. The
 * CRI follows the second by some 20 ms.
 *
 * The stream of the CRI reports an end once, when the CRI shows it. But containerd 1.7
 * sends each event to only one of its readers, and still counts the last reader that left:
 * the first event after a connection may be missing.
 */
export interface ContainerEvent {
  readonly kind: "moved";
  /** Of a container or of a sandbox; the event does not say which. */
  readonly containerId: string;
  /** The pod it belongs to, where the runtime says so: containerd's own stream never does. */
  readonly podUid: string | undefined;
  readonly what: "created" | "started" | "stopped" | "deleted" | "oom";
  /** How it ended, if a `stopped` says so; in the CRI's stream it never does. */
  readonly exit?: ContainerExit;
  /** When the runtime sent it: nanoseconds since the epoch. */
  readonly at: bigint;
}
