/**
 * What is told of pods that run, and by which clock.
 *
 * @module
 */

import { ok } from "node:assert/strict";
import type { ExplainFacts } from "../../../mod/explain/facts.ts";
import { explainPod } from "../../../mod/explain/explain.ts";
import { NOW_MS, sidecarSpec, spec } from "../pod/builders.ts";
import {
  before,
  containerFailed,
  CREATING,
  ended,
  facts,
  failed,
  NO_SETTINGS,
  probe,
  ready,
  type Row,
  saidOf,
  status,
  tellsOf,
  web,
} from "./rows.ts";

const ROWS: readonly Row[] = [
  // Pods that run.
  [
    "a pod that runs",
    facts({ pod: web(ready()) }),
    ['It runs: container "web" has been ready since 02:59:05 (5 min)'],
  ],
  [
    "a pod with a sidecar that runs",
    facts({
      pod: web(ready({ initContainerStatuses: [status("proxy")] }), {
        initContainers: [sidecarSpec("proxy")],
      }),
    }),
    ["It runs: all 2 containers have been ready since 02:59:05 (5 min)"],
  ],
  [
    "a pod that runs and has had an init container",
    facts({
      pod: web(ready({ initContainerStatuses: [ended("prepare", 0)] }), {
        initContainers: [spec("prepare")],
      }),
    }),
    ['It runs: container "web" has been ready since 02:59:05 (5 min)'],
  ],
  [
    "a pod that runs, all of whose probes are well",
    facts({
      pod: web(ready()),
      probes: [
        probe("liveness", {
          last: { kind: "success", message: "", atMs: NOW_MS - 1_000 },
        }),
        probe("startup"),
      ],
    }),
    ['It runs: container "web" has been ready since 02:59:05 (5 min)'],
  ],
  [
    "a pod that runs and was restarted once",
    facts({
      pod: web(ready({
        containerStatuses: [
          status("web", {
            restartCount: 1,
            lastState: { terminated: { exitCode: 3, finishedAt: before(400) } },
          }),
        ],
      })),
    }),
    [
      'It runs: container "web" has been ready since 02:59:05 (5 min)',
      'Container "web" has restarted once, last after exit code 3 at 02:57:25',
    ],
  ],
  [
    "a pod that runs and was restarted by a clock that was another",
    facts({
      pod: web(ready({
        containerStatuses: [
          status("web", {
            restartCount: 1,
            lastState: {
              terminated: { exitCode: 3, finishedAt: "1970-01-01T00:10:00Z" },
            },
          }),
        ],
      })),
    }),
    ['It runs: container "web" has been ready since 02:59:05 (5 min)'],
  ],
  [
    "a pod that runs, with all that may be wrong with it",
    facts({
      pod: web(ready({
        containerStatuses: [
          status("web", {
            restartCount: 2,
            lastState: {
              terminated: { exitCode: 143, finishedAt: before(400) },
            },
          }),
        ],
        conditions: [
          {
            type: "PodResizePending",
            status: "True",
            reason: "Infeasible",
            message: "Node didn't have enough capacity: cpu",
          },
          {
            type: "skerry.dev/RolledBack",
            status: "True",
            message: "Revision x was not ready within 1m",
            lastTransitionTime: before(30),
          },
        ],
      })),
      probes: [probe("liveness", { consecutive: 2, verdict: "success" })],
      brokenManifest: {
        file: "/m/web.yaml",
        text: "spec.containers[0].image: Required value",
        sinceMs: NOW_MS - 60_000,
      },
      silentSource: "http://c/pods",
    }),
    [
      'It runs: container "web" has been ready since 02:59:05 (5 min)',
      "Rolled back at 03:03:35: Revision x was not ready within 1m",
      "The manifest /m/web.yaml has not been valid since 03:03:05 (1 min): spec.containers[0].image: Required value; its last good version goes on running",
      "Its changed resources cannot be given (PodResizePending, Infeasible): Node didn't have enough capacity: cpu; it keeps those that it has",
      'Container "web" has restarted 2 times, last after exit code 143 (ended by signal 15) at 02:57:25',
      'The liveness probe of container "web" has failed 2 of 3 times: HTTP 503',
      "The source http://c/pods has not answered since the agent started: the pod is as that source last wanted it",
    ],
  ],
  [
    "a pod that runs and whose liveness probe the agent cannot ask",
    facts({
      pod: web(ready()),
      probes: [
        probe("liveness", {
          last: {
            kind: "error",
            message: "dial tcp 10.88.0.7:80: the agent may not connect there",
            atMs: NOW_MS,
          },
        }),
      ],
    }),
    [
      'It runs: container "web" has been ready since 02:59:05 (5 min)',
      'The liveness probe of container "web" could not be asked at 03:04:05: dial tcp 10.88.0.7:80: the agent may not connect there',
    ],
  ],
  [
    "a pod that runs with a ConfigMap that cannot be brought up to date",
    (() => {
      const pod = web(ready());
      const volumes = [{ volume: "cfg", cause: NO_SETTINGS }];
      const failure = {
        reason: "FailedMount",
        ...saidOf({ kind: "volumes", volumes }),
      } as const;
      const next = { kind: "settled", dueMs: NOW_MS + 9_000 } as const;
      return facts({ pod, decision: failed(pod, [failure], { next }) });
    })(),
    [
      'It runs: container "web" has been ready since 02:59:05 (5 min)',
      'ConfigMap default/settings is missing (wanted by volume "cfg")',
    ],
  ],
  [
    "a resize that failed",
    facts({
      pod: web(ready({
        conditions: [{
          type: "PodResizeInProgress",
          status: "True",
          reason: "Error",
          message: "no",
        }],
      })),
    }),
    [
      'It runs: container "web" has been ready since 02:59:05 (5 min)',
      "Its containers could not be given their changed resources (PodResizeInProgress): no",
    ],
  ],
  // The runtime.
  [
    "a runtime that is down",
    facts({
      pod: web(ready()),
      runtimeDown: {
        message: "the runtime does not answer",
        sinceMs: NOW_MS - 245_000,
      },
    }),
    [
      "The runtime has been down since 03:00:00 (4 min 5 s): the runtime does not answer; what runs in it goes on running, and nothing is started or stopped until it answers",
      'When last seen: It runs: container "web" has been ready since 02:59:05 (5 min)',
    ],
  ],
  [
    "a runtime that is down, and of what that is no cause or no more than a result",
    (() => {
      const pod = web(ready());
      const words = "no connection: connect ENOENT /s";
      const failure = {
        reason: "FailedSync",
        ...saidOf({ kind: "no_runtime", words }),
      } as const;
      return facts({
        pod,
        decision: failed(pod, [failure]),
        brokenManifest: { file: "/m/web.yaml", text: "spec: Required value" },
        runtimeDown: { message: words },
      });
    })(),
    [
      "The runtime is down: no connection: connect ENOENT /s; what runs in it goes on running, and nothing is started or stopped until it answers",
      'When last seen: It runs: container "web" has been ready since 02:59:05 (5 min)',
      "The manifest /m/web.yaml is not valid: spec: Required value; its last good version goes on running",
    ],
  ],
  // The clock.
  [
    "a clock that stands in 1970",
    {
      ...containerFailed("CrashLoopBackOff", "", {
        lastState: {
          terminated: { exitCode: 1, finishedAt: "1970-01-01T00:00:05Z" },
        },
      }),
      nowMs: 10_000,
      decision: failed(web(CREATING), [{
        container: "web",
        reason: "CrashLoopBackOff",
        message: "",
        retryMs: 48_000,
      }]),
    },
    [
      'Container "web" waits to start again for another 38 s (CrashLoopBackOff): it ended once, last with exit code 1 5 s ago',
    ],
  ],
  [
    "times of before the clock was set",
    facts({
      pod: web(ready({
        conditions: [],
        containerStatuses: [status("web", {
          restartCount: 1,
          lastState: {
            terminated: { exitCode: 1, finishedAt: "1970-01-01T00:00:05Z" },
          },
        })],
      })),
      runtimeDown: { message: "m", sinceMs: 5_000 },
    }),
    [
      "The runtime is down: m; what runs in it goes on running, and nothing is started or stopped until it answers",
      'When last seen: It runs: container "web" has been ready since 02:59:05 (5 min)',
    ],
  ],
];

tellsOf(ROWS);

Deno.test("explainPod() tells times by the local clock", () => {
  const pod = web(ready());
  const [first = ""] = explainPod(facts({ pod, utcOffsetMs: -4 * 3_600_000 }));
  ok(first.includes("since 22:59:05 (5 min)"), first);
});

/** The pod "web", ready and running since so many seconds. */
function runningFor(readyS: number, startedS: number): ExplainFacts {
  return facts({
    pod: web({
      phase: "Running",
      conditions: [{
        type: "Ready",
        status: "True",
        lastTransitionTime: before(readyS),
      }],
      containerStatuses: [
        status("web", { state: { running: { startedAt: before(startedS) } } }),
      ],
    }),
  });
}

Deno.test("explainPod() names the day of another day", () => {
  const [first = ""] = explainPod(runningFor(3 * 86_400, 3 * 86_400));
  ok(first.includes("since 2025-12-30 03:04:05 (3 d)"), first);
});

Deno.test("explainPod() says of no container that it is ready for longer than it runs", () => {
  // It restarted so fast that the pod was ready all the while.
  const [first = ""] = explainPod(runningFor(300, 60));
  ok(first.includes("since 03:03:05 (1 min)"), first);
});
