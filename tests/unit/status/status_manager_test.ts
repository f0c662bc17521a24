/**
 * What a later status may not take back (I4), and what counts as news.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { ANNOTATION_CONFIG_SOURCE } from "../../../mod/api/vocabulary/mod.ts";
import type { PodStatus } from "../../../mod/api/types/mod.ts";
import {
  buildPodStatus,
  findCondition,
  isTerminalPhase,
} from "../../../mod/pod/status/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { observed, seen, statusInput } from "../../support/observed_pods.ts";
import { bareStatus, container, containers, pod } from "../../support/pods.ts";
import {
  manager,
  phaseStatus,
  statusPod,
} from "../../support/status/builders.ts";

const POD = statusPod("u");

for (const terminal of ["Succeeded", "Failed"]) {
  for (const later of ["Pending", "Running", "Succeeded", "Failed"]) {
    Deno.test(`StatusManager.setPodStatus() keeps ${terminal} when ${later} follows (ST-02)`, () => {
      const statuses = manager();
      statuses.setPodStatus(POD, phaseStatus(terminal));
      const stored = statuses.setPodStatus(POD, {
        ...phaseStatus(later),
        message: "new",
      });
      strictEqual(stored.phase, terminal);
      strictEqual(stored.message, "new");
      strictEqual(statuses.get("u"), stored);
    });
  }
}

Deno.test("StatusManager.setPodStatus() lets a pod go back from Running to Pending", () => {
  const statuses = manager();
  statuses.setPodStatus(POD, phaseStatus("Running"));
  statuses.setPodStatus(POD, phaseStatus("Pending"));
  strictEqual(statuses.get("u")?.phase, "Pending");
});

Deno.test("StatusManager.setPodStatus() lets a refused pod, which never had containers, start after all", () => {
  const statuses = manager();
  statuses.setPodStatus(POD, { phase: "Failed", reason: "OutOfcpu" });
  statuses.setPodStatus(POD, phaseStatus("Pending"));
  strictEqual(statuses.get("u")?.phase, "Pending");
});

Deno.test("StatusManager.setPodStatus() never lowers a restart count, of init containers neither (ST-02)", () => {
  const statuses = manager();
  const counted = (count: number): PodStatus => ({
    ...phaseStatus("Running", [count, 3]),
    initContainerStatuses: [bareStatus("i", { restartCount: count })],
  });
  statuses.setPodStatus(POD, counted(5));
  statuses.setPodStatus(POD, counted(2));
  const shown = statuses.get("u");
  deepStrictEqual(
    shown?.containerStatuses?.map(({ restartCount }) => restartCount),
    [5, 3],
  );
  strictEqual(shown?.initContainerStatuses?.[0]?.restartCount, 5);
  statuses.setPodStatus(POD, counted(6));
  strictEqual(statuses.get("u")?.containerStatuses?.[0]?.restartCount, 6);
});

// status_manager_test.go TestNewStatus, TestChangedStatus, TestUnchangedStatus,
// TestChangedStatusKeepsStartTime.
Deno.test("StatusManager.setPodStatus() makes a version of what is new and of nothing else", () => {
  const statuses = manager();
  strictEqual(statuses.stored("u")?.version, undefined);
  statuses.setPodStatus(POD, phaseStatus("Pending"));
  const first = statuses.stored("u")?.version ?? 0;
  statuses.setPodStatus(POD, { ...phaseStatus("Pending") });
  strictEqual(statuses.stored("u")?.version, first);
  statuses.setPodStatus(POD, phaseStatus("Running"));
  ok((statuses.stored("u")?.version ?? 0) > first);
});

// TestNormalize, TestStatusNormalizationEnforcesMaxBytes, TestStatusEquality.
const sameAgain: readonly {
  readonly name: string;
  readonly first: PodStatus;
  readonly again: PodStatus;
}[] = [
  {
    name: "its containers come in another order",
    first: phaseStatus("Running", [1, 2]),
    again: {
      phase: "Running",
      containerStatuses: [
        bareStatus("c1", { restartCount: 2 }),
        bareStatus("c0", { restartCount: 1 }),
      ],
    },
  },
  {
    name: "its times have fractions of a second, or another zone",
    first: { phase: "Running", startTime: "2026-01-02T03:04:05Z" },
    again: { phase: "Running", startTime: "2026-01-02T05:04:05.678+02:00" },
  },
  {
    name: "a container says more than there is room for",
    first: said("x".repeat(12_288)),
    again: said("x".repeat(20_000)),
  },
  {
    name: "a time is none (CL-05)",
    first: { phase: "Running" },
    again: { phase: "Running", startTime: "tomorrow" },
  },
];
for (const { name, first, again } of sameAgain) {
  Deno.test(`StatusManager.setPodStatus() makes no version of a status when ${name}`, () => {
    const statuses = manager();
    statuses.setPodStatus(POD, first);
    const version = statuses.stored("u")?.version;
    statuses.setPodStatus(POD, again);
    strictEqual(statuses.stored("u")?.version, version);
  });
}

function said(message: string): PodStatus {
  const terminated = { exitCode: 1, message: message.slice(0, 6_144) };
  const more = { exitCode: 1, message };
  const isCut = message.length === 12_288;
  return {
    phase: "Running",
    containerStatuses: [bareStatus("c0", {
      state: { terminated: isCut ? terminated : more },
    })],
  };
}

// TestCheckContainerStateTransition.
Deno.test("StatusManager.setPodStatus() refuses a status that revives what is never restarted (ST-02)", () => {
  const statuses = manager();
  const never = statusPod("u", { restartPolicy: "Never" });
  const over = (state: PodStatus["phase"]): PodStatus => ({
    phase: "Running",
    containerStatuses: [
      bareStatus("c0", { state: { terminated: { exitCode: 0 } } }),
      bareStatus("c1", { state: { running: {} } }),
    ],
    ...(state !== undefined && { message: state }),
  });
  statuses.setPodStatus(never, over(undefined));
  const version = statuses.stored("u")?.version;
  const stored = statuses.setPodStatus(never, {
    ...over("stale"),
    containerStatuses: [
      bareStatus("c0", { state: { waiting: {} } }),
      bareStatus("c1", { state: { running: {} } }),
    ],
  });
  strictEqual(stored.message, undefined);
  strictEqual(statuses.stored("u")?.version, version);
  const always = statusPod("u");
  const revived = { phase: "Running", ...phaseStatus("Running") };
  strictEqual(statuses.setPodStatus(always, revived).phase, "Running");
  ok((statuses.stored("u")?.version ?? 0) > (version ?? 0));
});

// TestTerminatePod, TestTerminatePodWaiting, TestTerminatePod_DefaultUnknownStatus.
Deno.test("StatusManager.terminatePod() ends a pod of which nobody saw the end (ST-12)", () => {
  const statuses = manager();
  statuses.setPodStatus(POD, {
    phase: "Running",
    containerStatuses: [
      bareStatus("c0", { state: { running: {} }, ready: true }),
      bareStatus("c1", { state: { terminated: { exitCode: 3 } } }),
    ],
  });
  const closed = statuses.terminatePod(POD);
  strictEqual(closed.phase, "Failed");
  deepStrictEqual(
    closed.containerStatuses?.map(({ state, ready }) => [
      state?.terminated?.exitCode,
      state?.terminated?.reason,
      ready,
    ]),
    [[137, "ContainerStatusUnknown", false], [3, undefined, false]],
  );
  strictEqual(statuses.stored("u")?.finished, true);
  // It says nothing new the second time.
  const version = statuses.stored("u")?.version;
  statuses.terminatePod(POD);
  strictEqual(statuses.stored("u")?.version, version);
});

// TestTerminatePod_EnsurePodPhaseIsTerminal.
const closings = [
  { phase: "Pending", expected: "Failed" },
  { phase: "Running", expected: "Failed" },
  { phase: "Failed", expected: "Failed" },
  { phase: "Succeeded", expected: "Succeeded" },
];
for (const { phase, expected } of closings) {
  Deno.test(`StatusManager.terminatePod() says ${expected} of a pod that was ${phase} (ST-12)`, () => {
    const statuses = manager();
    statuses.setPodStatus(POD, phaseStatus(phase));
    strictEqual(statuses.terminatePod(POD).phase, expected);
  });
}

Deno.test("StatusManager.terminatePod() leaves the phase of a static pod, which may begin again (ST-12)", () => {
  const statuses = manager();
  const file = statusPod("u", {
    annotations: { [ANNOTATION_CONFIG_SOURCE]: "file" },
  });
  statuses.setPodStatus(file, phaseStatus("Running"));
  strictEqual(statuses.terminatePod(file).phase, "Running");
  strictEqual(statuses.stored("u")?.finished, false);
  let news = 0;
  statuses.follow({ changed: () => news++, removed: () => {} });
  statuses.terminatePod(file);
  strictEqual(news, 1);
});

Deno.test("StatusManager keeps it that a pod is finished, whatever is set later", () => {
  const statuses = manager();
  statuses.setPodStatus(POD, phaseStatus("Succeeded"));
  const version = statuses.stored("u")?.version ?? 0;
  statuses.terminatePod(POD);
  // It may now be deleted, which is news to whoever deletes it.
  ok((statuses.stored("u")?.version ?? 0) > version);
  statuses.setPodStatus(POD, { ...phaseStatus("Succeeded"), message: "late" });
  strictEqual(statuses.stored("u")?.finished, true);
});

const probedPod = pod({
  containers: [container("a", {
    readinessProbe: { exec: { command: ["true"] } },
    startupProbe: { exec: { command: ["true"] } },
  })],
});

const ready = (containerId: string, isSuccess = true) =>
  ({ kind: "readiness", containerId, isSuccess }) as const;

// TestSetContainerReadiness, TestSetContainerStartup.
Deno.test("StatusManager takes over what the probes say at once, with the pod's conditions", () => {
  const clock = new FakeClock(Date.UTC(2026, 5, 1));
  const statuses = manager(clock);
  statuses.setPodStatus(
    probedPod,
    buildPodStatus(
      statusInput({ pod: probedPod, observed: observed([seen("a")]) }),
    ),
  );
  const shown = () => {
    const { containerStatuses, conditions } = statuses.get("u-1") ?? {};
    const ready = findCondition(conditions, "Ready");
    const at = containerStatuses?.[0];
    return [at?.started, at?.ready, ready?.status, ready?.lastTransitionTime];
  };
  deepStrictEqual(shown(), [false, false, "False", "2026-01-02T03:04:05Z"]);
  statuses.setProbeAnswer(probedPod, { ...ready("a-0"), kind: "startup" });
  deepStrictEqual(shown(), [true, false, "False", "2026-01-02T03:04:05Z"]);
  statuses.setProbeAnswer(probedPod, ready("containerd://a-0"));
  deepStrictEqual(shown(), [true, true, "True", "2026-06-01T00:00:00Z"]);
  const version = statuses.stored("u-1")?.version;
  statuses.setProbeAnswer(probedPod, ready("a-0"));
  statuses.setProbeAnswer(probedPod, ready("another", false));
  strictEqual(statuses.stored("u-1")?.version, version);
  statuses.setProbeAnswer(statusPod("unknown"), ready("a-0"));
  strictEqual(statuses.get("unknown"), undefined);
});

Deno.test("StatusManager.renew() forgets all but the restart counts", () => {
  const statuses = manager();
  statuses.setPodStatus(POD, phaseStatus("Failed", [7]));
  const version = statuses.stored("u")?.version ?? 0;
  statuses.renew("u");
  strictEqual(statuses.get("u"), undefined);
  statuses.setPodStatus(POD, phaseStatus("Pending", [0]));
  deepStrictEqual(statuses.get("u"), phaseStatus("Pending", [7]));
  ok((statuses.stored("u")?.version ?? 0) > version);
  statuses.remove("u");
  statuses.setPodStatus(POD, phaseStatus("Pending", [0]));
  deepStrictEqual(statuses.get("u"), phaseStatus("Pending", [0]));
});

Deno.test("StatusManager.remove() forgets a pod, so that its UID may begin anew", () => {
  const statuses = manager();
  statuses.setPodStatus(POD, phaseStatus("Failed", [7]));
  statuses.remove("u");
  strictEqual(statuses.get("u"), undefined);
  statuses.setPodStatus(POD, phaseStatus("Running", [0]));
  deepStrictEqual(statuses.get("u"), phaseStatus("Running", [0]));
});

Deno.test("StatusManager.removeOrphanedStatuses() forgets all that nobody knows", () => {
  const statuses = manager();
  for (const uid of ["u", "v"]) {
    statuses.setPodStatus(statusPod(uid), phaseStatus("Running", [7]));
  }
  statuses.restore("w", { restartCounts: { c0: 3 } });
  statuses.removeOrphanedStatuses(new Set(["v"]));
  strictEqual(statuses.get("u"), undefined);
  strictEqual(statuses.get("w"), undefined);
  strictEqual(statuses.get("v")?.phase, "Running");
  statuses.setPodStatus(statusPod("w"), phaseStatus("Pending", [0]));
  deepStrictEqual(statuses.get("w"), phaseStatus("Pending", [0]));
});

Deno.test("StatusManager.restore() begins with what an earlier agent knew (I4)", () => {
  const statuses = manager();
  const startTime = "2026-01-02T03:04:05Z";
  statuses.restore("u", { startTime, restartCounts: { c0: 7 } });
  deepStrictEqual(statuses.get("u"), { phase: "Pending", startTime });
  // A refusal says nothing of containers, and takes nothing back.
  statuses.setPodStatus(POD, { phase: "Failed", reason: "OutOfcpu" });
  statuses.setPodStatus(POD, phaseStatus("Pending", [0]));
  deepStrictEqual(statuses.get("u"), phaseStatus("Pending", [7]));
});

Deno.test("StatusManager.restore() keeps a pod that had ended at its end (PW-08)", () => {
  const statuses = manager();
  const over = phaseStatus("Succeeded", [2]);
  statuses.restore("u", { restartCounts: { c0: 2 }, ended: over });
  statuses.setPodStatus(POD, phaseStatus("Running", [0]));
  strictEqual(statuses.get("u")?.phase, "Succeeded");
  strictEqual(statuses.get("u")?.containerStatuses?.[0]?.restartCount, 2);
});

const phases = fc.constantFrom("Pending", "Running", "Succeeded", "Failed");
const states = fc.constantFrom(
  { waiting: {} },
  { running: {} },
  { terminated: { exitCode: 0 } },
  { terminated: { exitCode: 1 } },
);
const writes = fc.array(
  fc.record({
    phase: phases,
    count: fc.nat(5),
    state: states,
    what: fc.constantFrom("set", "terminate", "ready", "unready"),
  }),
  { maxLength: 12 },
);

Deno.test("StatusManager goes only forward, whatever is written in what order (ST-02)", () => {
  const policies = fc.constantFrom("Always", "OnFailure", "Never");
  fc.assert(fc.property(policies, writes, (restartPolicy, list) => {
    const statuses = manager();
    const pod = statusPod("u", { restartPolicy, containers: containers("c0") });
    for (const { phase, count, state, what } of list) {
      const before = statuses.stored("u");
      if (what === "set") {
        statuses.setPodStatus(pod, {
          phase,
          containerStatuses: [
            bareStatus("c0", {
              restartCount: count,
              state,
              containerID: "containerd://x",
            }),
          ],
        });
      } else if (what === "terminate") statuses.terminatePod(pod);
      else statuses.setProbeAnswer(pod, ready("x", what === "ready"));
      goesForward(before, statuses.stored("u"), restartPolicy);
    }
  }));
});

type Entry = ReturnType<ReturnType<typeof manager>["stored"]>;

function goesForward(before: Entry, after: Entry, policy: string): void {
  if (before === undefined) return;
  ok(after !== undefined && after.version >= before.version);
  const isSame = after.version === before.version;
  if (isSame) deepStrictEqual(after.status, before.status);
  if (isTerminalPhase(before.status.phase)) {
    strictEqual(after.status.phase, before.status.phase);
  }
  if (before.finished) ok(after.finished);
  const [old] = before.status.containerStatuses ?? [];
  const [now] = after.status.containerStatuses ?? [];
  ok((now?.restartCount ?? 0) >= (old?.restartCount ?? 0));
  const ended = old?.state?.terminated;
  const mayRunAgain = policy === "Always" ||
    policy === "OnFailure" && ended?.exitCode !== 0 ||
    ended?.reason === "ContainerStatusUnknown";
  const ranAgain = now?.state?.running !== undefined &&
    now.restartCount > (old?.restartCount ?? 0);
  if (ended !== undefined && !mayRunAgain && !ranAgain) {
    ok(now?.state?.terminated);
  }
}
