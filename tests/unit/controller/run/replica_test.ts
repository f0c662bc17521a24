/** What controllers ask of pods and their like. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import {
  availableInMs,
  byAge,
  controllerReference,
  isActivePod,
  isTerminatingPod,
  nextAvailableInMs,
  podFromTemplate,
  sidecarStatuses,
} from "../../../../mod/controller/run/mod.ts";

const NOW = Date.parse("2026-05-01T12:00:00Z");

function at(seconds: number): string {
  return new Date(NOW + seconds * 1_000).toISOString();
}

function pod(
  name: string,
  { readyAt, creationTimestamp, deletionTimestamp, phase = "Running" }: {
    /** Absent: not ready; `null`: ready, and nobody says since when. */
    readonly readyAt?: number | null;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly phase?: string;
  } = {},
): Pod {
  const ready = {
    type: "Ready",
    status: readyAt === undefined ? "False" : "True",
    ...(typeof readyAt === "number" && { lastTransitionTime: at(readyAt) }),
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      uid: name,
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: { containers: [] },
    status: { phase, conditions: [ready] },
  };
}

// TestIsPodAvailable
const waits: Readonly<
  Record<
    string,
    readonly [
      number | null | undefined,
      number,
      number | undefined,
    ]
  >
> = {
  "not ready": [undefined, 0, undefined],
  "ready, nobody knows since when": [null, 0, 0],
  "ready, nobody knows for how long": [null, 1, undefined],
  "ready now, for at once": [0, 0, 0],
  "ready now": [0, 10, 10_000],
  "ready for a part of it": [-4, 10, 6_000],
  "ready for all of it": [-10, 10, 0],
  "ready for longer": [-11, 10, 0],
  "ready a little ahead": [3, 10, 10_000],
  "ready ahead by all of it": [10, 10, 10_000],
  "ready far ahead, by a clock that was set back": [11, 10, 0],
};

for (const [name, [readyAt, seconds, expected]] of Object.entries(waits)) {
  Deno.test(`availableInMs() for ${seconds} s: ${name}`, () => {
    const one = readyAt === undefined ? pod("a") : pod("a", { readyAt });
    strictEqual(availableInMs(one, seconds, NOW), expected);
  });
}

Deno.test("nextAvailableInMs() says when the first of those is that are not yet", () => {
  const pods = [-20, -4, -6].map((readyAt) => pod(`${readyAt}`, { readyAt }));
  strictEqual(nextAvailableInMs([...pods, pod("not")], 10, NOW), 4_000);
  strictEqual(nextAvailableInMs(pods.slice(0, 1), 10, NOW), undefined);
  strictEqual(nextAvailableInMs([], 10, NOW), undefined);
});

Deno.test("byAge() goes by the time, then by the name; what says no time is the oldest", () => {
  const [early, late] = [at(0), at(1)];
  const pods = [
    pod("a", { creationTimestamp: late }),
    pod("d", { creationTimestamp: early }),
    pod("c", { creationTimestamp: early }),
    pod("z"),
    pod("b", { creationTimestamp: late }),
  ];
  for (const order of [pods, pods.toReversed()]) {
    const names = order.toSorted(byAge).map(({ metadata }) => metadata.name);
    strictEqual(names.join(""), "zcdab");
  }
});

// TestIsPodActive, TestIsPodTerminating
for (
  const [phase, isActive] of [
    ["Running", true],
    ["Pending", true],
    ["Succeeded", false],
    ["Failed", false],
  ] as const
) {
  Deno.test(`a pod that is ${phase} is active or terminating only as long as it has not ended`, () => {
    const ending = pod("a", { phase, deletionTimestamp: at(0) });
    strictEqual(isActivePod(pod("a", { phase })), isActive);
    strictEqual(isTerminatingPod(pod("a", { phase })), false);
    strictEqual(isActivePod(ending), false);
    strictEqual(isTerminatingPod(ending), isActive);
  });
}

Deno.test("sidecarStatuses() are those of init containers that stay up", () => {
  const status = (name: string) => ({
    name,
    image: "",
    imageID: "",
    ready: true,
    restartCount: 1,
  });
  const plain = pod("a");
  deepStrictEqual(sidecarStatuses(plain), []);
  const initContainers = [
    { name: "side", restartPolicy: "Always" },
    { name: "setup" },
  ];
  const initContainerStatuses = ["side", "setup"].map(status);
  const full: Pod = {
    ...plain,
    spec: { containers: [], initContainers },
    status: { initContainerStatuses },
  };
  deepStrictEqual(sidecarStatuses(full), [status("side")]);
  deepStrictEqual(
    sidecarStatuses({ ...full, spec: { containers: [] } }),
    [],
  );
});

// TestCreatePodsWithGenerateName and getPodsPrefix
for (const [length, end] of [[252, "a-"], [253, "aa"], [254, "aa"]] as const) {
  Deno.test(`the name of a pod begins with that of its owner, of ${length} characters`, () => {
    const metadata = {
      name: "a".repeat(length),
      namespace: "shop",
      uid: "u",
    };
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata };
    const made = podFromTemplate(owner, { spec: { containers: [] } });
    strictEqual(made.metadata.generateName?.slice(-2), end);
  });
}

Deno.test("podFromTemplate() takes of the template what it says, and no more", () => {
  const owner = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web", namespace: "shop", uid: "u" },
  };
  const spec = { containers: [] };
  const own = {
    namespace: "shop",
    generateName: "web-",
    ownerReferences: [controllerReference(owner)],
  };
  const metadata = {
    labels: { app: "web" },
    annotations: { note: "x" },
    finalizers: ["shop.example/kept"],
  };
  deepStrictEqual(podFromTemplate(owner, { spec }).metadata, own);
  const made = podFromTemplate(owner, { metadata, spec });
  deepStrictEqual(made.metadata, { ...own, ...metadata });
});
