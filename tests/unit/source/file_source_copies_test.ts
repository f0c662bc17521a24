/**
 * Copies of manifests in the folder.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../support/source/file_source_rig.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { FileSource } from "../../../mod/source/file/file_source.ts";
import { NO_CHECK, NO_EVENTS } from "../../support/no_ops.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import {
  FakeLastGood,
  FakeManifests,
  FILE_OPTIONS,
} from "../../support/source/fake_manifests.ts";

const COPIES = ["web-backup.yaml", "web (copy).yaml", "zweb.yaml"] as const;

for (const copy of COPIES) {
  Deno.test(`FileSource refuses the copy "${copy}" of a manifest, also after a restart, and takes it when the first is gone`, async () => {
    const lastGood = new FakeLastGood();
    let uid: string | undefined;
    {
      await using rig = new FileSourceRig(lastGood);
      rig.files.write("web.yaml", manifest("web"), OLD);
      await rig.pass();
      uid = rig.sets[0]?.pods[0]?.metadata.uid;
      ok(uid);
      rig.files.write(copy, manifest("web"), OLD);
      rig.files.hint(copy, "arrived");
      await rig.pass(1000);
      strictEqual(rig.sets.length, 1);
      deepStrictEqual(
        rig.source.report().map(({ kind, file }) => `${kind} ${file}`),
        [`duplicate /m/${copy}`],
      );
      match(
        rig.source.conditions()[1]?.message ?? "",
        /^\/m\/.*: file "\/m\/web.yaml" has a pod "default\/web-n" as well and had it first$/,
      );
    }
    await using rig = new FileSourceRig(lastGood);
    rig.files.write("web.yaml", manifest("web"), OLD);
    rig.files.write(copy, manifest("web"), OLD);
    await rig.pass();
    strictEqual(rig.sets[0]?.pods[0]?.metadata.uid, uid);
    rig.files.remove("web.yaml");
    rig.files.hint("web.yaml", "removed");
    await rig.pass(500);
    strictEqual(rig.names, "web");
    ok(rig.sets.at(-1)?.pods[0]?.metadata.uid !== uid);
    deepStrictEqual(rig.source.report(), []);
  });
}

Deno.test("FileSource refuses a copy that was made while no agent ran, although the first was edited meanwhile", async () => {
  const lastGood = new FakeLastGood();
  {
    await using before = new FileSourceRig(lastGood);
    before.files.write("web.yaml", manifest("web", "one"), OLD);
    await before.pass();
  }
  await using rig = new FileSourceRig(lastGood);
  rig.files.write("web-backup.yaml", manifest("web", "one"), OLD);
  rig.files.write("web.yaml", manifest("web", "two"), OLD);
  await rig.pass();
  strictEqual(rig.images, "two");
});

Deno.test("FileSource lets the manifest go before its copy whose record cannot be read", async () => {
  const lastGood = new FakeLastGood();
  lastGood.unreadable.add("/m/web.yaml");
  await using rig = new FileSourceRig(lastGood);
  rig.files.write("web-backup.yaml", manifest("web", "one"), OLD);
  rig.files.write("web.yaml", manifest("web", "two"), OLD);
  await rig.pass();
  strictEqual(rig.images, "two");
});

Deno.test("FileSource keeps an invalid manifest's pod from its copy (I8)", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("web.yaml", manifest("web", "one"), OLD);
  await rig.pass();
  rig.files.write("web.yaml", "kind: [", OLD);
  rig.files.hint("web.yaml", "arrived");
  rig.files.write("web-backup.yaml", manifest("web", "two"), OLD);
  rig.files.hint("web-backup.yaml", "arrived");
  await rig.pass(500);
  strictEqual(rig.images, "one");
  strictEqual(rig.sets.length, 1);
});

Deno.test("FileSource gives a name that a manifest gave up to the one that waited for it", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("web.yaml", manifest("web", "one"), OLD);
  await rig.pass();
  rig.files.write("copy.yaml", manifest("web", "two"), OLD);
  rig.files.hint("copy.yaml", "arrived");
  await rig.pass(500);
  rig.files.write("web.yaml", manifest("site", "one"), OLD);
  rig.files.hint("web.yaml", "arrived");
  await rig.pass(500);
  strictEqual(`${rig.names} ${rig.images}`, "web,site two,one");
  // It does not get it back.
  rig.files.write("web.yaml", manifest("web", "one"), OLD);
  rig.files.hint("web.yaml", "arrived");
  await rig.pass(500);
  strictEqual(rig.images, "two");
});

Deno.test("FileSource refuses the copy of a ConfigMap", async () => {
  const settings = (value: string): string =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s"},` +
    `"data":{"k":"${value}"}}`;
  const lastGood = new FakeLastGood();
  for (const _life of [1, 2]) {
    await using rig = new FileSourceRig(lastGood);
    rig.files.write("s.yaml", settings("first"), OLD);
    await rig.pass();
    rig.files.write("copy.yaml", settings("second"), OLD);
    rig.files.hint("copy.yaml", "arrived");
    await rig.pass(500);
    const [object] = rig.sets.at(-1)?.objects ?? [];
    ok(object?.kind === "ConfigMap");
    strictEqual(
      new TextDecoder().decode(object.entries.get("k")),
      "first",
    );
    deepStrictEqual(
      rig.source.report().map(({ kind, file }) => `${kind} ${file}`),
      ["duplicate_object /m/copy.yaml"],
    );
  }
});

function fixed(name: string, uid: string, image = "busybox"): string {
  return manifest(name, image).replace(
    `"name":"${name}"`,
    `"name":"${name}","uid":"${uid}"`,
  );
}

Deno.test("FileSource keeps a pod's name from one of another file that is renamed to it under its UID", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("b.yaml", fixed("m", "u2", "two"), OLD);
  rig.files.write("z.yaml", manifest("n", "one"), OLD);
  await rig.pass();
  strictEqual(rig.images, "two,one");
  rig.files.write("b.yaml", fixed("n", "u2", "two"), { ageMs: 30_000 });
  rig.files.hint("b.yaml", "arrived");
  await rig.pass(1000);
  strictEqual(rig.images, "one");
  deepStrictEqual(
    rig.source.report().map(({ kind, file }) => `${kind} ${file}`),
    ["duplicate /m/b.yaml"],
  );
  // Nor when it is edited itself at the same time.
  rig.files.write("z.yaml", manifest("n", "three"), { ageMs: 20_000 });
  rig.files.hint("z.yaml", "arrived");
  await rig.pass(1000);
  strictEqual(rig.images, "three");
});

Deno.test("FileSource does not say at its start that a pod left whose manifest was removed and whose copy is not settled", async () => {
  const lastGood = new FakeLastGood();
  {
    await using before = new FileSourceRig(lastGood);
    before.files.write("a.yaml", fixed("a", "u"), OLD);
    await before.pass();
    before.files.write("b.yaml", fixed("a", "u"), OLD);
    before.files.hint("b.yaml", "arrived");
    await before.pass(1000);
  }
  await using rig = new FileSourceRig(lastGood);
  rig.files.write("b.yaml", fixed("a", "u"), { ageMs: -3_600_000 });
  await rig.pass();
  deepStrictEqual(rig.sets, []);
  await rig.pass(500);
  strictEqual(rig.names, "a");
  strictEqual(rig.sets.length, 1);
});

/** A disk on which each look takes longer than a set is held back. */
class SlowManifests extends FakeManifests {
  readonly #clock: FakeClock;
  isSlow = false;

