/**
 * What is told of pods that end or have ended.
 *
 * @module
 */

import { NOW_MS } from "../pod/builders.ts";
import {
  before,
  doing,
  ended,
  facts,
  ready,
  type Row,
  tellsOf,
  web,
} from "./rows.ts";

const ROWS: readonly Row[] = [
  // Ends.
  [
    "a pod that is removed",
    facts({
      pod: web(ready(), {
        metadata: { deletionTimestamp: before(10) },
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
    [
      "It has been ending since 03:03:55 (10 s), as no manifest wants it any more",
      'Container "web" has until 03:04:25 to stop; its preStop hook has been running since 03:03:55 (10 s)',
      'Container "proxy" has until 03:04:25 to stop; it waits for the others to end first',
    ],
  ],
  [
    "a pod that ends with a resize to come, of which nothing comes",
    facts({
      pod: web(ready({
        conditions: [{
          type: "PodResizePending",
          status: "True",
          reason: "Infeasible",
          message: "no cpu",
        }],
      })),
      stage: { kind: "terminating", cause: "completed", graceSeconds: 30 },
    }),
    ["It is ending, as its containers are done"],
  ],
  [
    "a pod that does not end",
    facts({
      pod: web(ready()),
      stage: { kind: "terminating", cause: "completed", graceSeconds: 30 },
      endFailure: { words: "no answer", atMs: NOW_MS - 5_000 },
    }),
    [
      "It is ending, as its containers are done",
      "It could not be ended at 03:04:00 and is tried again: no answer",
    ],
  ],
  [
    "a pod that is gone but for its remains",
    facts({
      pod: web(ready()),
      stage: { kind: "terminated", cause: "removed", atMs: NOW_MS },
    }),
    ["It has ended and is being cleared away, as no manifest wants it any more"],
  ],
  [
    "a pod that is being evicted",
    facts({
      pod: web({ ...ready(), phase: "Failed", message: "too much disk" }),
      stage: { kind: "terminating", cause: "evicted", graceSeconds: 0 },
    }),
    [
      "Failed: too much disk",
      "It does not run again unless its manifest is removed and added",
    ],
  ],
  [
    "a pod that was evicted",
    facts({
      pod: web({
        phase: "Failed",
        reason: "Evicted",
        message: "too much disk",
      }),
      stage: { kind: "finished", cause: "evicted" },
    }),
    [
      "Evicted: too much disk",
      "It does not run again unless its manifest is removed and added",
    ],
  ],
  [
    "a pod that is done",
    facts({
      pod: web({ phase: "Succeeded", containerStatuses: [ended("web", 0)] }),
      stage: { kind: "finished", cause: "completed" },
    }),
    [
      "Completed at 03:03:25: its containers ended with exit code 0 and need not run again",
    ],
  ],
  [
    "a pod that ran too long",
    facts({
      pod: web({ phase: "Failed", reason: "DeadlineExceeded" }, {
        activeDeadlineSeconds: 60,
      }),
      stage: { kind: "finished", cause: "completed" },
    }),
    [
      "Failed: it ran longer than the 1 min that it may (DeadlineExceeded, activeDeadlineSeconds)",
      "It does not run again unless its manifest is removed and added",
    ],
  ],
  [
    "a pod that failed",
    facts({
      pod: web({
        phase: "Failed",
        containerStatuses: [ended("web", 137, { reason: "OOMKilled" })],
      }),
      stage: { kind: "finished", cause: "completed" },
    }),
    [
      'Failed: container "web" ended with exit code 137 (OOMKilled: it used more memory than it may) at 03:03:25',
      "It does not run again unless its manifest is removed and added",
    ],
  ],
];

tellsOf(ROWS);
