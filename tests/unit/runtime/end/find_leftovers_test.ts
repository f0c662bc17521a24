/**
 * What of a pod's dead parts may go.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  fairShare,
  findLeftovers,
  NEWEST_ONLY,
} from "../../../../mod/runtime/end/collect.ts";
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

/** So many dead containers of a name, the newest first, one made each 10 ns. */
function deadOf(name: string, count: number) {
  return Array.from({ length: count }, (_, at) => {
    const restartCount = count - 1 - at;
    const createdAt = BigInt(10 * restartCount);
    return ended(name, 0, { restartCount, sandboxId: "s1", createdAt });
  });
}

for (
  const [perContainer, bornBefore, removed] of [
    [1, NEWEST_ONLY.bornBefore, ["a-2", "a-1", "a-0"]],
    [2, NEWEST_ONLY.bornBefore, ["a-1", "a-0"]],
    [0, NEWEST_ONLY.bornBefore, ["a-2", "a-1", "a-0"]],
    [Infinity, NEWEST_ONLY.bornBefore, []],
    // Those made at 20 and 30 are young.
    [1, 20n, ["a-1", "a-0"]],
    [1, 21n, ["a-2", "a-1", "a-0"]],
    [3, 10n, ["a-0"]],
    [1, 0n, []],
  ] as const
) {
  Deno.test(`findLeftovers() that keeps ${perContainer}, and those made from ${bornBefore} on, removes ${removed.length} of four`, () => {
    const pod = observed(deadOf("a", 4), [newest(0)]);
    const found = findLeftovers(pod, { perContainer, bornBefore });
    deepStrictEqual(found.containers.map(({ id }) => id), removed);
  });
}

for (
  const [most, perContainer, share] of [
    // Two names of three, and one of one: seven in all.
    [7, 5, 5],
    [6, 5, 2],
    [5, 5, 1],
    [2, 5, 1],
    [0, 5, 1],
    [6, 1, 1],
    // As many as are kept anyway.
    [5, 2, 2],
    [4, 2, 1],
    [100, Infinity, Infinity],
    [6, Infinity, 2],
  ] as const
) {
  Deno.test(`fairShare() of ${most} among pods that keep ${perContainer} each is ${share}`, () => {
    const pods = [
      observed([running("a", 9), ...deadOf("a", 3)], [newest(0)]),
      observed([...deadOf("b", 3), ...deadOf("c", 1)], [newest(0)]),
      observed([running("d", 0)], [newest(0)]),
    ];
    const kept = { ...NEWEST_ONLY, perContainer };
    strictEqual(fairShare(pods, kept, most), share);
  });
}

Deno.test("fairShare() does not count what goes anyway, nor wants what is not there", () => {
  const pods = [observed(deadOf("a", 9), [newest(0)])];
  strictEqual(fairShare(pods, NEWEST_ONLY, 1), 1);
  strictEqual(fairShare([], NEWEST_ONLY, 0), 1);
});
