/**
 * One status after the other, through the whole life of a pod and over clocks that jump.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { Pod, PodStatus } from "../../../mod/api/types/mod.ts";
import {
  buildPodStatus,
  deadlineLeftMs,
  type StatusInput,
} from "../../../mod/pod/status/status.ts";
import { findCondition } from "../../../mod/pod/status/conditions.ts";
import type { ObservedPod } from "../../../mod/pod/observed/observed.ts";
import {
  ended,
  NOW_MS,
  observed,
  sandbox,
  seen,
  statusInput,
} from "../../support/observed_pods.ts";
import { container, pod, podOfThree } from "../../support/pods.ts";

/** One look at the pod. */
interface Step {
  readonly at: number;
  readonly shows: ObservedPod;
  readonly with?: Partial<StatusInput>;
}

/** The statuses after each step, each made of the one before; times in seconds from now. */
function live(subject: Pod, steps: readonly Step[]): PodStatus[] {
  const statuses: PodStatus[] = [];
  for (const { at, shows, with: rest = {} } of steps) {
    statuses.push(buildPodStatus(statusInput({
      pod: subject,
      observed: shows,
      previous: statuses.at(-1),
      nowMs: NOW_MS + at * 1000,
      ...rest,
    })));
  }
  return statuses;
}

/** Which conditions are True, and since how many seconds from now. */
function truths(status: PodStatus): Record<string, number> {
  return Object.fromEntries(
    (status.conditions ?? []).filter((each) => each.status === "True")
      .map(({ type, lastTransitionTime = "" }) => [
        type,
        (Date.parse(lastTransitionTime) - NOW_MS) / 1000,
      ]),
  );
}

const probe = { exec: { command: ["true"] } };
const withInit = pod({
  initContainers: [container("i")],
  containers: [container("a", { readinessProbe: probe })],
});
const says = (verdict: "success" | "failure") => ({
  probes: { readiness: () => verdict, startup: () => undefined },
});

// pod_conditions_test.go; ST-07.
Deno.test("buildPodStatus() sets the conditions of a pod in their order, each with its own time (ST-07)", () => {
  const statuses = live(withInit, [
    { at: 0, shows: observed([], []) },
    { at: 1, shows: observed() },
    { at: 2, shows: observed([seen("i")]) },
    { at: 3, shows: observed([ended("i", 0)]) },
    { at: 4, shows: observed([seen("a"), ended("i", 0)]) },
    { at: 9, shows: observed([seen("a"), ended("i", 0)]) },
    {
      at: 10,
      shows: observed([seen("a"), ended("i", 0)]),
      with: says("success"),
    },
    {
      at: 20,
      shows: observed([seen("a"), ended("i", 0)]),
      with: says("failure"),
    },
  ]);
  const scheduled = { PodScheduled: 0 };
  const sandboxed = { ...scheduled, PodReadyToStartContainers: 1 };
  const initialized = { ...sandboxed, Initialized: 3 };
  deepStrictEqual(statuses.map(truths), [
    scheduled,
    sandboxed,
    sandboxed,
    initialized,
    initialized,
    initialized,
    { ...initialized, Ready: 10, ContainersReady: 10 },
    initialized,
  ]);
  const lost = findCondition(statuses.at(-1)?.conditions, "Ready");
  strictEqual(Date.parse(lost?.lastTransitionTime ?? ""), NOW_MS + 20_000);
});

Deno.test("buildPodStatus() has only PodScheduled while the volumes of a pod with init containers fail (ST-07)", () => {
  const [status] = live(withInit, [{ at: 0, shows: observed([], []) }]);
  deepStrictEqual(truths(status ?? {}), { PodScheduled: 0 });
  const [plain] = live(pod({ containers: [container("a")] }), [
    { at: 0, shows: observed([], []) },
  ]);
  deepStrictEqual(truths(plain ?? {}), { PodScheduled: 0, Initialized: 0 });
});

