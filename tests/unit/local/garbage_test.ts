/**
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { KindRef, Propagation } from "../../../mod/api/access/mod.ts";
import type { OwnerReference } from "../../../mod/api/workload/mod.ts";
import {
  LocalRig,
  plainWish,
  POD_KIND,
  podWish,
  refOf,
  type Seen,
  SET_KIND,
} from "../../support/local/local_rig.ts";

const DEPLOYMENT: KindRef = { apiVersion: "apps/v1", kind: "Deployment" };

function ownerOf(
  owner: Seen,
  more: Partial<OwnerReference> = {},
): OwnerReference {
  const { apiVersion, kind, metadata: { name, uid } } = owner;
  return { apiVersion, kind, name, uid, blockOwnerDeletion: true, ...more };
}

/** A store that collects, and ways to make owners and to remove them. */
class GarbageRig extends LocalRig implements AsyncDisposable {
  readonly #running: Promise<void> = this.store.run(this.signal);

  async own(
    kind: KindRef,
    name: string,
    ...ownerReferences: readonly OwnerReference[]
  ): Promise<Seen> {
    const wish = kind === POD_KIND
      ? podWish(name, { ownerReferences })
      : plainWish(kind, name, { ownerReferences });
    return await this.create(wish);
  }

  async remove(kind: KindRef, name: string, propagation?: Propagation) {
    await this.store.delete(
      refOf(kind, name),
      propagation === undefined ? {} : { propagation },
      this.signal,
    );
  }

  /** All objects when nothing more happens: `Pod/web`, `Pod/web-` if it is to go. */
  async left(): Promise<readonly string[]> {
    await this.clock.advance(0);
    const names: string[] = [];
    for (const kind of [DEPLOYMENT, SET_KIND, POD_KIND]) {
      const { items } = await this.store.reader(kind).list({}, this.signal);
      for (const { metadata } of items) {
        const isGoing = metadata.deletionTimestamp !== undefined;
        names.push(`${kind.kind}/${metadata.name}${isGoing ? "-" : ""}`);
      }
    }
    return names;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.controller.abort();
    await this.#running;
  }
}

async function family(rig: GarbageRig) {
  const web = await rig.own(DEPLOYMENT, "web");
  const set = await rig.own(SET_KIND, "web-1", ownerOf(web));
  const pod = await rig.own(POD_KIND, "web-1-a", ownerOf(set));
  return { web, set, pod };
}

for (const propagation of ["Background", undefined] as const) {
  Deno.test(`${propagation} deletion takes what belongs to it, level by level`, async () => {
    await using rig = new GarbageRig();
    const { pod } = await family(rig);
    await rig.remove(DEPLOYMENT, "web", propagation);
    deepStrictEqual(await rig.left(), ["Pod/web-1-a-"]);
    await rig.store.finishDelete(pod.metadata.uid);
    deepStrictEqual(await rig.left(), []);
  });
}

Deno.test("deletion in the foreground waits for what blocks it", async () => {
  await using rig = new GarbageRig();
  const { pod } = await family(rig);
  await rig.remove(DEPLOYMENT, "web", "Foreground");
  deepStrictEqual(await rig.left(), [
    "Deployment/web-",
    "ReplicaSet/web-1-",
    "Pod/web-1-a-",
  ]);
  const set = await rig.get(SET_KIND, "web-1");
  deepStrictEqual(set.metadata.finalizers, ["foregroundDeletion"]);
  await rig.store.finishDelete(pod.metadata.uid);
  deepStrictEqual(await rig.left(), []);
});

Deno.test("deletion in the foreground does not wait for what does not block it", async () => {
  await using rig = new GarbageRig();
  const web = await rig.own(DEPLOYMENT, "web");
  await rig.own(POD_KIND, "a", ownerOf(web, { blockOwnerDeletion: false }));
  await rig.remove(DEPLOYMENT, "web", "Foreground");
  deepStrictEqual(await rig.left(), ["Pod/a-"]);
});

Deno.test("deletion in the foreground goes on when the last one is released", async () => {
  await using rig = new GarbageRig();
  const web = await rig.own(DEPLOYMENT, "web");
  await rig.own(POD_KIND, "a", ownerOf(web));
  await rig.remove(DEPLOYMENT, "web", "Foreground");
  deepStrictEqual(await rig.left(), ["Deployment/web-", "Pod/a-"]);
  await rig.store.patch(
    refOf(POD_KIND, "a"),
    { metadata: { ownerReferences: null } },
    rig.signal,
  );
  deepStrictEqual(await rig.left(), ["Pod/a-"]);
});

