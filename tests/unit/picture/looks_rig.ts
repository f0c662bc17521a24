/**
 * Single looks over a cache, with a runtime that a test plays.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import type { Moved } from "../../../mod/cri/events/mod.ts";
import type { ObservedContainer } from "../../../mod/pod/observed/mod.ts";
import { PodLooks } from "../../../mod/picture/pod_looks.ts";
import { PodCache } from "../../../mod/picture/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { seenContainer, seenPod, seenSandbox } from "../runtime/builders.ts";

type Look = (signal: AbortSignal) => Promise<void> | void;

/** A `PodLooks` that runs, and all around it. */
export class LooksRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly cache: PodCache = new PodCache();
  readonly busy: Set<string> = new Set();
  /** What was asked for, and when. */
  readonly asked: (readonly [string, number])[] = [];
  /** What a look does, by what `asked` says; nothing by default. */
  readonly does: Map<string, Look> = new Map();
  readonly looks: PodLooks;
  confirmed = 0;
  unknown = 0;
  isListNear = false;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: { readonly hasGlimpse?: boolean } = {}) {
    const { hasGlimpse = true } = options;
    const { clock, cache } = this;
    this.looks = new PodLooks({
      clock,
      log: silentLogger,
      cache,
      ownerOf: (id) => /^[cs]-(\w+)/.exec(id)?.[1],
      isOurs: (uid) => uid !== "alien",
      isBusy: (uid) => this.busy.has(uid),
      list: (uid, signal) => this.#ask(`list ${uid}`, signal),
      glimpse: hasGlimpse
        ? (uid, id, signal) => this.#ask(`glimpse ${uid} ${id}`, signal)
        : undefined,
      confirmed: () => this.confirmed++,
      unknown: () => this.unknown++,
      isListNear: () => this.isListNear,
    });
    this.#running = this.looks.run(this.#stop.signal);
  }

  /** Somebody has seen the pod: a sandbox and one container. */
  see(uid: string, container: Partial<ObservedContainer> = {}): void {
    const seen = seenContainer("c", {
      id: `c-${uid}`,
      sandboxId: `s-${uid}`,
      ...container,
    });
    const pod = seenPod({
      uid,
      sandboxes: [seenSandbox({ id: `s-${uid}` })],
      containers: [seen],
    });
    this.cache.set(uid, pod, this.clock.monotonic());
  }

  tell(what: Moved["what"], containerId: string, podUid?: string): void {
    this.looks.take({ kind: "moved", containerId, podUid, what, at: 0n });
  }

  /** When this was asked since the last call. */
  times(call: string): number[] {
    const times = this.asked.filter(([name]) => name === call)
      .map(([, atMs]) => atMs);
    this.asked.length = 0;
    return times;
  }

  /** Whether somebody who waits for a newer look at the pod has an answer yet. */
  wait(uid: string): { isOver: boolean; leave(): void } {
    const stop = new AbortController();
    const waiting = { isOver: false, leave: () => stop.abort(new Error()) };
    this.cache.getNewerThan(uid, this.clock.monotonic(), stop.signal)
      .then(() => waiting.isOver = true, () => {});
    return waiting;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("enough"));
    await this.#running;
    await this.looks[Symbol.asyncDispose]();
    strictEqual(this.clock.pendingTimers, 0);
  }

  async #ask(call: string, signal: AbortSignal): Promise<void> {
    this.asked.push([call, this.clock.monotonic()]);
    await this.does.get(call)?.(signal);
  }
}
