/**
 * The form of the report on one pod: whose it is, its times, and what was done.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { ANNOTATION_CONFIG_SOURCE } from "../../../mod/api/vocabulary/mod.ts";
import type { PodOutcome } from "../../../mod/agent/sync/mod.ts";
import type { PodReport } from "../../../mod/server/mod.ts";
import { reportPod } from "../../../mod/views/report_pod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { NOW_MS, observed } from "../../support/observed_pods.ts";
import { containerStatus, pod } from "../../support/pods.ts";
import {
  type CoreDraft,
  recorderOn,
  viewedCore,
  viewedSource,
  workersOf,
} from "../../support/views/viewed_core.ts";

const WEB = pod({
  status: {
    phase: "Running",
    conditions: [{ type: "Ready", status: "True" }],
    containerStatuses: [containerStatus("c")],
  },
});

/** A clock whose two times differ by more than the start of the first. */
async function clockAt(elapsedMs: number): Promise<FakeClock> {
  const clock = new FakeClock(NOW_MS);
  await clock.advance(elapsedMs);
  return clock;
}

function reportOn(
  draft: CoreDraft = {},
  rest: {
    readonly pods?: readonly Pod[];
    readonly wanted?: { readonly namespace: string; readonly name: string };
    readonly clock?: FakeClock;
    readonly nodeName?: string;
  } = {},
): PodReport | undefined {
  const { pods = [WEB], clock = new FakeClock(NOW_MS) } = rest;
  const { wanted = pods[0]?.metadata, nodeName = "edge1" } = rest;
  return reportPod(wanted ?? { namespace: "shop", name: "web" }, {
    core: viewedCore({ agent: { pods: workersOf(...pods) }, ...draft }),
    pods: () => pods,
    clock,
    nodeName,
  });
}

Deno.test("reportPod() has the time, the pod, and each sentence for people and for programs", () => {
  deepStrictEqual(reportOn(), {
    apiVersion: "skerry.dev/v1alpha1",
    kind: "PodReport",
    time: "2026-01-02T03:04:05Z",
    pod: WEB,
    explanation: [
      'It runs: container "c" has been ready since 2024-01-01 00:00:00 (732 d 3 h)',
    ],
    findings: [{ kind: "ready" }],
    source: undefined,
    decision: undefined,
    activities: [],
    probes: [],
    events: [],
  });
});

const NAMES = ["web", "web-edge1", "web-edge1-edge1"];
for (
  const [name, nodeName, found] of [
    ["web", "edge1", "web"],
    ["web-edge1", "edge1", "web-edge1"],
    ["web-edge1-edge1", "edge1", "web-edge1-edge1"],
    ["wbe", "edge1", undefined],
    ["web-edge1-edge1-edge1", "edge1", undefined],
  ] as const
) {
  Deno.test(`reportPod() finds ${found ?? "nothing"} by the name ${name}`, () => {
    const pods = NAMES.map((each) => pod({ name: each, uid: each }));
    const wanted = { namespace: "shop", name };
    const report = reportOn({}, { pods, wanted, nodeName });
    strictEqual(report?.pod.metadata.name, found);
  });
}

Deno.test("reportPod() finds a pod by the name in its manifest, however the node spells its own", () => {
  const pods = [pod({ name: "web-edge1" })];
  const wanted = { namespace: "shop", name: "web" };
  const found = reportOn({}, { pods, wanted, nodeName: "Edge1" });
  strictEqual(found?.pod.metadata.name, "web-edge1");
  const elsewhere = { namespace: "default", name: "web" };
  strictEqual(reportOn({}, { pods, wanted: elsewhere }), undefined);
});

Deno.test("reportPod() has the events of the pod, and not those of another without an identity", () => {
  const events = recorderOn(new FakeClock());
  const record = (name: string, uid: string, reason: string) =>
    events.record({ name, namespace: "shop", uid }, {
      type: "Normal",
      reason,
      message: "m",
    });
  record("web", "", "First");
  record("bad", "", "OfAnother");
  record("web", "u-1", "OfAnIdentity");
  record("web", "", "Last");
  const pods = [pod({ uid: "" })];
  const found = reportOn({ events }, { pods })?.events ?? [];
  deepStrictEqual(found.map(({ reason }) => reason), ["First", "Last"]);
  strictEqual(found[0]?.source.host, "edge1");
});

