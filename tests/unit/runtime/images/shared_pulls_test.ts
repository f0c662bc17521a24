/**
 * One pull for several pods.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { SandboxConfig } from "../../../../mod/cri/config/mod.ts";
import type { ImageOutcome } from "../../../../mod/runtime/images/pull_tasks.ts";
import { container, pod } from "../../../support/pods.ts";
import {
  type PullerRig,
  pullerRig,
} from "../../../support/runtime/images_rig.ts";

const never = new AbortController().signal;
const UIDS = ["u-1", "u-2", "u-3", "u-4", "u-5"];

interface Asking {
  readonly image?: string;
  readonly policy?: string;
  readonly sandboxConfig?: SandboxConfig;
  readonly signal?: AbortSignal;
}

function ask(
  { puller }: PullerRig,
  uid: string,
  { image = "x:1", policy, sandboxConfig, signal = never }: Asking = {},
): Promise<ImageOutcome> {
  const wanting = container("c", {
    image,
    ...policy !== undefined && { imagePullPolicy: policy },
  });
  return puller.ensure(pod({ uid, name: uid }), wanting, {
    signal,
    ...sandboxConfig && { sandboxConfig },
  });
}

function pulls({ store }: PullerRig, image = "x:1"): number {
  return store.calls.filter((call) => call === `pull ${image}`).length;
}

function slowRig(options: { readonly places?: number } = {}) {
  const rig = pullerRig(options);
  rig.store.pullMs = 10_000;
  rig.store.registry.add("x:1").add("y:1");
  return rig;
}

Deno.test("ImagePuller.ensure() pulls once for five pods, each of which has its events", async () => {
  const rig = slowRig();
  const { clock, events } = rig;
  const asked: Promise<ImageOutcome>[] = [];
  for (const uid of UIDS) {
    asked.push(ask(rig, uid));
    await clock.advance(1_000);
  }
  await clock.advance(10_000);
  const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
  deepStrictEqual(kinds, UIDS.map(() => "present"));
  strictEqual(pulls(rig), 1);
  strictEqual(events.texts.filter((text) => /Pulling:/.test(text)).length, 5);
  deepStrictEqual(
    events.texts.flatMap((text) =>
      /Pulled:.* in (.*)\. Image/.exec(text)?.[1] ?? []
    ),
    [10, 9, 8, 7, 6].map((s) => `${s}s (${s}s including waiting)`),
  );
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("ImagePuller.ensure() goes on with a shared pull until the last pod has left, and then begins anew", async () => {
  const rig = slowRig();
  const { clock, store } = rig;
  const stops = UIDS.map(() => new AbortController());
  const asked = UIDS.map((uid, at) =>
    ask(rig, uid, { signal: stops[at]?.signal ?? never })
  );
  await clock.advance(1_000);
  for (const [at, stop] of stops.entries()) {
    strictEqual(clock.pendingTimers > 0, true, `after ${at} have left`);
    const gone = rejects(asked[at] ?? Promise.resolve(), /removed/);
    stop.abort(new Error("removed"));
    await gone;
  }
  strictEqual(clock.pendingTimers, 0);
  strictEqual(pulls(rig), 1);
  const again = ask(rig, "u-1");
  await clock.advance(10_000);
  strictEqual((await again).kind, "present");
  strictEqual(pulls(rig), 2);
  deepStrictEqual([...store.present.keys()], ["x:1"]);
});

Deno.test("ImagePuller.ensure() tells each pod of a shared pull that failed, and each waits on its own", async () => {
  const rig = slowRig();
  const { clock, store, events } = rig;
  store.registry.clear();
  const asked = UIDS.map((uid) => ask(rig, uid));
  await clock.advance(10_000);
  const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
  deepStrictEqual(kinds, UIDS.map(() => "failed"));
  strictEqual(pulls(rig), 1);
  strictEqual(events.texts.filter((text) => /Failed:/.test(text)).length, 5);
  const soon = await ask(rig, "u-3");
  strictEqual(soon.kind === "failed" && soon.reason, "ImagePullBackOff");
});

Deno.test("ImagePuller.ensure() takes one place for a shared pull", async () => {
  const rig = slowRig({ places: 2 });
  const asked = UIDS.map((uid) => ask(rig, uid));
  const other = ask(rig, "u-6", { image: "y:1" });
  await rig.clock.advance(0);
  deepStrictEqual([pulls(rig), pulls(rig, "y:1")], [1, 1]);
  await rig.clock.advance(10_000);
  await Promise.all([...asked, other]);
});

Deno.test("ImagePuller.ensure() looks once more for an image that waited for a place, and only then", async () => {
  const rig = slowRig({ places: 1 });
  const { clock, store } = rig;
  const first = ask(rig, "u-1");
  await clock.advance(0);
  deepStrictEqual(store.calls, ["status x:1", "pull x:1"]);
  store.calls.length = 0;
  const second = ask(rig, "u-2", { image: "y:1" });
  await clock.advance(5_000);
  deepStrictEqual(store.calls, ["status y:1"]);
  // It comes by another way meanwhile.
  store.add("y:1");
  await clock.advance(5_000);
  const kinds = (await Promise.all([first, second])).map(({ kind }) => kind);
  deepStrictEqual(kinds, ["present", "present"]);
  strictEqual(pulls(rig, "y:1"), 0);
});

Deno.test("ImagePuller.ensure() shows which pods wait for a place, and which image is pulled", async () => {
  const rig = slowRig({ places: 1 });
  const { clock, activities } = rig;
  const asked = [
    ask(rig, "u-1"),
    ask(rig, "u-2", { image: "y:1" }),
    ask(rig, "u-3", { image: "y:1" }),
  ];
  const shown = () =>
    ["u-1", "u-2", "u-3"].map((uid) =>
      activities.list(uid).map(({ kind, forMs }) => `${kind} ${forMs}`)
    );
  await clock.advance(4_000);
  deepStrictEqual(shown(), [
    ["pulling_image 4000"],
    ["waiting_for_pull_place 4000"],
    ["waiting_for_pull_place 4000"],
  ]);
  await clock.advance(9_000);
  deepStrictEqual(shown(), [
    [],
    ["pulling_image 3000"],
    ["pulling_image 3000"],
  ]);
  await clock.advance(7_000);
  await Promise.all(asked);
  deepStrictEqual(shown(), [[], [], []]);
});

Deno.test("ImagePuller.ensure() says 0s for a pod that comes between the end of a shared pull and its description", async () => {
  const rig = slowRig();
  const { clock, store, events } = rig;
  const first = ask(rig, "u-1");
  await clock.advance(9_000);
  const answered = store.imageStatus.bind(store);
  store.imageStatus = async (spec) => {
    const answer = await answered(spec);
    await clock.sleep(3_000, never);
    return answer;
  };
  // It is told that the image is absent, two seconds after that has changed.
  const second = ask(rig, "u-2");
  await clock.advance(10_000);
  const kinds = (await Promise.all([first, second])).map(({ kind }) => kind);
  deepStrictEqual(kinds, ["present", "present"]);
  strictEqual(pulls(rig), 1);
  deepStrictEqual(
    events.texts.flatMap((text) =>
      /Pulled:.* in (.*)\. Image/.exec(text)?.[1] ?? []
    ),
    ["10s (10s including waiting)", "0s (0s including waiting)"],
  );
});

const CONFIG: SandboxConfig = {
  metadata: { name: "web", namespace: "shop", uid: "u", attempt: 0 },
  labels: {},
  annotations: {},
};

for (
  const [what, one, other, wanted] of [
    ["the same namespace", { sandboxConfig: CONFIG }, {
      sandboxConfig: { ...CONFIG, annotations: { note: "another" } },
    }, 1],
    ["two namespaces", { sandboxConfig: CONFIG }, {
      sandboxConfig: {
        ...CONFIG,
        metadata: { ...CONFIG.metadata, namespace: "bank" },
      },
    }, 2],
    ["two stores", { sandboxConfig: CONFIG }, {
      sandboxConfig: {
        ...CONFIG,
        annotations: { "io.containerd.cri.runtime-handler": "kata" },
      },
    }, 2],
    ["one that always pulls", {}, { policy: "Always" }, 2],
  ] as const
) {
  Deno.test(`ImagePuller.ensure() pulls ${wanted} times for two pods of ${what}`, async () => {
    const rig = slowRig();
    const asked = [ask(rig, "u-1", one), ask(rig, "u-2", other)];
    await rig.clock.advance(10_000);
    await Promise.all(asked);
    strictEqual(pulls(rig), wanted);
  });
}

Deno.test("ImagePuller.ensure() keeps the pauses of a pod's images apart", async () => {
  const rig = pullerRig();
  const kinds: unknown[] = [];
  for (const image of ["x:1", "y:1", "x:1", "y:1"]) {
    const end = await rig.ensure({ image });
    kinds.push(end.kind === "failed" && end.reason);
  }
  const [failed, waits] = ["ErrImagePull", "ImagePullBackOff"];
  deepStrictEqual(kinds, [failed, failed, waits, waits]);
});
