import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { containerHash } from "../../../mod/api/objects/mod.ts";
import type { Pod, PodStatus } from "../../../mod/api/types/mod.ts";
import { buildPodStatus } from "../../../mod/pod/status/status.ts";
import { isTerminalPhase } from "../../../mod/pod/status/phase.ts";
import type {
  ObservedContainer,
  ObservedPod,
} from "../../../mod/pod/observed/observed.ts";
import type {
  PlanInput,
  ProbeVerdict,
} from "../../../mod/pod/plan/plan_steps.ts";
import { planPod } from "../../../mod/pod/plan/plan.ts";
import {
  ago,
  NOW_MS,
  probes,
  sandbox,
  seen,
  statusInput,
} from "../../support/observed_pods.ts";
import { container, pod, sidecar } from "../../support/pods.ts";

const probe = { exec: { command: ["true"] } };
const policies = fc.constantFrom("Always", "OnFailure", "Never");

const restartRules = fc.option(
  fc.record({
    action: fc.constantFrom("Restart", "RestartAllContainers"),
    exitCodes: fc.record({
      operator: fc.constantFrom("In", "NotIn"),
      values: fc.constant([42]),
    }),
  }),
  { nil: undefined },
);

const appSpec = (name: string) =>
  fc.record({
    own: fc.option(policies, { nil: undefined }),
    rule: restartRules,
  })
    .map(({ own, rule }) =>
      container(name, {
        ...(own === undefined ? {} : { restartPolicy: own }),
        ...(own === undefined || rule === undefined
          ? {}
          : { restartPolicyRules: [rule] }),
      })
    );

const initSpec = (name: string) =>
  fc.constantFrom(
    container(name),
    sidecar(name),
    sidecar(name, { startupProbe: probe, livenessProbe: probe }),
  );

const pods: fc.Arbitrary<Pod> = fc.record({
  restartPolicy: policies,
  hostNetwork: fc.boolean(),
  apps: fc.tuple(appSpec("a"), appSpec("b")),
  inits: fc.tuple(initSpec("i"), initSpec("j")),
  initCount: fc.integer({ min: 0, max: 2 }),
  ephemeral: fc.boolean(),
}).map(({ restartPolicy, hostNetwork, apps, inits, initCount, ephemeral }) =>
  pod({
    restartPolicy,
    hostNetwork,
    containers: apps,
    ...(initCount > 0 ? { initContainers: inits.slice(0, initCount) } : {}),
    ...(ephemeral ? { ephemeralContainers: [container("e")] } : {}),
  })
);

const records: fc.Arbitrary<readonly ObservedContainer[]> = fc.array(
  fc.record({
    name: fc.constantFrom("a", "b", "i", "j", "e"),
    state: fc.constantFrom("created", "running", "exited", "unknown"),
    exitCode: fc.constantFrom(0, 1, 42),
    changed: fc.boolean(),
    sandboxId: fc.constantFrom("s0", "s1"),
    restartCount: fc.nat(5),
  }),
  { maxLength: 8 },
).map((list) =>
  list.map(({ changed, ...rest }, index) =>
    seen(rest.name, {
      ...rest,
      id: `id${index}`,
      createdAt: ago(index),
      hash: changed ? "old" : containerHash(container(rest.name)),
    })
  )
);

const sandboxes = fc.array(
  fc.record({
    ready: fc.boolean(),
    hostNetwork: fc.boolean(),
    ip: fc.constantFrom("10.88.0.5", "", undefined),
  }),
  { maxLength: 2 },
).map((list) =>
  list.map((rest, index) =>
    sandbox({ ...rest, id: `s${index}`, attempt: list.length - index })
  )
);

const pictures: fc.Arbitrary<ObservedPod> = fc.record({ records, sandboxes })
  .map(({ records, sandboxes }) => ({
    uid: "u-1",
    name: "web",
    namespace: "shop",
    sandboxes,
    containers: records,
    ips: sandboxes[0]?.ip ? [sandboxes[0].ip] : [],
  }));

const verdicts = fc.dictionary(
  fc.constantFrom("id0", "id1", "id2", "id3"),
  fc.constantFrom<ProbeVerdict>("success", "failure"),
);

const inputs: fc.Arbitrary<PlanInput> = fc.record({
  pod: pods,
  observed: pictures,
  probes: fc.record({ liveness: verdicts, startup: verdicts }).map(probes),
});

function newest(observed: ObservedPod, name: string) {
  return observed.containers.find((each) => each.name === name);
}

