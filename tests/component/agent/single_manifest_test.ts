/**
 * An agent with one manifest instead of a folder of them, and its mount.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { coreConfig } from "../../support/agent/core_config.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { untilGone, WEB, web } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";

/** An agent that runs the pod of the only manifest, in a directory of its own. */
async function running(): Promise<CoreRig> {
  const rig = await CoreRig.start({ prepare: onlyManifest });
  await untilRunning(rig);
  await rig.pass(3_000);
  return rig;
}

async function onlyManifest(rig: CoreRig): Promise<void> {
  const { data, file } = places(rig);
  await Deno.mkdir(data);
  await Deno.writeTextFile(file, JSON.stringify(web()));
  await Deno.utime(file, 1, 1);
  const flags = [`--pod-manifest-path=${file}`];
  rig.config = await coreConfig(rig.directory, { flags });
}

function places(rig: CoreRig): Readonly<Record<string, string>> & {
  readonly data: string;
  readonly file: string;
  readonly mounted: string;
} {
  const data = `${rig.directory}/data`;
  const mounted = `${rig.directory}/mounted`;
  return { data, file: `${data}/pod.yaml`, mounted };
}

/** What is mounted at the directory goes, and the empty mount point is to be seen. */
async function unmount(rig: CoreRig): Promise<void> {
  const { data, mounted } = places(rig);
  await Deno.rename(data, mounted);
  await Deno.mkdir(data);
}

async function mount(rig: CoreRig): Promise<void> {
  const { data, mounted } = places(rig);
  await Deno.remove(data);
  await Deno.rename(mounted, data);
}

for (const when of ["while it runs", "before it starts"] as const) {
  Deno.test(`Agent keeps the pod of its only manifest whose directory is not mounted ${when}`, async () => {
    await using rig = await running();
    const { id } = rig.only(WEB);
    const from = rig.fake.calls.length;
    if (when === "before it starts") await rig.stopAgent();
    await unmount(rig);
    if (when === "before it starts") await rig.startAgent();
    await rig.pass(60_000);
    strictEqual(rig.only(WEB).id, id);
    await mount(rig);
    await rig.pass(60_000);
    strictEqual(rig.only(WEB).id, id);
    deepStrictEqual(rig.mutations(from), []);
    await Deno.remove(places(rig).file);
    await untilGone(rig);
  });

  Deno.test(`Agent ends the pod of its only manifest that was removed ${when}`, async () => {
    await using rig = await running();
    if (when === "before it starts") await rig.stopAgent();
    await Deno.remove(places(rig).file);
    if (when === "before it starts") await rig.startAgent();
    await untilGone(rig);
    // What comes later under that path does not bring it back.
    await Deno.writeTextFile(places(rig).file, "kind: [");
    await rig.pass(60_000);
    deepStrictEqual(rig.fake.running(WEB), []);
  });
}

Deno.test("Agent ends the pod of its only manifest when the mount comes back without it", async () => {
  await using rig = await running();
  await rig.stopAgent();
  await unmount(rig);
  await rig.startAgent();
  await rig.pass(30_000);
  await Deno.remove(`${places(rig).mounted}/pod.yaml`);
  await mount(rig);
  await untilGone(rig);
});