// ST-09.
const POD_IPS = ["10.88.0.5", "fd00::5"];
const NODE_IPS = ["192.0.2.1", "2001:db8::1"];
const networks = [
  { name: "on the pod network", hostNetwork: false, expected: POD_IPS },
  { name: "on the node's network", hostNetwork: true, expected: NODE_IPS },
];
for (const { name, hostNetwork, expected } of networks) {
  for (const exitCode of [0, 1]) {
    Deno.test(`buildPodStatus() shows the addresses of a pod ${name} from its sandbox to long after exit ${exitCode} (ST-09)`, () => {
      const subject = pod({
        containers: [container("a")],
        restartPolicy: "Never",
        hostNetwork,
      });
      const up = sandbox({ hostNetwork, ip: hostNetwork ? "" : "10.88.0.5" });
      const down = { ...up, ready: false };
      const ips = hostNetwork ? [] : POD_IPS;
      const node = { hostIps: NODE_IPS };
      const over = { ...node, terminal: true };
      const statuses = live(subject, [
        { at: 0, shows: { ...observed([], [up]), ips }, with: node },
        { at: 1, shows: { ...observed([seen("a")], [up]), ips }, with: node },
        {
          at: 2,
          shows: { ...observed([ended("a", exitCode)], [up]), ips },
          with: node,
        },
        {
          at: 3,
          shows: { ...observed([ended("a", exitCode)], [down]), ips: [] },
          with: over,
        },
        { at: 4, shows: observed([], []), with: over },
      ]);
      for (const { podIP, podIPs, hostIP, hostIPs } of statuses) {
        strictEqual(podIP, expected[0]);
        deepStrictEqual(podIPs?.map(({ ip }) => ip), expected);
        strictEqual(hostIP, NODE_IPS[0]);
        deepStrictEqual(hostIPs?.map(({ ip }) => ip), NODE_IPS);
      }
      strictEqual(
        statuses.at(-1)?.phase,
        exitCode === 0 ? "Succeeded" : "Failed",
      );
    });
  }
}

Deno.test("buildPodStatus() shows the new address of a pod whose sandbox was made anew", () => {
  const made = observed([seen("a")], [sandbox({ id: "s1", ip: "10.88.0.9" })]);
  const [, , last] = live(pod({ containers: [container("a")] }), [
    { at: 0, shows: observed([seen("a")]) },
    { at: 1, shows: observed([], []) },
    { at: 2, shows: made },
  ]);
  strictEqual(last?.podIP, "10.88.0.9");
});

// deleted_pods_test.go; ST-12.
const deletions = [
  { name: "never began", shows: observed([], []), expected: "Pending" },
  {
    name: "had to be killed",
    shows: observed([ended("a", 137)]),
    expected: "Failed",
  },
  {
    name: "ended by itself",
    shows: observed([ended("a", 0)]),
    expected: "Succeeded",
  },
];
for (const restartPolicy of ["Always", "OnFailure", "Never"]) {
  for (const { name, shows, expected } of deletions) {
    Deno.test(`buildPodStatus() says ${expected} of a deleted pod under ${restartPolicy} that ${name} (ST-12)`, () => {
      const subject = pod({ containers: [container("a")], restartPolicy });
      const [status] = live(subject, [
        { at: 0, shows, with: { terminal: true } },
      ]);
      strictEqual(status?.phase, expected);
    });
  }
}

const limit = { reason: "Evicted", message: "Usage of EmptyDir volume" };

Deno.test("buildPodStatus() fails a pod that the node takes down, and says so for good (PW-19)", () => {
  const [before, after, last] = live(pod({ containers: [container("a")] }), [
    { at: 0, shows: observed([seen("a")]) },
    { at: 1, shows: observed([seen("a")]), with: { eviction: limit } },
    { at: 5, shows: observed([ended("a", 0)]), with: { terminal: true } },
  ]);
  strictEqual(before?.phase, "Running");
  for (const status of [after, last]) {
    strictEqual(status?.phase, "Failed");
    strictEqual(status?.reason, "Evicted");
    strictEqual(status?.message, limit.message);
    strictEqual(findCondition(status?.conditions, "Ready")?.status, "False");
    // The pod overran a limit of its own: nobody disturbed it.
    strictEqual(
      findCondition(status?.conditions, "DisruptionTarget"),
      undefined,
    );
  }
});