function outcomeOf(
  decision: Partial<NonNullable<PodOutcome["decision"]>>,
): CoreDraft {
  const whole = {
    atMs: NOW_MS,
    plan: undefined,
    observed: observed(),
    pod: WEB,
    failures: [],
    next: { kind: "settled" as const },
    ...decision,
  };
  const outcome = () => ({ decision: whole, endFailure: undefined });
  return { agent: { pods: workersOf(WEB), outcome } };
}

Deno.test("reportPod() tells what was decided, with its times by the wall clock", async () => {
  const clock = await clockAt(10_000);
  const cause = { kind: "said" as const, words: "no such host" };
  const report = reportOn(
    outcomeOf({
      atMs: NOW_MS + 9_000,
      failures: [{
        container: "c",
        reason: "ErrImagePull",
        message: "it failed",
        cause,
        retryAtMs: 15_000,
      }, {
        reason: "FailedSync",
        message: "so did all",
      }],
      next: { kind: "retry", dueMs: 25_000 },
    }),
    { clock },
  );
  deepStrictEqual(report?.decision, {
    time: "2026-01-02T03:04:14Z",
    plan: undefined,
    why: ["no plan was made"],
    failures: [{
      container: "c",
      reason: "ErrImagePull",
      message: "it failed",
      retryTime: "2026-01-02T03:04:20Z",
    }, {
      reason: "FailedSync",
      message: "so did all",
      retryTime: undefined,
    }],
    next: { kind: "retry", time: "2026-01-02T03:04:30Z" },
  });
});

Deno.test("reportPod() tells the plan in words, and no time where none is set", () => {
  const none = { kill: [], reset: [], postStart: [], startEphemeral: [] };
  const plan = {
    ...none,
    startInit: [],
    start: ["c"],
    sandbox: { kind: "keep" as const, sandboxId: "s0", attempt: 0 },
  };
  const { decision } = reportOn(outcomeOf({ plan })) ?? {};
  match(decision?.plan ?? "", /start c$/);
  match(decision?.why[0] ?? "", /c/);
  deepStrictEqual(decision?.next, { kind: "settled", time: undefined });
});

Deno.test("reportPod() tells what goes on, since when and for how many whole seconds", () => {
  const of = { container: "c", image: "x:1" };
  const report = reportOn({
    activities: {
      list: (uid) =>
        uid !== "u-1" ? [] : [
          { kind: "pulling_image", ...of, forMs: 1_600 },
          { kind: "making_volumes", forMs: 1_000_499 },
        ],
    },
  });
  deepStrictEqual(report?.activities, [{
    kind: "pulling_image",
    ...of,
    since: "2026-01-02T03:04:03Z",
    seconds: 2,
  }, {
    kind: "making_volumes",
    container: undefined,
    image: undefined,
    since: "2026-01-02T02:47:24Z",
    seconds: 1_000,
  }]);
});

Deno.test("reportPod() tells what each probe found last, and why it does not ask", () => {
  const probe = { exec: { command: ["true"] } };
  const shared = { container: "c", probe, verdict: undefined, consecutive: 0 };
  const report = reportOn({
    prober: {
      report: (uid) =>
        uid !== "u-1" ? [] : [{
          ...shared,
          kind: "readiness",
          verdict: "failure",
          consecutive: 3,
          sinceMs: NOW_MS - 9_000,
          last: { kind: "failure", message: "HTTP 503", atMs: NOW_MS - 1_000 },
        }, { ...shared, kind: "liveness", paused: "initial_delay" }],
    },
  });
  deepStrictEqual(report?.probes, [{
    container: "c",
    kind: "readiness",
    probe,
    verdict: "failure",
    consecutive: 3,
    last: {
      kind: "failure",
      message: "HTTP 503",
      time: "2026-01-02T03:04:04Z",
    },
    paused: undefined,
  }, {
    ...shared,
    kind: "liveness",
    last: undefined,
    paused: "initial_delay",
  }]);
});

for (
  const [source, expected] of [
    ["file", { name: "file", location: "/m" }],
    ["http", { name: "http", location: "" }],
    ["api", undefined],
    ["elsewhere", undefined],
  ] as const
) {
  Deno.test(`reportPod() ${expected ? "says where" : "names no place where"} the manifest of a pod of the source ${source} is`, () => {
    const annotations = { [ANNOTATION_CONFIG_SOURCE]: source };
    const sources = new Map([["file" as const, viewedSource()]]);
    const pods = [pod({ annotations })];
    deepStrictEqual(reportOn({ sources }, { pods })?.source, expected);
  });
}