Deno.test("deletion in the foreground of what owns nothing is over at once", async () => {
  await using rig = new GarbageRig();
  await rig.own(DEPLOYMENT, "web");
  await rig.remove(DEPLOYMENT, "web", "Foreground");
  deepStrictEqual(await rig.left(), []);
});

Deno.test("deletion that orphans leaves what belongs to it without an owner", async () => {
  await using rig = new GarbageRig();
  await family(rig);
  await rig.remove(DEPLOYMENT, "web", "Orphan");
  deepStrictEqual(await rig.left(), ["ReplicaSet/web-1", "Pod/web-1-a"]);
  const { metadata } = await rig.get(SET_KIND, "web-1");
  strictEqual("ownerReferences" in metadata, false);
});

Deno.test("deletion that orphans takes nothing but itself from the owners", async () => {
  await using rig = new GarbageRig();
  const a = await rig.own(DEPLOYMENT, "a");
  const b = await rig.own(DEPLOYMENT, "b");
  await rig.own(SET_KIND, "both", ownerOf(a), ownerOf(b));
  await rig.remove(DEPLOYMENT, "a", "Orphan");
  deepStrictEqual(await rig.left(), ["Deployment/b", "ReplicaSet/both"]);
  const { metadata } = await rig.get(SET_KIND, "both");
  deepStrictEqual(metadata.ownerReferences, [ownerOf(b)]);
});

for (const propagation of ["Background", "Foreground"] as const) {
  Deno.test(`${propagation} deletion of one of two owners leaves what belongs to both`, async () => {
    await using rig = new GarbageRig();
    const a = await rig.own(DEPLOYMENT, "a");
    const b = await rig.own(DEPLOYMENT, "b");
    await rig.own(SET_KIND, "both", ownerOf(a), ownerOf(b));
    await rig.remove(DEPLOYMENT, "a", propagation);
    deepStrictEqual(await rig.left(), ["Deployment/b", "ReplicaSet/both"]);
    const { metadata } = await rig.get(SET_KIND, "both");
    deepStrictEqual(metadata.ownerReferences, [ownerOf(b)]);
    await rig.remove(DEPLOYMENT, "b", propagation);
    deepStrictEqual(await rig.left(), []);
  });
}

Deno.test("what another has adopted stays", async () => {
  await using rig = new GarbageRig();
  const a = await rig.own(DEPLOYMENT, "a");
  const b = await rig.own(DEPLOYMENT, "b");
  await rig.own(SET_KIND, "set", ownerOf(a));
  const metadata = { ownerReferences: [ownerOf(b)] };
  await rig.store.patch(refOf(SET_KIND, "set"), { metadata }, rig.signal);
  await rig.remove(DEPLOYMENT, "a");
  deepStrictEqual(await rig.left(), ["Deployment/b", "ReplicaSet/set"]);
});

Deno.test("what is made for an owner that is not there goes", async () => {
  await using rig = new GarbageRig();
  const web = await rig.own(DEPLOYMENT, "web");
  await rig.remove(DEPLOYMENT, "web");
  await rig.own(DEPLOYMENT, "web");
  await rig.own(SET_KIND, "late", ownerOf(web));
  deepStrictEqual(await rig.left(), ["Deployment/web"]);
});

const WRONG: readonly (readonly [string, Partial<OwnerReference>])[] = [
  ["another name", { name: "other" }],
  ["another kind", { kind: "ReplicaSet" }],
  ["another UID", { uid: "other" }],
];

for (const [words, more] of WRONG) {
  Deno.test(`an owner with ${words} is none`, async () => {
    await using rig = new GarbageRig();
    const web = await rig.own(DEPLOYMENT, "web");
    await rig.own(SET_KIND, "set", ownerOf(web, more));
    deepStrictEqual(await rig.left(), ["Deployment/web"]);
  });
}

Deno.test("an owner in another namespace is none", async () => {
  await using rig = new GarbageRig();
  const far = await rig.create(
    plainWish(DEPLOYMENT, "web", { namespace: "home" }),
  );
  await rig.own(SET_KIND, "set", ownerOf(far));
  deepStrictEqual(await rig.left(), ["Deployment/web"]);
});

