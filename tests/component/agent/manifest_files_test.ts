/**
 * Which files of the folder an agent takes for manifests.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { IMAGE } from "../../support/pods.ts";
import { EXPORTED_POD } from "../../support/exported_pod.ts";
import { podManifest } from "../../../scripts/lib/pod_manifest.ts";

const RULES: readonly (readonly [string, readonly string[]])[] = [
  ["yaml", ["named"]],
  ["kubelet", ["backup", "named", "plain"]],
];
for (const [rule, wanted] of RULES) {
  Deno.test(`--manifest-files=${rule} takes ${wanted.join(", ")} (SRC-08)`, async () => {
    await using rig = await CoreRig.start({
      flags: [`--manifest-files=${rule}`],
      prepare: async (rig) => {
        const folder = rig.config.source.manifestPath;
        for (
          const [file, name] of [
            ["named.yaml", "named"],
            ["plain", "plain"],
            ["backup.yaml.bak", "backup"],
            [".hidden.yaml", "hidden"],
          ] as const
        ) {
          await Deno.writeTextFile(
            `${folder}/${file}`,
            JSON.stringify(podManifest(name, {
              containers: [{ name, image: IMAGE }],
            })),
          );
          // Old, so that nobody has to wait for them to settle.
          await Deno.utime(`${folder}/${file}`, 1, 1);
        }
      },
    });
    await rig.until(
      () => wanted.every((name) => rig.fake.running(name).length === 1),
      "the pods",
    );
    await rig.pass(5_000);
    deepStrictEqual(
      rig.pods().map(({ metadata }) => metadata.name).sort(),
      wanted.map((name) => `${name}-edge1`),
    );
  });
}

Deno.test("A manifest that is written slowly makes one sandbox", async () => {
  await using rig = await CoreRig.start();
  // From now on the folder is watched.
  await rig.apply("first", web("first"));
  await rig.until(() => rig.fake.running("first").length === 1, "the first");
  const written = JSON.stringify(web("slow"));
  const path = rig.manifestPath("slow");
  {
    using file = await Deno.open(path, { write: true, createNew: true });
    const write = async (text: string): Promise<void> => {
      await file.seek(0, Deno.SeekMode.Start);
      await file.write(new TextEncoder().encode(text));
      // The agent's clock may be ahead of the kernel's.
      const now = rig.clock.now() / 1000;
      await file.utime(now, now);
      await rig.quiet();
    };
    // A whole pod already, and not the one that is meant.
    await write(written.replace("busybox:1.35", "busybox:9.99"));
    await rig.pass(3_000, 100);
    await write(written);
    await rig.pass(1_000, 100);
  }
  await rig.quiet();
  await rig.until(() => rig.fake.running("slow").length === 1, "the pod");
  await rig.pass(10_000);
  strictEqual(
    rig.mutations().filter((method) => method === "RunPodSandbox").length,
    2,
  );
});

Deno.test("A pod that was exported from a cluster runs, with a word on what was left out", async () => {
  await using rig = await CoreRig.start({
    prepare: async (rig) => {
      const path = `${rig.config.source.manifestPath}/web.yaml`;
      await Deno.writeTextFile(path, EXPORTED_POD);
      await Deno.utime(path, 1, 1);
    },
  });
  const name = "web-6d4cf56db6-7xk2p";
  await rig.until(() => rig.pod(name)?.status?.phase === "Running", "the pod");
  deepStrictEqual(
    rig.only("web").config.mounts.filter(({ containerPath }) =>
      containerPath.includes("serviceaccount")
    ),
    [],
  );
  const told = rig.events(name);
  strictEqual(
    told.filter((one) => one === "Warning ManifestWarning").length,
    1,
  );
});

function web(name: string): Record<string, unknown> {
  return podManifest(name, { containers: [{ name, image: IMAGE }] });
}
