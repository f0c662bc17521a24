/**
 * When a container counts as started and as ready, and what follows for its pod.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type {
  ContainerStatus,
  PodStatus,
} from "../../../../mod/api/types/mod.ts";
import { buildPodStatus } from "../../../../mod/pod/status/status.ts";
import { findCondition } from "../../../../mod/pod/status/conditions.ts";
import type { ProbeVerdict } from "../../../../mod/pod/plan/plan_steps.ts";
import {
  type ProbeAnswer,
  withProbeAnswer,
} from "../../../../mod/pod/status/probe_status.ts";
import {
  ended,
  NOW_MS,
  observed,
  seen,
  statusInput,
} from "../../../support/observed_pods.ts";
import { container, pod, sidecar } from "../../../support/pods.ts";
import { previously, statusOf } from "../../../support/pod/container_status.ts";

const probe = { exec: { command: ["true"] } };
const NOW = "2026-01-02T03:04:05Z";

interface Row {
  readonly name: string;
  readonly probes: "none" | "readiness" | "startup" | "both";
  readonly startup?: ProbeVerdict;
  readonly readiness?: ProbeVerdict;
  readonly previous?: Pick<ContainerStatus, "ready" | "started">;
  readonly expected: readonly [started: boolean, ready: boolean];
}

// prober_manager_test.go TestUpdatePodStatus, TestUpdatePodStatusWithInitContainers.
const rows: readonly Row[] = [
  { name: "without probes", probes: "none", expected: [true, true] },
  {
    name: "before the readiness probe has spoken",
    probes: "readiness",
    expected: [true, false],
  },
  {
    name: "that does not answer",
    probes: "readiness",
    readiness: "failure",
    expected: [true, false],
  },
  {
    name: "that answers",
    probes: "readiness",
    readiness: "success",
    expected: [true, true],
  },
  {
    name: "before the startup probe has spoken",
    probes: "startup",
    expected: [false, false],
  },
  {
    name: "that failed to start",
    probes: "startup",
    startup: "failure",
    expected: [false, false],
  },
  {
    name: "that started",
    probes: "startup",
    startup: "success",
    expected: [true, true],
  },
  {
    name: "that answers before it has started",
    probes: "both",
    startup: "failure",
    readiness: "success",
    expected: [false, false],
  },
  {
    name: "that started and has not been asked whether it is ready",
    probes: "both",
    startup: "success",
    expected: [true, false],
  },
  {
    name: "that started and is ready",
    probes: "both",
    startup: "success",
    readiness: "success",
    expected: [true, true],
  },
  {
    name: "that was ready, while the probes say nothing (ST-04)",
    probes: "both",
    previous: { started: true, ready: true },
    expected: [true, true],
  },
  {
    name: "that had started, while the probes say nothing (ST-04)",
    probes: "both",
    previous: { started: true, ready: false },
    expected: [true, false],
  },
  {
    name: "that was ready and does not answer any more",
    probes: "both",
    readiness: "failure",
    previous: { started: true, ready: true },
    expected: [true, false],
  },
];
for (const row of rows) {
  const [started, ready] = row.expected;
  Deno.test(`buildPodStatus() shows a container ${row.name}: started ${started}, ready ${ready}`, () => {
    const has = (kind: Row["probes"]) =>
      row.probes === kind || row.probes === "both";
    const status = statusOf({
      pod: pod({
        containers: [container("a", {
          ...(has("readiness") && { readinessProbe: probe }),
          ...(has("startup") && { startupProbe: probe }),
        })],
      }),
      observed: observed([seen("a")]),
      probes: { startup: () => row.startup, readiness: () => row.readiness },
      ...(row.previous !== undefined && previously({
        containerID: "containerd://a-0",
        state: { running: {} },
        ...row.previous,
      })),
    });
    deepStrictEqual([status.started, status.ready], row.expected);
  });
}

const probed = container("a", { readinessProbe: probe, startupProbe: probe });
const others = [
  { name: "another container of the name", containerID: "containerd://gone" },
  { name: "nothing that ran", containerID: undefined },
];
for (const { name, containerID } of others) {
  Deno.test(`buildPodStatus() takes over nothing of ${name} while the probes say nothing`, () => {
    const status = statusOf({
      pod: pod({ containers: [probed] }),
      observed: observed([seen("a")]),
      ...previously({
        ...(containerID !== undefined && { containerID }),
        started: true,
        ready: true,
      }),
    });
    deepStrictEqual([status.started, status.ready], [false, false]);
  });
}

Deno.test("buildPodStatus() takes a container that does not run for neither, whatever its probes said", () => {
  const status = statusOf({
    pod: pod({ containers: [probed] }),
    observed: observed([ended("a", 0)]),
    probes: { startup: () => "success", readiness: () => "success" },
    ...previously({
      containerID: "containerd://a-0",
      started: true,
      ready: true,
    }),
  });
  deepStrictEqual([status.started, status.ready], [false, false]);
});

// TestUpdatePodStatusWithInitContainers.
const inits = [
  { name: "runs", of: seen("i"), expected: [true, false] },
  { name: "is done", of: ended("i", 0), expected: [false, true] },
  { name: "failed", of: ended("i", 1), expected: [false, false] },
] as const;
for (const { name, of, expected } of inits) {
  Deno.test(`buildPodStatus() shows an init container that ${name}: started, ready ${expected}`, () => {
    const status = buildPodStatus(statusInput({
      pod: pod({
        containers: [container("a")],
        initContainers: [container("i")],
      }),
      observed: observed([of]),
    })).initContainerStatuses?.[0];
    deepStrictEqual([status?.started, status?.ready], expected);
  });
}

Deno.test("buildPodStatus() asks the probes of a sidecar like those of an app", () => {
  const input = statusInput({
    pod: pod({
      containers: [container("a")],
      initContainers: [sidecar("s", { startupProbe: probe })],
    }),
    observed: observed([seen("s")]),
  });
  const started = (verdict: ProbeVerdict) =>
    buildPodStatus({
      ...input,
      probes: { startup: () => verdict, readiness: () => undefined },
    }).initContainerStatuses?.[0];
  strictEqual(started(undefined)?.started, false);
  strictEqual(started("success")?.started, true);
  strictEqual(started("success")?.ready, true);
});

const twoApps = pod({
  containers: [
    container("a", { readinessProbe: probe }),
    container("b", { startupProbe: probe }),
  ],
  initContainers: [sidecar("s", { readinessProbe: probe })],
});
const BEGAN_MS = NOW_MS - 60_000;

function silent(): PodStatus {
  return buildPodStatus(statusInput({
    pod: twoApps,
    observed: observed([seen("a"), seen("b"), seen("s")]),
    nowMs: BEGAN_MS,
  }));
}

function flags(status: PodStatus): Record<string, unknown> {
  return Object.fromEntries(
    [...status.containerStatuses ?? [], ...status.initContainerStatuses ?? []]
      .map(({ name, ready, started }) => [name, { ready, started }]),
  );
}

/** The status after a probe has said something of a container. */
function told(
  status: PodStatus,
  kind: ProbeAnswer["kind"],
  containerId: string,
  isSuccess = true,
): PodStatus {
  const answer = { kind, containerId, isSuccess, nowMs: NOW_MS };
  return withProbeAnswer(twoApps, status, answer);
}

