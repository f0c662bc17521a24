/**
 * When attempts of a probe are due, as tables. (kubelet: pkg/kubelet/prober/worker.go, run)
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  delayedUntil,
  dueAfter,
  firstDue,
  isMissed,
  observeContainer,
  type ProbeKind,
  probeNumbers,
  type ProbeState,
  tickAfter,
  tickFrom,
  UNSEEN,
} from "../../../mod/pod/probes/probe_rules.ts";

const RUNNING = { kind: "running", id: "c1", sinceMs: 100, ageMs: 0 } as const;

function runs(kind: ProbeKind): ProbeState {
  return observeContainer(UNSEEN, RUNNING, { kind, initialDelayMs: 0 });
}

const TICKS = { anchorMs: 50, periodMs: 1000 };

Deno.test("firstDue() of liveness is the first tick after the delay", () => {
  const state = { ...runs("liveness"), askFromMs: 3000 };
  const moment = { kind: "liveness", started: true, nowMs: 200 } as const;
  strictEqual(firstDue(state, TICKS, moment), 3050);
  strictEqual(firstDue(state, TICKS, { ...moment, nowMs: 4050 }), 4050);
  strictEqual(firstDue(state, TICKS, { ...moment, started: false }), undefined);
});

Deno.test("firstDue() of readiness without success is when the delay is over", () => {
  const state = { ...runs("readiness"), askFromMs: 3000 };
  const moment = { kind: "readiness", started: true, nowMs: 200 } as const;
  strictEqual(firstDue(state, TICKS, moment), 3000);
  strictEqual(firstDue(state, TICKS, { ...moment, nowMs: 3300 }), 3300);
});

for (
  const { name, sinceMs, ageMs, untilMs } of [
    { name: "began here", sinceMs: 100, ageMs: 0, untilMs: 5100 },
    { name: "began before", sinceMs: 100, ageMs: 2000, untilMs: 3100 },
    { name: "began long before", sinceMs: 100, ageMs: 1e12, untilMs: 100 },
    { name: "begins in the future", sinceMs: 100, ageMs: -1e12, untilMs: 5100 },
  ]
) {
  Deno.test(`delayedUntil() of a container that ${name}`, () => {
    strictEqual(delayedUntil({ ...RUNNING, sinceMs, ageMs }, 5000), untilMs);
  });
}

// Due, begun and ended: when the next one is due on ticks at 50, 1050, 2050 …
for (
  const { name, attempt, dropsMissed = false, dueMs } of [
    { name: "in time", attempt: [50, 51, 90], dueMs: 1050 },
    {
      name: "begun a little early",
      attempt: [1050, 1049.6, 1060],
      dueMs: 2050,
    },
    { name: "begun late", attempt: [50, 900, 950], dueMs: 1050 },
    { name: "as long as the period", attempt: [50, 50, 1050], dueMs: 1050 },
    { name: "longer than the period", attempt: [50, 50, 1300], dueMs: 1300 },
    { name: "longer than three periods", attempt: [50, 50, 3700], dueMs: 3700 },
    {
      name: "through a standstill of the agent",
      attempt: [50, 50, 3700],
      dropsMissed: true,
      dueMs: 4050,
    },
    {
      name: "through a short standstill of the agent",
      attempt: [50, 50, 700],
      dropsMissed: true,
      dueMs: 1050,
    },
  ]
) {
  Deno.test(`dueAfter() an attempt ${name}`, () => {
    const [due = 0, begunMs = 0, endedMs = 0] = attempt;
    strictEqual(
      dueAfter({ dueMs: due, begunMs, endedMs, dropsMissed }, TICKS),
      dueMs,
    );
  });
}

Deno.test("isMissed() only of a tick whose next has come", () => {
  strictEqual(isMissed(50, 1049, TICKS), false);
  strictEqual(isMissed(50, 1050, TICKS), true);
});

Deno.test("tickFrom() and tickAfter() give neighbouring ticks whatever the fractions", () => {
  // Doubles of fast-check are tiny as a rule, and have no fraction that is rounded.
  const ms = fc.integer({ min: 0, max: 1e9 }).map((n) => n + n % 1009 / 1009);
  fc.assert(fc.property(
    ms,
    fc.integer({ min: 1, max: 3600 }),
    ms,
    (anchorMs, periodS, atMs) => {
      const schedule = { anchorMs, periodMs: periodS * 1000 };
      const from = tickFrom(schedule, atMs);
      const next = tickAfter(schedule, atMs);
      ok(from >= atMs && from - atMs <= schedule.periodMs);
      ok(next > atMs && next - atMs <= schedule.periodMs + 1e-3);
      ok(tickAfter(schedule, next) > next);
      strictEqual(tickFrom(schedule, next), next);
    },
  ));
});

Deno.test("probeNumbers() fills in the API's defaults (SetDefaults_Probe)", () => {
  deepStrictEqual(probeNumbers({}), {
    initialDelayMs: 0,
    periodMs: 10_000,
    thresholds: { success: 1, failure: 3 },
  });
  deepStrictEqual(
    probeNumbers({
      initialDelaySeconds: 5,
      periodSeconds: 2,
      successThreshold: 4,
      failureThreshold: 6,
    }),
    {
      initialDelayMs: 5000,
      periodMs: 2000,
      thresholds: { success: 4, failure: 6 },
    },
  );
});

Deno.test("tickFrom() is the tick itself at a tick, and tickAfter() the one behind it", () => {
  const ms = fc.integer({ min: 1e8, max: 1e9 }).map((n) => n + n % 1009 / 1009);
  fc.assert(fc.property(
    ms,
    fc.integer({ min: 1, max: 3600 }),
    fc.integer({ min: 0, max: 9 }),
    (anchorMs, periodS, count) => {
      const schedule = { anchorMs, periodMs: periodS * 1000 };
      const tick = (n: number) => anchorMs + n * schedule.periodMs;
      strictEqual(tickFrom(schedule, tick(count)), tick(count));
      strictEqual(tickAfter(schedule, tick(count)), tick(count + 1));
    },
  ));
});
