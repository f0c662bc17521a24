/**
 * What a runtime's own stream of events tells: where to look, never what is true.
 *
 * @module
 */

import type { ContainerExit } from "./container_exit.ts";

/** The streams that runtimes have: that of the CRI, and containerd's own. */
export type EventStreamName = "cri" | "containerd";

/** What a stream of events tells, or what became of it on the way. */
export type RuntimeEvent = Connected | ContainerEvent | Missed;

/** The stream is open; comes once, before everything else. */
export interface Connected {
  readonly kind: "connected";
  readonly stream: EventStreamName;
}

/** Moves were told and could not be kept: only a list shows them now. */
export interface Missed {
  readonly kind: "missed";
}

/**
 * A container or sandbox moved; see there for what is true.
 *
 * containerd's own stream tells of an end before the CRI of the same containerd shows
 * it, by 50 ms on an idle machine: it buries the process first. It tells of the end
 * twice, when the process has ended and when it is buried; the CRI follows the second
 * by some 20 ms. The stream of the CRI tells once, when the CRI shows it; but containerd
 * 1.7 tells each event to one of its readers alone, and for that still counts the last
 * one that left: the first event after a connection may be missing.
 */
export interface ContainerEvent {
  readonly kind: "moved";
  /** Of a container, or of a sandbox: nothing here tells them apart. */
  readonly containerId: string;
  /** The pod it belongs to, where the runtime says so: containerd's own stream never does. */
  readonly podUid: string | undefined;
  readonly what: "created" | "started" | "stopped" | "deleted" | "oom";
  /** How it ended, where that is told with a `stopped`: the CRI's stream never does. */
  readonly exit?: ContainerExit;
  /** When it was told, by the runtime: nanoseconds since the epoch. */
  readonly at: bigint;
}