// status_manager_test.go TestSetContainerReadiness.
Deno.test("withProbeAnswer() makes one container ready, and the pod once all are", () => {
  const first = told(silent(), "readiness", "a-0");
  deepStrictEqual(flags(first), {
    a: { ready: true, started: true },
    b: { ready: false, started: false },
    s: { ready: false, started: true },
  });
  strictEqual(
    findCondition(first.conditions, "ContainersReady")?.message,
    "containers with unready status: [s b]",
  );
  const second = told(first, "startup", "containerd://b-0");
  const third = told(second, "readiness", "containerd://s-0");
  for (const type of ["Ready", "ContainersReady"]) {
    const condition = findCondition(third.conditions, type);
    strictEqual(condition?.status, "True");
    strictEqual(condition?.lastTransitionTime, NOW);
    strictEqual(condition?.reason, undefined);
  }
  strictEqual(
    findCondition(third.conditions, "PodScheduled")?.lastTransitionTime,
    "2026-01-02T03:03:05Z",
  );
});

// TestSetContainerStartup.
Deno.test("withProbeAnswer() makes a container without a readiness probe ready when it has started, and back", () => {
  const started = told(silent(), "startup", "b-0");
  deepStrictEqual(flags(started)["b"], { ready: true, started: true });
  const back = told(started, "startup", "b-0", false);
  deepStrictEqual(flags(back)["b"], { ready: false, started: false });
});

Deno.test("withProbeAnswer() leaves it to the readiness probe whether a container that has started is ready", () => {
  const started = told(silent(), "startup", "a-0");
  deepStrictEqual(flags(started)["a"], { ready: false, started: true });
  const ready = told(started, "readiness", "a-0");
  const again = told(ready, "startup", "a-0");
  deepStrictEqual(flags(again)["a"], { ready: true, started: true });
});

const ignored = [
  { name: "a container that no status tells of", containerId: "unknown" },
  { name: "no container at all", containerId: "" },
];
for (const { name, containerId } of ignored) {
  Deno.test(`withProbeAnswer() changes nothing for ${name}`, () => {
    const status = silent();
    strictEqual(told(status, "readiness", containerId), status);
    strictEqual(told(status, "startup", containerId), status);
  });
}

Deno.test("withProbeAnswer() changes nothing that is so already", () => {
  const status = silent();
  strictEqual(told(status, "readiness", "a-0", false), status);
});

Deno.test("withProbeAnswer() believes in no container that has ended or not started", () => {
  const status = buildPodStatus(statusInput({
    pod: twoApps,
    observed: observed([ended("a", 1), seen("b")]),
  }));
  for (const containerId of ["a-0", "b-0"]) {
    strictEqual(told(status, "readiness", containerId), status);
  }
});

Deno.test("withProbeAnswer() makes no ordinary init container ready", () => {
  const subject = pod({
    containers: [container("a")],
    initContainers: [container("i")],
  });
  const status = buildPodStatus(statusInput({
    pod: subject,
    observed: observed([seen("i")]),
    nowMs: BEGAN_MS,
  }));
  const answer = { kind: "readiness", containerId: "i-0" } as const;
  const change = { ...answer, isSuccess: true, nowMs: NOW_MS };
  strictEqual(withProbeAnswer(subject, status, change), status);
});
