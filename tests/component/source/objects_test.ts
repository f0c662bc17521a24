/**
 * Objects beside pods in real files, and where they are remembered.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { dirname, join } from "node:path";
import {
  age,
  isDirectoryRecord,
  keyedManifest,
  manifestYaml,
  type SourceRig,
  startSourceRig,
} from "../../support/source/source_rig.ts";

const SECRET = "hunter2-hunter2";

/** Every file below a directory with its text. */
async function textsBelow(
  directory: string,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  try {
    for await (const { name } of Deno.readDir(directory)) {
      if (isDirectoryRecord(dirname(directory), name)) continue;
      const path = join(directory, name);
      texts.set(path, await Deno.readTextFile(path));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return texts;
}

async function holdsSecret(directory: string): Promise<boolean> {
  const texts = [...(await textsBelow(directory)).values()].join("\n");
  return [SECRET, btoa(SECRET)].some((text) => texts.includes(text));
}

async function untilRecords(rig: SourceRig, wanted: string): Promise<void> {
  const counted = async (): Promise<string> => {
    const counts = await Promise.all(
      ["checkpoints", "run"].map((name) => textsBelow(join(rig.root, name))),
    );
    return counts.map(({ size }) => size).join();
  };
  await rig.until(async () => await counted() === wanted, `records ${wanted}`);
}

/** A pod, a ConfigMap and a Secret in one file. */
const ALL = [
  manifestYaml("web"),
  keyedManifest("ConfigMap", "settings", { a: "1" }),
  keyedManifest("Secret", "login", { password: SECRET }),
].join("---\n");

const ALL_OBJECTS = {
  "ConfigMap default/settings": { a: "1" },
  "Secret default/login": { password: SECRET },
};

/** A directory that an agent left which had read `all.yaml`. */
async function stopped(): Promise<
  { readonly root: string; readonly path: string }
> {
  const rig = await startSourceRig();
  await rig.put("all.yaml", ALL);
  await rig.untilObjects(ALL_OBJECTS);
  await untilRecords(rig, "1,1");
  await rig.stop();
  return { root: rig.root, path: rig.path("all.yaml") };
}

/** Makes the manifest one that nothing can be made of. */
async function spoil(path: string): Promise<void> {
  await Deno.writeTextFile(path, "{{{{");
  await age(path);
}

Deno.test("FileSource delivers objects as their file appears, changes, turns invalid and goes", async () => {
  await using rig = await startSourceRig();
  await rig.untilNames();
  await rig.put("a.yaml", keyedManifest("ConfigMap", "a", { k: "1" }));
  await rig.untilObjects({ "ConfigMap default/a": { k: "1" } });
  deepStrictEqual(rig.last?.pods, []);
  await rig.put("a.yaml", keyedManifest("ConfigMap", "a", { k: "2" }));
  await rig.untilObjects({ "ConfigMap default/a": { k: "2" } });
  const count = rig.sets.length;
  await rig.put("a.yaml", keyedManifest("ConfigMap", "a", { "..": "3" }));
  await rig.until(() => rig.report().length === 1, "the fault");
  strictEqual(rig.report()[0]?.kind, "last_good");
  strictEqual(rig.sets.length, count);
  match(rig.metrics.render(), /skerry_manifest_invalid\{file=".*a.yaml"\} 1/);
  await Deno.remove(rig.path("a.yaml"));
  await rig.untilObjects({});
  deepStrictEqual(rig.report(), []);
});

Deno.test("FileSource delivers claims and runtime classes", async () => {
  await using rig = await startSourceRig();
  await rig.put(
    "a.yaml",
    [
      "apiVersion: node.k8s.io/v1",
      "kind: RuntimeClass",
      "metadata: {name: fast}",
      "handler: crun",
      "---",
      "apiVersion: v1",
      "kind: PersistentVolumeClaim",
      "metadata: {name: data, namespace: shop}",
      "spec:",
      "  accessModes: [ReadWriteOnce]",
      "  resources: {requests: {storage: 1Gi}}",
      "",
    ].join("\n"),
  );
  await rig.untilObjects({
    "RuntimeClass fast": {},
    "PersistentVolumeClaim shop/data": {},
  });
});

Deno.test("FileSource keeps pods and objects of a file with one bad document (I8)", async () => {
  await using rig = await startSourceRig();
  await rig.put("all.yaml", ALL);
  await rig.untilObjects(ALL_OBJECTS);
  const before = rig.last;
  const bad = keyedManifest("Secret", "other", { "a b": SECRET });
  const changed = ALL.replace("busybox", "other").replace('"1"', '"2"');
  await rig.put("all.yaml", `${changed}---\n${bad}`);
  await rig.until(() => rig.report().length === 1, "the fault");
  strictEqual(rig.last, before);
  deepStrictEqual(rig.names, ["web"]);
  const [event] = rig.events;
  strictEqual(event?.pod.name, "web-node-1");
  match(event.message, /document 4.*stringData\[a b\]: Invalid key/);
  ok(!JSON.stringify([rig.events, rig.log]).includes(SECRET));
  await rig.put("all.yaml", changed);
  await rig.until(() => rig.report().length === 0, "the repair");
  strictEqual(rig.objects["ConfigMap default/settings"]?.["a"], "2");
});

Deno.test("FileSource delivers nothing for an object file that says the same", async () => {
  await using rig = await startSourceRig();
  const text = keyedManifest("Secret", "s", { a: "1", b: "2" });
  await rig.put("a.yaml", text);
  await rig.until(() => rig.last?.objects.length === 1, "the object");
  const count = rig.sets.length;
  const [before] = rig.last?.objects ?? [];
  await rig.put("a.yaml", `# a comment\n${text}`);
  await rig.put("b.yaml", manifestYaml("b"));
  await rig.untilNames("b");
  strictEqual(rig.sets.length, count + 1);
  strictEqual(rig.last?.objects[0], before);
});

Deno.test("FileSource settles objects of one name by file name, and names both files", async () => {
  await using rig = await startSourceRig();
  await rig.put("a.yaml", keyedManifest("ConfigMap", "c", { from: "a" }));
  await rig.untilObjects({ "ConfigMap default/c": { from: "a" } });
  await rig.put(
    "b.yaml",
    `${keyedManifest("ConfigMap", "c", { from: "b" })}---\n${
      manifestYaml("b")
    }`,
  );
  await rig.untilNames("b");
  deepStrictEqual(rig.objects, { "ConfigMap default/c": { from: "a" } });
  const [report] = rig.report();
  strictEqual(report?.kind, "duplicate_object");
  strictEqual(report.file, rig.path("b.yaml"));
  const line = rig.log.find(({ message }) =>
    message === "manifest_duplicate_object"
  );
  strictEqual(line?.["file"], rig.path("b.yaml"));
  match(
    String(line["reason"]),
    /a\.yaml" has the object "ConfigMap default\/c/,
  );
  const [event] = rig.events;
  strictEqual(event?.pod.name, "b-node-1");
  match(event.message, /b\.yaml": file ".*a\.yaml" has the object/);
  match(rig.metrics.render(), /skerry_manifest_duplicate\{file=".*b.yaml"\} 1/);
  await Deno.remove(rig.path("a.yaml"));
  await rig.untilObjects({ "ConfigMap default/c": { from: "b" } });
  deepStrictEqual(rig.report(), []);
});

Deno.test("FileSource keeps pods and objects of an invalid manifest across a restart (I8)", async () => {
  const { root, path } = await stopped();
  await spoil(path);
  await using rig = await startSourceRig({ root });
  await rig.untilNames("web");
  deepStrictEqual(rig.objects, ALL_OBJECTS);
  strictEqual(rig.sets.length, 1);
  strictEqual(rig.report()[0]?.kind, "last_good");
});

Deno.test("DiskLastGoodStore writes no Secret to the state directory (SE-10)", async () => {
  const { root } = await stopped();
  const checkpoints = await textsBelow(join(root, "checkpoints"));
  strictEqual(checkpoints.size, 1);
  match([...checkpoints.values()].join(), /settings/);
  ok(!await holdsSecret(join(root, "checkpoints")));
  const kept = join(root, "run");
  ok(await holdsSecret(kept));
  strictEqual(((await Deno.stat(kept)).mode ?? 0) & 0o777, 0o700);
  for (const path of (await textsBelow(kept)).keys()) {
    strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  }
  await Deno.remove(root, { recursive: true });
});

Deno.test("FileSource runs pods on after a boot that took the Secrets of an invalid manifest", async () => {
  const { root, path } = await stopped();
  await Deno.remove(join(root, "run"), { recursive: true });
  await spoil(path);
  await using rig = await startSourceRig({ root });
  await rig.untilNames("web");
  deepStrictEqual(rig.objects, { "ConfigMap default/settings": { a: "1" } });
  await rig.put("all.yaml", ALL);
  await rig.untilObjects(ALL_OBJECTS);
  // While the agent runs it knows the Secret from memory.
  await rig.put("all.yaml", "{{{{");
  await rig.until(() => rig.report().length === 1, "the fault");
  deepStrictEqual(rig.objects, ALL_OBJECTS);
});

Deno.test("DiskLastGoodStore sets aside Secrets that are damaged, and keeps the rest (N02)", async () => {
  const { root, path } = await stopped();
  for (const [file, text] of await textsBelow(join(root, "run"))) {
    await Deno.writeTextFile(file, text.replace("login", "logout"));
  }
  await spoil(path);
  await using rig = await startSourceRig({ root });
  await rig.untilNames("web");
  deepStrictEqual(rig.objects, { "ConfigMap default/settings": { a: "1" } });
  match(
    rig.metrics.render(),
    /skerry_checkpoint_corrupt_total\{source="file"\} 1/,
  );
});

Deno.test("DiskLastGoodStore forgets Secrets with their manifest, now or while the agent was off", async () => {
  const { root, path } = await stopped();
  await Deno.remove(path);
  await using rig = await startSourceRig({ root });
  await rig.untilNames();
  await untilRecords(rig, "0,0");
  await rig.put("s.yaml", keyedManifest("Secret", "s", { a: SECRET }));
  await untilRecords(rig, "1,1");
  await rig.put("s.yaml", keyedManifest("ConfigMap", "s", { a: "1" }));
  await untilRecords(rig, "1,0");
  await rig.put("s.yaml", keyedManifest("Secret", "s", { a: SECRET }));
  await untilRecords(rig, "1,1");
  await Deno.remove(rig.path("s.yaml"));
  await untilRecords(rig, "0,0");
  ok(!JSON.stringify(rig.log).includes(SECRET));
});

Deno.test("DiskLastGoodStore reads what was written before there were objects", async () => {
  const earlier = await startSourceRig();
  await earlier.put("a.yaml", manifestYaml("a"));
  await earlier.untilNames("a");
  await untilRecords(earlier, "1,0");
  await earlier.stop();
  const { root } = earlier;
  const [text] = (await textsBelow(join(root, "checkpoints"))).values();
  // As it always was, so this is such a record.
  deepStrictEqual(Object.keys(JSON.parse(text ?? "{}").record).sort(), [
    "path",
    "pods",
  ]);
  await spoil(join(root, "manifests", "a.yaml"));
  await using rig = await startSourceRig({ root });
  await rig.untilNames("a");
  deepStrictEqual(rig.objects, {});
});

Deno.test("FileSource tells of an object's unknown field when it is to be a warning", async () => {
  await using rig = await startSourceRig({ unknownFields: "warn" });
  const text = keyedManifest("Secret", "s", { a: "1" })
    .replace('"stringData"', `"password": "${SECRET}", "stringData"`);
  await rig.put("a.yaml", text);
  await rig.untilObjects({ "Secret default/s": { a: "1" } });
  const line = rig.log.find(({ message }) => message === "manifest_warnings");
  match(JSON.stringify(line), /password: Unknown field/);
  ok(!JSON.stringify(rig.log).includes(SECRET));
});
