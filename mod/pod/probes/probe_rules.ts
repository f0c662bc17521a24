/**
 * What a probe makes of its container: when it asks, and what an answer means.
 *
 * Every rule is the kubelet's (pkg/kubelet/prober/worker.go) unless it says otherwise.
 * Times are milliseconds on the monotonic clock, so that a wall clock that jumps moves
 * nothing.
 *
 * @module
 */

import type { Probe } from "../../api/types/mod.ts";
import type { ProbeVerdict } from "../plan/mod.ts";

/** The three questions that a container can be asked. */
export type ProbeKind = "liveness" | "readiness" | "startup";

/**
 * What held for a container before its probe first saw it; an absent field is
 * unknown.
 */
export interface ContainerPast {
  readonly ready?: boolean;
  readonly started?: boolean;
}

/** One look at the container of a probe. */
export type ContainerSight =
  /** The runtime shows no container of the name. */
  | { readonly kind: "absent" }
  /** Created and not started yet, or in a state that the runtime does not know. */
  | { readonly kind: "unclear"; readonly id: string }
  | { readonly kind: "ended"; readonly id: string }
  | {
    readonly kind: "running";
    readonly id: string;
    /** When it was first seen running. */
    readonly sinceMs: number;
    /**
     * How long it had run by then, by the wall clock, as the agent did not run;
     * 0 for a container that began under the eyes of this agent.
     */
    readonly ageMs: number;
    /** Absent for a container that began under the eyes of this agent and this probe. */
    readonly past?: ContainerPast;
  };

/**
 * How one probe stands with its container.
 *
 * Whether the container runs and whether the probe is on hold are independent: a
 * picture that lacks the container for a moment must not take the hold away.
 */
export interface ProbeState {
  /** `undefined` before the first container. */
  readonly containerId: string | undefined;
  readonly presence: "absent" | "ended" | "running";
  /** What counts now. */
  readonly verdict: ProbeVerdict;
  /** Asks no more until there is a new container. */
  readonly onHold: boolean;
  /** When the initial delay is over; `undefined` before the container first ran. */
  readonly askFromMs: number | undefined;
  /** The next attempt is due at once rather than at a tick. */
  readonly eager: boolean;
  /** How the last attempts in a row ended; absent before the first. */
  readonly run?: {
    readonly outcome: "success" | "failure";
    readonly count: number;
  };
}

/** A probe that has seen no container yet. */
export const UNSEEN: ProbeState = {
  containerId: undefined,
  presence: "absent",
  verdict: undefined,
  onHold: false,
  askFromMs: undefined,
  eager: false,
};

/** What a look at the container means for a probe of `kind`. */
export function observeContainer(
  state: ProbeState,
  sight: ContainerSight,
  probe: { readonly kind: ProbeKind; readonly initialDelayMs: number },
): ProbeState {
  switch (sight.kind) {
    case "absent":
      // It may be a list that is not complete: what was learnt of it stays.
      return away(state);
    case "unclear":
      // The kubelet sets a failure for whatever does not run. A container that is
      // about to start would be killed for that as soon as it runs, since its id stays.
      return state.containerId === sight.id ? away(state) : {
        ...UNSEEN,
        containerId: sight.id,
        verdict: initialVerdict(probe.kind),
      };
    case "ended":
      return end(state, sight.id);
    case "running":
      return isKnownRun(state, sight.id)
        ? { ...state, presence: "running" }
        : begin(sight, probe);
  }
}

/** Something happened that does not concern the container's run: it is just not there. */
function away(state: ProbeState): ProbeState {
  return state.presence === "running"
    ? { ...state, presence: "absent" }
    : state;
}

function end(state: ProbeState, id: string): ProbeState {
  const own = state.containerId === id ? state : { ...UNSEEN, containerId: id };
  return {
    ...own,
    presence: "ended",
    // On hold the last word was spoken already.
    verdict: own.onHold ? own.verdict : "failure",
  };
}

/** A container that ended never runs again under its id: that end was a misreading. */
function isKnownRun(state: ProbeState, id: string): boolean {
  if (state.containerId !== id || state.askFromMs === undefined) return false;
  return state.presence !== "ended" || state.onHold;
}

function begin(
  sight: ContainerSight & { kind: "running" },
  { kind, initialDelayMs }: Parameters<typeof observeContainer>[2],
): ProbeState {
  const verdict = initialVerdict(kind, sight.past);
  return {
    containerId: sight.id,
    presence: "running",
    verdict,
    // What is remembered as started is not asked to start again (kubernetes #125397).
    onHold: kind === "startup" && verdict === "success",
    askFromMs: delayedUntil(sight, initialDelayMs),
    // Upstream's manual trigger: what is not ready yet should not wait for a tick.
    // Liveness never asks early, as it would kill what lives on a kubelet.
    eager: kind === "readiness" && verdict !== "success",
  };
}

/** When the initial delay of a container that runs is over. */
export function delayedUntil(
  { sinceMs, ageMs }: ContainerSight & { readonly kind: "running" },
  initialDelayMs: number,
): number {
  // The wall clock may have jumped since the container began: no more than the delay
  // may be taken off, and nothing added to it.
  const servedMs = Math.min(Math.max(ageMs, 0), initialDelayMs);
  return sinceMs + initialDelayMs - servedMs;
}

/**
 * What counts before anything was asked.
 *
 * With an unknown past a container is neither ready nor not: the status
 * that was shown before holds. (kubelet: no initial value for a container that began
 * before the kubelet did)
 */
function initialVerdict(kind: ProbeKind, past?: ContainerPast): ProbeVerdict {
  switch (kind) {
    case "liveness":
      return "success";
    case "startup":
      return past?.started === true ? "success" : undefined;
    case "readiness":
      if (past === undefined) return "failure";
      if (past.ready === undefined) return undefined;
      return past.ready ? "success" : "failure";
  }
}

