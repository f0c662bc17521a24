/** Which pod goes first, after TestSortingActivePodsWithRanks of upstream. */

import { deepStrictEqual } from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { rankForDeletion } from "../../../../mod/controller/replicas/mod.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");
const HOUR = 3_600_000;
const MONTH = 30 * 24 * HOUR;

interface Wish {
  readonly node?: string;
  readonly phase?: string;
  /** Absent: not ready; `null`: ready, and nobody says since when. */
  readonly readyMs?: number | null;
  readonly createdMs?: number;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  readonly cost?: string;
}

function pod(
  name: string,
  { node = "node", phase = "Running", readyMs, createdMs, ...rest }: Wish,
): Pod {
  const { restarts = 0, sidecarRestarts = 0, cost } = rest;
  const status = (name: string, restartCount: number) => ({
    name,
    restartCount,
    image: "i",
    imageID: "i",
    ready: true,
  });
  const time = (ms: number) => new Date(ms).toISOString();
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      uid: name,
      ...(createdMs !== undefined && { creationTimestamp: time(createdMs) }),
      ...(cost !== undefined && {
        annotations: { "controller.kubernetes.io/pod-deletion-cost": cost },
      }),
    },
    spec: {
      containers: [{ name: "main", image: "i" }],
      initContainers: [
        { name: "sidecar", image: "i", restartPolicy: "Always" },
        { name: "setup", image: "i" },
      ],
      ...(node !== "" && { nodeName: node }),
    },
    status: {
      phase,
      containerStatuses: [status("main", restarts)],
      initContainerStatuses: [
        status("sidecar", sidecarRestarts),
        status("setup", 100),
      ],
      ...(readyMs !== undefined && {
        conditions: [{
          type: "Ready",
          status: "True",
          ...(readyMs !== null && { lastTransitionTime: time(readyMs) }),
        }],
      }),
    },
  };
}

const ready = { readyMs: NOW - HOUR, createdMs: NOW - HOUR };
const pairs: Readonly<Record<string, readonly [Wish, Wish]>> = {
  "no node before pending": [
    { node: "", phase: "Pending" },
    { phase: "Pending" },
  ],
  "no node before all else": [{ node: "", ...ready, cost: "9" }, {
    phase: "Pending",
  }],
  "pending before unknown": [{ phase: "Pending" }, { phase: "Unknown" }],
  "unknown before running": [{ phase: "Unknown" }, {}],
  "not ready before ready": [{ cost: "9" }, { readyMs: null }],
  "ready since nobody knows when before ready now": [{ readyMs: null }, ready],
  "ready for an hour before ready for a month": [
    ready,
    { ...ready, readyMs: NOW - MONTH },
  ],
  // 2^53 ns lie between them.
  "ready for 9007199254 ms before ready for a millisecond more": [
    { ...ready, readyMs: NOW - 9_007_199_254 },
    { ...ready, readyMs: NOW - 9_007_199_255 },
  ],
  "ready now before ready for a millisecond": [
    { ...ready, readyMs: NOW },
    { ...ready, readyMs: NOW - 1 },
  ],
  "made nobody knows when before made now": [{ readyMs: ready.readyMs }, {
    ...ready,
    createdMs: NOW,
  }],
  "one restart before none": [{ ...ready, restarts: 1 }, ready],
  "more restarts first": [{ ...ready, restarts: 9001 }, ready],
  "more restarts of a sidecar first": [
    { ...ready, restarts: 9001, sidecarRestarts: 9001 },
    { ...ready, restarts: 9001 },
  ],
  "the younger first": [ready, { ...ready, createdMs: NOW - MONTH }],
  "the cheaper first": [{ ...ready, cost: "10" }, { ...ready, cost: "100" }],
  "a negative cost first": [{ ...ready, cost: "-1" }, { readyMs: null }],
  "the greatest cost last": [
    { ...ready, readyMs: null },
    { ...ready, cost: "2147483647" },
  ],
  "the least cost first": [
    { ...ready, cost: "-2147483648" },
    { readyMs: null },
  ],
};

for (const [name, [first, last]] of Object.entries(pairs)) {
  Deno.test(`${name}, in whatever order they come`, () => {
    // By their UIDs it would be the other way round.
    const pods = [pod("z", first), pod("a", last)];
    for (const order of [pods, pods.toReversed()]) {
      const ranked = rankForDeletion(order, [], NOW);
      deepStrictEqual(ranked.map(({ metadata }) => metadata.name), ["z", "a"]);
    }
  });
}

for (const cost of ["", "1.5", "+1", "01", "2147483648", "-2147483649", "x"]) {
  Deno.test(`a cost of "${cost}" is none`, () => {
    const odd = pod("a", { readyMs: null, cost });
    const plain = pod("b", { readyMs: null });
    for (const order of [[odd, plain], [plain, odd]]) {
      deepStrictEqual(rankForDeletion(order, [], NOW), order);
    }
  });
}

Deno.test("ages that differ by less than a factor of two are chance, which does not change", () => {
  // Both are of the class of 2^53 ns, which begins at 2502 hours.
  const older = pod("a", { readyMs: NOW - 4_000 * HOUR });
  const younger = pod("b", { readyMs: NOW - 3_000 * HOUR });
  for (const order of [[older, younger], [younger, older]]) {
    deepStrictEqual(rankForDeletion(order, [], NOW), [older, younger]);
  }
});

Deno.test("what is ready now, or later by a clock that was set back, is of one age", () => {
  const now = pod("a", { readyMs: NOW });
  const later = pod("b", { readyMs: NOW + HOUR });
  for (const order of [[now, later], [later, now]]) {
    deepStrictEqual(rankForDeletion(order, [], NOW), [now, later]);
  }
});

Deno.test("of two nodes the one with more related pods gives way, but not before what is cheaper", () => {
  const full = pod("z", { readyMs: null, node: "full" });
  const empty = pod("a", { readyMs: null, node: "empty" });
  const related = [full, empty, pod("other", { node: "full" })];
  deepStrictEqual(rankForDeletion([empty, full], related, NOW), [full, empty]);
  const cheap = pod("c", { readyMs: null, node: "empty", cost: "-1" });
  deepStrictEqual(rankForDeletion([full, cheap], related, NOW), [cheap, full]);
});
