/**
 * The file source and the odd places and files that manifests are kept in.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import type { WatchHint } from "../../../mod/host/files/mod.ts";
import {
  age,
  manifestYaml,
  startSourceRig,
} from "../../support/source/source_rig.ts";
import { makeFifo } from "../../support/fifo.ts";

// deno-lint-ignore require-yield -- a system that gives no hints
async function* noHints(
  _path: string,
  signal: AbortSignal,
): AsyncGenerator<WatchHint, void, undefined> {
  const ended = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => ended.resolve(), { once: true });
  await ended.promise;
}

function makeAnew(directory: string, file: string, text: string): void {
  Deno.removeSync(directory, { recursive: true });
  Deno.mkdirSync(directory);
  Deno.writeTextFileSync(join(directory, file), text);
}

interface Mounted extends AsyncDisposable {
  unmount(): Promise<void>;
}

async function mountOver(directory: string): Promise<Mounted> {
  const run = async (name: string, args: readonly string[]) =>
    (await new Deno.Command(name, { args: [...args], stderr: "null" }).output())
      .success;
  ok(await run("mount", ["-t", "tmpfs", "none", directory]));
  let isMounted = true;
  const unmount = async (): Promise<void> => {
    if (!isMounted) return;
    isMounted = false;
    ok(await run("umount", ["-l", directory]));
  };
  return { unmount, [Symbol.asyncDispose]: unmount };
}

async function mayMount(): Promise<boolean> {
  const directory = await Deno.makeTempDir({ prefix: "skerry_mount_" });
  try {
    await using _mounted = await mountOver(directory);
    return true;
  } catch {
    // Not root, or in a container that may not.
    return false;
  } finally {
    await Deno.remove(directory);
  }
}

Deno.test("FileSource follows its directory through all that may happen to it (SRC-14)", async () => {
  await using rig = await startSourceRig({
    exists: false,
    checkFrequencyMs: 60_000,
  });
  await rig.untilNames();
  await Deno.mkdir(rig.manifests);
  await rig.put("a.yaml", manifestYaml("a"));
  await rig.untilNames("a");

  // Another directory under the same name.
  const other = join(rig.root, "other");
  await Deno.mkdir(other);
  await Deno.writeTextFile(join(other, "b.yaml"), manifestYaml("b"));
  await age(join(other, "b.yaml"));
  await Deno.rename(rig.manifests, join(rig.root, "old"));
  await Deno.rename(other, rig.manifests);
  await rig.untilNames("b");
  await rig.put("c.yaml", manifestYaml("c"));
  await rig.untilNames("b", "c");

  // No directory at all: everything stays, and that is told.
  const sets = rig.sets.length;
  await Deno.rename(rig.manifests, join(rig.root, "gone"));
  await rig.until(() => rig.report()[0]?.kind === "unreachable", "the outage");
  strictEqual(rig.sets.length, sets);
  match(rig.metrics.render(), /skerry_manifest_source_unreachable\{.*\} 1/);

  // An empty one may be a mount point.
  await Deno.mkdir(rig.manifests);
  await rig.until(
    () => JSON.stringify(rig.report()).includes("another directory"),
    "the doubt",
  );
  strictEqual(rig.sets.length, sets);
  // An empty list is an order.
  await rig.put("none.yaml", "apiVersion: v1\nkind: PodList\nitems: []\n");
  await rig.untilNames();
  deepStrictEqual(rig.report(), []);
  await rig.put("d.yaml", manifestYaml("d"));
  await rig.untilNames("d");
});

Deno.test("FileSource drops what vanished with a directory that was made anew at once (SRC-14)", async () => {
  await using rig = await startSourceRig({ checkFrequencyMs: 60_000 });
  await rig.put("a.yaml", manifestYaml("a"));
  await rig.put("b.yaml", manifestYaml("b"));
  await rig.untilNames("a", "b");
  for (const name of ["c", "d", "e"]) {
    makeAnew(rig.manifests, `${name}.yaml`, manifestYaml(name));
    await rig.untilNames(name);
    deepStrictEqual(rig.report(), []);
  }
});

Deno.test({
  name: "FileSource follows what is mounted over its directory (SRC-14)",
  ignore: !await mayMount(),
  async fn() {
    await using rig = await startSourceRig({ checkFrequencyMs: 60_000 });
    await rig.put("a.yaml", manifestYaml("a"));
    await rig.untilNames("a");
    await using mounted = await mountOver(rig.manifests);
    await Deno.writeTextFile(rig.path("b.yaml"), manifestYaml("b"));
    await rig.untilNames("b");
    await mounted.unmount();
    await rig.untilNames("a");
    await rig.put("c.yaml", manifestYaml("c"));
    await rig.untilNames("a", "c");
    deepStrictEqual(rig.report(), []);
  },
});

Deno.test({
  name:
    "FileSource keeps its pods when what is mounted on its directory is gone",
  ignore: !await mayMount(),
  async fn() {
    const root = await Deno.makeTempDir({ prefix: "skerry_source_" });
    const manifests = join(root, "manifests");
    await Deno.mkdir(manifests);
    await using mounted = await mountOver(manifests);
    await using rig = await startSourceRig({ root, checkFrequencyMs: 60_000 });
    await Deno.writeTextFile(rig.path("a.yaml"), manifestYaml("a"));
    await rig.untilNames("a");
    await mounted.unmount();
    await rig.until(() => rig.report()[0]?.kind === "unreachable", "the doubt");
    await rig.pass(120_000);
    deepStrictEqual(rig.names, ["a"]);
    await using again = await mountOver(manifests);
    await Deno.writeTextFile(rig.path("b.yaml"), manifestYaml("b"));
    await rig.untilNames("b");
    await again.unmount();
  },
});

Deno.test("FileSource reads a single file through replacement, removal and return (SRC-17)", async () => {
  const root = await Deno.makeTempDir({ prefix: "skerry_source_" });
  const path = join(root, "manifests", "only.conf");
  await using rig = await startSourceRig({
    root,
    path,
    checkFrequencyMs: 60_000,
  });
  await rig.untilNames();
  await rig.put("only.conf", manifestYaml("one"));
  await rig.untilNames("one");
  await rig.put("only.conf", manifestYaml("two"));
  await rig.untilNames("two");
  await Deno.writeTextFile(path, "");
  await rig.until(() => rig.report().length === 1, "the fault");
  strictEqual(rig.report()[0]?.kind, "last_good");
  await Deno.remove(path);
  await rig.untilNames();
  await Deno.writeTextFile(path, manifestYaml("three"));
  await rig.untilNames("three");
  // Without its directory the file is not removed but out of reach.
  await Deno.rename(rig.manifests, join(root, "away"));
  await rig.until(() => rig.report()[0]?.kind === "unreachable", "the outage");
  deepStrictEqual(rig.names, ["three"]);
  await Deno.rename(join(root, "away"), rig.manifests);
  await rig.until(() => rig.report().length === 0, "the return");
  deepStrictEqual(rig.names, ["three"]);
});

Deno.test("FileSource works without hints, by looking now and then (SRC-18)", async () => {
  await using rig = await startSourceRig({
    checkFrequencyMs: 50,
    files: (real) => ({
      ...real,
      watch: noHints,
    }),
  });
  await rig.untilNames();
  await rig.put("a.yaml", manifestYaml("a"));
  await rig.untilNames("a");
  await Deno.writeTextFile(rig.path("b.yaml"), manifestYaml("b"));
  await rig.untilNames("a", "b");
  await Deno.remove(rig.path("a.yaml"));
  await rig.untilNames("b");
});

Deno.test("FileSource reads manifests of up to 10 MiB (SRC-19)", async () => {
  await using rig = await startSourceRig();
  const limit = 10 * 1024 * 1024;
  const padded = (name: string, size: number): string => {
    const text = `${manifestYaml(name)}#`;
    return text + "x".repeat(size - text.length);
  };
  await rig.put("fits.yaml", padded("fits", limit));
  await rig.put("exceeds.yaml", padded("exceeds", limit + 1));
  {
    using sparse = await Deno.create(join(rig.root, "sparse"));
    await sparse.truncate(2 * 1024 ** 3);
  }
  await Deno.rename(join(rig.root, "sparse"), rig.path("sparse.yaml"));
  await rig.untilNames("fits");
  await rig.until(() => rig.report().length === 2, "two refusals");
  deepStrictEqual(
    rig.report().map(({ kind, file }) => [kind, file]),
    [
      ["refused", rig.path("exceeds.yaml")],
      ["refused", rig.path("sparse.yaml")],
    ],
  );
});

const DOCUMENTS: readonly (readonly [string, string, readonly string[]])[] = [
  ["two documents", `${manifestYaml("a")}---\n${manifestYaml("b")}`, [
    "a",
    "b",
  ]],
  ["a leading separator", `---\n${manifestYaml("a")}`, ["a"]],
  [
    "a List",
    `apiVersion: v1\nkind: List\nitems:\n- ${
      manifestYaml("a").trim().replaceAll("\n", "\n  ")
    }\n`,
    ["a"],
  ],
  ["a Deployment", manifestYaml("a").replace("Pod", "Deployment"), []],
  ["another version", manifestYaml("a").replace("v1", "v1beta2"), []],
  ["no version", manifestYaml("a").replace("apiVersion: v1\n", ""), []],
  ["a kind in lower case", manifestYaml("a").replace("Pod", "pod"), []],
  ["one bad document of two", `${manifestYaml("a")}---\nkind: Pod\n`, []],
];
for (const [what, text, names] of DOCUMENTS) {
  Deno.test(`FileSource takes ${what} whole or not at all (SRC-20)`, async () => {
    await using rig = await startSourceRig();
    await rig.untilNames();
    await rig.put("file.yaml", text);
    await rig.put("other.yaml", manifestYaml("other"));
    await rig.untilNames(...names, "other");
    await rig.until(
      () => rig.report().length === (names.length > 0 ? 0 : 1),
      "the verdict",
    );
  });
}

Deno.test("FileSource is not stopped by what is no file (M38)", async () => {
  await using rig = await startSourceRig({
    checkFrequencyMs: 200,
    prepare: async (rig) => {
      await makeFifo(rig.path("fifo.yaml"));
      await Deno.mkdir(rig.path("dir.yaml"));
      await Deno.symlink("loop.yaml", rig.path("loop.yaml"));
      await Deno.symlink("nothing", rig.path("dangling.yaml"));
      await Deno.writeTextFile(
        join(rig.root, "target"),
        manifestYaml("linked"),
      );
      await Deno.symlink("../target", rig.path("linked.yaml"));
    },
  });
  await rig.untilNames("linked");
  await rig.put("a.yaml", manifestYaml("a"));
  await rig.untilNames("a", "linked");
  deepStrictEqual(
    rig.report().map(({ kind, file }) => [kind, file]),
    ["dangling", "fifo", "loop"].map((name) => [
      "refused",
      rig.path(`${name}.yaml`),
    ]),
  );
  await rig.untilLooked();
  await rig.put("b.yaml", manifestYaml("b"));
  await rig.untilNames("a", "b", "linked");
});

Deno.test("FileSource says that a manifest's name is not UTF-8, until it has another", async () => {
  // The watcher ends at such a name: then changes are found by the next look.
  await using rig = await startSourceRig({ checkFrequencyMs: 200 });
  await rig.untilNames();
  const run = async (command: string): Promise<void> => {
    const args = ["-c", `cd "$1" && ${command}`, "sh", rig.manifests];
    const { success } = await new Deno.Command("bash", { args }).output();
    ok(success, command);
  };
  await Deno.writeTextFile(join(rig.root, "new"), manifestYaml("cafe"));
  await run("mv ../new $'caf\\xe9.yaml'");
  await rig.until(() => rig.report().length === 1, "the refusal");
  const [report] = rig.report();
  strictEqual(report?.file, rig.path("caf\ufffd.yaml"));
  match(JSON.stringify(report), /its name is not UTF-8, wanted one that is/);
  await run("mv $'caf\\xe9.yaml' cafe.yaml");
  await rig.untilNames("cafe");
  await rig.until(() => rig.report().length === 0, "the end of the refusal");
});

Deno.test("FileSource follows a tree of links that is switched at once", async () => {
  await using rig = await startSourceRig({
    checkFrequencyMs: 60_000,
    prepare: async (rig) => {
      for (const version of ["1", "2"]) {
        await Deno.mkdir(rig.path(`..v${version}`));
        const path = rig.path(`..v${version}/a.yaml`);
        await Deno.writeTextFile(
          path,
          manifestYaml("a", { image: `v${version}` }),
        );
        await age(path);
      }
      await Deno.symlink("..v1", rig.path("..data"));
      await Deno.symlink("..data/a.yaml", rig.path("a.yaml"));
    },
  });
  await rig.untilNames("a");
  const image = (): string | undefined =>
    rig.last?.pods[0]?.spec.containers[0]?.image;
  strictEqual(image(), "v1");
  await Deno.symlink("..v2", rig.path("..data_tmp"));
  await Deno.rename(rig.path("..data_tmp"), rig.path("..data"));
  await rig.until(() => image() === "v2", "the other version");
});

Deno.test("FileSource reads names with any bytes and takes paths literally (M39)", async () => {
  const parent = await Deno.makeTempDir({ prefix: "skerry_source_" });
  await using _parent = {
    [Symbol.asyncDispose]: () => Deno.remove(parent, { recursive: true }),
  };
  const root = join(parent, "a [b*] {c}");
  await using rig = await startSourceRig({
    root,
    path: join(root, "manifests") + "//",
    prepare: async (rig) => {
      const script = `printf x > "$1/$(printf 'a\\377.yaml')"`;
      await new Deno.Command("sh", {
        args: ["-c", script, "sh", rig.manifests],
      }).output();
    },
  });
  await rig.put("a [*].yaml", manifestYaml("a"));
  await rig.untilNames("a");
});

Deno.test("FileSource takes every file when it is told to", async () => {
  await using rig = await startSourceRig({ everyFile: true });
  await rig.put("plain", manifestYaml("plain"));
  await rig.put(".hidden.yaml", manifestYaml("hidden"));
  await rig.untilNames("plain");
});

Deno.test("FileSource handles a thousand manifests and the removal of all of them (M37)", async () => {
  const count = 1000;
  await using rig = await startSourceRig({
    prepare: async (rig) => {
      for (let number = 0; number < count; number++) {
        const path = rig.path(`p${number}.yaml`);
        await Deno.writeTextFile(path, manifestYaml(`p${number}`));
        if (number % 2 === 0) await age(path);
      }
    },
  });
  await rig.until(() => rig.last?.pods.length === count, "all pods");
  await rig.put("late.yaml", manifestYaml("late"));
  await rig.until(() => rig.names.includes("late"), "one more");
  await Promise.all(
    Array.from(
      { length: count },
      (_, number) => Deno.remove(rig.path(`p${number}.yaml`)),
    ),
  );
  await rig.untilNames("late");
});
