/**
 * Which version of a pod runs, and what becomes of one that does not get ready.
 *
 * @module
 */

import {
  deepStrictEqual,
  notStrictEqual,
  strictEqual,
} from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import {
  badRevision,
  describeRollback,
  endLostTrial,
  isSameHistory,
  judgeVersion,
  type PodHistory,
  podRevision,
  resumeHistory,
  takeVersion,
  trialLeftMs,
  trialMarkMs,
  type VersionState,
} from "../../../../mod/pod/recovery/rollback.ts";
import { podOfThree } from "../../../support/pods.ts";

const AFTER = { "skerry.dev/rollback-after": "1m" };

function version(
  label: string,
  metadata: Partial<Pod["metadata"]> = {},
): Pod {
  return podOfThree({
    metadata: {
      uid: `uid-${label}`,
      labels: { version: label },
      annotations: AFTER,
      ...metadata,
    },
  });
}

const [ONE, TWO, THREE] = [version("one"), version("two"), version("three")];
const PLAIN = version("plain", { annotations: {} });

function bad(of: Pod): NonNullable<PodHistory["bad"]> {
  const { uid } = of.metadata;
  return { revision: podRevision(of), uid, atMs: 1, afterMs: 60_000 };
}

function trial(of: Pod, usedMs = 0): NonNullable<PodHistory["trial"]> {
  return { revision: podRevision(of), usedMs };
}

/** Name, what is known, what is wanted, what is known then, what runs. */
const TAKEN: readonly (readonly [string, PodHistory, Pod, PodHistory, Pod])[] =
  [
    ["a first version", {}, ONE, { trial: trial(ONE) }, ONE],
    ["a first version without a limit", {}, PLAIN, {}, PLAIN],
    ["an update", { good: ONE }, TWO, { good: ONE, trial: trial(TWO) }, TWO],
    ["an update without a limit", { good: ONE }, PLAIN, { good: ONE }, PLAIN],
    [
      "an update whose trial has begun",
      { good: ONE, trial: trial(TWO, 7) },
      TWO,
      { good: ONE, trial: trial(TWO, 7) },
      TWO,
    ],
    [
      "an update of an update",
      { good: ONE, trial: trial(TWO, 7) },
      THREE,
      { good: ONE, trial: trial(THREE) },
      THREE,
    ],
    [
      "what was rolled back",
      { good: ONE, bad: bad(TWO) },
      TWO,
      { good: ONE, bad: bad(TWO) },
      ONE,
    ],
    [
      "other content than was rolled back",
      { good: ONE, bad: bad(TWO) },
      THREE,
      { good: ONE, trial: trial(THREE) },
      THREE,
    ],
    [
      "the good content after a rollback",
      { good: ONE, bad: bad(TWO) },
      ONE,
      { good: ONE },
      ONE,
    ],
    [
      "the good content during a trial",
      { good: ONE, trial: trial(TWO) },
      ONE,
      { good: ONE },
      ONE,
    ],
    [
      "a bad one to which there is no way back any more",
      { bad: bad(TWO) },
      TWO,
      { trial: trial(TWO) },
      TWO,
    ],
  ];

for (const [name, history, wanted, known, run] of TAKEN) {
  Deno.test(`takeVersion() takes ${name}`, () => {
    const taken = takeVersion(history, wanted);
    deepStrictEqual(taken, { history: known, run });
  });
}

const READY = { kind: "ready", forMs: 10_000 } as const;
const UNREADY = { kind: "unready", isOver: false } as const;
const FAILED = { kind: "unready", isOver: true } as const;
const ON_TRIAL: PodHistory = { good: ONE, trial: trial(TWO) };
const SAME_UID = version("two", { uid: "uid-one" });

