/**
 * Which rotated files go for the budget of all logs.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  measureLogs,
  uidOfLogDirectory,
} from "../../../mod/logs/measure_logs.ts";
import { planBudget, type PodLogUsage } from "../../../mod/logs/plan_budget.ts";

/** A pod with so many bytes in the file that is written to, and rotated files by stamp. */
function pod(
  uid: string,
  current: number,
  rotated: Readonly<Record<string, number>>,
): PodLogUsage {
  const spare = Object.entries(rotated).map(([stamp, bytes]) => ({
    place: { podDirectory: uid, directory: "c", file: `0.log.${stamp}` },
    stamp,
    bytes,
  }));
  const sum = spare.reduce((all, { bytes }) => all + bytes, current);
  return { uid, bytes: sum, spare };
}

for (
  const [what, pods, budget, wanted, leftBytes] of [
    ["nothing within the budget", [pod("a", 5, { b: 5 })], 10, [], 10],
    ["the oldest first", [pod("a", 5, { c: 5, b: 5 })], 14, ["a b"], 10],
    [
      "files of the largest pod only",
      [pod("a", 5, { a: 5 }), pod("b", 50, { x: 5, y: 5 })],
      60,
      ["b x", "b y"],
      60,
    ],
    [
      "files of the next when it is the largest then",
      [pod("a", 0, { a: 10, b: 10 }), pod("b", 0, { x: 12, y: 12 })],
      24,
      ["b x", "a a"],
      22,
    ],
    [
      "files of a smaller pod when the largest has none",
      [pod("a", 100, {}), pod("b", 1, { x: 1 })],
      50,
      ["b x"],
      101,
    ],
    ["all that there is", [pod("a", 5, { a: 1, b: 1 })], 0, ["a a", "a b"], 5],
    ["nothing of nothing", [], 0, [], 0],
    [
      "files of the first of two that are as large",
      [pod("a", 0, { a: 10 }), pod("b", 0, { x: 10 })],
      10,
      ["a a"],
      10,
    ],
    [
      "files of two pods by turns",
      [pod("a", 0, { a: 10, b: 10 }), pod("b", 0, { x: 12, y: 9 })],
      0,
      ["b x", "a a", "a b", "b y"],
      0,
    ],
  ] as const
) {
  Deno.test(`planBudget() removes ${what}`, () => {
    const plan = planBudget(pods, budget);
    deepStrictEqual(
      plan.remove.map(({ uid, stamp }) => `${uid} ${stamp}`),
      wanted,
    );
    strictEqual(plan.leftBytes, leftBytes);
  });
}

const TREE: Readonly<Record<string, readonly string[]>> = {
  "/logs": ["shop_web_u1/", "shop_db_u2/", "lost+found/", "shop_link_u1"],
  "/logs/shop_web_u1": ["c/", "d/", "note"],
  "/logs/shop_web_u1/c": [
    "0.log",
    "0.log.20260102-030405.gz",
    "0.log.20260102-030406",
    "0.log.20260102-030406.tmp",
    "1.log",
    "1.log.20260102-030407",
    "1.log.20260102-030408/",
    "other.20260102-030405",
  ],
  // Its newest rotated file is still written to.
  "/logs/shop_web_u1/d": ["0.log.20260102-030405", "0.log.20260102-030406"],
  "/logs/shop_db_u2": ["c/"],
  "/logs/shop_db_u2/c": ["0.log"],
};

const ownsFirst = (uid: string) => uid === "u1";

Deno.test("measureLogs() counts all files of own pods, and knows which may go", async () => {
  const { usages, failures } = await measureLogs("/logs", ownsFirst, {
    entries: (path) =>
      Promise.resolve(
        (TREE[path] ?? []).map((name) => ({
          name: name.replace("/", ""),
          isDirectory: name.endsWith("/"),
        })),
      ),
    bytes: () => Promise.resolve(10),
  });
  deepStrictEqual(failures, []);
  strictEqual(usages.length, 1);
  strictEqual(usages[0]?.bytes, 90);
  deepStrictEqual(
    usages[0]?.spare.map(({ place: { directory, file } }) =>
      `${directory}/${file}`
    ),
    [
      "c/0.log.20260102-030405.gz",
      "c/0.log.20260102-030406",
      "c/1.log.20260102-030407",
      "d/0.log.20260102-030405",
    ],
  );
});

for (
  const [name, uid] of [
    ["shop_web_u1", "u1"],
    ["shop_web", undefined],
    ["shop_web_u1_more", undefined],
    ["__", undefined],
    ["shop__u1", undefined],
    ["", undefined],
  ] as const
) {
  Deno.test(`uidOfLogDirectory() finds ${uid} in "${name}"`, () => {
    strictEqual(uidOfLogDirectory(name), uid);
  });
}
