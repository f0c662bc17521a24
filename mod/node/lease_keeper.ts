/**
 * Keeps a node's lease.
 *
 * @module
 */

import { ApiFailure, hasFailed } from "../api/access/mod.ts";
import type { Lease, Node } from "../api/cluster/mod.ts";
import {
  Bell,
  type Clock,
  jitter,
  nextDelay,
  type Random,
} from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import {
  type ForeignLease,
  foreignLease,
  heldForMs,
  type LeaseOwner,
  newLease,
  renewedLease,
} from "./lease_step.ts";
import type { LeaseClient } from "./ports.ts";

/** What keeping a lease works with. */
export interface LeaseKeeperDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly client: LeaseClient;
  /** The node of the lease; absent as long as the cluster does not know it. */
  readonly node: () => Node | undefined;
}

/**
 * Whose a lease is, as far as it is known:
 *
 * ```
 *  unknown ── there is none ──▶ free ── made ──▶ held ── not renewed for its length ──▶ unknown
 *     │                                           ▲ │
 *     ├── another's, which is alive ──▶ contended ┘◀┘
 *     └── no right to ask ──▶ untold
 * ```
 */
export type LeaseState =
  /** Nobody has answered yet, or not for so long that another one may have it now. */
  | "unknown"
  /** There is none, and no node that it could go with. */
  | "free"
  | "held"
  /** Another agent has it, and so is the node. */
  | "contended"
  /** The server lets nobody ask, so that no agent can notice another. */
  | "untold";

/** As upstream's maxUpdateRetries and its back-off for a lease that is not there. */
const UPDATE_TRIES = 5;
const ENSURE_RETRY = { baseMs: 100, maxMs: 7_000 };

/** How often of its length a lease is renewed, and by how much that varies. */
const RENEW_FRACTION = 0.25;
const JITTER = 0.04;

/**
 * Renews the lease of a node four times while it lasts, by a loop of its own, so that a slow
 * status never looks like a dead node.
 *
 * Two agents of one node name write one lease. The one that comes later sees that the
 * lease is another's, says so, and keeps off until that one has not renewed it for its
 * length; each one that finds another's sign of life in place of its own steps back.
 */
