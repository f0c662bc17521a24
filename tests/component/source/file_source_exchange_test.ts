/**
 * The file source and a directory that another takes the place of between two looks.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { basename, join } from "node:path";
import type { ManifestFiles } from "../../../mod/source/mod.ts";
import {
  manifestYaml,
  type SourceRig,
  startSourceRig,
} from "../../support/source/source_rig.ts";

type Doing = "look" | "list" | "listed";

/** What was mounted on the directory is gone as soon as something was done there. */
class Unmounting {
  #isDue: (doing: Doing, name: string) => boolean = () => false;

  /** The files, where the directory goes before or after what is due. */
  over(real: ManifestFiles, rig: () => SourceRig): ManifestFiles {
    return {
      ...real,
      look: async (path) => {
        const look = await real.look(path);
        if (look.kind === "file") this.#pass("look", { path, rig: rig() });
        return look;
      },
      list: async (path) => {
        this.#pass("list", { path, rig: rig() });
        const names = await real.list(path);
        this.#pass("listed", { path, rig: rig() });
        return names;
      },
    };
  }

  when(doing: Doing, name: string): void {
    this.#isDue = (...now) => doing === now[0] && name === now[1];
  }

  #pass(
    doing: Doing,
    { path, rig }: { readonly path: string; readonly rig: SourceRig },
  ): void {
    if (!this.#isDue(doing, basename(path))) return;
    this.#isDue = () => false;
    Deno.renameSync(rig.manifests, join(rig.root, "away"));
    Deno.mkdirSync(rig.manifests);
  }
}

async function untilDoubted(rig: SourceRig): Promise<void> {
  await rig.until(() => rig.report()[0]?.kind === "unreachable", "the doubt");
}

Deno.test("FileSource keeps the pod of a single file when its directory goes while the file is looked at", async () => {
  const unmounting = new Unmounting();
  const root = await Deno.makeTempDir({ prefix: "skerry_source_" });
  await using rig = await startSourceRig({
    root,
    path: join(root, "manifests", "only.conf"),
    checkFrequencyMs: 200,
    files: (real) => unmounting.over(real, () => rig),
    prepare: (rig) => rig.put("only.conf", manifestYaml("one")),
  });
  await rig.untilNames("one");
  unmounting.when("look", "only.conf");
  await untilDoubted(rig);
  deepStrictEqual(rig.names, ["one"]);
});

for (
  const [doing, what] of [
    ["list", "before it is listed"],
    ["listed", "before what it lists is read"],
  ] as const
) {
  Deno.test(`FileSource keeps the pods of the agent before when its directory goes ${what}`, async () => {
    const before = await startSourceRig({ checkFrequencyMs: 60_000 });
    await before.put("a.yaml", manifestYaml("a"));
    await before.put("b.yaml", manifestYaml("b"));
    await before.untilNames("a", "b");
    await before.stop();
    const unmounting = new Unmounting();
    unmounting.when(doing, "manifests");
    await using rig = await startSourceRig({
      root: before.root,
      checkFrequencyMs: 60_000,
      files: (real) => unmounting.over(real, () => rig),
    });
    await untilDoubted(rig);
    await rig.untilNames("a", "b");
  });
}
