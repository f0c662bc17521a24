/**
 * What is known of a pod and what is told of it, signal by signal.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  NO_PICTURE,
  type PictureSignal,
  stepPicture,
} from "../../../mod/picture/pod_picture.ts";
import type {
  ObservedContainer,
  ObservedState,
} from "../../../mod/pod/observed/mod.ts";
import { observed, seen as container } from "../../support/observed_pods.ts";

const ERROR = new Error("no status");

/** A look at `atMs` that shows one container so. */
function seen(
  atMs: number,
  state: ObservedState = "running",
  more: Partial<ObservedContainer> = {},
): PictureSignal {
  const pod = observed([container("c", { id: "c", state, ...more })], []);
  return { kind: "seen", pod: { ...pod, uid: "u" }, atMs };
}

function part(atMs: number, state: ObservedState): PictureSignal {
  const look = container("c", { id: "c", state });
  return { kind: "part", part: { containerId: "c", container: look }, atMs };
}

const failed = (atMs: number): PictureSignal => ({
  kind: "failed",
  error: ERROR,
  atMs,
});
const gone = (atMs: number): PictureSignal => ({ kind: "gone", atMs });
const told = (atMs: number): PictureSignal => ({ kind: "settled", atMs });
const CAUGHT: PictureSignal = { kind: "caught_up" };
const DROPPED: PictureSignal = { kind: "dropped", atMs: 10 };
const WANTED: PictureSignal = { kind: "inspection_wanted" };
const UNCLEAR = { exitCode: 137, reason: "Error" };

/** The signals, and then: the look and its time, the container, what is to be done. */
const ROWS: readonly (readonly [
  string,
  readonly PictureSignal[],
  readonly [string, number, string | undefined, boolean | undefined],
])[] = [
  ["nothing", [], ["unseen", -Infinity, undefined, undefined]],
  ["a look", [seen(5)], ["observed", 5, "running", undefined]],
  ["an older look", [seen(5), seen(4, "exited")], [
    "observed",
    5,
    "running",
    undefined,
  ]],
  ["two looks of one moment", [seen(5), seen(5, "exited")], [
    "observed",
    5,
    "exited",
    undefined,
  ]],
  ["a failure", [failed(5)], ["unreadable", 5, undefined, true]],
  ["a failure after a look", [seen(4), failed(5)], [
    "unreadable",
    5,
    "running",
    true,
  ]],
  ["an older failure", [seen(5), failed(4)], [
    "observed",
    5,
    "running",
    undefined,
  ]],
  ["a look after a failure", [failed(4), seen(5), told(5)], [
    "observed",
    5,
    "running",
    false,
  ]],
  ["an inspected container", [seen(5), part(6, "exited")], [
    "observed",
    5,
    "exited",
    undefined,
  ]],
  ["a container of an unseen pod", [part(6, "exited")], [
    "unseen",
    -Infinity,
    undefined,
    undefined,
  ]],
  ["a late look, with what was inspected since", [
    seen(5),
    part(7, "exited"),
    seen(6),
  ], ["observed", 6, "exited", undefined]],
  ["that the runtime has no more", [seen(5), told(5), gone(6)], [
    "unseen",
    -Infinity,
    undefined,
    undefined,
  ]],
  ["an older list without it", [seen(5), told(5), gone(4)], [
    "observed",
    5,
    "running",
    false,
  ]],
  ["that the agent has removed it", [seen(5), told(5), DROPPED], [
    "unseen",
    10,
    undefined,
    false,
  ]],
  ["no look from before the agent removed it", [seen(5), DROPPED, seen(9)], [
    "unseen",
    10,
    undefined,
    undefined,
  ]],
  ["a wish to inspect what was told", [seen(5), told(5), WANTED], [
    "observed",
    5,
    "running",
    true,
  ]],
  ["a wish to inspect what was not told", [WANTED], [
    "unseen",
    -Infinity,
    undefined,
    undefined,
  ]],
  ["an end that is not clear", [seen(5, "exited", UNCLEAR), told(5)], [
    "observed",
    5,
    "exited",
    true,
  ]],
  ["an end that a second look left unclear", [
    seen(5, "exited", UNCLEAR),
    told(5),
    seen(6, "exited", UNCLEAR),
    told(6),
  ], ["observed", 6, "exited", false]],
  ["an end that the runtime does not show yet", [
    seen(5, "exited", { isUnconfirmed: true }),
    told(5),
    seen(6, "exited", { isUnconfirmed: true }),
    told(6),
  ], ["observed", 6, "exited", true]],
];

for (const [what, signals, expected] of ROWS) {
  Deno.test(`stepPicture() knows after ${what}`, () => {
    const { look, published } = after(signals).picture;
    const state = look.pod?.containers[0]?.state;
    deepStrictEqual(
      [look.kind, look.atMs, state, published?.mustInspect],
      expected,
    );
  });
}

for (
  const [what, signals, kinds] of [
    ["what a first look has found", [seen(5), told(5)], ["container_started"]],
    ["nothing twice", [seen(5), told(5), told(5)], []],
    ["a death", [seen(5), told(5), seen(6, "exited"), told(6)], [
      "container_died",
    ]],
    ["a death that the agent saw", [
      seen(5),
      told(5),
      seen(6, "exited"),
      CAUGHT,
    ], ["container_died"]],
    ["nothing that the agent started", [seen(5), CAUGHT], []],
    ["that what the agent removed is gone", [
      seen(5),
      told(5),
      DROPPED,
      told(6),
    ], ["container_died", "container_removed"]],
  ] as const
) {
  Deno.test(`stepPicture() tells ${what}`, () => {
    deepStrictEqual(after(signals).moved.map(({ kind }) => kind), kinds);
  });
}

Deno.test("stepPicture() gives the same picture back where a look is older", () => {
  const { picture } = after([seen(5)]);
  for (const signal of [seen(4), failed(4), gone(4)]) {
    strictEqual(stepPicture("u", picture, signal).picture, picture);
  }
  const stepped = stepPicture("u", picture, part(4, "exited"));
  strictEqual(stepped.picture.look, picture.look);
});

function after(signals: readonly PictureSignal[]) {
  let stepped = stepPicture("u", NO_PICTURE, CAUGHT);
  for (const signal of signals) {
    stepped = stepPicture("u", stepped.picture, signal);
  }
  return stepped;
}
