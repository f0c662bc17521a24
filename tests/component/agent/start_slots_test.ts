/**
 * Pods that start while others hang, and bursts of pods.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type * as wire from "../../../proto/gen/runtime/v1/api.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { alone, leftovers } from "../../support/agent/manifests.ts";

const HANGING = 100;

/** As upstream's pods of a CNI that does not answer. */
const KUBELET = ["maxPods: 250"];

/** The name of the pod that a RunPodSandbox is for. */
function nameOf(request: unknown): string {
  const { config } = request as wire.RunPodSandboxRequest;
  return config?.metadata?.name ?? "";
}

/** Pods whose sandboxes never come to be, and which all want to start. */
async function withHanging(count: number): Promise<CoreRig> {
  const rig = await CoreRig.start({
    kubelet: KUBELET,
    prepare: async (rig) => {
      rig.fake.fault("RunPodSandbox", { kind: "hang" }, {
        when: (request) => nameOf(request).startsWith("hangs-"),
      });
      for (let nth = 0; nth < count; nth++) {
        const name = `hangs-${nth}`;
        await rig.apply(name, alone(name));
      }
    },
  });
  await rig.until(() => asked(rig).length > 0, "the first sandbox", {
    stepMs: 10,
  });
  return rig;
}

/** The names of the pods for which a sandbox was asked, in order. */
function asked(rig: CoreRig): string[] {
  return rig.fake.callsOf("RunPodSandbox")
    .map(({ request }) => nameOf(request).replace(/-edge1$/, ""));
}

/** How long it takes in the agent's time until a container runs. */
async function untilRuns(rig: CoreRig, name: string): Promise<number> {
  const fromMs = rig.clock.monotonic();
  await rig.until(() => rig.fake.running(name).length === 1, name, {
    stepMs: 100,
  });
  return rig.clock.monotonic() - fromMs;
}

for (
  const [what, spec] of [
    ["on the node's network", { hostNetwork: true }],
    ["of a critical priority", { priority: 2_000_000_000 }],
  ] as const
) {
  Deno.test(`Agent starts a pod ${what} at once before ${HANGING} whose sandboxes hang`, async () => {
    await using rig = await withHanging(HANGING);
    await rig.apply("first", alone("first", {}, { spec }));
    const tookMs = await untilRuns(rig, "first");
    ok(tookMs <= 500, `${tookMs} ms`);
    ok(asked(rig).length < 10, asked(rig).join(" "));
  });
}

Deno.test(`Agent starts a healthy pod behind ${HANGING} whose sandboxes hang within 2 s for each six of them`, async () => {
  await using rig = await withHanging(HANGING);
  await rig.apply("healthy", alone("healthy"));
  const tookMs = await untilRuns(rig, "healthy");
  ok(tookMs <= Math.ceil(HANGING / 6) * 2_000 + 1_000, `${tookMs} ms`);
  // Each hanging one was asked for once, and none is cut short.
  deepStrictEqual(
    asked(rig).toSorted(),
    [...Array.from({ length: HANGING }, (_, nth) => `hangs-${nth}`), "healthy"]
      .toSorted(),
  );
  // From now on nothing is in the way of another.
  await rig.apply("next", alone("next"));
  ok(await untilRuns(rig, "next") <= 500);
});

Deno.test("Agent makes no sandbox of a pod that is removed while it waits for its turn, and one of the next of its name", async () => {
  await using rig = await withHanging(20);
  const before = asked(rig);
  await rig.apply("web", alone("web"));
  await rig.pass(500);
  await rig.remove("web");
  await rig.until(() => rig.pod("web") === undefined, "its end");
  await rig.apply("web", alone("web", { args: ["2"] }));
  await untilRuns(rig, "web");
  strictEqual(asked(rig).filter((name) => name === "web").length, 1);
  ok(before.length < 10);
});

Deno.test("Agent leaves nothing of hanging pods that are removed, whether they had a slot or not (I3)", async () => {
  await using rig = await withHanging(18);
  await rig.pass(2_500, 500);
  ok(asked(rig).length > 6 && asked(rig).length < 18, asked(rig).join(" "));
  for (let nth = 0; nth < 18; nth++) await rig.remove(`hangs-${nth}`);
  rig.fake.clearFaults();
  // Those that hang end with the deadline of their calls.
  await rig.until(() => leftovers(rig).length === 0, "nothing to be left", {
    limitMs: 600_000,
    stepMs: 2_000,
  });
  strictEqual(rig.fake.sandboxes.size, 0);
});

Deno.test("Agent has a pod of a burst go ahead to its container when it has its sandbox, before others get theirs", async () => {
  await using rig = await CoreRig.start({
    prepare: async (rig) => {
      for (let nth = 0; nth < 10; nth++) {
        const name = `burst-${nth}`;
        await rig.apply(name, alone(name));
      }
      // The sandboxes come one by one, each by the answer of the one before.
      for (let nth = 0; nth < 10; nth++) {
        const ms = 100 + nth * 10;
        rig.fake.fault("RunPodSandbox", { kind: "delay", ms }, { times: 1 });
      }
    },
  });
  const { fake } = rig;
  const started = () => fake.callsOf("StartContainer").length;
  await rig.until(() => asked(rig).length > 0, "the burst", { stepMs: 1 });
  strictEqual(asked(rig).length, 6);
  await rig.until(() => started() === 1, "the first", { stepMs: 1 });
  const calls = fake.calls.map(({ method }) => method)
    .filter((method) =>
      /^(RunPodSandbox|CreateContainer|StartContainer)$/.test(method)
    );
  deepStrictEqual(calls.slice(0, 8), [
    ...Array.from({ length: 6 }, () => "RunPodSandbox"),
    "CreateContainer",
    "StartContainer",
  ]);
  await rig.until(() => started() === 10, "all", { stepMs: 10 });
});