  constructor(clock: FakeClock) {
    super(clock);
    this.#clock = clock;
  }

  override async look(path: string): ReturnType<FakeManifests["look"]> {
    if (this.isSlow) await this.#clock.sleep(10, NEVER);
    return await super.look(path);
  }
}

const NEVER = new AbortController().signal;

Deno.test("FileSource tells no set without the pod of a manifest that is renamed on a slow disk", async () => {
  const clock = new FakeClock();
  const files = new SlowManifests(clock);
  const log = silentLogger;
  const source = new FileSource(FILE_OPTIONS, {
    clock,
    files,
    lastGood: new FakeLastGood(),
    log,
    metrics: new MetricsRegistry(),
    events: NO_EVENTS,
    check: NO_CHECK,
  });
  const stop = new AbortController();
  const counts: number[] = [];
  files.write("a.yaml", fixed("a", "u"), OLD);
  const running = (async () => {
    for await (const { pods } of source.run(stop.signal)) {
      counts.push(pods.length);
    }
  })();
  await clock.advance(100);
  files.isSlow = true;
  files.rename("a.yaml", "z.yaml");
  files.hint("a.yaml", "removed", "z.yaml");
  files.hint("z.yaml", "arrived");
  for (let step = 0; step < 100; step++) await clock.advance(5);
  stop.abort();
  for (let step = 0; step < 10; step++) await clock.advance(5);
  await running;
  ok(counts.length > 1);
  ok(counts.every((count) => count === 1), counts.join());
});
