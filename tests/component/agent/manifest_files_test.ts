/**
 * Which files of the folder an agent takes for manifests.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { CoreRig, IMAGE } from "../../support/core_rig.ts";
import { podManifest } from "../../support/pod_manifest.ts";

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