/** How often in a row an outcome must be seen to count. */
export interface ProbeThresholds {
  readonly success: number;
  readonly failure: number;
}

/**
 * What one answer means: a verdict changes only when an outcome was seen as often in
 * a row as its threshold says.
 */
export function countOutcome(
  state: ProbeState,
  outcome: "success" | "failure",
  { kind, thresholds }: {
    readonly kind: ProbeKind;
    readonly thresholds: ProbeThresholds;
  },
): ProbeState {
  const before = state.run?.outcome === outcome ? state.run.count : 0;
  const run = { outcome, count: before + 1 };
  if (run.count < thresholds[outcome]) return { ...state, run };
  return {
    ...state,
    run,
    verdict: outcome,
    // A command must not run in a container that is being stopped (kubernetes #21751),
    // and one that has started is never asked again (kubernetes #117153).
    onHold: kind === "startup" ||
      (kind === "liveness" && outcome === "failure"),
  };
}

/** Why a probe asks nothing at present. */
export type ProbePause =
  | "not_running"
  | "initial_delay"
  | "not_started"
  | "started"
  | "on_hold";

/**
 * Why nothing is asked now; `undefined` while it is.
 *
 * @param moment.started whether the container has passed its startup probe or has none
 */
export function pauseOf(
  state: ProbeState,
  kind: ProbeKind,
  moment: { readonly started: boolean; readonly nowMs: number },
): ProbePause | undefined {
  if (state.presence !== "running") return "not_running";
  if (state.onHold) return state.verdict === "success" ? "started" : "on_hold";
  if (kind !== "startup" && !moment.started) return "not_started";
  const early = moment.nowMs < (state.askFromMs ?? Infinity);
  return early ? "initial_delay" : undefined;
}

/** The ticks of a probe: `anchorMs` and every period before and after it. */
export interface ProbeSchedule {
  readonly anchorMs: number;
  readonly periodMs: number;
}

/**
 * When the first attempt is due from `nowMs` on; `undefined` while the pause is one
 * that only a new look or another probe can end.
 */
export function firstDue(
  state: ProbeState,
  schedule: ProbeSchedule,
  moment: {
    readonly kind: ProbeKind;
    readonly started: boolean;
    readonly nowMs: number;
  },
): number | undefined {
  const { askFromMs } = state;
  const pause = pauseOf(state, moment.kind, moment);
  if (askFromMs === undefined) return undefined;
  if (pause !== undefined && pause !== "initial_delay") return undefined;
  const fromMs = Math.max(moment.nowMs, askFromMs);
  return state.eager ? fromMs : tickFrom(schedule, fromMs);
}

/** One attempt as it went. */
export interface PastAttempt {
  readonly dueMs: number;
  readonly begunMs: number;
  readonly endedMs: number;
  /** The agent itself stood still meanwhile, or what was begun still goes on. */
  readonly dropsMissed: boolean;
}

/**
 * When the next attempt is due after one.
 *
 * An attempt that took longer than the period is followed by the next at once, and the
 * ticks that it missed are dropped: as with a ticker of Go, which keeps one.
 */
export function dueAfter(
  { dueMs, begunMs, endedMs, dropsMissed }: PastAttempt,
  schedule: ProbeSchedule,
): number {
  // A timer may fire a little early; its own tick is not to be taken twice.
  const nextMs = tickAfter(schedule, Math.max(dueMs, begunMs));
  // After a standstill of the agent all probes are late: each waits for its own tick,
  // so that they do not all ask at the same moment. And what just took too long is not
  // held against the container twice at the same moment.
  return dropsMissed && nextMs <= endedMs
    ? tickAfter(schedule, endedMs)
    : Math.max(nextMs, endedMs);
}

/**
 * Whether an attempt comes so late that its tick counts as missed: the agent stood
 * still, and the next tick is the one to ask at.
 */
export function isMissed(
  dueMs: number,
  nowMs: number,
  { periodMs }: ProbeSchedule,
): boolean {
  return nowMs - dueMs >= periodMs;
}

/** The first tick at or after `atMs`. */
export function tickFrom(
  { anchorMs, periodMs }: ProbeSchedule,
  atMs: number,
): number {
  let tick = Math.ceil((atMs - anchorMs) / periodMs);
  // The division may round to either side.
  while (anchorMs + (tick - 1) * periodMs >= atMs) tick--;
  while (anchorMs + tick * periodMs < atMs) tick++;
  return anchorMs + tick * periodMs;
}

/** The first tick after `atMs`. */
export function tickAfter(
  { anchorMs, periodMs }: ProbeSchedule,
  atMs: number,
): number {
  let tick = Math.floor((atMs - anchorMs) / periodMs);
  while (anchorMs + tick * periodMs <= atMs) tick++;
  return anchorMs + tick * periodMs;
}

/** The numbers of a probe, with the API's defaults where the spec leaves them open. */
export interface ProbeNumbers {
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly thresholds: ProbeThresholds;
}

const DEFAULT_PERIOD_S = 10;
const DEFAULT_FAILURE_THRESHOLD = 3;

/** Reads the numbers of a probe. */
export function probeNumbers(probe: Probe): ProbeNumbers {
  return {
    initialDelayMs: (probe.initialDelaySeconds ?? 0) * 1000,
    periodMs: (probe.periodSeconds || DEFAULT_PERIOD_S) * 1000,
    thresholds: {
      success: probe.successThreshold || 1,
      failure: probe.failureThreshold || DEFAULT_FAILURE_THRESHOLD,
    },
  };
}
