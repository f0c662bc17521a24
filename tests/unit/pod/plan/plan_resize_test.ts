/**
 * Resizing in place, as a table of manifests before and after.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { ContainerSpec, Pod } from "../../../../mod/api/types/mod.ts";
import type {
  ActuatedResources,
  ObservedPod,
} from "../../../../mod/pod/observed/observed.ts";
import { allocatedPod } from "../../../../mod/pod/plan/allocated_pod.ts";
import { describePlan, planPod } from "../../../../mod/pod/plan/plan.ts";
import {
  isGeneratedUid,
  planResize,
  wantedResources,
} from "../../../../mod/pod/plan/plan_resize.ts";
import {
  ended,
  observed,
  probes,
  seen,
} from "../../../support/observed_pods.ts";
import { container, pod, sidecar } from "../../../support/pods.ts";

type Amounts = Readonly<Record<string, string>>;

function limited(name: string, limits: Amounts): ContainerSpec {
  return container(name, { resources: { limits, requests: limits } });
}

function has(limits: Amounts, requests: Amounts = limits): ActuatedResources {
  return { limits, requests };
}

const SMALL = { cpu: "100m", memory: "32Mi" };
const LARGE = { cpu: "200m", memory: "64Mi" };
const RESTART = [
  { resourceName: "memory", restartPolicy: "RestartContainer" },
] as const;

interface Row {
  readonly name: string;
  readonly pod: Pod;
  readonly observed: ObservedPod;
  /** As describePlan() says it. */
  readonly plan: string;
}

const rows: readonly Row[] = [
  {
    name: "does nothing when amounts are the same in other words",
    pod: pod({ containers: [limited("a", { cpu: "0.1", memory: "32768Ki" })] }),
    observed: observed([seen("a", { resources: has(SMALL) })]),
    plan: "keep sandbox",
  },
  {
    name: "leaves a container alone of which nobody knows what it has",
    pod: pod({ containers: [limited("a", LARGE)] }),
    observed: observed([seen("a")]),
    plan: "keep sandbox",
  },
  {
    name: "resizes memory before CPU",
    pod: pod({ containers: [limited("a", LARGE)] }),
    observed: observed([seen("a", { resources: has(SMALL) })]),
    plan: "keep sandbox, resize memory of a, resize cpu of a",
  },
  {
    name: "resizes only what changed",
    pod: pod({ containers: [limited("a", { ...SMALL, cpu: "1" })] }),
    observed: observed([seen("a", { resources: has(SMALL) })]),
    plan: "keep sandbox, resize cpu of a",
  },
  {
    name: "lets one shrink before another grows",
    pod: pod({
      containers: [limited("a", LARGE), limited("b", SMALL)],
    }),
    observed: observed([
      seen("a", { resources: has(SMALL) }),
      seen("b", { resources: has(LARGE) }),
    ]),
    plan:
      "keep sandbox, resize memory of b, resize memory of a, resize cpu of b, resize cpu of a",
  },
  {
    name: "restarts where the policy says so, whatever the restart policy",
    pod: pod({
      restartPolicy: "Never",
      containers: [{ ...limited("a", LARGE), resizePolicy: RESTART }],
    }),
    observed: observed([seen("a", { resources: has(SMALL) })]),
    plan: "keep sandbox, kill a (spec_changed), start a",
  },
  {
    name: "does not restart for a resource that may change in place",
    pod: pod({
      containers: [{
        ...limited("a", { ...SMALL, cpu: "1" }),
        resizePolicy: RESTART,
      }],
    }),
    observed: observed([seen("a", { resources: has(SMALL) })]),
    plan: "keep sandbox, resize cpu of a",
  },
  {
    name: "resizes a sidecar in place",
    pod: pod({
      initContainers: [
        sidecar("s", { resources: { limits: LARGE, requests: LARGE } }),
      ],
      containers: [limited("a", SMALL)],
    }),
    observed: observed([
      seen("a", { resources: has(SMALL) }),
      seen("s", { resources: has(SMALL) }),
    ]),
    plan: "keep sandbox, resize memory of s, resize cpu of s",
  },
  {
    name: "stops a sidecar that has to be restarted",
    pod: pod({
      initContainers: [
        sidecar("s", {
          resources: { limits: LARGE, requests: LARGE },
          resizePolicy: RESTART,
        }),
      ],
      containers: [limited("a", SMALL)],
    }),
    observed: observed([
      seen("a", { resources: has(SMALL) }),
      seen("s", { resources: has(SMALL) }),
    ]),
    plan: "keep sandbox, kill s (spec_changed)",
  },
  {
    name: "does not look at what has ended",
    pod: pod({
      restartPolicy: "OnFailure",
      containers: [limited("a", LARGE), limited("b", SMALL)],
    }),
    observed: observed([
      ended("a", 0, { resources: has(SMALL) }),
      seen("b", { resources: has(SMALL) }),
    ]),
    plan: "keep sandbox",
  },
  {
    name: "makes the sandbox anew when the class changes",
    pod: pod({ containers: [container("a")] }),
    observed: {
      ...observed([seen("a", { resources: has(SMALL) })]),
      qosClass: "Guaranteed",
    },
    plan: "replace sandbox by 1, start a",
  },
  {
    name: "keeps a pod of another class that may never restart",
    pod: pod({ restartPolicy: "Never", containers: [container("a")] }),
    observed: {
      ...observed([seen("a", { resources: has(SMALL) })]),
      qosClass: "Guaranteed",
    },
    plan: "keep sandbox",
  },
];
for (const row of rows) {
  Deno.test(`planPod() ${row.name}`, () => {
    const plan = planPod({
      pod: row.pod,
      observed: row.observed,
      probes: probes(),
    });
    strictEqual(describePlan(plan), row.plan);
  });
}

