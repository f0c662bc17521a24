/**
 * What the pod workers ask of the rest of the agent.
 *
 * @module
 */

import type { Clock, Random } from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { NameOwnership } from "./name_ownership.ts";
import type { PodEviction } from "../../pod/status/mod.ts";
import type { ResizeRefusal } from "../../pod/plan/mod.ts";

/** How one sync of a running pod ended. */
export type SyncResult =
  /** All is as it should be; look again at the resync period. */
  | {
    readonly kind: "settled";
    /** Look again no later than this, for the pod has a deadline. */
    readonly againMs?: number;
  }
  /** Something failed or waits; look again after `delayMs`. */
  | { readonly kind: "retry"; readonly delayMs: number }
  /** Another pod has the name: nothing was done, or what ran was stopped. */
  | { readonly kind: "held" }
  /** The pod reached Succeeded or Failed: nothing of it is to run any more. */
  | { readonly kind: "terminal" };

/** A pod on its way out; `pod` is absent for one that only the runtime knows. */
export interface EndingPod {
  readonly uid: string;
  readonly pod: Pod | undefined;
  /** `undefined` when the pod's own recorded grace applies (an orphan's). */
  readonly graceSeconds: number | undefined;
  /** Why the node takes it down; absent for a pod that was not evicted. */
  readonly eviction?: PodEviction;
  /** Its manifest is gone, or was; should it be wanted back, it begins anew. */
  readonly isRemoved?: true;
}

/**
 * The three things that can be done for one pod.
 *
 * The workers call at most one of them at a time for a pod UID.
 */
export interface PodSyncer {
  /**
   * Brings the pod one step nearer to its spec.
   *
   * @param options.nameOwnership asked when it is known what the runtime runs and before
   * anything is changed, also of a pod with which all is well: whether it has its name
   * @throws when the runtime cannot be asked, or something could not be done
   */
  sync(
    pod: Pod,
    options: {
      readonly nameOwnership: () => NameOwnership;
      readonly signal: AbortSignal;
    },
  ): Promise<SyncResult>;
  /**
   * Begins to pull the images of a pod that takes the place of another, of which it
   * waits for nothing.
   *
   * @param before the UID of the other
   * @returns whether the other, which runs, is to be kept running for the present
   */
  pullAhead(
    successor: Pod,
    options: { readonly before: string; readonly signal: AbortSignal },
  ): Promise<boolean>;
  /** Stops every container and sandbox. @throws when something still runs */
  terminate(ending: EndingPod, signal: AbortSignal): Promise<void>;
  /**
   * Hands over what a stopped pod leaves behind; waits for none of it to be removed.
   *
   * @param keep `all` for a pod that ended by itself and is still wanted, `status` for
   * one that was evicted (what it filled is freed), `logs` when the same UID starts
   * again, `nothing` when its manifest is gone
   */
  release(
    ending: EndingPod,
    keep: Retention,
    signal: AbortSignal,
  ): Promise<void>;
}

/** What is left of a pod that has ended. */
export type Retention = "all" | "status" | "logs" | "nothing";

/** What the runtime shows of pods by their name. */
export interface ListedNames {
  /**
   * The managed pods under a full name that were alive at the last list, by UID, and
   * since when in nanoseconds; `undefined` before the first list. A pod that ran before
   * and is to run again counts as one that is alive since the end of times.
   */
  alive(fullName: string): ReadonlyMap<string, bigint> | undefined;
}

/** Whether a pod that runs may have other resources. */
export interface ResizeJudge {
  /**
   * @param allocated the pod as it has its resources; the very same where it asks for
   * no others
   * @returns `undefined` when it may have what it asks for
   */
  judge(pod: Pod, allocated: Pod): ResizeRefusal | undefined;
  /** The last judgement on a pod that was refused. */
  refusalOf(uid: string): ResizeRefusal | undefined;
}

/** What the workers work with. */
export interface WorkersDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly syncer: PodSyncer;
  readonly names: ListedNames;
  /** A pod has ended, or is gone: what it held of the node is free. */
  readonly onCapacityFreed: () => void;
}

/** How often a settled pod is looked at although nothing happened (upstream syncFrequency). */
export interface WorkerOptions {
  /** @default 60_000 */
  readonly syncFrequencyMs: number;
}
