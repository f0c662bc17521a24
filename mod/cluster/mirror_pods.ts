/**
 * Keeps mirrors of the pods of manifests in a cluster.
 *
 * @module
 */

import { hasFailed } from "../api/access/mod.ts";
import type { Node } from "../api/cluster/mod.ts";
import { podRef } from "../api/objects/mod.ts";
import type { EventSink, Pod } from "../api/types/mod.ts";
import { podFullName } from "../api/vocabulary/mod.ts";
import { Bell, type Clock, nextDelay } from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import { mirrorPlan } from "./mirror_plan.ts";
import type { MirrorPod, PodClient } from "./ports.ts";

/** What keeping mirrors works with. */
export interface MirrorPodsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: EventSink;
  readonly client: PodClient;
  /** The pods of manifests; absent until all sources of manifests have spoken. */
  readonly wanted: () => readonly Pod[] | undefined;
  /** The pods that the cluster has for this node; absent until it has been asked. */
  readonly shown: () => readonly Pod[] | undefined;
  /** The node as the cluster has it; mirrors belong to it. */
  readonly node: () => Node | undefined;
}

/** Between attempts at what the API server refuses, or cannot be told. */
const RETRY = { baseMs: 1_000, maxMs: 300_000 };

/**
 * Makes, replaces and removes mirrors until they are as the manifests are. Nothing is ever
 * ended or started because of a mirror. What the API server refuses is told once, and
 * tried again with a back-off of five minutes at most.
 */
export class MirrorPods {
  readonly #deps: MirrorPodsDeps;
  readonly #bell = new Bell();
  #isWoken = false;
  /** What was refused, and how long to wait. */
  readonly #refused = new Map<
    string,
    { readonly untilMs: number; readonly delayMs: number }
  >();

  constructor(deps: MirrorPodsDeps) {
    this.#deps = { ...deps, log: deps.log.named("mirror") };
  }

  /** Looks again: manifests, the cluster's pods or its node have changed. */
  wake(): void {
    this.#isWoken = true;
    this.#bell.ring();
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    try {
      while (!signal.aborted) {
        this.#isWoken = false;
        await this.#sync(signal);
        const due = [...this.#refused.values()].map(({ untilMs }) => untilMs);
        const limit = { clock, untilMs: Math.min(Infinity, ...due) };
        if (!this.#isWoken) await this.#bell.wait(signal, limit);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const [wanted, shown, node] = [
      this.#deps.wanted(),
      this.#deps.shown(),
      this.#deps.node(),
    ];
    if (wanted === undefined || shown === undefined || node === undefined) {
      return;
    }
    const { remove, create } = mirrorPlan(wanted, shown, node);
    const wishes = [
      ...remove.map((mirror) => ({
        key: mirror.uid,
        act: () => this.#remove(mirror, signal),
      })),
      ...create.map(({ pod, mirror, hash }) => ({
        key: `${podFullName(pod)} ${hash}`,
        pod,
        act: () => this.#create(mirror, signal),
      })),
    ];
    const keys = new Set(wishes.map(({ key }) => key));
    for (const key of this.#refused.keys()) {
      if (!keys.has(key)) this.#refused.delete(key);
    }
    for (const wish of wishes) await this.#try(wish, signal);
  }

  async #remove(
    mirror: Parameters<PodClient["remove"]>[0],
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await this.#deps.client.remove(mirror, signal);
    } catch (error) {
      // Gone, or another one by now, which the watch will show.
      if (!hasFailed(error, "NotFound", "Conflict")) throw error;
    }
  }

  async #create(mirror: MirrorPod, signal: AbortSignal): Promise<void> {
    try {
      await this.#deps.client.create(mirror, signal);
    } catch (error) {
      // What it is the watch will show.
      if (!hasFailed(error, "AlreadyExists")) throw error;
    }
  }

  async #try(
    { key, pod, act }: {
      readonly key: string;
      readonly pod?: Pod;
      readonly act: () => Promise<void>;
    },
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, log, events } = this.#deps;
    const before = this.#refused.get(key);
    if (before !== undefined && clock.monotonic() < before.untilMs) return;
    try {
      await act();
      this.#refused.delete(key);
    } catch (error) {
      signal.throwIfAborted();
      const delayMs = nextDelay(before?.delayMs, RETRY);
      const untilMs = clock.monotonic() + delayMs;
      this.#refused.set(key, { untilMs, delayMs });
      if (before !== undefined) return;
      const reason = describeError(error);
      log.warn("mirror_failed", { mirror: key, reason });
      if (pod === undefined || !hasFailed(error, "Forbidden", "Invalid")) {
        return;
      }
      events.record(podRef(pod), {
        type: "Warning",
        reason: "FailedMirror",
        message:
          `The cluster does not show this pod, which runs all the same: ${reason}`,
      });
    }
  }
}
