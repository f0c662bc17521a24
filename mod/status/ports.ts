/**
 * Where statuses go, and what remembering them needs of the disk.
 *
 * @module
 */

import type { Pod, PodStatus } from "../api/types/mod.ts";
import type { StatusPatch } from "./status_patch.ts";

/** News of the status of one pod. */
export interface StatusUpdate {
  readonly uid: string;
  readonly pod: Pod;
  /** Rises with every change of a status. */
  readonly version: number;
  readonly status: PodStatus;
  /** Nothing of the pod runs, and nothing will. */
  readonly finished: boolean;
  /** Only what differs from the status that this sink took last. */
  readonly patch: StatusPatch;
}

/** What became of an update. */
export type StatusReceipt =
  | { readonly kind: "taken" }
  /** There is no place for it yet; the next change or flush brings it again. */
  | { readonly kind: "deferred" }
  /** The sink has no such pod any more (HTTP 404): this version is of no use there. */
  | { readonly kind: "gone" }
  /** Another pod bears the name: what is known of this one is dropped, and that one left alone. */
  | { readonly kind: "replaced" };

/**
 * Where statuses go. Of one pod it gets one update at a time and the newest only, of
 * several pods many at once.
 */
export interface StatusSink {
  /** Names the sink in logs, in snake_case. */
  readonly name: string;
  /**
   * Takes a status.
   *
   * @throws {Error} when it has to be tried again
   */
  put(update: StatusUpdate, signal: AbortSignal): Promise<StatusReceipt>;
  /**
   * Hears that a pod is gone.
   *
   * @throws {Error} when it has to be tried again
   */
  remove(uid: string, signal: AbortSignal): Promise<void>;
}

/** One small text a pod, in a directory that comes and goes with the pod. */
export interface RecordFiles {
  /**
   * Reads the text of a pod; `undefined` when it has none.
   *
   * @throws {Error} when it cannot be read
   */
  read(uid: string): Promise<string | undefined>;
  /**
   * Replaces the text of a pod as a whole.
   *
   * @param options.durable whether it survives a power cut once this resolves
   * @returns false when the pod has no directory, which is never made here
   * @throws {Error} when it cannot be written
   */
  write(
    uid: string,
    text: string,
    options: { readonly durable: boolean },
  ): Promise<boolean>;
}

/** One small text a pod, in memory that the next boot has forgotten. */
export interface RunRecordFiles {
  /**
   * Lists the pods that have a text; called once, before anything is written, and
   * removes what a crash left of a text that was being written.
   *
   * @throws {Error} when they cannot be listed
   */
  list(): Promise<readonly string[]>;
  /**
   * Reads the text of a pod; `undefined` when it has none.
   *
   * @throws {Error} when it cannot be read
   */
  read(uid: string): Promise<string | undefined>;
  /**
   * Replaces the text of a pod as a whole.
   *
   * @throws {Error} when it cannot be written
   */
  write(uid: string, text: string): Promise<void>;
  /**
   * Removes the text of a pod, if there is one.
   *
   * @throws {Error} when it cannot be removed
   */
  remove(uid: string): Promise<void>;
}
