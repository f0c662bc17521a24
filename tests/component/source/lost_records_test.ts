/**
 * What an agent knew of its manifests, where a record of that is damaged.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  isDirectoryRecord,
  manifestYaml,
  type SourceRig,
  startSourceRig,
} from "../../support/source/source_rig.ts";

function namesIn(root: string): readonly string[] {
  const checkpoints = join(root, "checkpoints");
  // It is made with the first record.
  if (!existsSync(checkpoints)) return [];
  return [...Deno.readDirSync(checkpoints)]
    .map(({ name }) => name)
    // One that is being written has another name first.
    .filter((name) => !name.endsWith(".tmp"));
}

/** Leaves half of the note of the directory, or of the record of the one manifest. */
function damage(root: string, what: "note" | "manifest"): string {
  const [name = "", ...others] = namesIn(root).filter((name) =>
    isDirectoryRecord(root, name) === (what === "note")
  );
  deepStrictEqual(others, []);
  Deno.truncateSync(join(root, "checkpoints", name), 40);
  return name;
}

/** The root of an agent that is stopped and had these manifests. */
async function stopped(...names: readonly string[]): Promise<string> {
  const rig = await startSourceRig();
  for (const name of names) await rig.put(`${name}.yaml`, manifestYaml(name));
  await rig.untilNames(...names);
  const count = names.length + 1;
  await rig.until(() => namesIn(rig.root).length === count, "the records");
  await rig.stop();
  return rig.root;
}

/** What was mounted on the directory is not, and below it is an empty one. */
function unmount(root: string): void {
  Deno.renameSync(join(root, "manifests"), join(root, "away"));
  Deno.mkdirSync(join(root, "manifests"));
}

async function untilDoubted(rig: SourceRig): Promise<void> {
  const isTold = () => rig.report()[0]?.kind === "unreachable";
  await rig.until(() => isTold() || rig.last !== undefined, "the doubt");
  await rig.untilLooked();
  deepStrictEqual(rig.sets, []);
  ok(isTold());
}

Deno.test("FileSource calls nothing removed while its directory is away and what it knew is damaged", async () => {
  const root = await stopped("a");
  damage(root, "manifest");
  unmount(root);
  const rig = await startSourceRig({ root, checkFrequencyMs: 120 });
  await untilDoubted(rig);
  await rig.stop();
  // What was damaged is set aside by now.
  await using next = await startSourceRig({ root, checkFrequencyMs: 120 });
  await untilDoubted(next);
  await Deno.remove(join(root, "manifests"));
  await Deno.rename(join(root, "away"), join(root, "manifests"));
  await next.untilNames("a");
});

Deno.test("FileSource knows that it never had a manifest, though the note of its directory is damaged", async () => {
  const root = await stopped();
  damage(root, "note");
  await using rig = await startSourceRig({ root });
  await rig.untilNames();
  deepStrictEqual(rig.report(), []);
});

Deno.test("FileSource knows what it had once a damaged record is written anew", async () => {
  const root = await stopped("a");
  const name = damage(root, "manifest");
  const rig = await startSourceRig({ root });
  const isAnew = () =>
    [name, `${name}.corrupt-1`].every((each) => namesIn(root).includes(each));
  await rig.untilNames("a");
  await rig.until(isAnew, "the record");
  await rig.stop();
  unmount(root);
  await using next = await startSourceRig({ root, checkFrequencyMs: 120 });
  await next.untilNames("a");
  strictEqual(next.report()[0]?.kind, "unreachable");
});