/** The plan for one container a with these limits now. */
function resizeOf(
  limits: Amounts | undefined,
  before: ActuatedResources,
): ReturnType<typeof planResize> {
  const only = limits === undefined ? container("a") : limited("a", limits);
  return planResize(
    pod({ containers: [only] }),
    observed([seen("a", { resources: before })]),
  );
}

Deno.test("planResize() gives each step all that the container then has", () => {
  const decision = resizeOf(LARGE, has(SMALL));
  strictEqual(decision.kind, "resize");
  if (decision.kind !== "resize") return;
  const between = { cpu: "100m", memory: "64Mi" };
  deepStrictEqual(decision.plan.updates, [
    {
      containerId: "a-0",
      containerName: "a",
      resource: "memory",
      after: has(between),
    },
    {
      containerId: "a-0",
      containerName: "a",
      resource: "cpu",
      after: has(LARGE),
    },
  ]);
  deepStrictEqual(decision.plan.podGrows, { memory: true, cpu: true });
});

for (
  const [from, to, grows] of [["100m", "200m", true], ["200m", "100m", false]]
) {
  Deno.test(`planResize() tells whether the pod grows by requests alone from ${from} to ${to}`, () => {
    const ofRequest = (cpu: string) => ({
      limits: { cpu: "1", memory: "64Mi" },
      requests: { cpu, memory: "32Mi" },
    });
    const resources = ofRequest(`${to}`);
    const decision = planResize(
      pod({ containers: [container("a", { resources })] }),
      observed([seen("a", { resources: ofRequest(`${from}`) })]),
    );
    strictEqual(decision.kind, "resize");
    if (decision.kind !== "resize") return;
    deepStrictEqual(decision.plan.podGrows, { memory: false, cpu: grows });
    deepStrictEqual(
      decision.plan.updates.map(({ resource }) => resource),
      ["cpu"],
    );
  });
}

Deno.test("planResize() lets requests alone shrink before others grow", () => {
  const ofRequest = (cpu: string) => ({
    limits: { cpu: "1" },
    requests: { cpu },
  });
  const decision = planResize(
    pod({
      containers: [
        container("a", { resources: ofRequest("300m") }),
        container("b", { resources: ofRequest("100m") }),
      ],
    }),
    observed([
      seen("a", { resources: ofRequest("200m") }),
      seen("b", { resources: ofRequest("300m") }),
    ]),
  );
  strictEqual(decision.kind, "resize");
  if (decision.kind !== "resize") return;
  deepStrictEqual(
    decision.plan.updates.map(({ containerName }) => containerName),
    ["b", "a"],
  );
  // By 100m more and 200m less.
  strictEqual(decision.plan.podGrows.cpu, false);
});

