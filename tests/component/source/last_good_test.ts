/**
 * What the file source remembers across restarts, on a real disk.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import {
  age,
  isDirectoryRecord,
  manifestYaml,
  type SourceRig,
  startSourceRig,
} from "../../support/source/source_rig.ts";

async function records({ root }: { root: string }): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of Deno.readDir(join(root, "checkpoints"))) {
      if (!isDirectoryRecord(root, name)) names.push(name);
    }
  } catch {
    // Made with the first record.
  }
  return names.sort();
}

async function untilRecords(
  rig: SourceRig,
  fits: (names: readonly string[]) => boolean,
): Promise<void> {
  await rig.until(async () => fits(await records(rig)), "the records");
}

/** A directory that is left as a stopped agent leaves it. */
async function stopped(
  ...names: readonly string[]
): Promise<{ readonly root: string; readonly uids: readonly string[] }> {
  const rig = await startSourceRig();
  for (const name of names) await rig.put(`${name}.yaml`, manifestYaml(name));
  await rig.untilNames(...names);
  await untilRecords(rig, (found) => found.length === names.length);
  await rig.stop();
  const uids = rig.last?.pods.map((pod) => pod.metadata.uid) ?? [];
  return { root: rig.root, uids };
}

Deno.test("FileSource keeps an invalid manifest's pods across a restart (I8)", async () => {
  const { root, uids } = await stopped("a");
  const path = join(root, "manifests", "a.yaml");
  await Deno.writeTextFile(path, "{{{{");
  await age(path);
  await using rig = await startSourceRig({ root });
  await rig.untilNames("a");
  strictEqual(rig.sets.length, 1);
  deepStrictEqual(rig.last?.pods.map((pod) => pod.metadata.uid), uids);
  strictEqual(rig.report()[0]?.kind, "last_good");
});

Deno.test("FileSource never leaves out a pod at start because its manifest was just touched", async () => {
  const { root, uids } = await stopped("a", "b");
  await Deno.writeTextFile(
    join(root, "manifests", "a.yaml"),
    manifestYaml("a"),
  );
  await using rig = await startSourceRig({ root, checkFrequencyMs: 120 });
  await rig.untilNames("a", "b");
  await rig.untilLooked();
  strictEqual(rig.sets.length, 1);
  deepStrictEqual(rig.last?.pods.map((pod) => pod.metadata.uid), uids);
});

Deno.test("DiskLastGoodStore writes nothing when nothing changed", async () => {
  const { root } = await stopped("a");
  const [name = ""] = await records({ root });
  const path = join(root, "checkpoints", name);
  const before = await Deno.stat(path);
  strictEqual((before.mode ?? 0) & 0o777, 0o600);
  await using rig = await startSourceRig({ root, checkFrequencyMs: 120 });
  await rig.untilNames("a");
  const text = `${manifestYaml("a")}# a comment\n`;
  await rig.untilRead(() => Deno.writeTextFile(rig.path("a.yaml"), text));
  await rig.untilLooked();
  const after = await Deno.stat(path);
  strictEqual(after.ino, before.ino);
});

Deno.test("DiskLastGoodStore forgets a manifest that is removed, now or while the agent was off", async () => {
  const { root } = await stopped("a", "b", "c");
  await Deno.remove(join(root, "manifests", "a.yaml"));
  await Deno.writeTextFile(join(root, "checkpoints", ".x.json.1-1.tmp"), "");
  await using rig = await startSourceRig({ root });
  await rig.untilNames("b", "c");
  await untilRecords(rig, (names) => names.length === 2);
  await Deno.remove(rig.path("b.yaml"));
  await untilRecords(rig, (names) => names.length === 1);
});

Deno.test("FileSource ends what was removed while no agent looked, also if the agent before began with an empty directory", async () => {
  const { root } = await stopped("a");
  await Deno.remove(join(root, "manifests", "a.yaml"));
  const before = await startSourceRig({ root });
  await before.untilNames();
  await untilRecords(before, (names) => names.length === 0);
  await before.put("b.yaml", manifestYaml("b"));
  await before.untilNames("b");
  await untilRecords(before, (names) => names.length === 1);
  await before.stop();
  await Deno.remove(join(root, "manifests", "b.yaml"));
  await using rig = await startSourceRig({ root });
  await rig.untilNames();
  deepStrictEqual(rig.report(), []);
});

const DAMAGES: readonly (readonly [string, (text: string) => string])[] = [
  ["cut short", (text) => text.slice(0, text.length / 2)],
  ["empty", () => ""],
  ["altered", (text) => text.replace('"busybox"', '"evil"')],
  ["written twice", (text) => text + text],
  ["of another version", (text) => text.replace('"version":1', '"version":9')],
];
for (const [what, damage] of DAMAGES) {
  Deno.test(`DiskLastGoodStore sets aside a record that is ${what} (N02)`, async () => {
    const { root } = await stopped("a", "b");
    const directory = join(root, "checkpoints");
    for (const name of await records({ root })) {
      const path = join(directory, name);
      await Deno.writeTextFile(path, damage(await Deno.readTextFile(path)));
    }
    await Deno.writeTextFile(join(root, "manifests", "a.yaml"), "{{{{");
    await age(join(root, "manifests", "a.yaml"));
    await age(join(root, "manifests", "b.yaml"));
    await using rig = await startSourceRig({ root });
    await rig.untilNames("b");
    await rig.until(() => rig.report()[0]?.kind === "refused", "the refusal");
    // That of the sound manifest is written anew, beside itself first, and its pod is
    // told.
    const count = (names: readonly string[], end: string): number =>
      names.filter((name) => name.endsWith(end)).length;
    await untilRecords(
      rig,
      (found) =>
        count(found, ".corrupt-1") === 2 && count(found, ".json") === 1,
    );
    deepStrictEqual(
      rig.events.map(({ reason, pod }) => `${reason} ${pod.name}`),
      ["CorruptCheckpoint b-node-1"],
    );
    ok(rig.log.some((line) => line["message"] === "checkpoint_corrupt"));
    match(
      rig.metrics.render(),
      /skerry_checkpoint_corrupt_total\{source="file"\} 2/,
    );
  });
}

Deno.test("FileSource runs on when its checkpoints cannot be written (N01)", async () => {
  await using rig = await startSourceRig({
    // A file where the directory should be, which refuses root as well.
    prepare: (rig) => Deno.writeTextFile(join(rig.root, "checkpoints"), ""),
  });
  await rig.put("a.yaml", manifestYaml("a"));
  await rig.untilNames("a");
  await rig.put("b.yaml", manifestYaml("b"));
  await rig.untilNames("a", "b");
  const failures = (): number =>
    rig.log.filter((line) => line["message"] === "checkpoint_write_failed")
      .length;
  await rig.until(() => failures() === 1, "the failure");
  await rig.until(
    () => rig.events.some(({ reason }) => reason === "FailedCheckpoint"),
    "the event",
  );
  match(rig.metrics.render(), /skerry_checkpoint_failing\{source="file"\} 1/);
  // From memory the last good version is known all the same.
  await rig.put("a.yaml", "{{{{");
  await rig.until(() => rig.report()[0]?.kind === "last_good", "the fault");
  deepStrictEqual(rig.names, ["a", "b"]);
  strictEqual(failures(), 1);
});
