/**
 * One probe of one container: waits until it is due, asks, and keeps what was said.
 *
 * @module
 */

import { type Clock, type Moment, momentOf, wallTimeOf } from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { ContainerSpec, EventSink, Pod, Probe } from "../api/types/mod.ts";
import {
  type ContainerSight,
  countOutcome,
  delayedUntil,
  dueAfter,
  firstDue,
  isMissed,
  observeContainer,
  type PastAttempt,
  pauseOf,
  type ProbeKind,
  type ProbeNumbers,
  probeNumbers,
  type ProbeSchedule,
  type ProbeState,
  tickAfter,
  UNSEEN,
} from "../pod/probes/mod.ts";
import type { ProbeVerdict } from "../pod/plan/mod.ts";
import { ContainerEvents } from "../runtime/account/mod.ts";
import type {
  ProbeChange,
  ProbeReport,
  ProbeResult,
  ProbeRunner,
} from "./ports.ts";
import { recordFault } from "./probe_fault.ts";
import type { ProbeMetrics, ProbeSeries } from "./probe_metrics.ts";

/** What a worker needs. */
export interface WorkerDeps {
  readonly clock: Clock;
  readonly events: EventSink;
  readonly metrics: ProbeMetrics;
  readonly runner: ProbeRunner;
  /** The addresses of the pod now, the primary first. */
  readonly podIps: (pod: Pod) => readonly string[];
  /** Takes each verdict that is not what it was; returns at once. */
  readonly publish: (change: ProbeChange) => void;
}

/** What is asked, and of whom. */
export interface ProbeSubject {
  readonly pod: Pod;
  readonly container: ContainerSpec;
  readonly probe: Probe;
}

/** A command that outlives its attempt, and how that one ended. */
type Leftover = Required<Pick<ProbeResult, "kind" | "over">>;

/** An attempt that says nothing is made again at once, this often (maxProbeRetries). */
const MAX_TRIES = 3;

/**
 * Probes that are due within this time wake the agent together, which saves a third of
 * what 500 of them cost and delays each less than a busy machine does.
 */
const WAKE_GRID_MS = 10;

/** What a worker does: `idle ⇄ armed → asking → idle`, and each of them `→ ended`. */
type Phase =
  /** Nothing is to be asked at present. */
  | { readonly kind: "idle" }
  | { readonly kind: "armed"; readonly timer: Disposable }
  | { readonly kind: "asking"; readonly cancel: AbortController }
  /** Asks no more, whatever is seen. */
  | { readonly kind: "ended" };

const IDLE: Phase = { kind: "idle" };

const STILL_RUNS = "The command of an earlier attempt still runs";

/**
 * Runs one probe. At most one attempt is in flight, and one timer is set only while
 * there is something to wait for.
 */
export class ProbeWorker implements Disposable {
  readonly kind: ProbeKind;
  readonly #deps: WorkerDeps;
  readonly #series: ProbeSeries;
  #subject: ProbeSubject;
  #numbers: ProbeNumbers;
  #schedule: ProbeSchedule;
  #state: ProbeState = UNSEEN;
  /** The last sight of the container that runs. */
  #running: (ContainerSight & { kind: "running" }) | undefined;
  /** Whether the container has passed its startup probe or has none. */
  #started = false;
  #phase: Phase = IDLE;
  /** What an attempt began that goes on after its verdict. */
  #leftover: Leftover | undefined;
  /** How many attempts in a row left something behind. */
  #hung = 0;
  #last: (Pick<ProbeResult, "kind" | "message"> & { at: Moment }) | undefined;
  /** When the first of those attempts ended that ended the same way since. */
  #runBegan: Moment | undefined;

  /** Begins at `anchorMs` on the monotonic clock to count periods. */
  constructor(
    deps: WorkerDeps,
    options: {
      readonly kind: ProbeKind;
      readonly subject: ProbeSubject;
      readonly anchorMs: number;
    },
  ) {
    const { kind, subject, anchorMs } = options;
    this.kind = kind;
    this.#deps = deps;
    this.#subject = subject;
    this.#numbers = probeNumbers(subject.probe);
    this.#schedule = { anchorMs, periodMs: this.#numbers.periodMs };
    const { pod, container } = subject;
    this.#series = deps.metrics.of(pod, container.name, kind);
  }

  /** What counts for this container; `undefined` for another than the one it asks. */
  verdict(containerId: string): ProbeVerdict {
    const { verdict } = this.#state;
    return this.#state.containerId === containerId ? verdict : undefined;
  }

