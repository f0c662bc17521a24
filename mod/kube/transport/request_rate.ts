/**
 * How many calls an API server gets in a time.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import type { ApiCaller, ApiRequest } from "./kube_transport.ts";

/** How often it is asked (the kubelet's kubeAPIQPS and kubeAPIBurst). */
export interface RequestLimits {
  /** In the long run; 0 or less for no limit. */
  readonly perSecond: number;
  /** At once, after a pause. */
  readonly burst: number;
}

/**
 * What does not wait for others, as upstream: by these a cluster knows that a node is alive,
 * and events have a bound of their own.
 */
const UNBOUND: readonly RegExp[] = [
  /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/kube-node-lease\//,
  /^\/api\/v1\/nodes\/[^/]+\/status$/,
  /^\/api\/v1\/namespaces\/[^/]+\/events(\/|$)/,
];

/**
 * A caller whose calls and streams share a bucket of tokens; who finds none waits for his
 * turn, before the time of his call begins. Heartbeats
 * and events take no tokens.
 */
export class RatedCaller implements ApiCaller {
  readonly #caller: ApiCaller;
  readonly #clock: Clock;
  readonly #limits: RequestLimits;
  /** When it is full again: a point in time, so that no parts of tokens add up. */
  #fullMs = -Infinity;

  constructor(
    deps: { readonly caller: ApiCaller; readonly clock: Clock },
    limits: RequestLimits,
  ) {
    this.#caller = deps.caller;
    this.#clock = deps.clock;
    this.#limits = limits;
  }

  async call(request: ApiRequest, signal: AbortSignal): Promise<unknown> {
    await this.#turn(request.path, signal);
    return await this.#caller.call(request, signal);
  }

  async stream(
    request: ApiRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    await this.#turn(request.path, signal);
    return await this.#caller.stream(request, signal);
  }

  async #turn(path: string, signal: AbortSignal): Promise<void> {
    const { perSecond, burst } = this.#limits;
    if (perSecond <= 0 || UNBOUND.some((each) => each.test(path))) return;
    const refillMs = 1_000 / perSecond;
    const nowMs = this.#clock.monotonic();
    this.#fullMs = Math.max(this.#fullMs, nowMs) + refillMs;
    const waitMs = this.#fullMs - nowMs - burst * refillMs;
    if (waitMs <= ROUNDING_MS) return;
    try {
      await this.#clock.sleep(waitMs, signal);
    } catch (error) {
      // Who has gone away leaves his turn to those who come.
      this.#fullMs -= refillMs;
      throw error;
    }
  }
}

/** A third of a second has no exact number. */
const ROUNDING_MS = 0.001;
