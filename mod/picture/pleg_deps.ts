/**
 * What relisting needs, and what it tells of itself.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { Logger, MetricsRegistry } from "../base/telemetry/mod.ts";
import type { RuntimeHint } from "../cri/events/mod.ts";
import type { ObservedPod } from "../pod/observed/mod.ts";
import type { PodCache } from "./cache.ts";
import type { PodPart } from "./pod_part.ts";
import type { ListService, PodListing } from "../runtime/observe/mod.ts";

/** What relisting needs. */
export interface PlegDeps {
  readonly runtime: ListService;
  readonly cache: PodCache;
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  readonly log: Logger;
  /** Looks closely at a pod of the list just made; keeps nothing. */
  readonly inspect: (
    listing: PodListing,
    signal: AbortSignal,
  ) => Promise<ObservedPod>;
  /**
   * Whether a pod is this agent's: others are listed, but neither looked at closely
   * nor told about. Asked anew at every list.
   *
   * @default every pod is
   */
  readonly isOurs?: (uid: string) => boolean;
  /**
   * Whether the agent is acting upon a pod right now: it looks at it afterwards
   * itself, so what the list shows of it meanwhile is not looked at closely.
   *
   * @default no pod is
   */
  readonly isBusy?: (uid: string) => boolean;
  /**
   * Follows the runtime's own stream of events until it ends. What it tells is never
   * believed, only looked at; see `stream_policy.ts` for what it saves.
   *
   * @default there is none
   */
  readonly hints?: (signal: AbortSignal) => AsyncIterable<RuntimeHint>;
  /**
   * Looks at one container of a pod that was seen before; keeps nothing. Resolves to
   * `undefined` when the container was not seen before.
   *
   * @default the pod is listed by itself in its place
   */
  readonly glimpse?: (
    uid: string,
    containerId: string,
    signal: AbortSignal,
  ) => Promise<PodPart | undefined>;
}

/** How often. */
export interface PlegOptions {
  /**
   * From the end of one list to the beginning of the next, in milliseconds; more while
   * the runtime's stream of events is proven to tell everything.
   */
  readonly relistPeriodMs: number;
}

/** Since when the runtime is not listed, and why. */
export interface RuntimeOutage {
  readonly message: string;
  /** Milliseconds since the epoch, by the wall clock as it goes now. */
  readonly sinceMs: number;
}

/** Whether the agent still hears of the runtime. */
export interface PlegHealth {
  readonly healthy: boolean;
  /** Empty when it is healthy. */
  readonly message: string;
}
