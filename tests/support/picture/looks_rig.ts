/**
 * Due looks over a picture, with a runtime that a test plays.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import type { ContainerEvent } from "../../../mod/cri/events/mod.ts";
import type { ObservedContainer } from "../../../mod/pod/observed/mod.ts";
import { ListPace } from "../../../mod/picture/list_pace.ts";
import { PodLooks, type PodLooksDeps } from "../../../mod/picture/pod_looks.ts";
import { RuntimePicture } from "../../../mod/picture/runtime_picture.ts";
import { FakeClock } from "../fake_clock.ts";
import { observed, sandbox, seen } from "../observed_pods.ts";

type Look = (signal: AbortSignal) => Promise<void> | void;

/** A pace that notes what it hears, and is as near as a test says. */
class PlayedPace extends ListPace {
  confirmed = 0;
  pulled = 0;
  isListNear = false;

  override get isNear(): boolean {
    return this.isListNear;
  }

  override confirm(): void {
    this.confirmed++;
  }

  override pull(): void {
    this.pulled++;
  }
}

/** Due looks whose calls a test plays. */
class PlayedLooks extends PodLooks {
  readonly #ask: (call: string, signal: AbortSignal) => Promise<void>;

  constructor(
    deps: PodLooksDeps,
    ask: (call: string, signal: AbortSignal) => Promise<void>,
  ) {
    super(deps);
    this.#ask = ask;
  }

  override list(uid: string, signal: AbortSignal): Promise<void> {
    return this.#ask(`list ${uid}`, signal);
  }

  override inspect(
    uid: string,
    id: string,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#ask(`inspect ${uid} ${id}`, signal);
  }
}

/** A `PodLooks` that runs, and all around it. */
export class LooksRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly pace: PlayedPace = new PlayedPace({
    clock: this.clock,
    metrics: new MetricsRegistry(),
  }, { relistPeriodMs: 1_000 });
  readonly picture: RuntimePicture = new RuntimePicture({
    clock: this.clock,
    pace: this.pace,
    managed: { has: (uid) => uid !== "alien" },
  });
  /** What was asked for, and when. */
  readonly asked: (readonly [string, number])[] = [];
  /** What a look does, by what `asked` says; nothing by default. */
  readonly does: Map<string, Look> = new Map();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor() {
    const { clock, picture, pace } = this;
    const looks = new PlayedLooks({
      clock,
      picture,
      pace,
      log: silentLogger,
      metrics: new MetricsRegistry(),
      runtime: {
        listContainers: () => Promise.resolve([]),
        listPodSandbox: () => Promise.resolve([]),
      },
      observer: {
        inspect: () => Promise.reject(new Error("not played")),
        inspectContainer: () => Promise.reject(new Error("not played")),
      },
      changes: { publish: () => {} },
    }, (call, signal) => this.#play(call, signal));
    this.#running = looks.run(this.#stop.signal);
    // So that the owners of ids are known by their names.
    picture.ownerOf = (id) => /^[cs]-(\w+)/.exec(id)?.[1];
  }

  /** Somebody has seen the pod: a sandbox and one container. */
  see(uid: string, container: Partial<ObservedContainer> = {}): void {
    const [id, sandboxId] = [`c-${uid}`, `s-${uid}`];
    const pod = observed([seen("c", { id, sandboxId, ...container })], [
      sandbox({ id: sandboxId }),
    ]);
    this.picture.record(uid, { ...pod, uid }, this.clock.monotonic());
  }

  announce(
    what: ContainerEvent["what"],
    containerId: string,
    podUid?: string,
  ): void {
    this.picture.announce({ kind: "moved", containerId, podUid, what, at: 0n });
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
    this.picture.latest(uid, {
      newerThanMs: this.clock.monotonic(),
      signal: stop.signal,
    })
      .then(() => waiting.isOver = true, () => {});
    return waiting;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("enough"));
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }

  async #play(call: string, signal: AbortSignal): Promise<void> {
    this.asked.push([call, this.clock.monotonic()]);
    await this.does.get(call)?.(signal);
  }
}
