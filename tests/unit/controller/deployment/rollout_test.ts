/** Deployments and their ReplicaSets on a node that is played. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Deployment } from "../../../../mod/api/workload/mod.ts";
import { deploymentController } from "../../../../mod/controller/deployment/mod.ts";
import { replicaSetController } from "../../../../mod/controller/replicas/mod.ts";
import { SimulatedNode } from "../../../support/controller/simulated_node.ts";

type Spec = Deployment["spec"];

let generation = 0;

function deployment(
  image: string,
  spec: Partial<Spec> = {},
  annotations: Readonly<Record<string, string>> = {},
): Deployment {
  const labels = { app: "web" };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "web",
      namespace: "shop",
      uid: "web",
      annotations,
      generation: ++generation,
    },
    spec: {
      replicas: 3,
      revisionHistoryLimit: 2,
      progressDeadlineSeconds: 600,
      strategy: {
        type: "RollingUpdate",
        rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
      },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "web", image }] },
      },
      ...spec,
    },
  };
}

function node(): SimulatedNode {
  return new SimulatedNode().add(deploymentController)
    .add(replicaSetController);
}

function images(on: SimulatedNode): string[] {
  return on.pods().map(({ spec }) => spec.containers[0]?.image ?? "")
    .toSorted();
}

function progress(on: SimulatedNode) {
  return on.get("Deployment", "web")?.status?.conditions
    ?.find(({ type }) => type === "Progressing");
}

/** Edits what is there, as an apply does: the status stays. */
async function edit(on: SimulatedNode, wish: Deployment): Promise<void> {
  const has = on.get("Deployment", "web");
  const metadata = { ...has?.metadata, ...wish.metadata };
  const annotations = {
    ...has?.metadata.annotations,
    ...wish.metadata.annotations,
  };
  const status = has?.status === undefined ? {} : { status: has.status };
  await on.apply({
    ...wish,
    metadata: { ...metadata, annotations },
    ...status,
  });
}

/** Makes one pod ready after the other until nothing moves; `seen` looks each time. */
async function settle(
  on: SimulatedNode,
  seen: () => void = () => {},
  isGood: (image: string) => boolean = () => true,
): Promise<void> {
  for (let turn = 0; turn < 100; turn++) {
    seen();
    const waiting = on.pods().filter(({ spec, status }) =>
      status === undefined && isGood(spec.containers[0]?.image ?? "")
    );
    const [next] = waiting;
    if (next === undefined) return;
    await on.report([next], { isReady: true });
    await on.clock.advance(1_000);
  }
}

Deno.test("a new Deployment makes one set with all its pods, and says when they are there", async () => {
  await using on = node();
  await on.apply(deployment("v1"));
  deepStrictEqual(images(on), ["v1", "v1", "v1"]);
  strictEqual(progress(on)?.reason, "ReplicaSetUpdated");
  await settle(on);
  const status = on.get("Deployment", "web")?.status;
  deepStrictEqual(
    [status?.replicas, status?.updatedReplicas, status?.availableReplicas],
    [3, 3, 3],
  );
  strictEqual(progress(on)?.reason, "NewReplicaSetAvailable");
  strictEqual(
    on.get("Deployment", "web")?.metadata
      .annotations?.["deployment.kubernetes.io/revision"],
    "1",
  );
  ok(
    on.told.some((each) =>
      /^ScalingReplicaSet Scaled up replica set web-\w{10} from 0 to 3$/.test(
        each,
      )
    ),
  );
});

const budgets:
  readonly (readonly [number | string, number | string, number, number])[] = [
    [1, 0, 4, 3],
    [0, 1, 3, 2],
    ["25%", "25%", 4, 3],
    ["100%", "100%", 6, 0],
    [0, 0, 3, 2],
  ];

for (const [maxSurge, maxUnavailable, most, least] of budgets) {
  Deno.test(`a rolling update by ${maxSurge} and ${maxUnavailable} has ${least} to ${most} pods`, async () => {
    await using on = node();
    const strategy = {
      type: "RollingUpdate",
      rollingUpdate: { maxSurge, maxUnavailable },
    };
    await on.apply(deployment("v1", { strategy }));
    await settle(on);
    await edit(on, deployment("v2", { strategy }));
    await settle(on, () => {
      const ready = on.pods().filter(({ status }) => status !== undefined);
      ok(on.pods().length <= most, `${on.pods().length} pods`);
      ok(ready.length >= least, `${ready.length} ready pods`);
    });
    deepStrictEqual(images(on), ["v2", "v2", "v2"]);
    strictEqual(progress(on)?.reason, "NewReplicaSetAvailable");
  });
}

