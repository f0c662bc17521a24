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
