/**
 * Hints that come while the manifests that they name are looked at.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  Bench,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";

/** A manifest whose pod stays the same in another file. */
function withUid(name: string): string {
  return manifest(name).replace(`{"name"`, `{"uid":"uid-${name}","name"`);
}

/** Does something within the nth look at a path from now on, after what it sees. */
function withinLook(
  { files }: Bench,
  path: string,
  options: { readonly nth: number; readonly act: () => void | Promise<void> },
): void {
  const look = files.look.bind(files);
  let looks = 0;
  files.look = async (asked) => {
    const seen = await look(asked);
    if (asked === path && ++looks === options.nth) await options.act();
    return seen;
  };
}

function namesOf({ sets }: Bench): readonly string[] {
  return sets.map(({ pods }) =>
    pods.map(({ metadata }) => metadata.name).join()
  );
}

for (const nth of [1, 2, 3]) {
  Deno.test(`FileSource does not end a pod whose manifest moves to a name that is missing at the ${nth}. look at its directory (I8)`, async () => {
    await using bench = new Bench();
    const { clock, files } = bench;
    files.write("a.yaml", withUid("a"), OLD);
    files.write("b.yaml", manifest("b"), OLD);
    await bench.pass();
    files.remove("b.yaml");
    files.hint("b.yaml", "removed");
    const { signal } = new AbortController();
    withinLook(bench, nth === 3 ? "/m/b.yaml" : "/m", {
      nth: nth === 3 ? 2 : nth,
      act: async () => {
        files.rename("a.yaml", "b.yaml");
        files.hint("a.yaml", "removed", "b.yaml");
        await clock.sleep(1, signal);
      },
    });
    await bench.pass(5_000);
    deepStrictEqual(
      namesOf(bench).filter((names) => !names.includes("a-n")),
      [],
    );
    strictEqual(bench.names, "a");
  });
}

Deno.test("FileSource reads a manifest at once that is replaced while it waits for a writer", async () => {
  await using bench = new Bench();
  const { clock, files } = bench;
  files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  files.write("a.yaml", "kind");
  files.hint("a.yaml", "written");
  const { signal } = new AbortController();
  withinLook(bench, "/m/a.yaml", {
    nth: 1,
    act: async () => {
      files.write("new", manifest("a", "new"), OLD);
      files.rename("new", "a.yaml");
      files.hint("a.yaml", "arrived");
      await clock.sleep(1, signal);
    },
  });
  await bench.pass(200);
  strictEqual(bench.images, "new");
});

Deno.test("FileSource reads a manifest at once that is corrected while its record cannot be read", async () => {
  await using bench = new Bench();
  const { clock, files, lastGood } = bench;
  lastGood.unreadable.add("/m/a.yaml");
  files.write("a.yaml", "kind: [", OLD);
  const { signal } = new AbortController();
  const read = files.read.bind(files);
  let reads = 0;
  files.read = async (path, maxBytes) => {
    const found = await read(path, maxBytes);
    if (++reads === 1) {
      files.write("new", manifest("a"), OLD);
      files.rename("new", "a.yaml");
      files.hint("a.yaml", "arrived");
      await clock.sleep(1, signal);
    }
    return found;
  };
  await bench.pass(100);
  strictEqual(bench.names, "a");
});

Deno.test("FileSource does not end pods whose manifests are all moved at once on a slow disk (I8)", async () => {
  await using bench = new Bench();
  const { clock, files } = bench;
  const names = Array.from({ length: 20 }, (_, at) => `p${at + 10}`);
  for (const name of names) files.write(`${name}.yaml`, withUid(name), OLD);
  await bench.pass();
  const { signal } = new AbortController();
  const look = files.look.bind(files);
  files.look = async (path) => {
    await clock.sleep(5, signal);
    return await look(path);
  };
  for (const name of names) {
    files.rename(`${name}.yaml`, `x-${name}.yaml`);
    files.hint(`${name}.yaml`, "removed", `x-${name}.yaml`);
  }
  await bench.pass(5_000);
  deepStrictEqual(bench.sets.filter(({ pods }) => pods.length < 20), []);
  deepStrictEqual(
    [...bench.lastGood.records.keys()].filter((path) =>
      !path.startsWith("/m/x-")
    ),
    [],
  );
});

Deno.test("FileSource does not end a pod whose manifest is moved and changed at once (I8)", async () => {
  await using bench = new Bench();
  const { files } = bench;
  files.write("a.yaml", withUid("a"), OLD);
  await bench.pass();
  files.rename("a.yaml", "b.yaml");
  files.hint("a.yaml", "removed", "b.yaml");
  files.hint("b.yaml", "arrived");
  // As by chmod.
  files.hint("b.yaml", "written");
  await bench.pass(5_000);
  deepStrictEqual(namesOf(bench).filter((names) => names !== "a-n"), []);
  deepStrictEqual([...bench.lastGood.records.keys()], ["/m/b.yaml"]);
});

Deno.test("FileSource waits a moment for a manifest that was renamed to its name and moved aside", async () => {
  await using bench = new Bench();
  const { files } = bench;
  files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  files.rename("a.yaml", "a.bak");
  // The hint of the removal is still on its way.
  files.hint("a.yaml", "arrived");
  await bench.pass(50);
  files.rename("a.bak", "a.yaml");
  await bench.pass(5_000);
  deepStrictEqual(namesOf(bench), ["a-n"]);
});
