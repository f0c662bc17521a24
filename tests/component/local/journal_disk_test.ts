/**
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { systemClock, systemRandom } from "../../../mod/base/mod.ts";
import { journalDisk, LocalStore } from "../../../mod/local/mod.ts";
import { TempDir } from "../../support/temp_dir.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("journalDisk writes, adds, reads, renames and removes files of the owner only", async () => {
  await using dir = await TempDir.make();
  const directory = `${dir.path}/a/objects`;
  const path = `${directory}/objects-000001.log`;
  deepStrictEqual(await journalDisk.list(directory), []);
  await rejects(journalDisk.append(path, bytes("x")));
  await rejects(journalDisk.read(path));
  await journalDisk.writeWhole(path, bytes("one\n"));
  strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  strictEqual(((await Deno.stat(directory)).mode ?? 0) & 0o777, 0o700);
  await journalDisk.append(path, bytes("two\n"));
  await journalDisk.sync(path);
  strictEqual(
    new TextDecoder().decode(await journalDisk.read(path)),
    "one\ntwo\n",
  );
  await journalDisk.writeWhole(path, bytes("three\n"));
  await journalDisk.rename(path, `${path}.corrupt`);
  deepStrictEqual(await journalDisk.list(directory), [
    "objects-000001.log.corrupt",
  ]);
  await journalDisk.remove(`${path}.corrupt`);
  await journalDisk.remove(`${path}.corrupt`);
  deepStrictEqual(await journalDisk.list(directory), []);
});

Deno.test("journalDisk has the disk say that what was added is there for good", async () => {
  // It can be opened, but has no disk that could say so.
  await rejects(journalDisk.sync("/dev/null"), /Invalid argument/);
});

Deno.test("a LocalStore on a real disk is found again", async () => {
  await using dir = await TempDir.make();
  const options = { directory: `${dir.path}/objects` };
  const deps = { clock: systemClock, random: systemRandom };
  const kind = { apiVersion: "apps/v1", kind: "ReplicaSet" };
  const controller = new AbortController();
  const { signal } = controller;
  const store = new LocalStore(deps, options);
  await store.load(signal);
  const running = store.run(signal);
  const made = await store.create({
    ...kind,
    metadata: { name: "web", namespace: "shop" },
    spec: { replicas: 2 },
  }, signal);
  controller.abort();
  await running;
  const next = new LocalStore(deps, options);
  const { signal: later } = new AbortController();
  await next.load(later);
  const { items } = await next.reader(kind).list({}, later);
  deepStrictEqual(items, [made]);
});

Deno.test("a journal that has grown by a gigabyte of zeros is read as far as it was written", async () => {
  await using dir = await TempDir.make();
  const directory = `${dir.path}/objects`;
  const path = `${directory}/objects-000001.log`;
  await keep(directory, "first");
  await Deno.truncate(path, 1024 ** 3);
  strictEqual((await journalDisk.read(path)).length, 128 * 1024 ** 2);
  deepStrictEqual(await keep(directory, "second"), ["first", "second"]);
  deepStrictEqual(await journalDisk.list(directory), ["objects-000002.log"]);
});

/** Makes one more object. @returns the names of all that are there then */
async function keep(
  directory: string,
  name: string,
): Promise<readonly string[]> {
  const deps = { clock: systemClock, random: systemRandom };
  const kind = { apiVersion: "apps/v1", kind: "ReplicaSet" };
  const controller = new AbortController();
  const { signal } = controller;
  const store = new LocalStore(deps, { directory });
  await store.load(signal);
  strictEqual(store.damage, undefined);
  const running = store.run(signal);
  const metadata = { name, namespace: "shop" };
  await store.create({ ...kind, metadata, spec: { replicas: 2 } }, signal);
  const { items } = await store.reader(kind).list({}, signal);
  controller.abort();
  await running;
  return items.map(({ metadata }) => metadata.name);
}
