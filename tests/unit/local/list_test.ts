/**
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { ListOptions } from "../../../mod/api/access/mod.ts";
import {
  LocalRig,
  plainWish,
  podWish,
  refOf,
  SET_KIND,
} from "../../support/local/local_rig.ts";

async function filled(
  limits: { readonly kept: number } = { kept: 100 },
): Promise<LocalRig> {
  const rig = new LocalRig({ watchLimits: { ...limits, behind: 1000 } });
  for (const name of ["c", "a", "b"]) {
    await rig.create(plainWish(SET_KIND, name, { labels: { app: name } }));
  }
  await rig.create(plainWish(SET_KIND, "z", { namespace: "home" }));
  await rig.create(podWish("web"));
  return rig;
}

async function list(rig: LocalRig, options: ListOptions = {}) {
  const answer = await rig.store.reader(SET_KIND).list(options, rig.signal);
  const names = answer.items.map(({ metadata }) =>
    `${metadata.namespace}/${metadata.name}`
  );
  return { ...answer, names };
}

const ALL = ["home/z", "shop/a", "shop/b", "shop/c"];

const MEANT: readonly (readonly [ListOptions, readonly string[]])[] = [
  [{}, ALL],
  [{ resourceVersion: "0" }, ALL],
  [{ resourceVersion: "5" }, ALL],
  [{ limit: 0 }, ALL],
  [{ limit: 4 }, ALL],
  [{ namespace: "home" }, ["home/z"]],
  [{ namespace: "nowhere" }, []],
  [{ labelSelector: "app in (a,b)" }, ["shop/a", "shop/b"]],
  [{ labelSelector: "!app" }, ["home/z"]],
  [{ fieldSelector: "metadata.name=c" }, ["shop/c"]],
];

for (const [options, wanted] of MEANT) {
  Deno.test(`list() with ${JSON.stringify(options)} gives ${wanted}`, async () => {
    const answer = await list(await filled(), options);
    deepStrictEqual(answer.names, wanted);
    strictEqual(answer.resourceVersion, "5");
    strictEqual(answer.continue, undefined);
  });
}

Deno.test("list() gives pages of one version, each once", async () => {
  const rig = await filled();
  const first = await list(rig, { limit: 2 });
  deepStrictEqual(first.names, ["home/z", "shop/a"]);
  await rig.store.delete(refOf(SET_KIND, "a"), {}, rig.signal);
  await rig.create(plainWish(SET_KIND, "a2"));
  const second = await list(rig, { limit: 2, continue: first.continue ?? "" });
  deepStrictEqual(second.names, ["shop/a2", "shop/b"]);
  const third = await list(rig, { limit: 2, continue: second.continue ?? "" });
  deepStrictEqual(third.names, ["shop/c"]);
  strictEqual(third.continue, undefined);
  // A watch from there tells what changed while the pages were read.
  const { resourceVersion } = third;
  strictEqual(resourceVersion, "5");
  const read = await rig.watch(SET_KIND, { resourceVersion });
  deepStrictEqual(await read(2), ["DELETED a@6", "ADDED a2@7"]);
});

Deno.test("list() counts for a page only what is meant", async () => {
  const rig = await filled();
  const options = { namespace: "shop", limit: 2 };
  const first = await list(rig, options);
  deepStrictEqual(first.names, ["shop/a", "shop/b"]);
  const next = { ...options, continue: first.continue ?? "" };
  deepStrictEqual((await list(rig, next)).names, ["shop/c"]);
  strictEqual((await list(rig, { ...options, limit: 3 })).continue, undefined);
});

Deno.test("list() does not go on after what is forgotten", async () => {
  const rig = await filled({ kept: 2 });
  const first = await list(rig, { limit: 2 });
  for (let count = 0; count < 40; count++) {
    const patch = { spec: { replicas: count + 2 } };
    await rig.store.patch(refOf(SET_KIND, "a"), patch, rig.signal);
  }
  await rejects(list(rig, { continue: first.continue ?? "" }), {
    reason: "Expired",
  });
});

Deno.test("list() refuses what it did not give out", async () => {
  const rig = await filled();
  const sealed = (text: string) => new TextEncoder().encode(text).toBase64();
  for (
    const token of [
      "",
      "!",
      sealed("{}"),
      sealed("[]"),
      sealed("x"),
      sealed(`{"revision":1,"namespace":"a"}`),
    ]
  ) {
    await rejects(list(rig, { continue: token }), { reason: "BadRequest" });
  }
  await rejects(list(rig, { resourceVersion: "6" }), {
    reason: "ResourceVersionTooLarge",
  });
  await rejects(list(rig, { resourceVersion: "new" }), {
    reason: "BadRequest",
    message: 'Cannot read ReplicaSet objects at version "new": wanted a number',
  });
  await rejects(list(rig, { labelSelector: "=" }), { reason: "BadRequest" });
});

Deno.test("list() gives pages of one object", async () => {
  const rig = await filled();
  const names: string[] = [];
  let answer = await list(rig, { limit: 1 });
  for (;;) {
    strictEqual(answer.names.length, 1);
    names.push(...answer.names);
    if (answer.continue === undefined) break;
    answer = await list(rig, { limit: 1, continue: answer.continue });
  }
  deepStrictEqual(names, ALL);
});
