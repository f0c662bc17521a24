/**
 * A probe manager on a clock that stands still, with a runner that answers as told.
 *
 * @module
 */

import { type Clock, Sessions } from "../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import type { Pod, PodEvent, Probe } from "../../../mod/api/types/mod.ts";
import type {
  ObservedContainer,
  ObservedPod,
} from "../../../mod/pod/observed/mod.ts";
import type {
  ProbeChange,
  ProbeResult,
  ProbeRunner,
  ProbeTarget,
} from "../../../mod/prober/ports.ts";
import { ProbeManager } from "../../../mod/prober/probe_manager.ts";
import { FakeClock } from "../fake_clock.ts";
import { observed, seen } from "../observed_pods.ts";
import { container, pod, type PodDraft } from "../pods.ts";
import { eventsTo } from "../event_list.ts";

/** A probe that is known by its one word. */
export function asks(word: string, rest: Partial<Probe> = {}): Probe {
  return { exec: { command: [word] }, periodSeconds: 10, ...rest };
}

/** A pod with one container `a` that has these probes. */
export function probedPod(
  probes: {
    readonly liveness?: Probe;
    readonly readiness?: Probe;
    readonly startup?: Probe;
  },
  rest: PodDraft = {},
): Pod {
  const { liveness, readiness, startup } = probes;
  return pod({
    containers: [container("a", {
      ...(liveness && { livenessProbe: liveness }),
      ...(readiness && { readinessProbe: readiness }),
      ...(startup && { startupProbe: startup }),
    })],
    ...rest,
  });
}

/** How an attempt is answered. */
export type AttemptAnswer =
  | ProbeResult["kind"]
  | ProbeResult
  | Promise<ProbeResult>;

/** One attempt as the runner was asked for it. */
export interface Asked {
  readonly word: string;
  readonly containerId: string;
  /** Seconds on the monotonic clock. */
  readonly atS: number;
  /** How many commands before it hung. */
  readonly hung: number;
}

/** Answers each attempt as its script says, success when there is none. */
export class ScriptedRunner implements ProbeRunner {
  readonly asked: Asked[] = [];
  readonly aborted: string[] = [];
  readonly #clock: Clock;
  readonly #scripts = new Map<string, (nth: number) => AttemptAnswer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sets how attempts of the probe of this word end; `nth` counts from 0. */
  script(word: string, answer: (nth: number) => AttemptAnswer): void {
    this.#scripts.set(word, answer);
  }

  /** When the probe of this word was asked, in seconds. */
  times(word: string): number[] {
    return this.asked.filter((one) => one.word === word).map((one) => one.atS);
  }

  async run(
    probe: Probe,
    { containerId, hung }: ProbeTarget,
    signal: AbortSignal,
  ): Promise<ProbeResult> {
    const word = probe.exec?.command?.[0] ?? "";
    const nth = this.times(word).length;
    const atS = this.#clock.monotonic() / 1000;
    this.asked.push({ word, containerId, atS, hung });
    const answer = this.#scripts.get(word)?.(nth) ?? "success";
    const result = typeof answer === "string"
      ? { kind: answer, message: answer }
      : answer;
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = (): void => {
      this.aborted.push(word);
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      return await Promise.race([result, promise]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }
}

/** A clock whose process can stand still: time passes, and timers fire late. */
export class StallingClock extends FakeClock {
  #stalledMs = 0;

  override monotonic(): number {
    return super.monotonic() + this.#stalledMs;
  }

  override now(): number {
    return super.now() + this.#stalledMs;
  }

  /** Time passes and nothing of this process runs. */
  stall(ms: number): void {
    this.#stalledMs += ms;
  }
}

/** The manager with everything around it. */
export class ProberRig implements AsyncDisposable {
  readonly clock: StallingClock = new StallingClock();
  readonly runner: ScriptedRunner = new ScriptedRunner(this.clock);
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly events: PodEvent[] = [];
  readonly changes: ProbeChange[] = [];
  readonly memory: Map<string, { ready: boolean; started: boolean }> =
    new Map();
  readonly sessions: Sessions = new Sessions();
  readonly manager: ProbeManager;
  readonly #observed = new Map<string, ObservedPod>();
  readonly #stop = new AbortController();
  #reading: Promise<void> = Promise.resolve();

  /** Reads changes from the beginning unless told otherwise. */
  constructor(
    options: { readonly random?: () => number; readonly reading?: false } = {},
  ) {
    this.manager = new ProbeManager({
      clock: this.clock,
      random: { next: options.random ?? (() => 0.5) },
      log: silentLogger,
      metrics: this.metrics,
      events: eventsTo(this.events),
      pods: {
        observed: (uid) => this.#observed.get(uid),
        podIps: (_, { ips }) => ips,
      },
      memory: { remembered: (id) => this.memory.get(id) },
      runner: this.runner,
      sessions: this.sessions,
    });
    if (options.reading ?? true) this.read();
  }

  /** Begins to read changes. */
  read(): void {
    this.#reading = this.#read();
  }

  /** Shows containers of a pod, without a word to the manager. */
  place(containers: readonly ObservedContainer[], uid = "u-1"): void {
    this.#observed.set(uid, { ...observed(containers), uid });
  }

  /** Shows containers of a pod and says so. */
  show(containers: readonly ObservedContainer[], uid = "u-1"): void {
    this.place(containers, uid);
    this.manager.look(uid);
  }

  /** Lets seconds pass. */
  async pass(seconds: number): Promise<void> {
    await this.clock.advance(seconds * 1000);
  }

  /** The changes so far as `kind verdict` words. */
  get told(): string[] {
    return this.changes.map(({ kind, verdict }) => `${kind} ${verdict}`);
  }

  /** Ends the agent. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#reading;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  async #read(): Promise<void> {
    for await (const change of this.manager.run(this.#stop.signal)) {
      this.changes.push(change);
    }
  }
}

/** A running container `a` with this id. */
export function runningContainer(
  id: string,
  rest: Partial<ObservedContainer> = {},
): ObservedContainer {
  return seen("a", { id, ...rest });
}

/** A container `a` that has ended. */
export function exited(id: string): ObservedContainer {
  return seen("a", { id, state: "exited", exitCode: 1 });
}