Deno.test("Recreate ends all pods before it makes the first new one", async () => {
  await using on = node();
  const strategy = { type: "Recreate" };
  await on.apply(deployment("v1", { strategy }));
  await settle(on);
  await edit(on, deployment("v2", { strategy }));
  const calls = on.objects.calls.filter((each) => / Pod /.test(each)).slice(3);
  deepStrictEqual(
    calls.map((each) => each.split(" ")[0]),
    ["delete", "delete", "delete", "create", "create", "create"],
  );
  await settle(on);
  deepStrictEqual(images(on), ["v2", "v2", "v2"]);
});

Deno.test("the way back to an earlier template uses its set, under a new number", async () => {
  await using on = node();
  for (const image of ["v1", "v2", "v1"]) {
    await edit(on, deployment(image));
    await settle(on);
  }
  deepStrictEqual(images(on), ["v1", "v1", "v1"]);
  const sets = on.objects.all("ReplicaSet");
  strictEqual(sets.length, 2);
  const revisions = sets.map(({ metadata }) =>
    metadata.annotations?.["deployment.kubernetes.io/revision"]
  );
  deepStrictEqual(revisions.toSorted(), ["2", "3"]);
  ok(
    sets.some(({ metadata }) =>
      metadata.annotations?.["deployment.kubernetes.io/revision-history"] ===
        "1"
    ),
  );
});

for (
  const [versions, kept] of [
    ["v1 v2 v3 v4 v5", "v3 v4 v5"],
    ["v1 v2 v3 v1 v4", "v1 v3 v4"],
  ] as const
) {
  Deno.test(`of ${versions} the sets over the limit go, the lowest number first`, async () => {
    await using on = node();
    for (const image of versions.split(" ")) {
      await edit(on, deployment(image));
      await settle(on);
    }
    strictEqual(
      on.objects.all("ReplicaSet")
        .map(({ spec }) => spec.template.spec.containers[0]?.image).toSorted()
        .join(" "),
      kept,
    );
  });
}

Deno.test("what is scaled in the middle of an update keeps its shares", async () => {
  await using on = node();
  const rollingUpdate = { maxSurge: 2, maxUnavailable: 0 };
  const strategy = { type: "RollingUpdate", rollingUpdate };
  await on.apply(deployment("v1", { replicas: 4, strategy }));
  await settle(on);
  await edit(on, deployment("v2", { replicas: 4, strategy }));
  deepStrictEqual(images(on), ["v1", "v1", "v1", "v1", "v2", "v2"]);
  await edit(on, deployment("v2", { replicas: 10, strategy }));
  const sizes = on.objects.all("ReplicaSet").map(({ spec }) => spec.replicas);
  deepStrictEqual(sizes, [8, 4]);
});

Deno.test("a paused Deployment is scaled and not rolled out, and goes on when it is resumed", async () => {
  await using on = node();
  await on.apply(deployment("v1"));
  await settle(on);
  await edit(on, deployment("v2", { paused: true, replicas: 4 }));
  await settle(on);
  deepStrictEqual(images(on), ["v1", "v1", "v1", "v1"]);
  strictEqual(progress(on)?.reason, "DeploymentPaused");
  await edit(on, deployment("v2", { replicas: 4 }));
  await settle(on);
  deepStrictEqual(images(on), ["v2", "v2", "v2", "v2"]);
});

for (const paused of [true, false]) {
  Deno.test(`old sets over the limit go while it is paused, and not in a rollout: ${paused}`, async () => {
    await using on = node();
    for (const image of ["v1", "v2", "v3"]) {
      await edit(on, deployment(image, { revisionHistoryLimit: 10 }));
      await settle(on);
    }
    await edit(on, deployment("v4", { revisionHistoryLimit: 0, paused }));
    await on.clock.advance(1_000);
    strictEqual(on.objects.all("ReplicaSet").length, paused ? 1 : 4);
  });
}

Deno.test("while it is paused an old version that has pods stays, whatever the limit says", async () => {
  await using on = node();
  const spec = { revisionHistoryLimit: 0 };
  await on.apply(deployment("v1", spec));
  await settle(on);
  await edit(on, deployment("v2", spec));
  await edit(on, deployment("v2", { ...spec, paused: true }));
  await settle(on);
  await on.clock.advance(60_000);
  deepStrictEqual(images(on), ["v1", "v1", "v1", "v2"]);
  strictEqual(on.objects.all("ReplicaSet").length, 2);
});

