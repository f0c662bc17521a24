/**
 * Hints that come while the manifests that they name are looked at.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";

/** A manifest whose pod stays the same in another file. */
function withUid(name: string): string {
  return manifest(name).replace(`{"name"`, `{"uid":"uid-${name}","name"`);
}

/** Does something within the nth look at a path from now on, after what it sees. */
function withinLook(
  { files }: FileSourceRig,
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

function namesOf({ sets }: FileSourceRig): readonly string[] {
  return sets.map(({ pods }) =>
    pods.map(({ metadata }) => metadata.name).join()
  );
}

for (const nth of [1, 2, 3]) {
  Deno.test(`FileSource does not end a pod whose manifest moves to a name that is missing at the ${nth}. look at its directory (I8)`, async () => {
    await using rig = new FileSourceRig();
    const { clock, files } = rig;
    files.write("a.yaml", withUid("a"), OLD);
    files.write("b.yaml", manifest("b"), OLD);
    await rig.pass();
    files.remove("b.yaml");
    files.hint("b.yaml", "removed");
    const { signal } = new AbortController();
    withinLook(rig, nth === 3 ? "/m/b.yaml" : "/m", {
      nth: nth === 3 ? 2 : nth,
      act: async () => {
        files.rename("a.yaml", "b.yaml");
        files.hint("a.yaml", "removed", "b.yaml");
        await clock.sleep(1, signal);
      },
    });
    await rig.pass(5_000);
    deepStrictEqual(
      namesOf(rig).filter((names) => !names.includes("a-n")),
      [],
    );
    strictEqual(rig.names, "a");
  });
}

Deno.test("FileSource reads a manifest at once that is replaced while it waits for a writer", async () => {
  await using rig = new FileSourceRig();
  const { clock, files } = rig;
  files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  files.write("a.yaml", "kind");
  files.hint("a.yaml", "written");
  const { signal } = new AbortController();
  withinLook(rig, "/m/a.yaml", {
    nth: 1,
    act: async () => {
      files.write("new", manifest("a", "new"), OLD);
      files.rename("new", "a.yaml");
      files.hint("a.yaml", "arrived");
      await clock.sleep(1, signal);
    },
  });
  await rig.pass(200);
  strictEqual(rig.images, "new");
});

Deno.test("FileSource reads a manifest at once that is corrected while its record cannot be read", async () => {
  await using rig = new FileSourceRig();
  const { clock, files, lastGood } = rig;
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
  await rig.pass(100);
  strictEqual(rig.names, "a");
});

Deno.test("FileSource does not end pods whose manifests are all moved at once on a slow disk (I8)", async () => {
  await using rig = new FileSourceRig();
  const { clock, files } = rig;
  const names = Array.from({ length: 20 }, (_, at) => `p${at + 10}`);
  for (const name of names) files.write(`${name}.yaml`, withUid(name), OLD);
  await rig.pass();
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
  await rig.pass(5_000);
  deepStrictEqual(rig.sets.filter(({ pods }) => pods.length < 20), []);
  deepStrictEqual(
    [...rig.lastGood.records.keys()].filter((path) =>
      !path.startsWith("/m/x-")
    ),
    [],
  );
});

Deno.test("FileSource does not end a pod whose manifest is moved and changed at once (I8)", async () => {
  await using rig = new FileSourceRig();
  const { files } = rig;
  files.write("a.yaml", withUid("a"), OLD);
  await rig.pass();
  files.rename("a.yaml", "b.yaml");
  files.hint("a.yaml", "removed", "b.yaml");
  files.hint("b.yaml", "arrived");
  // As by chmod.
  files.hint("b.yaml", "written");
  await rig.pass(5_000);
  deepStrictEqual(namesOf(rig).filter((names) => names !== "a-n"), []);
  deepStrictEqual([...rig.lastGood.records.keys()], ["/m/b.yaml"]);
});

Deno.test("FileSource waits a moment for a manifest that was renamed to its name and moved aside", async () => {
  await using rig = new FileSourceRig();
  const { files } = rig;
  files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  files.rename("a.yaml", "a.bak");
  // The hint of the removal is still on its way.
  files.hint("a.yaml", "arrived");
  await rig.pass(50);
  files.rename("a.bak", "a.yaml");
  await rig.pass(5_000);
  deepStrictEqual(namesOf(rig), ["a-n"]);
});

Deno.test("FileSource reads a manifest soon that is written while the record of what could not be looked at is read", async () => {
  await using rig = new FileSourceRig();
  const { clock, files, lastGood } = rig;
  lastGood.unreadable.add("/m/a.yaml");
  files.write("a.yaml", manifest("a"), OLD);
  const { signal } = new AbortController();
  const look = files.look.bind(files);
  files.look = (path) =>
    path === "/m/a.yaml" ? Promise.reject(new Error("EIO")) : look(path);
  // The next look by itself comes after 20 s.
  await rig.pass(45_000);
  const load = lastGood.load.bind(lastGood);
  lastGood.load = async (path) => {
    lastGood.load = load;
    files.look = look;
    files.hint("a.yaml", "closed");
    await clock.sleep(1, signal);
    return await load(path);
  };
  files.hint("a.yaml", "arrived");
  await rig.pass(200);
  strictEqual(rig.names, "a");
});

Deno.test("FileSource does not take a change of mode right after a renaming for a writer", async () => {
  await using rig = new FileSourceRig();
  await rig.pass(1000);
  rig.files.write("a.yaml", manifest("a"));
  // As by mv and chmod, while it is read.
  rig.files.hint("a.yaml", "arrived");
  rig.files.hint("a.yaml", "written");
  await rig.pass();
  await rig.pass(100);
  strictEqual(rig.names, "a");
});
