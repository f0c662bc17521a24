/**
 * Which file systems are measured, by what the host view shows.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { DiskLayout } from "../../../mod/pressure/mod.ts";
import { coreConfig } from "../../support/agent/core_config.ts";
import { FakeMachine } from "../../support/agent/fake_machine.ts";
import { metersOf } from "../../support/app/parts.ts";
import { TempDir } from "../../support/temp_dir.ts";

const never = new AbortController().signal;

/** What a runtime says that keeps layers apart from images. */
const APART = {
  images: [{ mountpoint: "/images", usedBytes: 1n }],
  layers: [{ mountpoint: "/layers", usedBytes: 1n }],
};

/** What a runtime says that keeps them together. */
const TOGETHER = { images: APART.images, layers: [] };

/** Where something lies: below the root directory, or on another device. */
type Place = "root" | "/proc" | "/sys" | undefined;

/** Measures a node whose host view shows these, or that has none. */
async function rig(
  stack: AsyncDisposableStack,
  shown?: { readonly imagefs: Place; readonly containerfs: Place },
) {
  const { path } = stack.use(await TempDir.make());
  const view = `${path}/view`;
  await Deno.mkdir(`${path}/root`);
  await Deno.mkdir(view);
  for (const [name, place] of Object.entries(shown ?? {})) {
    if (place === "root") await Deno.mkdir(`${view}/${name}`);
    else if (place !== undefined) await Deno.symlink(place, `${view}/${name}`);
  }
  const config = await coreConfig(path, {
    flags: shown === undefined ? [] : [`--host-view=${view}`],
  });
  const machine = new FakeMachine();
  const runtime = {
    says: (): Promise<typeof APART> => Promise.resolve(APART),
    asked: 0,
  };
  const imageFsInfo = () => {
    runtime.asked++;
    return runtime.says();
  };
  const meters = () => metersOf(config, { machine, imageFsInfo });
  return { path, view, machine, runtime, meters };
}

const NODE_ONLY: DiskLayout = { hasOwnImageFs: false, layersOn: "nodefs" };
const OWN_IMAGES: DiskLayout = { hasOwnImageFs: true, layersOn: "nodefs" };
const OWN_LAYERS: DiskLayout = {
  hasOwnImageFs: false,
  layersOn: "containerfs",
};
const OWN_BOTH: DiskLayout = { hasOwnImageFs: true, layersOn: "containerfs" };

for (
  const [imagefs, containerfs, layout] of [
    ["root", "root", NODE_ONLY],
    ["root", undefined, NODE_ONLY],
    [undefined, undefined, NODE_ONLY],
    ["/proc", undefined, OWN_IMAGES],
    ["/proc", "root", OWN_IMAGES],
    ["/proc", "/proc", OWN_IMAGES],
    ["/proc", "/sys", OWN_BOTH],
    ["root", "/proc", OWN_LAYERS],
    [undefined, "/proc", OWN_LAYERS],
  ] as const
) {
  Deno.test(`buildMeters() knows disks by a host view with images at ${imagefs} and layers at ${containerfs}`, async () => {
    await using stack = new AsyncDisposableStack();
    const { path, view, machine, runtime, meters } = await rig(stack, {
      imagefs,
      containerfs,
    });
    const { node, pressure } = await meters();
    deepStrictEqual(await pressure.layout(never), layout);
    const { processes } = await node.measure();
    const { layersOn, hasOwnImageFs } = layout;
    deepStrictEqual(machine.asked, [
      `${path}/root`,
      `${view}/imagefs`,
      ...layersOn === "containerfs" ? [`${view}/containerfs`] : [],
    ]);
    strictEqual(processes, machine.pids);
    // A runtime that keeps them together has no other disk for layers.
    runtime.says = () => Promise.resolve(TOGETHER);
    deepStrictEqual(await (await meters()).pressure.layout(never), {
      hasOwnImageFs,
      layersOn: hasOwnImageFs ? "imagefs" : "nodefs",
    });
  });
}

Deno.test("buildMeters() measures the root directory alone without a host view", async () => {
  await using stack = new AsyncDisposableStack();
  const { path, machine, meters } = await rig(stack);
  const { node, pressure } = await meters();
  deepStrictEqual(await pressure.layout(never), NODE_ONLY);
  const { processes } = await node.measure();
  deepStrictEqual(machine.asked, [`${path}/root`]);
  strictEqual(processes, undefined);
});

Deno.test("buildMeters() takes no disk for another while the root directory is not there", async () => {
  await using stack = new AsyncDisposableStack();
  const { path, meters } = await rig(stack, {
    imagefs: "/proc",
    containerfs: "/sys",
  });
  await Deno.remove(`${path}/root`);
  const { pressure } = await meters();
  deepStrictEqual(await pressure.layout(never), NODE_ONLY);
});

Deno.test("buildMeters() asks a runtime how its disks lie until it answers, and then no more", async () => {
  await using stack = new AsyncDisposableStack();
  const { runtime, meters } = await rig(stack, {
    imagefs: "/proc",
    containerfs: "/sys",
  });
  const { pressure } = await meters();
  runtime.says = () => Promise.reject(new Error("away"));
  for (let time = 1; time <= 2; time++) {
    // As most runtimes keep them.
    deepStrictEqual(await pressure.layout(never), {
      hasOwnImageFs: true,
      layersOn: "imagefs",
    });
    strictEqual(runtime.asked, time);
  }
  const gone = AbortSignal.abort(new Error("enough"));
  await rejects(() => pressure.layout(gone), /enough/);
  runtime.says = () => Promise.resolve(APART);
  for (let time = 1; time <= 2; time++) {
    const { layersOn } = await pressure.layout(never);
    strictEqual(layersOn, "containerfs");
    strictEqual(runtime.asked, 4);
  }
});
