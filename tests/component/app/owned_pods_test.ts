/**
 * The pods that an agent knows to be its own.
 *
 * @module
 */

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { OwnedPods } from "../../../mod/app/owned_pods.ts";
import { removeTree } from "../../../mod/host/files/mod.ts";
import { PodDirectories } from "../../../mod/volume/mod.ts";
import { pod } from "../../support/pods.ts";
import { TempDir } from "../../support/temp_dir.ts";

const NEW = "00000000-0000-4000-8000-000000000001";
const OLD = "00000000-0000-4000-8000-000000000002";
const FAR = "00000000-0000-4000-8000-000000000003";

/** The directories of an agent, with what each of these pods left there. */
class Rig implements AsyncDisposable {
  readonly #dir: TempDir;
  /** Of which pods a record was begun, and whether none had been there. */
  readonly begun: unknown[] = [];

  static async make(...uids: readonly string[]): Promise<Rig> {
    const rig = new Rig(await TempDir.make());
    await Deno.mkdir(rig.path("root/pods"), { recursive: true });
    await Deno.mkdir(rig.path("logs"));
    for (const uid of uids) await Deno.mkdir(rig.path(`root/pods/${uid}`));
    return rig;
  }

  private constructor(dir: TempDir) {
    this.#dir = dir;
  }

  path(name: string): string {
    return `${this.#dir.path}/${name}`;
  }

  /** What an agent finds that starts now. */
  load(): Promise<OwnedPods> {
    const directories = new PodDirectories({
      rootDir: this.path("root"),
      runDir: this.path("run"),
    }, { files: { removeTree }, collector: { add: () => {} } });
    const begin = async (uid: string, make: () => Promise<boolean>) => {
      this.begun.push([uid, await make()]);
    };
    const podRecords = { begin };
    return OwnedPods.load({ directories, podRecords }, this.path("logs"));
  }

  /** Which pods have a directory, whether it holds a name, in order. */
  async left(name = ""): Promise<string[]> {
    const found: string[] = [];
    for await (const { name: uid } of Deno.readDir(this.path("root/pods"))) {
      if (
        uid.startsWith("0000") &&
        await isThere(this.path(`root/pods/${uid}/${name}`))
      ) found.push(uid);
    }
    return found.sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dir[Symbol.asyncDispose]();
  }
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

Deno.test("OwnedPods.load() finds pods by their directories, and their names by those of their logs", async () => {
  await using rig = await Rig.make(NEW, OLD);
  for (
    const name of [
      `shop_web_${NEW}`,
      `shop_far_${FAR}`,
      `shop_${OLD}`,
      `shop_web_${OLD}_more`,
      OLD,
      "x",
    ]
  ) await Deno.mkdir(rig.path(`logs/${name}`));
  const owned = await rig.load();
  deepStrictEqual([...owned.uids].sort(), [NEW, OLD]);
  strictEqual(owned.nameOf(NEW), "web_shop");
  deepStrictEqual([OLD, FAR].map((uid) => owned.nameOf(uid)), [
    undefined,
    undefined,
  ]);
  deepStrictEqual([NEW, OLD, FAR].map((uid) => owned.has(uid)), [
    true,
    true,
    false,
  ]);
});

Deno.test("OwnedPods.load() knows no name of a pod with two, and none without logs", async () => {
  await using rig = await Rig.make(NEW, OLD);
  for (const name of [`a_web_${NEW}`, `b_web_${NEW}`, `a_db_${OLD}`]) {
    await Deno.mkdir(rig.path(`logs/${name}`));
  }
  const owned = await rig.load();
  strictEqual(owned.nameOf(NEW), undefined);
  strictEqual(owned.nameOf(OLD), "db_a");
  await Deno.remove(rig.path("logs"), { recursive: true });
  strictEqual((await rig.load()).nameOf(OLD), undefined);
});

Deno.test("OwnedPods.prepare() begins the record of a new pod, and makes the directory of a known one that lost it", async () => {
  await using rig = await Rig.make(OLD);
  const owned = await rig.load();
  await owned.prepare(pod({ uid: NEW }));
  await owned.prepare(pod({ uid: OLD }));
  deepStrictEqual(rig.begun, [[NEW, true]]);
  deepStrictEqual(await rig.left(), [NEW, OLD]);
  await Deno.remove(rig.path(`root/pods/${NEW}`));
  await owned.prepare(pod({ uid: NEW }));
  deepStrictEqual(rig.begun.length, 1);
  deepStrictEqual(await rig.left(), [NEW, OLD]);
  deepStrictEqual([...owned.uids].sort(), [NEW, OLD]);
});

Deno.test("OwnedPods.prepare() owns a pod before its directory is made", async () => {
  await using rig = await Rig.make();
  const owned = await rig.load();
  const making = owned.prepare(pod({ uid: NEW }));
  strictEqual(owned.has(NEW), true);
  await making;
});

Deno.test("OwnedPods.endVolumes() takes the volumes away, and keeps the pod", async () => {
  await using rig = await Rig.make(NEW);
  await Deno.mkdir(rig.path(`root/pods/${NEW}/volumes`));
  const owned = await rig.load();
  owned.endVolumes(NEW);
  deepStrictEqual(await rig.left("volumes"), []);
  deepStrictEqual(await rig.left(), [NEW]);
  strictEqual(owned.has(NEW), true);
});

Deno.test("OwnedPods.discard() forgets a pod, unless something of it is to stay", async () => {
  await using rig = await Rig.make(NEW, OLD);
  for (const name of ["kept", "gone"]) {
    await Deno.writeTextFile(rig.path(`root/pods/${NEW}/${name}`), "");
  }
  const owned = await rig.load();
  owned.discard(NEW, { keep: "kept" });
  owned.discard(OLD);
  deepStrictEqual([...owned.uids], [NEW]);
  deepStrictEqual(await rig.left(), [NEW]);
  deepStrictEqual(await rig.left("kept"), [NEW]);
  deepStrictEqual(await rig.left("gone"), []);
});

Deno.test("OwnedPods.discard() keeps a pod that could not be removed", async () => {
  await using rig = await Rig.make();
  const owned = await rig.load();
  await owned.prepare(pod({ uid: NEW }));
  // Nothing can be renamed away to here.
  await Deno.remove(rig.path("root/pods"), { recursive: true });
  await Deno.writeTextFile(rig.path("root/pods"), "");
  throws(() => owned.discard(NEW));
  strictEqual(owned.has(NEW), true);
});

Deno.test("OwnedPods.renew() takes all of a pod away, which stays its own", async () => {
  await using rig = await Rig.make(NEW);
  const owned = await rig.load();
  owned.renew(NEW);
  deepStrictEqual(await rig.left(), []);
  strictEqual(owned.has(NEW), true);
});
