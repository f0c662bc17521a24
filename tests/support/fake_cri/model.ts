/**
 * What the fake runtime knows of sandboxes and containers.
 *
 * @module
 */

import type * as wire from "../../../proto/gen/runtime/v1/api.ts";

/** A sandbox of the fake runtime; changes as its life goes on. */
export interface FakeSandbox {
  readonly id: string;
  readonly config: wire.PodSandboxConfig;
  readonly runtimeHandler: string;
  /** Nanoseconds since the epoch, no two alike. */
  readonly createdAt: bigint;
  state: "ready" | "not_ready";
  /** Empty with the node's network, and once stopped. */
  ip: string;
  /** What went over its network; unmeasured when absent. */
  network?: wire.NetworkUsage;
}

/** A container of the fake runtime; changes as its life goes on. */
export interface FakeContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly name: string;
  readonly config: wire.ContainerConfig;
  readonly imageId: string;
  /** Nanoseconds since the epoch, no two alike. */
  readonly createdAt: bigint;
  state: "created" | "running" | "exited";
  /** 0 until it has come. */
  startedAt: bigint;
  finishedAt: bigint;
  exitCode: number;
  reason: string;
  message: string;
  /** The limits in force. */
  resources: wire.LinuxContainerResources | undefined;
  /** What it has written outside of volumes; unmeasured when absent. */
  layerBytes?: bigint;
  /** What its working set is. */
  memoryBytes?: bigint;
  /** What of it was swapped out. */
  swapBytes?: bigint;
  /** For how long it has kept processors busy. */
  cpuNanos?: bigint;
  /** When both were measured. */
  measuredNanos?: bigint;
  /** How often its log was reopened. */
  logReopened: number;
}

/** How the processes of a container behave. */
export interface Behaviour {
  /** Ends by itself, so long after the start. */
  readonly exit?: { readonly code: number; readonly afterMs: number };
  /**
   * What SIGTERM does: ends it with a code after a while, or nothing, so that
   * SIGKILL must.
   *
   * @default { code: 143, afterMs: 0 }
   */
  readonly onTerm?: "ignore" | {
    readonly code: number;
    readonly afterMs: number;
  };
  /** Refuses to start with these words, and exits with 128. */
  readonly startError?: string;
}

/** What a command in a container does. */
export interface ExecScript {
  readonly stdout?: string;
  readonly stderr?: string;
  /** @default 0 */
  readonly exitCode?: number;
  /**
   * `Infinity` for one that never ends by itself.
   *
   * @default 0
   */
  readonly afterMs?: number;
  /** The runtime cannot run it; said after `afterMs`. */
  readonly error?: { readonly code: number; readonly details: string };
}

/** What a runtime says of an end besides its code. */
export interface ExitWhy {
  readonly reason?: string;
  readonly message?: string;
}

/** The end of a task, as containerd's own services have it. */
export interface TaskEnd {
  readonly code: number;
  /** Nanoseconds since the epoch. */
  readonly at: bigint;
}

/** A move of a sandbox or container. */
export interface Move {
  readonly kind: "created" | "started" | "stopped" | "deleted";
  /** Of the container, or of the sandbox itself. */
  readonly id: string;
  readonly sandboxId: string;
  /** Nanoseconds since the epoch. */
  readonly at: bigint;
  /** Of one that stopped. */
  readonly exit?: TaskEnd;
}

/** How a container's end is explained, as containerd does. */
export function exitReason(exitCode: number): string {
  return exitCode === 0 ? "Completed" : "Error";
}
