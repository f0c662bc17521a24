/**
 * What is told of pods that end or have ended.
 *
 * @module
 */

import type { ExplainFacts } from "../../../mod/explain/mod.ts";
import { NOW_MS } from "../observed_pods.ts";
import { container } from "../pods.ts";
import {
  doing,
  exits,
  explainedPod,
  facts,
  ready,
  type Rows,
  secondsAgo,
} from "./rows.ts";

/** Pods that end or have ended. */
export const ENDING_ROWS: Rows = {
  "a pod that is removed": facts({
    pod: explainedPod(ready(), {
      metadata: { deletionTimestamp: secondsAgo(10) },
    }),
    stage: { kind: "terminating", cause: "removed", graceSeconds: 30 },
    activities: [
      doing({
        kind: "stopping_container",
        container: "web",
        graceSeconds: 30,
      }, 10),
      doing({ kind: "pre_stop_hook", container: "web" }, 10),
      doing({
        kind: "stopping_container",
        container: "proxy",
        graceSeconds: 30,
      }, 10),
      doing({ kind: "waiting_for_others_to_end", container: "proxy" }, 10),
    ],
  }),
  "a pod that ends with a resize to come, of which nothing comes": facts({
    pod: explainedPod(ready({
      conditions: [{
        type: "PodResizePending",
        status: "True",
        reason: "Infeasible",
        message: "no cpu",
      }],
    })),
    stage: { kind: "terminating", cause: "completed", graceSeconds: 30 },
  }),
  "a pod that does not end": facts({
    pod: explainedPod(ready()),
    stage: { kind: "terminating", cause: "completed", graceSeconds: 30 },
    endFailure: { words: "no answer", atMs: NOW_MS - 5_000 },
  }),
  "a pod that is gone but for its remains": facts({
    pod: explainedPod(ready()),
    stage: { kind: "terminated", cause: "removed", atMs: NOW_MS },
  }),
  "a pod that has ended, of which no more is known": facts({
    pod: explainedPod(ready()),
    stage: { kind: "terminated", cause: "completed", atMs: NOW_MS },
  }),
  "a pod that is being evicted": facts({
    pod: explainedPod({
      ...ready(),
      phase: "Failed",
      message: "too much disk",
    }),
    stage: { kind: "terminating", cause: "evicted", graceSeconds: 0 },
  }),
  "a pod that is removed after it failed": facts({
    pod: explainedPod({
      phase: "Failed",
      containerStatuses: [exits("web", 1)],
    }),
    stage: { kind: "terminating", cause: "removed", graceSeconds: 30 },
  }),
  "a pod that is gone but for its remains, after it failed": facts({
    pod: explainedPod({
      phase: "Failed",
      containerStatuses: [exits("web", 1)],
    }),
    stage: { kind: "terminated", cause: "removed", atMs: NOW_MS },
  }),
  "a pod that was done and ends": facts({
    pod: explainedPod({
      phase: "Succeeded",
      containerStatuses: [exits("web", 0)],
    }),
    stage: { kind: "terminating", cause: "completed", graceSeconds: 30 },
  }),
  "a pod that is being evicted, as the status does not say yet": facts({
    pod: explainedPod({ phase: "Running", message: "too much disk" }),
    stage: { kind: "terminating", cause: "evicted", graceSeconds: 0 },
  }),
  "a pod that is being evicted for no known reason": facts({
    pod: explainedPod({ phase: "Running" }),
    stage: { kind: "terminating", cause: "evicted", graceSeconds: 0 },
  }),
  "a pod that failed for no known reason": facts({
    pod: explainedPod({ phase: "Failed" }),
    stage: { kind: "finished", cause: "completed" },
  }),
  "a pod that ran longer than a limit that it has no more": facts({
    pod: explainedPod({ phase: "Failed", reason: "DeadlineExceeded" }),
    stage: { kind: "finished", cause: "completed" },
  }),
  "a pod of which no worker knows that it is done": facts({
    pod: explainedPod({
      phase: "Succeeded",
      containerStatuses: [
        exits("web", 0, { finishedAt: secondsAgo(50) }),
        exits("two", 0, { finishedAt: secondsAgo(45) }),
      ],
    }, { containers: [container("web"), container("two")] }),
    stage: undefined,
  }),
  "a pod that ends while the machine goes down": facts({
    pod: explainedPod(ready()),
    stage: { kind: "terminating", cause: "completed", graceSeconds: 30 },
    isGoingDown: true,
  }),
  "a pod that has failed while the runtime is down": facts({
    pod: explainedPod({
      phase: "Failed",
      containerStatuses: [exits("web", 1)],
    }),
    runtimeDown: { message: "m" },
    silentSource: "http://c/pods",
  }),
  "a pod that was evicted": facts({
    pod: explainedPod({
      phase: "Failed",
      reason: "Evicted",
      message: "too much disk",
    }),
    stage: { kind: "finished", cause: "evicted" },
  }),
  "a pod that was evicted and waits for the end of the shortage": evicted({
    kind: "short",
  }),
  "a pod that was evicted and pauses": evicted({
    kind: "pauses",
    dueMs: NOW_MS + 38_000,
  }),
  "a pod that was evicted and that the node does not take back": evicted({
    kind: "refused",
    message: "Node didn't have free ports",
  }),
  "a pod that is done": facts({
    pod: explainedPod({
      phase: "Succeeded",
      containerStatuses: [exits("web", 0)],
    }),
    stage: { kind: "finished", cause: "completed" },
  }),
  "a pod that ran too long": facts({
    pod: explainedPod({ phase: "Failed", reason: "DeadlineExceeded" }, {
      activeDeadlineSeconds: 60,
    }),
    stage: { kind: "finished", cause: "completed" },
  }),
  "a pod that failed": facts({
    pod: explainedPod({
      phase: "Failed",
      containerStatuses: [exits("web", 137, { reason: "OOMKilled" })],
    }),
    stage: { kind: "finished", cause: "completed" },
  }),
};

/** The pod "web", ended because the node ran short. */
function evicted(
  returns: NonNullable<ExplainFacts["eviction"]>["returns"],
): ExplainFacts {
  return facts({
    pod: explainedPod({
      phase: "Failed",
      reason: "Evicted",
      message: "The node was low on resource: memory.",
    }),
    stage: { kind: "finished", cause: "evicted" },
    eviction: { times: 2, atMs: NOW_MS - 60_000, message: "", returns },
  });
}