for (const replicas of [0, 1]) {
  Deno.test(`a first version of ${replicas} pods is told only if there are any`, async () => {
    await using on = node();
    await on.apply(deployment("v1", { replicas }));
    strictEqual(
      on.told.filter((each) => /^ScalingReplicaSet .* from 0 to 1$/.test(each))
        .length,
      replicas,
    );
    strictEqual(on.told.some((each) => each.endsWith("to 0")), false);
  });
}

Deno.test("what is not there in time says so, and stays as it is", async () => {
  await using on = node();
  await on.apply(deployment("v1"));
  await settle(on);
  await edit(on, deployment("bad", { progressDeadlineSeconds: 60 }));
  await on.clock.advance(59_000);
  strictEqual(progress(on)?.status, "True");
  await on.clock.advance(3_000);
  strictEqual(progress(on)?.reason, "ProgressDeadlineExceeded");
  strictEqual(progress(on)?.status, "False");
  deepStrictEqual(images(on), ["bad", "v1", "v1", "v1"]);
});

Deno.test("time in which no agent ran, or that a late clock jumped over, is no part of the deadline", async () => {
  await using on = node();
  const annotations = { "skerry.dev/rollback-on-deadline": "true" };
  const spec = { progressDeadlineSeconds: 60 };
  await on.apply(deployment("v1", spec, annotations));
  await settle(on);
  await edit(on, deployment("v2", spec, annotations));
  // A power cut, a boot an hour later, and a clock that is set still later.
  on.clock.wall = on.clock.now() + 3_600_000;
  await on.restart();
  on.clock.wall = on.clock.now() + 3_600_000;
  await on.clock.advance(50_000);
  strictEqual(progress(on)?.status, "True");
  deepStrictEqual(images(on), ["v1", "v1", "v1", "v2"]);
  await on.clock.advance(15_000);
  strictEqual(progress(on)?.reason, "ProgressDeadlineExceeded");
});

/** How a clock is set in the middle of a rollout: where it stands, and by how much it moves. */
const JUMPS: Readonly<Record<string, readonly [string, number]>> = {
  "an hour ahead": ["2026-05-01T12:00:00Z", 3_600_000],
  "a day back": ["2026-05-01T12:00:00Z", -24 * 3_600_000],
  "from 1970 to now": ["1970-01-01T00:01:00Z", 1.8e12],
};

for (const [name, [from, byMs]] of Object.entries(JUMPS)) {
  Deno.test(`a clock that is set ${name} long after the agent began changes no deadline`, async () => {
    await using on = node();
    on.clock.wall = Date.parse(from);
    const spec = { progressDeadlineSeconds: 60 };
    await on.apply(deployment("v1", spec));
    await settle(on);
    await on.clock.advance(3_600_000);
    await edit(on, deployment("bad", spec));
    await on.clock.advance(30_000);
    on.clock.wall = on.clock.now() + byMs;
    await on.wakeAll();
    await on.clock.advance(29_000);
    await on.wakeAll();
    strictEqual(progress(on)?.reason, "ReplicaSetUpdated");
    await on.clock.advance(3_000);
    strictEqual(progress(on)?.reason, "ProgressDeadlineExceeded");
  });
}

Deno.test("with the annotation the last good version comes back, until the template is another one", async () => {
  await using on = node();
  const annotations = { "skerry.dev/rollback-on-deadline": "true" };
  const spec = { progressDeadlineSeconds: 60 };
  await on.apply(deployment("v1", spec, annotations));
  await settle(on);
  await edit(on, deployment("bad", spec, annotations));
  await on.clock.advance(65_000);
  deepStrictEqual(images(on), ["v1", "v1", "v1"]);
  strictEqual(progress(on)?.reason, "ProgressDeadlineExceeded");
  ok(progress(on)?.message?.includes("runs in its place"));
  await on.clock.advance(3_600_000);
  deepStrictEqual(images(on), ["v1", "v1", "v1"]);
  await edit(on, deployment("v3", spec, annotations));
  await settle(on);
  deepStrictEqual(images(on), ["v3", "v3", "v3"]);
  strictEqual(progress(on)?.reason, "NewReplicaSetAvailable");
});

Deno.test("nothing is done while nothing changes", async () => {
  await using on = node();
  await on.apply(deployment("v1"));
  await settle(on);
  await on.clock.advance(600_000);
  const calls = on.objects.calls.length;
  await on.clock.advance(24 * 3_600_000);
  strictEqual(on.objects.calls.length, calls);
  strictEqual(on.clock.pendingTimers, 0);
});
