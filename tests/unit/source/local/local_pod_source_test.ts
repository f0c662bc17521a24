/** The pods and claims of the store, as a source delivers them. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { LocalPodSource } from "../../../../mod/source/local/mod.ts";
import type { SourceSet } from "../../../../mod/source/merge/mod.ts";
import {
  CLAIM_KIND,
  plainWish,
  POD_KIND,
  refOf,
} from "../../../support/local/local_rig.ts";
import { CrashDisk } from "../../../support/local/crash_disk.ts";
import { seededRandom } from "../../../support/seeded_random.ts";
import { StorePodsRig } from "../../../support/source/store_pods_rig.ts";

/** A source that is read as soon as it has something. */
class SourceRig extends StorePodsRig {
  readonly sets: SourceSet[] = [];
  #reading: Promise<void> | undefined;

  async start(): Promise<this> {
    this.#reading = this.#read();
    await this.clock.advance(0);
    return this;
  }

  async #read(): Promise<void> {
    const source = new LocalPodSource(this);
    for await (const set of source.run(this.signal)) this.sets.push(set);
  }

  /** The sets that came since the last time, by the names in them. */
  async take(): Promise<readonly string[]> {
    await this.clock.advance(0);
    return this.sets.splice(0).map(({ pods, objects }) =>
      [
        ...pods.map(({ metadata: { name } }) => name),
        ...objects.map(({ kind, name }) => `${kind}/${name}`),
      ].join()
    );
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.#reading?.catch(() => {});
  }
}

Deno.test("LocalPodSource delivers all pods in one order when one comes, changes or goes", async () => {
  await using rig = new SourceRig();
  await rig.make("b");
  await rig.start();
  strictEqual(rig.sets[0]?.source, "local");
  deepStrictEqual(rig.sets[0]?.workloads, []);
  deepStrictEqual(await rig.take(), ["b"]);
  await rig.make("a");
  deepStrictEqual(await rig.take(), ["a,b"]);
  const patch = { metadata: { labels: { a: "1" } } };
  await rig.store.patch(refOf(POD_KIND, "a"), patch, rig.signal);
  deepStrictEqual(await rig.take(), ["a,b"]);
  await rig.delete("b", 0);
  deepStrictEqual(await rig.take(), ["a"]);
});

Deno.test("LocalPodSource delivers an empty set, so that it is known that there is nothing", async () => {
  await using rig = await new SourceRig().start();
  deepStrictEqual(await rig.take(), [""]);
});

Deno.test("LocalPodSource delivers nothing before the store has been read", async () => {
  const disk = new CrashDisk(seededRandom(1));
  await using rig = new SourceRig({ directory: "/store", disk });
  await rig.start();
  await rig.clock.advance(60_000);
  deepStrictEqual(await rig.take(), []);
  await rig.store.load(rig.signal);
  await rig.clock.advance(60_000);
  deepStrictEqual(await rig.take(), [""]);
});

Deno.test("LocalPodSource delivers nothing for what only the status changes, which is the agent's word", async () => {
  await using rig = new SourceRig();
  const a = await rig.make("a");
  await rig.start();
  const [pod] = rig.sets[0]?.pods ?? [];
  strictEqual(pod?.status, undefined);
  strictEqual(pod?.metadata.resourceVersion, undefined);
  strictEqual(pod?.metadata.uid, a.metadata.uid);
  strictEqual(pod?.spec.nodeName, "edge-1");
  await rig.take();
  await rig.restate(await rig.get(POD_KIND, "a"), { phase: "Running" });
  deepStrictEqual(await rig.take(), []);
});

Deno.test("LocalPodSource delivers a pod that has not changed as the very same", async () => {
  await using rig = new SourceRig();
  await rig.make("a");
  await rig.start();
  await rig.make("b");
  await rig.clock.advance(0);
  strictEqual(rig.sets.length, 2);
  strictEqual(rig.sets[0]?.pods[0], rig.sets[1]?.pods[0]);
});

Deno.test("LocalPodSource delivers the time at which a pod is to end", async () => {
  await using rig = new SourceRig();
  await rig.make("a");
  await rig.start();
  await rig.take();
  await rig.delete("a", 30);
  await rig.clock.advance(0);
  const [pod] = rig.sets[0]?.pods ?? [];
  strictEqual(pod?.metadata.deletionTimestamp, "2026-01-01T00:00:30Z");
});

Deno.test("LocalPodSource delivers the claims that were made here, and not those that are shown", async () => {
  await using rig = new SourceRig();
  rig.store.showObjects([{
    kind: "PersistentVolumeClaim",
    namespace: "shop",
    name: "shown",
    accessModes: ["ReadWriteOnce"],
    volumeMode: "Filesystem",
    storage: undefined,
  }]);
  await rig.start();
  await rig.create({
    ...plainWish(CLAIM_KIND, "raw"),
    spec: { volumeMode: "Block" },
  });
  await rig.create({
    ...plainWish(CLAIM_KIND, "data"),
    spec: {
      accessModes: ["ReadWriteMany"],
      resources: { requests: { storage: "1Ki" } },
    },
  });
  deepStrictEqual(
    (await rig.take()).at(-1),
    [
      "PersistentVolumeClaim/data",
      "PersistentVolumeClaim/raw",
    ].join(),
  );
});

Deno.test("LocalPodSource says of a claim what a pod has to know", async () => {
  await using rig = new SourceRig();
  await rig.create({
    ...plainWish(CLAIM_KIND, "data"),
    spec: {
      accessModes: ["ReadWriteMany"],
      resources: { requests: { storage: "1Ki" } },
    },
  });
  await rig.create({
    ...plainWish(CLAIM_KIND, "raw"),
    spec: { volumeMode: "Block" },
  });
  await rig.start();
  const names = { kind: "PersistentVolumeClaim", namespace: "shop" };
  deepStrictEqual(rig.sets[0]?.objects, [
    {
      ...names,
      name: "data",
      accessModes: ["ReadWriteMany"],
      volumeMode: "Filesystem",
      storage: { nano: 1024n * 1_000_000_000n, format: "BinarySI" },
    },
    {
      ...names,
      name: "raw",
      accessModes: [],
      volumeMode: "Block",
      storage: undefined,
    },
  ]);
});
