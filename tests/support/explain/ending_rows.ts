/**
 * What is told of pods that end or have ended.
 *
 * @module
 */

import { NOW_MS } from "../observed_pods.ts";
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
  "a pod that was evicted": facts({
    pod: explainedPod({
      phase: "Failed",
      reason: "Evicted",
      message: "too much disk",
    }),
    stage: { kind: "finished", cause: "evicted" },
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
