/**
 * What is told of pods that run, and by which clock.
 *
 * @module
 */

import type { ExplainFacts } from "../../../mod/explain/facts.ts";
import { NOW_MS } from "../observed_pods.ts";
import { container, sidecar, waitingStatus } from "../pods.ts";
import {
  containerFailed,
  CREATING,
  exits,
  explainedPod,
  facts,
  failed,
  NO_SETTINGS,
  probe,
  ready,
  type Rows,
  runs,
  saidOf,
  secondsAgo,
} from "./rows.ts";

/** Pods that run. */
export const HEALTH_ROWS: Rows = {
  // Pods that run.
  "a pod that runs": facts({ pod: explainedPod(ready()) }),
  "a pod with a sidecar that runs": facts({
    pod: explainedPod(ready({ initContainerStatuses: [runs("proxy")] }), {
      initContainers: [sidecar("proxy")],
    }),
  }),
  "a pod that runs and has had an init container": facts({
    pod: explainedPod(ready({ initContainerStatuses: [exits("prepare", 0)] }), {
      initContainers: [container("prepare")],
    }),
  }),
  "a pod that runs, all of whose probes are well": facts({
    pod: explainedPod(ready()),
    probes: [
      probe("liveness", {
        last: { kind: "success", message: "", atMs: NOW_MS - 1_000 },
      }),
      probe("startup"),
    ],
  }),
  "a pod that runs and was restarted once": facts({
    pod: explainedPod(ready({
      containerStatuses: [
        runs("web", {
          restartCount: 1,
          lastState: {
            terminated: { exitCode: 3, finishedAt: secondsAgo(400) },
          },
        }),
      ],
    })),
  }),
  "a pod that runs and was restarted by a clock that was another": facts({
    pod: explainedPod(ready({
      containerStatuses: [
        runs("web", {
          restartCount: 1,
          lastState: {
            terminated: { exitCode: 3, finishedAt: "1970-01-01T00:10:00Z" },
          },
        }),
      ],
    })),
  }),
  "a pod that runs, with all that may be wrong with it": facts({
    pod: explainedPod(ready({
      containerStatuses: [
        runs("web", {
          restartCount: 2,
          lastState: {
            terminated: { exitCode: 143, finishedAt: secondsAgo(400) },
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
          lastTransitionTime: secondsAgo(30),
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
  "a pod that runs, whose API server is silent and whose name the node has as well":
    facts({
      pod: explainedPod(ready()),
      clash: { uid: "u2", isOwn: false },
      silentServer: {
        location: "https://a:6443",
        sinceMs: NOW_MS - 720_000,
        message: "Cannot list pods: connection refused",
      },
    }),
  "a pod of a manifest that runs, and whose name the cluster has as well":
    facts({
      pod: explainedPod(ready()),
      clash: { uid: "u2", isOwn: true },
    }),
  "a pod that runs without its token while the API server is silent": facts({
    pod: explainedPod(ready()),
    silentSource: "api",
    lacksToken: true,
  }),
  "a pod that runs and once had no token": facts({
    pod: explainedPod(ready()),
    lacksToken: true,
  }),
  "a pod that runs and whose liveness probe the agent cannot ask": facts({
    pod: explainedPod(ready()),
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
  "a pod that runs with a ConfigMap that cannot be brought up to date": (() => {
    const pod = explainedPod(ready());
    const volumes = [{ volume: "cfg", cause: NO_SETTINGS }];
    const failure = {
      reason: "FailedMount",
      ...saidOf({ kind: "volumes", volumes }),
    } as const;
    const next = { kind: "settled", dueMs: NOW_MS + 9_000 } as const;
    return facts({ pod, decision: failed(pod, [failure], { next }) });
  })(),
  "a resize that waits, and what is short": facts({
    pod: explainedPod(ready({
      conditions: [{
        type: "PodResizePending",
        status: "True",
        reason: "Deferred",
        message: "Node didn't have enough resource: cpu",
      }],
    })),
    resizeShortage: {
      resource: "cpu",
      requested: 1500n,
      used: 3000n,
      capacity: 4000n,
    },
  }),
  "a resize that is under way": resized("PodResizeInProgress", "True"),
  "a resize that is over": resized("PodResizeInProgress", "False"),
  "a resize that waits no more": resized("PodResizePending", "False"),
  "conditions of ends and rollbacks that are over": facts({
    pod: explainedPod(ready({
      conditions: [
        { type: "DisruptionTarget", status: "False" },
        { type: "skerry.dev/RolledBack", status: "False", message: "m" },
      ],
    })),
  }),
  "a restart of an hour ago": restarted(1, 3_600),
  "a restart of more than an hour ago": restarted(1, 3_601),
  "an end that was no restart": restarted(0, 10),
  "a restart of a container that waits": facts({
    pod: explainedPod(ready({
      containerStatuses: [
        waitingStatus("web", "CrashLoopBackOff", {
          restartCount: 1,
          lastState: {
            terminated: { exitCode: 3, finishedAt: secondsAgo(10) },
          },
        }),
      ],
    })),
  }),
  "probes that are well, have nothing to do with it or were not answered":
    facts(
      {
        pod: explainedPod(ready()),
        probes: [
          probe("liveness", { verdict: "failure" }),
          probe("readiness", { consecutive: 0 }),
          probe("startup", {
            last: { kind: "error", message: "no port", atMs: NOW_MS },
          }),
        ],
      },
    ),
  "a resize that failed": facts({
    pod: explainedPod(ready({
      conditions: [{
        type: "PodResizeInProgress",
        status: "True",
        reason: "Error",
        message: "no",
      }],
    })),
  }),
  "a pod that is to be ended": facts({
    pod: explainedPod(ready({
      conditions: [{
        type: "DisruptionTarget",
        status: "True",
        reason: "TerminationByKubelet",
        message: "the node is short of memory",
      }],
    })),
  }),
  // The runtime.
  "a runtime that is down": facts({
    pod: explainedPod(ready()),
    runtimeDown: {
      message: "the runtime does not answer",
      sinceMs: NOW_MS - 245_000,
    },
  }),
  "a runtime that is down, and of what that is no cause or no more than a result":
    (() => {
      const pod = explainedPod(ready());
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
  // The clock.
  "a clock that stands in 1970": {
    ...containerFailed("CrashLoopBackOff", "", {
      lastState: {
        terminated: { exitCode: 1, finishedAt: "1970-01-01T00:00:05Z" },
      },
    }),
    nowMs: 10_000,
    decision: failed(explainedPod(CREATING), [{
      container: "web",
      reason: "CrashLoopBackOff",
      message: "",
      retryMs: 48_000,
    }]),
  },
  "times of before the clock was set": facts({
    pod: explainedPod(ready({
      conditions: [],
      containerStatuses: [runs("web", {
        restartCount: 1,
        lastState: {
          terminated: { exitCode: 1, finishedAt: "1970-01-01T00:00:05Z" },
        },
      })],
    })),
    runtimeDown: { message: "m", sinceMs: 5_000 },
  }),
  "a pod that is back after an eviction": facts({
    pod: explainedPod(ready()),
    eviction: { times: 1, atMs: NOW_MS - 60_000, message: "memory was short" },
  }),
  "a pod that is back after several evictions": facts({
    pod: explainedPod(ready()),
    eviction: { times: 3, atMs: NOW_MS - 60_000, message: "memory was short" },
  }),
  "a pod that was evicted a day ago": facts({
    pod: explainedPod(ready()),
    eviction: { times: 1, atMs: NOW_MS - 86_400_000, message: "m" },
  }),
  "a pod that was evicted a second more than a day ago": facts({
    pod: explainedPod(ready()),
    eviction: { times: 1, atMs: NOW_MS - 86_401_000, message: "m" },
  }),
  "a pod that was evicted the day before yesterday": facts({
    pod: explainedPod(ready()),
    eviction: { times: 1, atMs: NOW_MS - 2 * 86_400_000, message: "m" },
  }),
  "the local clock": facts({
    pod: explainedPod(ready()),
    utcOffsetMs: -4 * 3_600_000,
  }),
  "another day": runningFor(3 * 86_400, 3 * 86_400),
  "a container that restarted so fast that the pod was ready all the while":
    runningFor(300, 60),
};

/** The pod "web" with a condition about its resources. */
function resized(type: string, status: string): ExplainFacts {
  return facts({
    pod: explainedPod(ready({ conditions: [{ type, status, reason: "x" }] })),
  });
}

/** The pod "web", restarted so often, the last time so many seconds ago. */
function restarted(restartCount: number, seconds: number): ExplainFacts {
  return facts({
    pod: explainedPod(ready({
      containerStatuses: [
        runs("web", {
          restartCount,
          lastState: {
            terminated: { exitCode: 3, finishedAt: secondsAgo(seconds) },
          },
        }),
      ],
    })),
  });
}

/** The pod "web", ready and running since so many seconds. */
function runningFor(readyS: number, startedS: number): ExplainFacts {
  return facts({
    pod: explainedPod({
      phase: "Running",
      conditions: [{
        type: "Ready",
        status: "True",
        lastTransitionTime: secondsAgo(readyS),
      }],
      containerStatuses: [
        runs("web", {
          state: { running: { startedAt: secondsAgo(startedS) } },
        }),
      ],
    }),
  });
}