  /**
   * Takes the newest pod. An edited probe counts anew from here on; what counts now
   * stays until it has spoken.
   */
  edit(subject: ProbeSubject): void {
    const before = this.#subject.probe;
    this.#subject = subject;
    if (isSame(before, subject.probe) || this.#phase.kind === "ended") return;
    this.#numbers = probeNumbers(subject.probe);
    const { initialDelayMs, periodMs } = this.#numbers;
    this.#schedule = { anchorMs: this.#deps.clock.monotonic(), periodMs };
    const { run: _run, ...state } = this.#state;
    const askFromMs = this.#running === undefined
      ? state.askFromMs
      : delayedUntil(this.#running, initialDelayMs);
    this.#halt();
    this.#state = { ...state, askFromMs };
    this.#plan();
  }

  /**
   * Takes a look at the container.
   *
   * @param started whether it has passed its startup probe or has none
   */
  look(sight: ContainerSight, started: boolean): void {
    if (this.#phase.kind === "ended") return;
    const before = this.#state;
    const after = observeContainer(before, sight, {
      kind: this.kind,
      initialDelayMs: this.#numbers.initialDelayMs,
    });
    this.#running = sight.kind === "running" ? sight : undefined;
    this.#started = started;
    const isNew = after.containerId !== before.containerId;
    // The command died with its container, or soon will.
    if (isNew) {
      this.#leftover = undefined;
      this.#hung = 0;
      this.#last = undefined;
    }
    if (isNew || after.presence !== "running") this.#halt();
    this.#become(after);
    this.#plan();
  }

  /** Asks no more; a liveness that failed is taken back, so that it has no consequences. */
  end(): void {
    if (this.#phase.kind === "ended") return;
    this[Symbol.dispose]();
    const hasContainer = this.#state.containerId !== undefined;
    if (this.kind === "liveness" && hasContainer) {
      this.#become({ ...this.#state, verdict: "success" });
    }
  }

  /** How the probe stands; pure but for the clock. */
  report(): ProbeReport {
    const pause = this.#phase.kind === "ended"
      ? "on_hold"
      : pauseOf(this.#state, this.kind, this.#moment());
    const { run } = this.#state;
    const now = momentOf(this.#deps.clock);
    const last = this.#last;
    return {
      container: this.#subject.container.name,
      kind: this.kind,
      probe: this.#subject.probe,
      verdict: this.#state.verdict,
      consecutive: run?.count ?? 0,
      ...(run !== undefined && this.#runBegan !== undefined &&
        { sinceMs: wallTimeOf(this.#runBegan, now) }),
      ...(last !== undefined && {
        last: {
          kind: last.kind,
          message: last.message,
          atMs: wallTimeOf(last.at, now),
        },
      }),
      ...(pause !== undefined && { paused: pause }),
    };
  }

  /** Stops for good and leaves neither timer, attempt nor metric behind. */
  [Symbol.dispose](): void {
    this.#halt({ kind: "ended" });
    this.#series[Symbol.dispose]();
  }

  /** Gives up what is due and what is in flight. */
  #halt(next: Phase = IDLE): void {
    const before = this.#phase;
    this.#phase = next;
    switch (before.kind) {
      case "armed":
        return before.timer[Symbol.dispose]();
      case "asking":
        return before.cancel.abort(
          new DOMException("The attempt is not wanted any more", "AbortError"),
        );
      case "idle":
      case "ended":
    }
  }

  /** Waits for the next attempt if there is to be one; one that is set keeps its time. */
  #plan(): void {
    const { kind } = this.#phase;
    if (kind === "ended" || kind === "asking") return;
    const due = this.#firstDue();
    if (due === undefined) this.#halt();
    else if (kind === "idle") this.#arm(due);
  }

  /** When an attempt is due from now on; `undefined` when nothing is to be asked. */
  #firstDue(): number | undefined {
    const moment = { kind: this.kind, ...this.#moment() };
    return firstDue(this.#state, this.#schedule, moment);
  }

  #moment(): { readonly started: boolean; readonly nowMs: number } {
    return { started: this.#started, nowMs: this.#deps.clock.monotonic() };
  }

  #arm(dueMs: number): void {
    const { clock } = this.#deps;
    const wakeMs = this.#state.eager
      ? dueMs
      : Math.ceil(dueMs / WAKE_GRID_MS) * WAKE_GRID_MS;
    const timer = clock.after(wakeMs - clock.monotonic(), () => {
      this.#phase = IDLE;
      this.#meetDue(dueMs);
    });
    this.#phase = { kind: "armed", timer };
  }

  #meetDue(dueMs: number): void {
    const nowMs = this.#deps.clock.monotonic();
    if (!this.#state.eager && isMissed(dueMs, nowMs, this.#schedule)) {
      this.#arm(tickAfter(this.#schedule, nowMs));
    } else if (this.#leftover !== undefined) {
      // Nothing new is begun beside a command that hangs, but what its attempt said of
      // the container holds on: each tick says so, and the threshold is met on time.
      this.#take({ kind: this.#leftover.kind, message: STILL_RUNS }, 0);
      this.#continue({ dueMs, begunMs: nowMs, dropsMissed: true });
    } else {
      // Never rejects; the end of the worker aborts it.
      void this.#attempt(dueMs, nowMs);
    }
  }

  async #attempt(dueMs: number, begunMs: number): Promise<void> {
    if (this.#state.eager) {
      this.#state = { ...this.#state, eager: false };
      this.#schedule = { ...this.#schedule, anchorMs: begunMs };
    }
    const cancel = new AbortController();
    this.#phase = { kind: "asking", cancel };
    const result = await this.#ask(cancel.signal);
    if (cancel.signal.aborted) return;
    this.#phase = IDLE;
    const { kind, over } = result;
    this.#hung = over !== undefined && kind === "failure" ? this.#hung + 1 : 0;
    if (over !== undefined) this.#follow({ kind, over });
    this.#take(result, this.#deps.clock.monotonic() - begunMs);
    const dropsMissed = kind === "stalled" || over !== undefined;
    this.#continue({ dueMs, begunMs, dropsMissed });
  }

  async #ask(signal: AbortSignal): Promise<ProbeResult> {
    for (let tries = 1;; tries++) {
      const result = await this.#askOnce(signal);
      const again = result.kind === "error" && result.over === undefined &&
        tries < MAX_TRIES && !signal.aborted;
      if (!again) return result;
    }
  }

  async #askOnce(signal: AbortSignal): Promise<ProbeResult> {
    const { pod, container, probe } = this.#subject;
    const target = {
      pod,
      container,
      containerId: this.#state.containerId ?? "",
      podIps: this.#deps.podIps(pod),
      hung: this.#hung,
    };
    try {
      return await this.#deps.runner.run(probe, target, signal);
    } catch (error) {
      // Beside the abort a runner throws nothing; if it does, one container more that
      // cannot be asked must not end the agent.
      return { kind: "error", message: describeError(error) };
    }
  }

  #follow(leftover: Leftover): void {
    this.#leftover = leftover;
    const forget = (): void => {
      if (this.#leftover === leftover) this.#leftover = undefined;
    };
    leftover.over.then(forget, forget);
  }

  /** Keeps, counts and reports one result. */
  #take(result: ProbeResult, tookMs: number): void {
    const { kind, message } = result;
    const at = momentOf(this.#deps.clock);
    this.#last = { kind, message, at };
    if (kind === "stalled") return;
    const { pod, container } = this.#subject;
    const events = new ContainerEvents(this.#deps.events, pod);
    recordFault(events, container.name, { kind, message, probe: this.kind });
    if (kind === "error") {
      this.#series.count("unknown", tookMs);
      return;
    }
    const outcome = kind === "failure" ? "failure" : "success";
    this.#series.count(kind === "failure" ? "failed" : "successful", tookMs);
    const rules = { kind: this.kind, thresholds: this.#numbers.thresholds };
    const after = countOutcome(this.#state, outcome, rules);
    if (after.run?.count === 1) this.#runBegan = at;
    this.#become(after);
  }

  /** Takes a new state, and reports a verdict that changed for the same container. */
  #become(state: ProbeState): void {
    const before = this.#state;
    this.#state = state;
    const { containerId, verdict } = state;
    if (containerId === undefined || containerId !== before.containerId) return;
    if (verdict === undefined || verdict === before.verdict) return;
    // The runtime says that it ended; its health is no reason to sync at once.
    if (state.presence === "ended" && this.kind !== "readiness") return;
    this.#deps.publish({
      uid: this.#subject.pod.metadata.uid,
      container: this.#subject.container.name,
      containerId,
      kind: this.kind,
      verdict,
    });
  }

  /** Waits for the attempt after this one, if there is to be one. */
  #continue(attempt: Omit<PastAttempt, "endedMs">): void {
    if (this.#firstDue() === undefined) return;
    const endedMs = this.#deps.clock.monotonic();
    this.#arm(dueAfter({ ...attempt, endedMs }, this.#schedule));
  }
}

/** Whether two probes ask the same in the same way. Both come from the same decoder. */
function isSame(a: Probe, b: Probe): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
