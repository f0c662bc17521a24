/** What a power cut leaves of what was told. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { CrashDisk } from "../../support/local/crash_disk.ts";
import { startKept } from "../../support/local/kept_rig.ts";
import {
  type LocalRig,
  POD_KIND,
  podWish,
  refOf,
} from "../../support/local/local_rig.ts";
import { seededRandom } from "../../support/seeded_random.ts";

const ENDS: readonly (readonly [string, (rig: LocalRig) => Promise<void>])[] = [
  ["that is deleted", async ({ store, signal }) => {
    await store.delete(refOf(POD_KIND, "run"), {}, signal);
  }],
  ["that has ended and is gone", async (rig) => {
    const { store, signal } = rig;
    await rig.restate(await rig.get(POD_KIND, "run"), { phase: "Succeeded" });
    await store.delete(refOf(POD_KIND, "run"), {}, signal);
  }],
];

for (const [words, end] of ENDS) {
  Deno.test(`a power cut does not bring a pod back ${words}`, async () => {
    for (let seed = 0; seed < 20; seed++) {
      const disk = new CrashDisk(seededRandom(seed));
      await using rig = await startKept(disk);
      await rig.create(podWish("run"));
      await rig.clock.advance(10_000);
      await end(rig);
      disk.isDead = true;
      disk.cutPower();
      disk.restart();
      await using next = await startKept(disk);
      const { items } = await next.store.reader(POD_KIND).list({}, next.signal);
      const wanted = items.filter(({ metadata }) =>
        metadata.deletionTimestamp === undefined
      );
      deepStrictEqual(wanted, [], `seed ${seed}`);
    }
  });
}

Deno.test("what is made is synced later, together with what else changes", async () => {
  await using rig = await startKept();
  await rig.create(podWish("first"));
  await rig.clock.advance(10_000);
  const { writes } = rig;
  for (const name of ["a", "b", "c"]) await rig.create(podWish(name));
  strictEqual(rig.disk.changes.slice(writes).filter(isSync).length, 0);
  await rig.clock.advance(10_000);
  strictEqual(rig.disk.changes.slice(writes).filter(isSync).length, 1);
});

function isSync(change: string): boolean {
  return change.startsWith("sync");
}
