/**
 * What the agent does not know of its manifests, and what goes on running.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { IMAGE } from "../../support/pods.ts";
import { podManifest } from "../../../scripts/lib/pod_manifest.ts";

function web(name: string): Record<string, unknown> {
  return podManifest(name, {
    terminationGracePeriodSeconds: 1,
    containers: [{ name, image: IMAGE }],
  });
}

/** Writes a manifest while no agent looks, as if it had been there for long. */
async function put(rig: CoreRig, file: string, text: string): Promise<void> {
  const path = rig.manifestPath(file);
  await Deno.writeTextFile(path, text);
  await Deno.utime(path, 1, 1);
}

/** An agent that runs the pods of these manifests. */
async function running(...names: readonly string[]): Promise<CoreRig> {
  const rig = await CoreRig.start({
    prepare: async (rig) => {
      for (const name of names) {
        await put(rig, name, JSON.stringify(web(name)));
      }
    },
  });
  await rig.until(
    () => names.every((name) => rig.fake.running(name).length === 1),
    "the pods",
  );
  // Until the records are written.
  await rig.pass(2_000);
  return rig;
}

function records(rig: CoreRig): string {
  return `${rig.directory}/root/checkpoints/manifests`;
}

/** The conditions of the file source as `skerry get sources` shows them. */
function conditions(rig: CoreRig): readonly string[] {
  return rig.views.sources()
    .flatMap(({ conditions }) => conditions)
    .map(({ type, status, reason, message }) =>
      `${type}=${status} ${reason} ${message}`
    );
}

Deno.test("An agent leaves the pod of an invalid manifest alone while its record cannot be read, and starts the others (I8)", async () => {
  await using rig = await running("broken");
  await rig.stopAgent();
  const { id } = rig.only("broken");
  await put(rig, "broken", "kind: [");
  await put(rig, "fresh", JSON.stringify(web("fresh")));
  // Nobody may read what is at the address 0: the kernel says EIO, to root as well.
  const aside = `${rig.directory}/aside`;
  await Deno.rename(records(rig), aside);
  await Deno.mkdir(records(rig));
  const names = rig.list(aside);
  for (const name of names) {
    await Deno.symlink("/proc/self/mem", `${records(rig)}/${name}`);
  }
  await rig.startAgent();
  await rig.until(() => rig.fake.running("fresh").length === 1, "the other");
  await rig.pass(120_000);
  strictEqual(rig.only("broken").id, id);
  match(conditions(rig).join("\n"), /what it gave last is not known/);

  for (const name of names) {
    await Deno.rename(`${aside}/${name}`, `${records(rig)}/${name}`);
  }
  await rig.until(() => rig.pod("broken") !== undefined, "the record");
  await rig.pass(30_000);
  strictEqual(rig.only("broken").id, id);
  // What is removed now goes, as always.
  await Deno.remove(rig.manifestPath("broken"));
  await rig.until(
    () => rig.fake.running("broken").length === 0,
    "its end",
  );
});

Deno.test("An agent that has no records ends nothing while its manifests are being written at its start", async () => {
  await using rig = await running("a", "b");
  await rig.stopAgent();
  await Deno.remove(records(rig), { recursive: true });
  const touch = async (): Promise<void> => {
    const now = rig.clock.now() / 1000;
    for (const name of ["a", "b"]) {
      await Deno.utime(rig.manifestPath(name), now, now);
    }
  };
  await touch();
  const from = rig.fake.calls.length;
  await rig.startAgent();
  for (let round = 0; round < 60; round++) {
    await rig.pass(80, 40);
    await touch();
  }
  deepStrictEqual(rig.mutations(from), []);
  await rig.pass(60_000);
  deepStrictEqual(rig.mutations(from), []);
  strictEqual(rig.pods().length, 2);
});

Deno.test("An agent keeps all pods while its manifest folder is not mounted, across its restart, and says so", async () => {
  await using rig = await running("a");
  const { manifestPath } = rig.config.source;
  const { id } = rig.only("a");
  const mounted = `${rig.directory}/mounted`;
  await Deno.rename(manifestPath, mounted);
  await Deno.mkdir(manifestPath);
  await rig.pass(60_000);
  strictEqual(rig.only("a").id, id);
  await rig.restartAgent();
  await rig.pass(60_000);
  strictEqual(rig.only("a").id, id);
  match(
    conditions(rig).join("\n"),
    /Reachable=False Unreachable .*it is empty and another directory than before/,
  );
  strictEqual(rig.list(records(rig)).length, 2);

  // What crashes is restarted, since it is known what is wanted.
  rig.fake.exitContainer(id, 1);
  await rig.until(
    () => rig.fake.running("a").some((one) => one.id !== id),
    "its restart",
  );
  const after = rig.only("a").id;
  await Deno.remove(manifestPath);
  await Deno.rename(mounted, manifestPath);
  await rig.pass(60_000);
  strictEqual(rig.only("a").id, after);
  match(conditions(rig)[0] ?? "", /^Reachable=True/);
  await Deno.remove(rig.manifestPath("a"));
  await rig.until(() => rig.fake.running("a").length === 0, "its end");
});

Deno.test("An agent leaves a pod alone when its manifest is copied, across its restart, and starts the copy in its place", async () => {
  await using rig = await running("web");
  const { id } = rig.only("web");
  const copy = rig.manifestPath("web (copy)");
  await Deno.copyFile(rig.manifestPath("web"), copy);
  await Deno.utime(copy, 1, 1);
  await rig.pass(60_000);
  strictEqual(rig.only("web").id, id);
  await rig.restartAgent();
  await rig.pass(60_000);
  strictEqual(rig.only("web").id, id);
  match(
    conditions(rig).join("\n"),
    /web \(copy\)\.json: file ".*web\.json" has a pod "default\/web-edge1" as well and had it first/,
  );
  await Deno.remove(rig.manifestPath("web"));
  await rig.until(
    () => rig.fake.running("web").some((one) => one.id !== id),
    "the copy",
  );
});