Deno.test("an owner of no namespace has its own in any", async () => {
  await using rig = new GarbageRig();
  rig.store.showObjects([{
    kind: "RuntimeClass",
    name: "kata",
    handler: "kata",
    overhead: new Map(),
    nodeSelector: {},
  }]);
  const kind = { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass" };
  const { items: [kata] } = await rig.store.reader(kind).list({}, rig.signal);
  if (kata === undefined) throw new Error("no class");
  await rig.own(SET_KIND, "set", ownerOf(kata));
  deepStrictEqual(await rig.left(), ["ReplicaSet/set"]);
  rig.store.showObjects([]);
  deepStrictEqual(await rig.left(), []);
});

Deno.test("an owner of a kind that is not kept here may be there", async () => {
  await using rig = new GarbageRig();
  const node = { apiVersion: "v1", kind: "Node", name: "edge-1", uid: "u1" };
  const web = await rig.own(DEPLOYMENT, "web");
  await rig.own(SET_KIND, "set", node, ownerOf(web));
  await rig.remove(DEPLOYMENT, "web");
  deepStrictEqual(await rig.left(), ["ReplicaSet/set"]);
});

async function circle(rig: GarbageRig): Promise<void> {
  const a = await rig.own(DEPLOYMENT, "a");
  const b = await rig.own(SET_KIND, "b", ownerOf(a));
  const metadata = { ownerReferences: [ownerOf(b)] };
  await rig.store.patch(refOf(DEPLOYMENT, "a"), { metadata }, rig.signal);
  deepStrictEqual(await rig.left(), ["Deployment/a", "ReplicaSet/b"]);
}

for (const propagation of ["Background", "Foreground"] as const) {
  Deno.test(`${propagation} deletion ends a circle of owners`, async () => {
    await using rig = new GarbageRig();
    await circle(rig);
    await rig.remove(DEPLOYMENT, "a", propagation);
    deepStrictEqual(await rig.left(), []);
  });
}

Deno.test("deletion that orphans ends one of a circle only", async () => {
  await using rig = new GarbageRig();
  await circle(rig);
  await rig.remove(DEPLOYMENT, "a", "Orphan");
  deepStrictEqual(await rig.left(), ["ReplicaSet/b"]);
});

Deno.test("what goes by itself is not deleted again by its owner's end", async () => {
  await using rig = new GarbageRig();
  const { set } = await family(rig);
  await rig.remove(POD_KIND, "web-1-a");
  const before = await rig.get(POD_KIND, "web-1-a");
  await rig.remove(SET_KIND, "web-1");
  deepStrictEqual(await rig.left(), ["Deployment/web", "Pod/web-1-a-"]);
  deepStrictEqual(await rig.get(POD_KIND, "web-1-a"), before);
  strictEqual(set.kind, "ReplicaSet");
});

Deno.test("finalizers that an object has decide what becomes of what it owns", async () => {
  await using rig = new GarbageRig();
  const { web } = await family(rig);
  await rig.store.patch(
    refOf(SET_KIND, "web-1"),
    { metadata: { finalizers: ["orphan"] } },
    rig.signal,
  );
  await rig.remove(DEPLOYMENT, "web");
  deepStrictEqual(await rig.left(), ["Pod/web-1-a"]);
  strictEqual(web.kind, "Deployment");
});

Deno.test("a manifest that leaves the folder takes what belongs to its object", async () => {
  await using rig = new GarbageRig();
  const manifest = {
    ...DEPLOYMENT,
    metadata: { name: "web", namespace: "shop" },
    spec: {},
  };
  rig.store.replaceManifests("file", [manifest]);
  const web = await rig.get(DEPLOYMENT, "web");
  await rig.own(SET_KIND, "web-1", ownerOf(web));
  rig.store.replaceManifests("file", []);
  deepStrictEqual(await rig.left(), []);
});

Deno.test("a thousand dependents go, and others have their turn meanwhile", async () => {
  await using rig = new GarbageRig();
  const web = await rig.own(DEPLOYMENT, "web");
  for (let count = 0; count < 1000; count++) {
    await rig.own(SET_KIND, `set-${count}`, ownerOf(web));
  }
  await rig.remove(DEPLOYMENT, "web");
  const seen = new Set<number>();
  let left = await rig.names(SET_KIND);
  while (left.length > 0) {
    seen.add(left.length);
    await rig.clock.advance(0);
    left = await rig.names(SET_KIND);
  }
  // 256 at a time; a turn of the test may come before or after one of the store.
  const others = [...seen].filter((each) =>
    ![1000, 744, 488, 232].includes(each)
  );
  deepStrictEqual(others, []);
  strictEqual(seen.size >= 2, true);
});
