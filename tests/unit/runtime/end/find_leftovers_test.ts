/**
 * What of a pod's dead parts may go.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { findLeftovers } from "../../../../mod/runtime/end/collect.ts";
import {
  ended,
  observed,
  sandbox,
  seen,
} from "../../../support/observed_pods.ts";

const dead = (name: string, restartCount: number, sandboxId = "s1") =>
  ended(name, 0, { restartCount, sandboxId });
const running = (name: string, restartCount: number) =>
  seen(name, { restartCount, sandboxId: "s1" });
const newest = (attempt: number) => sandbox({ id: "s1", attempt });
const old = (id: string, attempt: number) =>
  sandbox({ id, attempt, ready: false });

const ROWS = [
  {
    what: "nothing of a pod that runs",
    containers: [running("a", 0)],
    sandboxes: [newest(0)],
    removed: [],
  },
  {
    what: "all but the newest dead of each name",
    containers: [dead("a", 2), dead("b", 1), dead("a", 1), dead("a", 0)],
    sandboxes: [newest(0)],
    removed: ["a-1", "a-0"],
  },
  {
    what: "not the last dead one beside one that runs",
    containers: [running("a", 2), dead("a", 1), dead("a", 0)],
    sandboxes: [newest(0)],
    removed: ["a-0"],
  },
  {
    what: "an unknown one that is not the newest",
    containers: [
      dead("a", 1),
      seen("a", { state: "unknown", sandboxId: "s1" }),
    ],
    sandboxes: [newest(0)],
    removed: ["a-0"],
  },
  {
    what: "an old sandbox that holds nothing",
    containers: [running("a", 1)],
    sandboxes: [newest(1), old("s0", 0)],
    removed: ["s0"],
  },
  {
    what: "not an old sandbox that holds a container to be kept",
    containers: [running("a", 1), dead("a", 0, "s0")],
    sandboxes: [newest(1), old("s0", 0)],
    removed: [],
  },
  {
    what: "an old sandbox whose containers all go",
    containers: [running("a", 2), dead("a", 1), dead("a", 0, "s0")],
    sandboxes: [newest(1), old("s0", 0)],
    removed: ["a-0", "s0"],
  },
  {
    what: "not the newest sandbox, dead as it is",
    containers: [],
    sandboxes: [old("s1", 1), old("s0", 0)],
    removed: ["s0"],
  },
  {
    what: "not a second sandbox that is ready",
    containers: [],
    sandboxes: [newest(1), sandbox()],
    removed: [],
  },
];

for (const { what, containers, sandboxes, removed } of ROWS) {
  Deno.test(`findLeftovers() removes ${what}`, () => {
    const found = findLeftovers(observed(containers, sandboxes));
    const ids = [...found.containers, ...found.sandboxes].map(({ id }) => id);
    deepStrictEqual(ids, removed);
  });
}
