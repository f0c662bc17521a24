import {
  deepStrictEqual,
  notStrictEqual,
  strictEqual,
} from "node:assert/strict";
import {
  type BackoffEntry,
  crashLoopMessage,
  isBackoffExpired,
  pullDelay,
  pullFailed,
  restartDelay,
  restartKey,
} from "../../../../mod/pod/recovery/restart_backoff.ts";
import { container, podOfThree } from "../../../support/pods.ts";

const SECOND = 1000;

/** Starts as soon as allowed, ends at once; returns the gaps between starts. */
function crashGaps(times: number, maxMs?: number): number[] {
  const gaps: number[] = [];
  let entry: BackoffEntry | undefined;
  let finishedAtMs = 0;
  let nowMs = 0;
  for (let start = 0; start < times; start++) {
    const options = {
      finishedAtMs,
      nowMs,
      ...(maxMs === undefined ? {} : { maxMs }),
    };
    let verdict = restartDelay(entry, options);
    const began = nowMs;
    if (verdict.kind === "wait") {
      nowMs = verdict.untilMs;
      verdict = restartDelay(entry, { ...options, nowMs });
    }
    strictEqual(verdict.kind, "start");
    if (verdict.kind === "start") entry = verdict.entry;
    gaps.push((nowMs - began) / SECOND);
    finishedAtMs = nowMs;
  }
  return gaps;
}

// RT-23 and container_restart_test.go: 0, 10, 20, 40, … after the first restart.
Deno.test("restartDelay() restarts at once, then doubles from 10 s to 300 s", () => {
  deepStrictEqual(crashGaps(9), [0, 10, 20, 40, 80, 160, 300, 300, 300]);
});

Deno.test("restartDelay() keeps to a lower cap", () => {
  deepStrictEqual(crashGaps(5, 25 * SECOND), [0, 10, 20, 25, 25]);
});

Deno.test("restartDelay() takes a cap below the base as the base", () => {
  deepStrictEqual(crashGaps(4, SECOND), [0, 1, 1, 1]);
});

// kuberuntime_manager_test.go TestDoBackOff, by the moments that matter.
const moments = [
  { name: "waits within the delay", finishedAt: 100, now: 105, kind: "wait" },
  {
    name: "starts at the end of the delay",
    finishedAt: 100,
    now: 120,
    kind: "start",
  },
  {
    name: "counts the delay from the end, not from the start",
    finishedAt: 400,
    now: 410,
    kind: "wait",
  },
  {
    name: "starts when the delay passed unseen",
    finishedAt: 100,
    now: 5000,
    kind: "start",
  },
  {
    name: "forgets after ten minutes of running",
    finishedAt: 701,
    now: 701,
    kind: "start",
  },
  {
    name: "remembers just before ten minutes of running",
    finishedAt: 700,
    now: 701,
    kind: "wait",
  },
] as const;
for (const { name, finishedAt, now, kind } of moments) {
  Deno.test(`restartDelay() ${name}`, () => {
    const entry = { delayMs: 20 * SECOND, updatedAtMs: 100 * SECOND };
    const verdict = restartDelay(entry, {
      finishedAtMs: finishedAt * SECOND,
      nowMs: now * SECOND,
    });
    strictEqual(verdict.kind, kind);
  });
}

Deno.test("restartDelay() starts from the base again once it forgot", () => {
  const entry = { delayMs: 300 * SECOND, updatedAtMs: 0 };
  deepStrictEqual(
    restartDelay(entry, { finishedAtMs: 601 * SECOND, nowMs: 601 * SECOND }),
    {
      kind: "start",
      entry: { delayMs: 10 * SECOND, updatedAtMs: 601 * SECOND },
    },
  );
});

Deno.test("restartDelay() tells until when and the whole delay", () => {
  const entry = { delayMs: 40 * SECOND, updatedAtMs: 0 };
  deepStrictEqual(
    restartDelay(entry, { finishedAtMs: 5 * SECOND, nowMs: 30 * SECOND }),
    { kind: "wait", untilMs: 45 * SECOND, delayMs: 40 * SECOND },
  );
});

// TestGetBackoffKey; RT-34: a new image starts at once.
const key = restartKey(podOfThree(), container("a"));
const keys = [
  {
    name: "image",
    other: restartKey(podOfThree(), container("a", { image: "x:2" })),
    same: false,
  },
  {
    name: "resources",
    other: restartKey(
      podOfThree(),
      container("a", { resources: { limits: { cpu: "1" } } }),
    ),
    same: false,
  },
  {
    name: "name",
    other: restartKey(podOfThree(), container("b")),
    same: false,
  },
  {
    name: "pod",
    other: restartKey(podOfThree({ metadata: { uid: "u2" } }), container("a")),
    same: false,
  },
  {
    name: "command",
    other: restartKey(podOfThree(), container("a", { command: ["x"] })),
    same: true,
  },
];
for (const { name, other, same } of keys) {
  Deno.test(`restartKey() ${same ? "stays" : "differs"} with another ${name}`, () => {
    if (same) strictEqual(other, key);
    else notStrictEqual(other, key);
  });
}

Deno.test("restartKey() is 16 hex digits", () => {
  strictEqual(/^[0-9a-f]{16}$/.test(key), true);
});

Deno.test("crashLoopMessage() reads as the kubelet's", () => {
  strictEqual(
    crashLoopMessage(80 * SECOND, { name: "a", pod: podOfThree() }),
    "back-off 1m20s restarting failed container=a pod=web_shop(u-1)",
  );
});

Deno.test("pullDelay() lets a first pull through and backs off after failures", () => {
  strictEqual(pullDelay(undefined, 0).kind, "pull");
  const first = pullFailed(undefined, 0);
  strictEqual(first.delayMs, 10 * SECOND);
  deepStrictEqual(pullDelay(first, 4 * SECOND), {
    kind: "wait",
    untilMs: 10 * SECOND,
    delayMs: 10 * SECOND,
  });
  strictEqual(pullDelay(first, 10 * SECOND).kind, "pull");
  const second = pullFailed(first, 10 * SECOND);
  strictEqual(second.delayMs, 20 * SECOND);
});

Deno.test("pullFailed() forgets ten minutes after the last failure", () => {
  const entry = { delayMs: 300 * SECOND, updatedAtMs: 0 };
  strictEqual(pullFailed(entry, 600 * SECOND).delayMs, 300 * SECOND);
  strictEqual(pullFailed(entry, 601 * SECOND).delayMs, 10 * SECOND);
  strictEqual(isBackoffExpired(entry, 601 * SECOND), true);
});