export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps;
  readonly #owner: LeaseOwner;
  readonly #changed = new Bell();
  readonly #bell = new Bell();
  #isWoken = false;
  #lease: Lease | undefined;
  #foreign: ForeignLease | undefined;
  #state: LeaseState = "unknown";
  /** When the call began by which it was renewed last. */
  #renewedMs = -Infinity;
  #isFailing = false;

  constructor(deps: LeaseKeeperDeps, owner: LeaseOwner) {
    this.#deps = { ...deps, log: deps.log.named("node") };
    this.#owner = owner;
  }

  /**
   * Whose it is now. What is held is so for its length: then another agent may have taken it,
   * whether this one could ask or was stopped.
   */
  get state(): LeaseState {
    const heldMs = this.#deps.clock.monotonic() - this.#renewedMs;
    const hasLapsed = heldMs >= this.#owner.durationSeconds * 1_000;
    return this.#state === "held" && hasLapsed ? "unknown" : this.#state;
  }

  /**
   * Waits until the state is another one, or `signal` aborts; never rejects. That a lease
   * lapses wakes nobody; that it is held again does.
   */
  async whenChanged(signal: AbortSignal): Promise<void> {
    await this.#changed.wait(signal);
  }

  /** Has a lease made at once that waits for its node: that is there now. */
  wake(): void {
    if (this.#state !== "free" && this.#state !== "unknown") return;
    this.#isWoken = true;
    this.#bell.ring();
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps;
    const renewMs = this.#owner.durationSeconds * 1_000 * RENEW_FRACTION;
    let delayMs: number | undefined;
    try {
      while (!signal.aborted) {
        const beganMs = clock.monotonic();
        this.#isWoken = false;
        const isDone = await this.#sync(signal);
        delayMs = isDone ? undefined : nextDelay(delayMs, ENSURE_RETRY);
        // What a slow server has taken is not waited for again.
        const tookMs = clock.monotonic() - beganMs;
        const restMs = jitter(random, renewMs, JITTER) - tookMs;
        const untilMs = clock.monotonic() + (delayMs ?? Math.max(0, restMs));
        const mayHaste = this.#state === "free";
        if (mayHaste && this.#isWoken) continue;
        if (mayHaste) await this.#bell.wait(signal, { clock, untilMs });
        else await clock.sleep(untilMs - clock.monotonic(), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** @returns whether the lease is as it should be */
  async #sync(signal: AbortSignal): Promise<boolean> {
    try {
      const isDone = await this.#renew(signal);
      if (isDone) this.#recovered();
      return isDone;
    } catch (error) {
      if (signal.aborted) throw error;
      this.#failed(error);
      // One that is known is renewed at its time; it may be there when that comes.
      return this.#lease !== undefined && !hasFailed(error, "NotFound");
    }
  }

  async #renew(signal: AbortSignal): Promise<boolean> {
    for (let tries = 1; tries <= UPDATE_TRIES; tries++) {
      const lease = this.#lease ??= await this.#find(signal);
      if (lease !== undefined && !this.#mayWrite(lease)) {
        // Read anew at its time.
        this.#lease = undefined;
        return true;
      }
      try {
        if (lease === undefined) return await this.#create(signal);
        await this.#update(lease, signal);
        return true;
      } catch (error) {
        const isOld = lease === undefined
          ? hasFailed(error, "AlreadyExists")
          : hasFailed(error, "Conflict", "NotFound");
        if (isOld) this.#lease = undefined;
        if (!isOld || tries === UPDATE_TRIES) throw error;
      }
    }
    return false;
  }

  async #find(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#deps.client.get(signal);
    } catch (error) {
      if (hasFailed(error, "NotFound")) return undefined;
      throw error;
    }
  }

  /** A lease without its node would stay for good when the node goes. */
  async #create(signal: AbortSignal): Promise<boolean> {
    const { client, clock } = this.#deps;
    const node = this.#deps.node();
    if (node === undefined) {
      this.#set("free");
      return false;
    }
    const beganMs = clock.monotonic();
    const lease = newLease(this.#owner, node, clock.now());
    this.#lease = await client.create(lease, signal);
    this.#hold(beganMs);
    return true;
  }

  async #update(lease: Lease, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#deps;
    const now = { nowMs: clock.now(), node: this.#deps.node() };
    const next = renewedLease(lease, this.#owner, now);
    const beganMs = clock.monotonic();
    this.#lease = await client.update(next, signal);
    this.#foreign = undefined;
    this.#hold(beganMs);
  }

  /** One that had lapsed is another state than before, although nothing said so then. */
  #hold(beganMs: number): void {
    const before = this.state;
    this.#renewedMs = beganMs;
    this.#state = "held";
    if (before !== "held") this.#changed.ring();
  }

  #mayWrite(lease: Lease): boolean {
    const { clock, log } = this.#deps;
    const nowMs = clock.monotonic();
    const before = this.#foreign;
    const foreign = foreignLease(lease, this.#owner, { before, nowMs });
    this.#foreign = foreign;
    if (foreign === undefined) return true;
    const leftMs = heldForMs(foreign, this.#owner, nowMs);
    if (leftMs === 0) return true;
    if (this.#state !== "contended") {
      log.error("node_name_taken", {
        node: this.#owner.nodeName,
        agent: foreign.agentId,
        note:
          "Another agent has joined under this node name; this one keeps off until that one is silent. Give one of them another --hostname-override",
      });
    }
    this.#set("contended");
    return false;
  }

  #set(state: LeaseState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#changed.ring();
  }

  #failed(error: unknown): void {
    const { state } = this;
    // A lease that can be kept nowhere is answered with NotFound.
    const isRefused = hasFailed(error, "Forbidden", "NotFound");
    if (state === "unknown" || state === "free") {
      this.#set(isRefused ? "untold" : "unknown");
    }
    if (this.#isFailing) return;
    this.#isFailing = true;
    const isApi = error instanceof ApiFailure;
    const reason = isApi ? error.reason : undefined;
    this.#deps.log.error("lease_not_renewed", {
      error: describeError(error),
      ...(reason !== undefined && { reason }),
    });
  }

  #recovered(): void {
    if (this.#isFailing) this.#deps.log.info("lease_renewed", {});
    this.#isFailing = false;
  }
}
