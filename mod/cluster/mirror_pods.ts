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
import type { PodClient } from "./ports.ts";

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
  /** Whether a pod that none of the manifests has is none of a source that is silent. */
  readonly isComplete: () => boolean;
  /** Whether a pod of a manifest is known not to be over. */
  readonly lives: (pod: Pod) => boolean;
  /** The pods of manifests that end here, by full name; absent while that is not known. */
  readonly ending: () => ReadonlyMap<string, MirrorEnd> | undefined;
}

/** How far the end of a pod is: it `runs`, or the cluster is `untold` how it has ended. */
export type MirrorEnd = "runs" | "untold";

/** Between attempts at what the API server refuses, or cannot be told. */
const RETRY = { baseMs: 1_000, maxMs: 300_000 };

/** While pods end, how often it is asked whether they have; less often the longer it takes. */
const LOOK = { baseMs: 100, maxMs: 2_000 };

/** A status that the API server does not take keeps no mirror for good. */
const UNTOLD_MS = 10_000;

/**
 * Makes, replaces and removes mirrors until they are as the manifests are. Nothing is ever
 * ended or started because of a mirror. While a pod ends its mirror stays and shows that.
 * What the API server refuses is told once, and tried again with a back-off of five minutes
 * at most.
 */
export class MirrorPods {
  readonly #deps: MirrorPodsDeps;
  readonly #bell = new Bell();
  #isWoken = false;
  /** What was refused, and how long to wait. */
  readonly #refused = new Map<
    string,
    {
      readonly untilMs: number;
      readonly delayMs: number;
      readonly isTold: boolean;
    }
  >();
  #lookMs: number | undefined;
  /** Of names whose pods have ended: when that was seen first. */
  #untold: ReadonlyMap<string, number> = new Map();

  constructor(deps: MirrorPodsDeps) {
    this.#deps = { ...deps, log: deps.log.named("mirror") };
  }

  /** Looks again: manifests, the cluster's pods or its node have changed. */
  wake(): void {
    this.#lookMs = undefined;
    this.#isWoken = true;
    this.#bell.ring();
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    try {
      while (!signal.aborted) {
        this.#isWoken = false;
        const next = await this.#sync(signal);
        const isWaiting = next === "waiting";
        this.#lookMs = isWaiting ? nextDelay(this.#lookMs, LOOK) : undefined;
        const lookMs = clock.monotonic() + (this.#lookMs ?? Infinity);
        // What cannot be judged now is not due, however long it has waited.
        const due = next === "unknown"
          ? []
          : [...this.#refused.values()].map(({ untilMs }) => untilMs);
        const limit = { clock, untilMs: Math.min(lookMs, ...due) };
        if (!this.#isWoken) await this.#bell.wait(signal, limit);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /**
   * @returns whether something waits for what wakes nobody; `unknown` when it is not known
   * what there is to be, and whatever makes that known wakes
   */
  async #sync(signal: AbortSignal): Promise<"waiting" | "done" | "unknown"> {
    const [wanted, shown, node] = [
      this.#deps.wanted(),
      this.#deps.shown(),
      this.#deps.node(),
    ];
    if (wanted === undefined || shown === undefined || node === undefined) {
      return "unknown";
    }
    const { remove, create, isWaiting } = mirrorPlan(wanted, shown, {
      node,
      ending: this.#ending(),
      isComplete: this.#deps.isComplete(),
      lives: this.#deps.lives,
    });
    const wishes = [
      ...remove.map((mirror) => ({
        key: mirror.uid,
        act: () => this.#remove(mirror, signal),
      })),
      ...create.map(({ pod, mirror, hash }) => ({
        key: `${podFullName(pod)} ${hash}`,
        pod,
        act: () => this.#deps.client.create(mirror, signal),
      })),
    ];
    const keys = new Set(wishes.map(({ key }) => key));
    for (const key of this.#refused.keys()) {
      if (!keys.has(key)) this.#refused.delete(key);
    }
    for (const wish of wishes) await this.#try(wish, signal);
    return isWaiting ? "waiting" : "done";
  }

  #ending(): ReadonlySet<string> | undefined {
    const ending = this.#deps.ending();
    if (ending === undefined) return undefined;
    const nowMs = this.#deps.clock.monotonic();
    this.#untold = new Map(
      [...ending].filter(([_name, how]) => how === "untold")
        .map(([name]) => [name, this.#untold.get(name) ?? nowMs]),
    );
    const isOver = (name: string): boolean =>
      nowMs - (this.#untold.get(name) ?? nowMs) >= UNTOLD_MS;
    return new Set([...ending.keys()].filter((name) => !isOver(name)));
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

  async #try(
    { key, pod, act }: {
      readonly key: string;
      readonly pod?: Pod;
      readonly act: () => Promise<unknown>;
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
      const isTaken = hasFailed(error, "AlreadyExists");
      // At first the watch may only be late to show the mirror.
      const isTold = before !== undefined || !isTaken;
      this.#refused.set(key, { untilMs, delayMs, isTold });
      if (!isTold || before?.isTold === true) return;
      const reason = isTaken
        ? "the cluster has another pod of this name, which is not on this node"
        : describeError(error);
      log.warn("mirror_failed", { mirror: key, reason });
      const isLasting = hasFailed(
        error,
        "AlreadyExists",
        "Forbidden",
        "Invalid",
      );
      if (pod === undefined || !isLasting) return;
      events.record(podRef(pod), {
        type: "Warning",
        reason: "FailedMirror",
        message:
          `The cluster does not show this pod, which runs all the same: ${reason}`,
      });
    }
  }
}
