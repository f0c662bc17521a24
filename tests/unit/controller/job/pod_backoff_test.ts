/** How long a Job waits; the rows are named after upstream's backoff_utils_test.go. */

import { strictEqual } from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { finishedMs } from "../../../../mod/controller/job/job_pods.ts";
import {
  jobPauseMs,
  pauseMs,
} from "../../../../mod/controller/job/pod_backoff.ts";
import {
  atSecond,
  job,
  JOB_NOW_MS,
  jobPod,
  type JobPodOptions,
} from "../../../support/controller/job_objects.ts";

const PAUSES: Readonly<Record<string, readonly [number, number, number]>> = {
  "no failures": [0, 0, 0],
  "one failure; current time and failure time are same": [1, 0, 10],
  "one failure; current time == 1 second + failure time": [1, -1, 9],
  "one failure; current time == expected backoff time": [1, -10, 0],
  "one failure; current time == expected backoff time + 1 Second": [1, -11, 0],
  "three failures; current time and failure time are same": [3, 0, 40],
  "six failures": [6, 0, 320],
  "seven failures; the longest": [7, 0, 360],
  "a thousand failures": [1000, -60, 300],
  "a failure a little ahead": [1, 30, 10],
  "a failure as far ahead as the longest": [1, 360, 10],
  "a failure seen by a clock that was set back": [1, 361, 0],
};

for (const [name, [failures, last, want]] of Object.entries(PAUSES)) {
  Deno.test(`pauseMs() doubles from 10 s to 6 min: ${name}`, () => {
    const lastMs = JOB_NOW_MS + last * 1000;
    strictEqual(pauseMs(failures, lastMs, JOB_NOW_MS), want * 1000);
  });
}

/** Names of pods with what they are. */
type Pods = readonly JobPodOptions[];
const JOB_PAUSES: Readonly<Record<string, readonly [Pods, number]>> = {
  "no pods": [[], 0],
  "only running pods": [[{}, { phase: "Pending" }], 0],
  "one new failed pod": [[{ phase: "Failed", endedAt: -2 }], 8],
  "failures that are counted already": [
    [
      { phase: "Failed", endedAt: -9, tracked: false },
      { phase: "Failed", endedAt: -2 },
    ],
    18,
  ],
  "a success after them resets it": [
    [
      { phase: "Failed", endedAt: -9 },
      { phase: "Succeeded", endedAt: -5 },
    ],
    0,
  ],
  "failures after the success": [
    [
      { phase: "Failed", endedAt: -9 },
      { phase: "Succeeded", endedAt: -5 },
      { phase: "Failed", endedAt: -3 },
      { phase: "Failed", endedAt: -2 },
    ],
    18,
  ],
  "a failure in the second of the success": [
    [
      { phase: "Succeeded", endedAt: -5 },
      { phase: "Failed", endedAt: -5 },
    ],
    0,
  ],
  "a pod that somebody deletes": [
    [{ deleted: true, endedAt: -1 }],
    9,
  ],
  "a pod that the controller itself deletes": [
    [{ deleted: true, tracked: false }],
    0,
  ],
  "an end as far ahead as it may be": [[{ phase: "Failed", endedAt: 360 }], 10],
  "ends that the clock cannot have seen": [
    [
      { phase: "Failed", endedAt: 900 },
      { phase: "Succeeded", endedAt: 900 },
      { phase: "Failed", endedAt: -4 },
    ],
    6,
  ],
};

for (const [name, [pods, want]] of Object.entries(JOB_PAUSES)) {
  Deno.test(`jobPauseMs() goes by the failures since a success: ${name}`, () => {
    const made = pods.map((each, at) => jobPod(`pod-${at}`, each));
    strictEqual(jobPauseMs(job(), made, JOB_NOW_MS), want * 1000);
  });
}

function ended(options: Partial<Pod>): Pod {
  return { ...jobPod("a"), ...options };
}

const plain = jobPod("a").metadata;
const ready = (status: string, lastTransitionTime?: string) => ({
  conditions: [{
    type: "Ready",
    status,
    ...(lastTransitionTime !== undefined && { lastTransitionTime }),
  }],
});
const terminated = (name: string, second: number) => ({
  name,
  image: "",
  imageID: "",
  ready: false,
  restartCount: 0,
  state: { terminated: { exitCode: 1, finishedAt: atSecond(second) } },
});
const running = { ...terminated("b", 0), state: { running: {} } };

const FINISHED: Readonly<Record<string, readonly [Pod, number]>> = {
  "the last container": [
    ended({
      status: {
        containerStatuses: [terminated("a", -20), terminated("b", -10)],
        ...ready("False", atSecond(-1)),
      },
    }),
    -10,
  ],
  "a sidecar ended later": [
    ended({
      spec: {
        containers: [],
        initContainers: [
          { name: "side", restartPolicy: "Always" },
          { name: "init" },
        ],
      },
      status: {
        containerStatuses: [terminated("a", -20)],
        initContainerStatuses: [terminated("side", -5), terminated("init", -1)],
      },
    }),
    -5,
  ],
  "a container has not ended": [
    ended({
      status: {
        containerStatuses: [terminated("a", -20), running],
        ...ready("False", atSecond(-8)),
      },
    }),
    -8,
  ],
  "fallback to deletionTimestamp": [
    ended({
      metadata: { ...plain, deletionTimestamp: atSecond(-7) },
      status: {},
    }),
    -7,
  ],
  "fallback to deletionTimestamp, decremented by grace period": [
    ended({
      metadata: {
        ...plain,
        deletionTimestamp: atSecond(20),
        deletionGracePeriodSeconds: 30,
      },
      status: {},
    }),
    -10,
  ],
  "skip fallback to PodReady when status of the condition is True": [
    ended({ status: ready("True", atSecond(-3)) }),
    -50,
  ],
  "skip fallback to PodReady when it has no time": [
    ended({ status: ready("False") }),
    -50,
  ],
  "fallback to creationTimestamp": [ended({ status: {} }), -50],
};

for (const [name, [pod, want]] of Object.entries(FINISHED)) {
  Deno.test(`finishedMs() says when a pod ended: ${name}`, () => {
    strictEqual(finishedMs(pod), JOB_NOW_MS + want * 1000);
  });
}

Deno.test("finishedMs() knows no time of a pod that has none", () => {
  const { creationTimestamp: _none, ...metadata } = plain;
  strictEqual(finishedMs(ended({ metadata, status: {} })), 0);
});