Deno.test("planPod() starts no container that runs, unless it stops it first", () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const plan = planPod(input);
      // In a new sandbox everything that runs was stopped before.
      if (plan.sandbox.kind !== "keep") return;
      const killed = new Set(plan.kill.map(({ containerId }) => containerId));
      const starts = [
        ...plan.startInit,
        ...plan.start,
        ...plan.startEphemeral,
      ];
      for (const seen of input.observed.containers) {
        const mayRun = seen.state === "running" ||
          seen.state === "unknown" &&
            newest(input.observed, seen.name) === seen;
        if (mayRun && starts.includes(seen.name)) {
          ok(killed.has(seen.id), `${seen.name} would run twice`);
        }
      }
    }),
    { numRuns: 2000 },
  );
});

Deno.test("planPod() leaves a healthy running container with the same hash alone", () => {
  fc.assert(
    fc.property(inputs, ({ pod, observed }) => {
      const plan = planPod({ pod, observed, probes: probes() });
      if (plan.sandbox.kind !== "keep" || plan.reset.length > 0) return;
      for (
        const { name } of [
          ...pod.spec.containers,
          ...pod.spec.initContainers ?? [],
        ]
      ) {
        const current = newest(observed, name);
        if (current?.state !== "running") continue;
        if (current.sandboxId !== observed.sandboxes[0]?.id) continue;
        if (current.hash !== containerHash(container(name))) continue;
        ok(!plan.start.includes(name) && !plan.startInit.includes(name));
        ok(!plan.kill.some(({ containerId }) => containerId === current.id));
      }
    }),
    { numRuns: 2000 },
  );
});

Deno.test("planPod() plans no two steps of a kind on one container, and no start outside a sandbox", () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const plan = planPod(input);
      const starts = [...plan.startEphemeral, ...plan.startInit, ...plan.start];
      strictEqual(new Set(starts).size, starts.length);
      const stops = [...plan.kill, ...plan.reset].map((each) =>
        each.containerId
      );
      strictEqual(new Set(stops).size, stops.length);
      if (plan.sandbox.kind === "stop") {
        deepStrictEqual(starts, []);
        deepStrictEqual(plan.reset, []);
      }
      if (plan.sandbox.kind === "create") deepStrictEqual(stops, []);
      if (plan.reset.length > 0) deepStrictEqual(starts, []);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("planPod() decides the same twice", () => {
  fc.assert(fc.property(inputs, (input) => {
    deepStrictEqual(planPod(input), planPod(input));
  }));
});

/** A pod seen several times, each picture with no relation to the one before. */
const lives = fc.record({
  pod: pods,
  looks: fc.array(
    fc.record({ observed: pictures, terminal: fc.boolean() }),
    { minLength: 1, maxLength: 6 },
  ),
});

function statusesOf(life: {
  readonly pod: Pod;
  readonly looks: readonly {
    readonly observed: ObservedPod;
    readonly terminal: boolean;
  }[];
}): PodStatus[] {
  const statuses: PodStatus[] = [];
  for (const [index, look] of life.looks.entries()) {
    statuses.push(buildPodStatus(statusInput({
      pod: life.pod,
      ...look,
      previous: statuses.at(-1),
      nowMs: NOW_MS + index * 1000,
    })));
  }
  return statuses;
}

Deno.test("buildPodStatus() never leaves a terminal phase", () => {
  fc.assert(
    fc.property(lives, (life) => {
      const phases = statusesOf(life).map(({ phase }) => phase);
      const first = phases.findIndex(isTerminalPhase);
      if (first < 0) return;
      strictEqual(new Set(phases.slice(first)).size, 1);
    }),
    { numRuns: 1000 },
  );
});

Deno.test("buildPodStatus() never lowers a restart count", () => {
  fc.assert(
    fc.property(lives, (life) => {
      const counts = new Map<string, number>();
      for (const status of statusesOf(life)) {
        const all = [
          ...status.containerStatuses ?? [],
          ...status.initContainerStatuses ?? [],
          ...status.ephemeralContainerStatuses ?? [],
        ];
        for (const { name, restartCount } of all) {
          ok(restartCount >= (counts.get(name) ?? 0), name);
          counts.set(name, restartCount);
        }
      }
    }),
    { numRuns: 1000 },
  );
});

Deno.test("buildPodStatus() gives every container one state, and ready only to those that run", () => {
  fc.assert(
    fc.property(lives, (life) => {
      for (const status of statusesOf(life)) {
        for (const each of status.containerStatuses ?? []) {
          strictEqual(Object.keys(each.state ?? {}).length, 1);
          if (each.ready) ok(each.state?.running);
        }
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("buildPodStatus() says the same of the same picture", () => {
  fc.assert(
    fc.property(pods, pictures, (subject, picture) => {
      const look = { pod: subject, observed: picture };
      const first = buildPodStatus(statusInput(look));
      const second = buildPodStatus(
        statusInput({ ...look, previous: first, nowMs: NOW_MS + 60_000 }),
      );
      deepStrictEqual(second, first);
    }),
    { numRuns: 1000 },
  );
});