/** Name, the running version, how it does, the verdict. */
const JUDGED: readonly (readonly [string, Pod, VersionState, string])[] = [
  [
    "waits in time",
    TWO,
    { history: ON_TRIAL, readiness: UNREADY, leftMs: 1 },
    "wait",
  ],
  ["goes back when the time is over", TWO, {
    history: ON_TRIAL,
    readiness: UNREADY,
    leftMs: 0,
  }, "roll_back"],
  ["goes back from what has failed", TWO, {
    history: ON_TRIAL,
    readiness: FAILED,
    leftMs: 0,
  }, "roll_back"],
  ["waits with what has failed until the time is over", TWO, {
    history: ON_TRIAL,
    readiness: FAILED,
    leftMs: 1,
  }, "wait"],
  ["takes what is ready for a while", TWO, {
    history: ON_TRIAL,
    readiness: READY,
    leftMs: 1,
  }, "good"],
  ["waits for what is ready for a moment", TWO, {
    history: ON_TRIAL,
    readiness: { kind: "ready", forMs: 9_999 },
    leftMs: 1,
  }, "wait"],
  ["lets what is ready at the end have its while", TWO, {
    history: ON_TRIAL,
    readiness: { kind: "ready", forMs: 1 },
    leftMs: 0,
  }, "wait"],
  ["takes what has succeeded", TWO, {
    history: ON_TRIAL,
    readiness: { kind: "succeeded" },
    leftMs: 0,
  }, "good"],
  ["takes a first version at once", ONE, {
    history: { trial: trial(ONE) },
    readiness: { kind: "ready", forMs: 0 },
    leftMs: 1,
  }, "good"],
  ["stays with a first version", ONE, {
    history: { trial: trial(ONE) },
    readiness: UNREADY,
    leftMs: 0,
  }, "stuck"],
  ["takes what has no limit at once", PLAIN, {
    history: { good: ONE },
    readiness: { kind: "ready", forMs: 0 },
    leftMs: 0,
  }, "good"],
  ["waits for ever for what has no limit", PLAIN, {
    history: { good: ONE },
    readiness: UNREADY,
    leftMs: 0,
  }, "wait"],
  ["goes back under the same UID", SAME_UID, {
    history: ON_TRIAL,
    readiness: UNREADY,
    leftMs: 0,
  }, "roll_back"],
  ["stays with what has failed under the same UID (I4)", SAME_UID, {
    history: ON_TRIAL,
    readiness: FAILED,
    leftMs: 0,
  }, "stuck"],
  [
    "takes less than a while of a short trial",
    version("two", { annotations: { "skerry.dev/rollback-after": "4s" } }),
    {
      history: ON_TRIAL,
      readiness: { kind: "ready", forMs: 2_000 },
      leftMs: 1,
    },
    "good",
  ],
];

for (const [name, running, state, kind] of JUDGED) {
  Deno.test(`judgeVersion() ${name}`, () => {
    strictEqual(judgeVersion(running, state).kind, kind);
  });
}

/** Name, what it has used, what is left of a minute. */
const LEFT: readonly (readonly [string, number | undefined, number])[] = [
  ["the rest", 20_000, 40_000],
  ["nothing when it is over", 70_000, 0],
  ["no more than there was", -1, 60_000],
  ["all that a record of an older agent tells nothing of", undefined, 60_000],
];

for (const [name, usedMs, left] of LEFT) {
  Deno.test(`trialLeftMs() leaves ${name}`, () => {
    const trial = usedMs === undefined ? {} : { usedMs };
    strictEqual(trialLeftMs(trial, 60_000), left);
  });
}

Deno.test("trialMarkMs() notes three times a minute's trial, and when it is over", () => {
  const marks = [0, 14_999, 15_000, 29_000, 31_000, 59_999, 60_000]
    .map((usedMs) => trialMarkMs(usedMs, 60_000));
  deepStrictEqual(marks, [0, 0, 15_000, 15_000, 30_000, 45_000, 60_000]);
});

Deno.test("resumeHistory() counts no time while no agent ran", () => {
  const paused = { ...trial(TWO, 12_345), isPaused: true };
  deepStrictEqual(resumeHistory({ good: ONE, trial: paused }, TWO), {
    good: ONE,
    trial: trial(TWO, 12_345),
  });
});

Deno.test("resumeHistory() ends an update that takes down the machine again and again", () => {
  let history: PodHistory = ON_TRIAL;
  let boots = 0;
  while (trialLeftMs(history.trial ?? {}, 60_000) > 0) {
    history = resumeHistory(history, TWO);
    boots++;
  }
  strictEqual(boots, 8);
});

