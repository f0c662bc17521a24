/**
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { OwnerReference } from "../../../mod/api/workload/mod.ts";
import { sealRecord } from "../../../mod/host/files/mod.ts";
import { CrashDisk } from "../../support/local/crash_disk.ts";
import { startKept } from "../../support/local/kept_rig.ts";
import {
  type LocalRig,
  plainWish,
  POD_KIND,
  podWish,
  refOf,
  type Seen,
  SET_KIND,
} from "../../support/local/local_rig.ts";
import { seededRandom } from "../../support/seeded_random.ts";

const FIRST = "objects-000001.log";
const ASIDE = "objects-000001.log.corrupt";

/** `damaged` goes wrong on the disk: it stands in the whole file, or at its end. */
async function spoiled(
  options: { readonly damaged: string; readonly isLate?: true },
): Promise<CrashDisk> {
  const disk = new CrashDisk(seededRandom(1));
  const make = async (rig: LocalRig) => {
    const web = await rig.create(plainWish(SET_KIND, "web"));
    const db = await rig.create(plainWish(SET_KIND, "db"));
    await rig.create(podWish("web-a", { ownerReferences: [ownerOf(web)] }));
    await rig.create(podWish("db-a", { ownerReferences: [ownerOf(db)] }));
  };
  {
    await using rig = await startKept(disk);
    if (options.isLate) {
      await rig.create(plainWish(SET_KIND, "first"));
      await rig.clock.advance(10_000);
      await make(rig);
      await rig.clock.advance(10_000);
      await rig.create(plainWish(SET_KIND, "last"));
    } else {
      disk.isFull = true;
      await make(rig);
      disk.isFull = false;
      await rig.clock.advance(10_000);
    }
  }
  disk.spoil(FIRST, options.damaged, options.damaged.toUpperCase());
  return disk;
}

function ownerOf({ apiVersion, kind, metadata }: Seen): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid };
}

const WEB = '"name":"web","namespace"';

Deno.test("what cannot be read is unknown: it is told, nothing it owns goes, and its name is not given away", async () => {
  const disk = await spoiled({ damaged: WEB });
  await using rig = await startKept(disk);
  const damage = {
    file: ASIDE,
    lost: ["object\nReplicaSet\nshop\nweb"],
    isAll: false,
  };
  deepStrictEqual(rig.store.damage, damage);
  await rig.clock.advance(100);
  deepStrictEqual(await rig.names(SET_KIND), ["db"]);
  deepStrictEqual(await rig.names(POD_KIND), ["db-a", "web-a"]);
  const refused = {
    reason: "ServiceUnavailable",
    message: 'Cannot make ReplicaSet "shop/web": there is one, and what was ' +
      `kept of it cannot be read; it is in "${ASIDE}"`,
  };
  await rejects(rig.create(plainWish(SET_KIND, "web")), refused);
  const manifest = {
    ...SET_KIND,
    metadata: { name: "web", namespace: "shop" },
    spec: {},
  };
  const [told] = rig.store.replaceManifests("file", [manifest]);
  strictEqual(told?.failure.message, refused.message);
  // What is known to be gone takes its own along.
  await rig.store.delete(refOf(SET_KIND, "db"), {}, rig.signal);
  await rig.clock.advance(100);
  const pods = await rig.store.reader(POD_KIND).list({}, rig.signal);
  deepStrictEqual(
    pods.items.map(({ metadata }) =>
      `${metadata.name} ${metadata.deletionTimestamp !== undefined}`
    ),
    ["db-a true", "web-a false"],
  );
  deepStrictEqual([...disk.files.keys()].sort(), [
    `/store/${ASIDE}`,
    "/store/objects-000002.log",
  ]);
});

Deno.test("what cannot be read stays unknown until its file is removed", async () => {
  const disk = await spoiled({ damaged: WEB });
  for (const name of ["one", "two"]) {
    await using rig = await startKept(disk);
    await rig.create(plainWish(SET_KIND, name));
    strictEqual(rig.store.damage?.file, ASIDE);
  }
  {
    await using rig = await startKept(disk);
    deepStrictEqual(rig.store.damage?.lost, ["object\nReplicaSet\nshop\nweb"]);
    deepStrictEqual(await rig.names(POD_KIND), ["db-a", "web-a"]);
  }
  disk.files.delete(`/store/${ASIDE}`);
  await using rig = await startKept(disk);
  strictEqual(rig.store.damage, undefined);
  await rig.clock.advance(100);
  const { metadata } = await rig.get(POD_KIND, "web-a");
  strictEqual(metadata.deletionTimestamp !== undefined, true);
  deepStrictEqual(await rig.names(SET_KIND), ["db", "one", "two"]);
});

Deno.test("an agent that dies while it sets damage aside loses no knowledge of it", async () => {
  const disk = await spoiled({ damaged: WEB });
  {
    await using rig = await startKept(disk);
    disk.changesLeft = 1;
    await rig.create(plainWish(SET_KIND, "one"));
  }
  disk.restart();
  {
    await using rig = await startKept(disk);
    deepStrictEqual(rig.store.damage?.lost, ["object\nReplicaSet\nshop\nweb"]);
    await rig.create(plainWish(SET_KIND, "two"));
  }
  await using rig = await startKept(disk);
  strictEqual(rig.store.damage?.file, ASIDE);
});

