/**
 * Which pods end together when the machine goes down.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  planShutdown,
  shutdownGrace,
} from "../../../../mod/pod/lifecycle/mod.ts";
import { pod } from "../../../support/pods.ts";

const CRITICAL = 2_000_000_000;

function groups(...priorities: readonly number[]) {
  return priorities.map((priority, at) => ({ priority, graceSeconds: at + 1 }));
}

for (
  const [title, given, priorities, wanted] of [
    ["one group for all", groups(0), [-5, undefined, 7], [[1, [-5, 0, 7]]]],
    [
      "critical pods last",
      groups(0, CRITICAL),
      [CRITICAL, 3, CRITICAL + 5],
      [[1, [3]], [2, [CRITICAL, CRITICAL + 5]]],
    ],
    [
      "the boundary belongs to the group that begins there",
      groups(10, 20),
      [10, 19, 20, 21],
      [[1, [10, 19]], [2, [20, 21]]],
    ],
    [
      "what is below the lowest group ends with it",
      groups(10, 20),
      [9, -1],
      [[1, [9, -1]]],
    ],
    [
      "groups in any order",
      groups(20, 10).toReversed(),
      [25, 15],
      [[2, [15]], [1, [25]]],
    ],
    ["no time for a group without pods", groups(0, 5, 9), [9], [[3, [9]]]],
    ["no groups, nothing ends", [], [1, 2], []],
  ] as const
) {
  Deno.test(`planShutdown(): ${title}`, () => {
    const running = priorities.map((priority) => ({
      pod: pod({ ...(priority !== undefined && { priority }) }),
    }));
    deepStrictEqual(
      planShutdown(running, given).map(({ graceSeconds, members }) => [
        graceSeconds,
        members.map((member) => member.pod.spec.priority ?? 0),
      ]),
      wanted,
    );
  });
}

Deno.test("planShutdown() takes a pod without manifest for one of priority 0", () => {
  const orphan = { pod: undefined };
  deepStrictEqual(planShutdown([orphan], groups(-5, 1)), [
    { graceSeconds: 1, members: [orphan] },
  ]);
});

for (
  const [own, group, wanted] of [
    [5, 20, 5],
    [120, 20, 20],
    [undefined, 20, 20],
    [0, 20, 0],
    [30, 0, 0],
  ] as const
) {
  Deno.test(`shutdownGrace() of a pod with ${own} s in a group with ${group} s is ${wanted} s`, () => {
    const given = pod({
      ...(own !== undefined && { terminationGracePeriodSeconds: own }),
    });
    strictEqual(shutdownGrace(given, group), wanted);
  });
}