for (
  const [name, limits, before, grows] of [
    ["a smaller limit", SMALL, has(LARGE), false],
    ["a limit where none was", SMALL, has({}, SMALL), false],
    ["a limit taken away", undefined, has(SMALL), true],
  ] as const
) {
  Deno.test(`planResize() tells whether the pod grows by ${name}`, () => {
    const decision = resizeOf(limits, before);
    strictEqual(decision.kind, "resize");
    if (decision.kind !== "resize") return;
    deepStrictEqual(decision.plan.podGrows, { memory: grows, cpu: grows });
  });
}

Deno.test("planResize() goes by what the pod asks for as a whole, if that changes", () => {
  const subject = pod({
    containers: [limited("a", SMALL)],
    resources: { requests: LARGE, limits: { ...LARGE, memory: "16Mi" } },
  });
  const picture = observed([seen("a", { resources: has(LARGE) })]);
  const decision = planResize(subject, {
    ...picture,
    podResources: has(SMALL),
  });
  strictEqual(decision.kind, "resize");
  if (decision.kind !== "resize") return;
  deepStrictEqual(decision.plan.podAfter, {
    requests: LARGE,
    limits: { ...LARGE, memory: "16Mi" },
  });
  deepStrictEqual(decision.plan.podGrows, { memory: false, cpu: true });
});

const told = (limits: Amounts, cpu: string): ActuatedResources => ({
  limits,
  requests: { cpu },
  fromRuntime: true,
});
for (
  const [name, limits, before, kind] of [
    ["the same", SMALL, told(SMALL, "100m"), "none"],
    [
      "1m of CPU as the least quota and shares",
      { cpu: "1m", memory: "32Mi" },
      told({ cpu: "10m", memory: "33554432" }, "2m"),
      "none",
    ],
    ["another limit", LARGE, told(SMALL, "200m"), "resize"],
    ["other shares", LARGE, told(LARGE, "100m"), "resize"],
    ["no quota", SMALL, told({ memory: "32Mi" }, "100m"), "none"],
  ] as const
) {
  Deno.test(`planResize() says "${kind}" when the runtime tells ${name}`, () => {
    strictEqual(resizeOf(limits, before).kind, kind);
  });
}

Deno.test("planResize() and allocatedPod() leave a pod alone whose UID was made from its manifest (I2)", () => {
  const metadata = { uid: "0123456789abcdef0123456789abcdef" };
  const subject = pod({ metadata, containers: [limited("a", LARGE)] });
  const found = observed([seen("a", { resources: told(SMALL, "100m") })]);
  deepStrictEqual(planResize(subject, found), { kind: "none" });
  strictEqual(allocatedPod(subject, found), subject);
});

Deno.test("wantedResources() holds CPU and memory only, with the pod's limits where the container has none", () => {
  const only = container("a", {
    resources: {
      requests: { cpu: "1", "ephemeral-storage": "1Gi" },
      limits: { cpu: "2" },
    },
  });
  const subject = pod({
    resources: { limits: { cpu: "4", memory: "1Gi" } },
    containers: [only],
  });
  deepStrictEqual(wantedResources(subject, only), {
    requests: { cpu: "1" },
    limits: { cpu: "2", memory: "1Gi" },
  });
});

Deno.test("isGeneratedUid() tells hashes from UIDs of manifests", () => {
  strictEqual(isGeneratedUid("0123456789abcdef0123456789abcdef"), true);
  strictEqual(isGeneratedUid("fixed-uid"), false);
  strictEqual(isGeneratedUid("5b5e0a6c-0a59-4b6e-9f3e-0d1b0e6c7a11"), false);
});

Deno.test("allocatedPod() gives back the very pod that asks for nothing else", () => {
  const subject = pod({
    containers: [limited("a", SMALL), container("b")],
    initContainers: [sidecar("s")],
  });
  // Of "b" and "s" nobody knows what they have.
  const known = seen("a", { resources: has(SMALL) });
  const same = observed([known, seen("b"), seen("s")]);
  strictEqual(allocatedPod(subject, same), subject);
  const other = observed([seen("a", { resources: has(LARGE) })]);
  const allocated = allocatedPod(subject, other);
  deepStrictEqual(allocated.spec.containers, [
    limited("a", LARGE),
    subject.spec.containers[1],
  ]);
  deepStrictEqual(allocated.spec.initContainers, subject.spec.initContainers);
});