Deno.test("buildPodStatus() tells by DisruptionTarget of a pod that ends for the sake of the node", () => {
  const eviction = { ...limit, disruption: true };
  const [, first, last] = live(pod({ containers: [container("a")] }), [
    { at: 0, shows: observed([seen("a")]) },
    { at: 1, shows: observed([seen("a")]), with: { eviction } },
    { at: 5, shows: observed([ended("a", 0)]), with: { eviction } },
  ]);
  for (const status of [first, last]) {
    deepStrictEqual(findCondition(status?.conditions, "DisruptionTarget"), {
      type: "DisruptionTarget",
      status: "True",
      reason: "TerminationByKubelet",
      message: limit.message,
      lastTransitionTime: "2026-01-02T03:04:06Z",
    });
  }
});

Deno.test("buildPodStatus() leaves a pod that ended by itself as it is when the node takes it down", () => {
  const [status] = live(
    pod({ containers: [container("a")], restartPolicy: "Never" }),
    [{
      at: 0,
      shows: observed([ended("a", 0)]),
      with: { eviction: { ...limit, disruption: true } },
    }],
  );
  strictEqual(status?.phase, "Succeeded");
  strictEqual(status?.reason, undefined);
  strictEqual(findCondition(status?.conditions, "DisruptionTarget"), undefined);
});

const limited = pod({
  containers: [container("a")],
  activeDeadlineSeconds: 60,
});
const clamps = [
  { name: "before the start", activeMs: -40_000, left: 60_000 },
  { name: "in the middle", activeMs: 20_000, left: 40_000 },
  { name: "at the end", activeMs: 60_000, left: 0 },
  { name: "decades later", activeMs: 1.7e12, left: 0 },
];
for (const { name, activeMs, left } of clamps) {
  Deno.test(`deadlineLeftMs() stays between nothing and all: ${name} (CL-05)`, () => {
    strictEqual(deadlineLeftMs(limited, activeMs), left);
    strictEqual(deadlineLeftMs(podOfThree(), activeMs), undefined);
  });
}

Deno.test("buildPodStatus() ends no pod by its deadline because the clock was set (CL-02)", () => {
  const [, jumped, late] = live(limited, [
    { at: -1.7e9, shows: observed([seen("a")]) },
    { at: 0, shows: observed([seen("a")]), with: { activeMs: 30_000 } },
    { at: -40, shows: observed([seen("a")]), with: { activeMs: 60_000 } },
  ]);
  strictEqual(jumped?.phase, "Running");
  strictEqual(late?.reason, "DeadlineExceeded");
});

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

Deno.test("buildPodStatus() shows only valid times, none of a condition ahead of the clock, in any order of clocks (CL-05)", () => {
  const times = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const looks = fc.array(
    fc.record({
      at: fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }),
      state: fc.constantFrom("created", "running", "exited", "unknown"),
      startedAt: times,
      finishedAt: times,
      createdAt: times,
    }),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(fc.property(looks, (list) => {
    const statuses = live(
      pod({ containers: [container("a")], activeDeadlineSeconds: 30 }),
      list.map(({ at, createdAt, ...rest }) => ({
        at,
        shows: observed([seen("a", rest)], [sandbox({ createdAt })]),
      })),
    );
    for (const [at, status] of statuses.entries()) {
      const nowMs = NOW_MS + (list[at]?.at ?? 0) * 1000;
      for (const time of timesOf(status)) ok(RFC3339.test(time), time);
      for (const { lastTransitionTime } of status.conditions ?? []) {
        ok(Date.parse(lastTransitionTime ?? "") <= nowMs);
      }
    }
  }));
});

function timesOf(status: PodStatus): string[] {
  const times: string[] = [];
  JSON.stringify(status, (key, value) => {
    if (/(Time|At)$/.test(key)) times.push(String(value));
    return value;
  });
  return times;
}
