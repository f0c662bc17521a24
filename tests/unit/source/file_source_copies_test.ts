/**
 * Copies of manifests in the folder.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { Bench, manifest, OLD } from "./file_source_bench.ts";
import { FakeLastGood } from "./fake_manifests.ts";

const COPIES = ["web-backup.yaml", "web (copy).yaml", "zweb.yaml"] as const;

for (const copy of COPIES) {
  Deno.test(`FileSource refuses the copy "${copy}" of a manifest, also after a restart, and takes it when the first is gone`, async () => {
    const lastGood = new FakeLastGood();
    let uid: string | undefined;
    {
      await using bench = new Bench(lastGood);
      bench.files.write("web.yaml", manifest("web"), OLD);
      await bench.pass();
      uid = bench.sets[0]?.pods[0]?.metadata.uid;
      ok(uid);
      bench.files.write(copy, manifest("web"), OLD);
      bench.files.hint(copy, "arrived");
      await bench.pass(1000);
      strictEqual(bench.sets.length, 1);
      deepStrictEqual(
        bench.source.report().map(({ kind, file }) => `${kind} ${file}`),
        [`duplicate /m/${copy}`],
      );
      match(
        bench.source.conditions()[1]?.message ?? "",
        /^\/m\/.*: file "\/m\/web.yaml" has a pod "default\/web-n" as well and had it first$/,
      );
    }
    await using bench = new Bench(lastGood);
    bench.files.write("web.yaml", manifest("web"), OLD);
    bench.files.write(copy, manifest("web"), OLD);
    await bench.pass();
    strictEqual(bench.sets[0]?.pods[0]?.metadata.uid, uid);
    bench.files.remove("web.yaml");
    bench.files.hint("web.yaml", "removed");
    await bench.pass(500);
    strictEqual(bench.names, "web");
    ok(bench.sets.at(-1)?.pods[0]?.metadata.uid !== uid);
    deepStrictEqual(bench.source.report(), []);
  });
}

Deno.test("FileSource refuses a copy that was made while no agent ran, although the first was edited meanwhile", async () => {
  const lastGood = new FakeLastGood();
  {
    await using before = new Bench(lastGood);
    before.files.write("web.yaml", manifest("web", "one"), OLD);
    await before.pass();
  }
  await using bench = new Bench(lastGood);
  bench.files.write("web-backup.yaml", manifest("web", "one"), OLD);
  bench.files.write("web.yaml", manifest("web", "two"), OLD);
  await bench.pass();
  strictEqual(bench.images, "two");
});

Deno.test("FileSource lets the manifest go before its copy whose record cannot be read", async () => {
  const lastGood = new FakeLastGood();
  lastGood.unreadable.add("/m/web.yaml");
  await using bench = new Bench(lastGood);
  bench.files.write("web-backup.yaml", manifest("web", "one"), OLD);
  bench.files.write("web.yaml", manifest("web", "two"), OLD);
  await bench.pass();
  strictEqual(bench.images, "two");
});

Deno.test("FileSource keeps an invalid manifest's pod from its copy (I8)", async () => {
  await using bench = new Bench();
  bench.files.write("web.yaml", manifest("web", "one"), OLD);
  await bench.pass();
  bench.files.write("web.yaml", "kind: [", OLD);
  bench.files.hint("web.yaml", "arrived");
  bench.files.write("web-backup.yaml", manifest("web", "two"), OLD);
  bench.files.hint("web-backup.yaml", "arrived");
  await bench.pass(500);
  strictEqual(bench.images, "one");
  strictEqual(bench.sets.length, 1);
});

Deno.test("FileSource gives a name that a manifest gave up to the one that waited for it", async () => {
  await using bench = new Bench();
  bench.files.write("web.yaml", manifest("web", "one"), OLD);
  await bench.pass();
  bench.files.write("copy.yaml", manifest("web", "two"), OLD);
  bench.files.hint("copy.yaml", "arrived");
  await bench.pass(500);
  bench.files.write("web.yaml", manifest("site", "one"), OLD);
  bench.files.hint("web.yaml", "arrived");
  await bench.pass(500);
  strictEqual(`${bench.names} ${bench.images}`, "web,site two,one");
  // It does not get it back.
  bench.files.write("web.yaml", manifest("web", "one"), OLD);
  bench.files.hint("web.yaml", "arrived");
  await bench.pass(500);
  strictEqual(bench.images, "two");
});

Deno.test("FileSource refuses the copy of a ConfigMap", async () => {
  const settings = (value: string): string =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s"},` +
    `"data":{"k":"${value}"}}`;
  const lastGood = new FakeLastGood();
  for (const _life of [1, 2]) {
    await using bench = new Bench(lastGood);
    bench.files.write("s.yaml", settings("first"), OLD);
    await bench.pass();
    bench.files.write("copy.yaml", settings("second"), OLD);
    bench.files.hint("copy.yaml", "arrived");
    await bench.pass(500);
    const [object] = bench.sets.at(-1)?.objects ?? [];
    ok(object?.kind === "ConfigMap");
    strictEqual(
      new TextDecoder().decode(object.entries.get("k")),
      "first",
    );
    deepStrictEqual(
      bench.source.report().map(({ kind, file }) => `${kind} ${file}`),
      ["duplicate_object /m/copy.yaml"],
    );
  }
});