for (
  const [words, damaged] of [
    ["a change in the middle", WEB],
    ["the list of what there is", '"kind":"head"'],
  ] as const
) {
  Deno.test(`damage to ${words} leaves all owners unknown that are not found`, async () => {
    const disk = await spoiled({ damaged, isLate: true });
    await using rig = await startKept(disk);
    deepStrictEqual(rig.store.damage, { file: ASIDE, lost: [], isAll: true });
    await rig.clock.advance(100);
    const lost = { ...SET_KIND, name: "lost", uid: "u1" };
    await rig.create(podWish("kept", { ownerReferences: [lost] }));
    await rig.clock.advance(100);
    const { metadata } = await rig.get(POD_KIND, "kept");
    strictEqual(metadata.deletionTimestamp, undefined);
    strictEqual((await rig.names(SET_KIND)).includes("last"), true);
    strictEqual((await rig.names(POD_KIND)).includes("db-a"), true);
    // What goes now is known to be gone.
    await rig.store.delete(refOf(SET_KIND, "db"), {}, rig.signal);
    await rig.clock.advance(100);
    const pod = await rig.get(POD_KIND, "db-a");
    strictEqual(pod.metadata.deletionTimestamp !== undefined, true);
    const version = Number(pod.metadata.resourceVersion);
    strictEqual(version > 6, true);
  });
}

Deno.test("where the reserved versions are lost, others are taken far above", async () => {
  const disk = await spoiled({ damaged: '"key":"reserved"' });
  await using rig = await startKept(disk);
  deepStrictEqual(rig.store.damage?.lost, ["reserved"]);
  const { metadata } = await rig.create(plainWish(SET_KIND, "new"));
  const version = Number(metadata.resourceVersion);
  strictEqual(version > 2 ** 32 && version < 2 ** 33, true, `${version}`);
});

for (
  const [words, spoil] of [
    ["all of the file is", (bytes: Uint8Array) => void bytes.fill(0)],
    ["the line with the newest ones is", (bytes: Uint8Array) => {
      const at = new TextDecoder().decode(bytes).lastIndexOf('"reserved"');
      bytes[at] = 0;
    }],
  ] as const
) {
  Deno.test(`no version is given out twice where ${words} damaged`, async () => {
    const disk = new CrashDisk(seededRandom(1));
    let before = 0;
    {
      await using rig = await startKept(disk);
      let web = await rig.create(plainWish(SET_KIND, "web"));
      // Statuses that are not kept: more than there are versions reserved at once.
      for (let count = 0; count < 100_001; count++) {
        web = await rig.restate(web, { count });
      }
      await rig.create(plainWish(SET_KIND, "last"));
      await rig.clock.advance(10_000);
      await rig.create(plainWish(SET_KIND, "later"));
      const { metadata } = await rig.restate(web, { count: 0 });
      before = Number(metadata.resourceVersion);
    }
    for (const { bytes } of disk.files.values()) spoil(bytes);
    await using rig = await startKept(disk);
    const { metadata } = await rig.create(plainWish(SET_KIND, "new"));
    strictEqual(Number(metadata.resourceVersion) > before, true);
  });
}

Deno.test("what was written when the power failed counts as not written", async () => {
  const disk = new CrashDisk(seededRandom(1));
  {
    await using rig = await startKept(disk);
    await rig.create(plainWish(SET_KIND, "first"));
    await rig.create(plainWish(SET_KIND, "second"));
    disk.isDead = true;
    disk.spoil(FIRST, '"name":"second"', '"name":"SECOND"');
  }
  disk.restart();
  await using rig = await startKept(disk);
  strictEqual(rig.store.damage, undefined);
  deepStrictEqual(await rig.names(SET_KIND), ["first"]);
  await rig.create(plainWish(SET_KIND, "third"));
  deepStrictEqual([...disk.files.keys()], ["/store/objects-000002.log"]);
});

Deno.test("what a later version keeps is kept for it", async () => {
  const disk = new CrashDisk(seededRandom(1));
  {
    await using rig = await startKept(disk);
    await rig.create(plainWish(SET_KIND, "web"));
  }
  const file = disk.files.get(`/store/${FIRST}`);
  if (file === undefined) throw new Error("nothing was written");
  const text = new TextDecoder().decode(file.bytes);
  const changes = [
    ["object\nWidget\nshop\nw", { object: { a: 1 } }],
    ["counter", 7],
  ];
  const line = sealRecord({ kind: "changes", changes, syncedBytes: 0 }).text;
  file.bytes = new TextEncoder().encode(text + line);
  {
    await using rig = await startKept(disk);
    // The next write says everything anew.
    disk.isFull = true;
    await rig.create(plainWish(SET_KIND, "db"));
    disk.isFull = false;
    await rig.clock.advance(10_000);
    strictEqual(rig.store.damage, undefined);
  }
  const [after] = disk.files.values();
  const kept = new TextDecoder().decode(after?.bytes);
  strictEqual(kept.includes("Widget"), true);
  strictEqual(kept.includes('"counter"'), true);
  strictEqual([...disk.files.keys()].length, 1);
});

Deno.test("drafts and older files that were left behind are removed with the next whole write", async () => {
  const disk = new CrashDisk(seededRandom(1));
  {
    await using rig = await startKept(disk);
    await rig.create(plainWish(SET_KIND, "web"));
  }
  const file = disk.files.get(`/store/${FIRST}`);
  if (file === undefined) throw new Error("nothing was written");
  disk.files.set("/store/objects-000007.log", file);
  disk.files.set("/store/.objects-000008.log.1-1.tmp", file);
  disk.files.set("/store/notes.txt", file);
  disk.files.set("/store/objects-8.log", file);
  await using rig = await startKept(disk);
  deepStrictEqual(await rig.names(SET_KIND), ["web"]);
  disk.isFull = true;
  await rig.create(plainWish(SET_KIND, "db"));
  disk.isFull = false;
  await rig.clock.advance(10_000);
  deepStrictEqual([...disk.files.keys()].sort(), [
    "/store/notes.txt",
    "/store/objects-000008.log",
    "/store/objects-8.log",
  ]);
});