Deno.test("resumeHistory() counts how often in a row a trial was cut off after its time", () => {
  let history: PodHistory = { good: ONE, trial: trial(TWO, 60_000) };
  for (const lateCuts of [1, 2, 3]) {
    history = resumeHistory(history, TWO);
    strictEqual(history.trial?.lateCuts, lateCuts);
  }
  // An agent that could say goodbye was not cut off.
  const paused = { ...trial(TWO, 99_000), lateCuts: 3, isPaused: true };
  const next = resumeHistory({ good: ONE, trial: paused }, TWO);
  strictEqual(next.trial?.lateCuts, undefined);
  strictEqual(resumeHistory(ON_TRIAL, TWO).trial?.lateCuts, undefined);
});

Deno.test("endLostTrial() goes back from what was cut off three times after its time, if there is a way back", () => {
  const lost = (lateCuts: number) => ({ ...trial(TWO, 60_000), lateCuts });
  const history = { good: ONE, trial: lost(3) };
  deepStrictEqual(endLostTrial({ history, run: TWO }, 7), {
    history: { good: ONE, bad: { ...bad(TWO), atMs: 7 } },
    run: ONE,
  });
  for (
    const kept of [{ trial: lost(3) }, { good: ONE, trial: lost(2) }, ON_TRIAL]
  ) {
    const taken = { history: kept, run: TWO };
    strictEqual(endLostTrial(taken, 7), taken);
  }
});

Deno.test("resumeHistory() leaves what is on no trial as it is", () => {
  const known: PodHistory = { good: ONE, bad: bad(TWO) };
  strictEqual(resumeHistory(known, TWO), known);
  strictEqual(resumeHistory(ON_TRIAL, PLAIN), ON_TRIAL);
});

Deno.test("podRevision() goes by what a pod says, not by what the node adds", () => {
  const seen = version("one", {
    annotations: { ...AFTER, "kubernetes.io/config.seen": "2026" },
  });
  strictEqual(podRevision(seen), podRevision(version("one")));
  for (
    const other of [
      version("one", { uid: "other" }),
      version("one", { labels: {} }),
      version("one", { annotations: {} }),
      { ...ONE, spec: { ...ONE.spec, hostNetwork: true } },
    ]
  ) notStrictEqual(podRevision(other), podRevision(ONE));
});

Deno.test("podRevision() is what an earlier agent wrote to the disk", () => {
  const metadata = { name: "web", namespace: "shop", uid: "u-1" };
  const spec = { containers: [{ name: "c", image: "i" }] };
  const subject: Pod = { apiVersion: "v1", kind: "Pod", metadata, spec };
  strictEqual(podRevision(subject), "0d188cfdb9b7b2a1");
});

Deno.test("badRevision() and describeRollback() tell how long a version had", () => {
  const rolledBack = badRevision(TWO, 7);
  deepStrictEqual(rolledBack, { ...bad(TWO), atMs: 7 });
  strictEqual(badRevision(PLAIN, 7).afterMs, 0);
  strictEqual(
    describeRollback({ ...rolledBack, revision: "1f" }),
    'Revision "1f" (UID "uid-two") was not ready within 1m0s: rolled back to the last good one until the manifest changes',
  );
});

Deno.test("isSameHistory() compares what runs by its version, and the rest by what it is", () => {
  const again = version("one");
  const [first, second] = [trial(ONE), trial(ONE)];
  const rows: readonly (readonly [PodHistory, PodHistory, boolean])[] = [
    [{}, {}, true],
    [{ good: ONE }, { good: ONE }, true],
    [{ good: ONE }, { good: again }, true],
    [{ good: ONE }, { good: TWO }, false],
    [{ good: ONE }, {}, false],
    [{}, { good: ONE }, false],
    [{ trial: first }, { trial: first }, true],
    [{ trial: first }, { trial: second }, false],
    [{ bad: bad(ONE) }, { bad: bad(ONE) }, false],
    [{ good: ONE, trial: first }, { good: ONE }, false],
  ];
  for (const [one, other, same] of rows) {
    strictEqual(isSameHistory(one, other), same);
  }
});
