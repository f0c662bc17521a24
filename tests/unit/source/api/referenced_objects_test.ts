/**
 * What the pods of an API server refer to, watched by name and counted.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import type { ApiObject } from "../../../../mod/api/workload/mod.ts";
import { pod } from "../../../support/pods.ts";
import {
  podNaming,
  ReferencesRig as Rig,
} from "../../../support/source/references_rig.ts";

/** A ConfigMap as a server has it. */
interface Settings extends ApiObject {
  readonly data: unknown;
  readonly immutable?: boolean;
}

function settings(
  name: string,
  a: unknown,
  rest: Partial<Settings> = {},
): Settings {
  const metadata = { namespace: "shop", name, uid: `uid-${name}` };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
    data: { a },
    ...rest,
  };
}

Deno.test("an object that pods name is watched once, and as long as one names it", async () => {
  await using rig = await new Rig().start();
  rig.server("a").put(settings("a", "1"));
  await rig.want(podNaming("a"), podNaming("a"));
  deepStrictEqual(rig.opened, ["ConfigMap shop/a"]);
  deepStrictEqual(rig.texts, ["a=1"]);
  await rig.want(podNaming("a"));
  strictEqual(rig.server("a").watches, 1);
  await rig.want();
  strictEqual(rig.server("a").watches, 0);
  deepStrictEqual(rig.texts, []);
});

Deno.test("a change is told, and a deletion leaves nothing", async () => {
  await using rig = await new Rig().start();
  rig.server("a").put(settings("a", "1"));
  await rig.want(podNaming("a"));
  const { tells } = rig;
  rig.server("a").put(settings("a", "2"));
  await rig.clock.advance(0);
  deepStrictEqual(rig.texts, ["a=2"]);
  strictEqual(rig.tells > tells, true);
  rig.server("a").remove("shop/a");
  await rig.clock.advance(0);
  deepStrictEqual(rig.texts, []);
  strictEqual(rig.references.isKnown(podNaming("a")), true);
});

Deno.test("what is not there is known; what was not asked for yet is not", async () => {
  await using rig = await new Rig().start();
  strictEqual(rig.references.isKnown(podNaming("a")), false);
  strictEqual(rig.references.isKnown(podNaming()), false);
  await rig.want(podNaming("a"));
  strictEqual(rig.references.isKnown(podNaming()), true);
  strictEqual(rig.references.isKnown(podNaming("a")), true);
  strictEqual(rig.references.isKnown(podNaming("a", "b")), false);
});

Deno.test("an immutable object is watched no more once it is there", async () => {
  await using rig = await new Rig().start();
  rig.server("a").put(settings("a", "1", { immutable: true }));
  await rig.want(podNaming("a"));
  strictEqual(rig.server("a").watches, 0);
  deepStrictEqual(rig.texts, ["a=1"]);
});

Deno.test("garbage leaves what there was", async () => {
  await using rig = await new Rig().start();
  rig.server("a").put(settings("a", "1"));
  await rig.want(podNaming("a"));
  rig.server("a").put(settings("a", 5));
  await rig.clock.advance(0);
  deepStrictEqual(rig.texts, ["a=1"]);
  rig.server("b").put(settings("b", 5));
  await rig.want(podNaming("a", "b"));
  deepStrictEqual(rig.texts, ["a=1"]);
  strictEqual(rig.references.isKnown(podNaming("b")), true);
});

Deno.test("the token of a pod is kept as long as the pod is there", async () => {
  await using rig = await new Rig().start();
  const wanting = pod({
    serviceAccountName: "robot",
    volumes: [{
      name: "t",
      projected: { sources: [{ serviceAccountToken: { path: "token" } }] },
    }],
  });
  await rig.want(wanting);
  await rig.want(wanting);
  deepStrictEqual(rig.tokens, ["robot "]);
  deepStrictEqual(rig.texts, [`token/${wanting.metadata.uid}/3600/=ey`]);
  deepStrictEqual(rig.opened, []);
  await rig.want();
  deepStrictEqual(rig.tokens, ["robot ", "ended"]);
});

Deno.test("what was wanted before it runs is asked for when it does", async () => {
  const rig = new Rig();
  rig.server("a").put(settings("a", "1"));
  rig.references.want([podNaming("a")]);
  await using running = await rig.start();
  deepStrictEqual(running.texts, ["a=1"]);
});

/** A Service as a server has it. */
function serviceNamed(
  name: string,
  address: string,
  { namespace = "shop", port = 80 } = {},
): ApiObject & { readonly spec: unknown } {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace, name, uid: `uid-${name}` },
    spec: { clusterIP: address, ports: [{ port }] },
  };
}

const SELECTIONS: readonly (readonly [string, Pod, readonly string[]])[] = [
  ["all of its namespace and the API server's", pod({}), [
    "Service default/kubernetes",
    "Service shop/",
  ]],
  ["all of the default namespace", pod({ namespace: "default" }), [
    "Service default/",
  ]],
  ["the API server's alone", pod({ enableServiceLinks: false }), [
    "Service default/kubernetes",
  ]],
  [
    "the API server's alone there",
    pod({ namespace: "default", enableServiceLinks: false }),
    ["Service default/kubernetes"],
  ],
];

for (const [what, wanting, expected] of SELECTIONS) {
  Deno.test(`of Services a pod wants ${what}`, async () => {
    await using rig = await new Rig().start();
    deepStrictEqual(rig.services, []);
    await rig.want(wanting, wanting);
    deepStrictEqual(rig.services.toSorted(), expected);
    await rig.want();
    strictEqual(rig.server("kubernetes").watches, 0);
    strictEqual(rig.server("").watches, 0);
  });
}

Deno.test("Services are those with an address, and each version is read once", async () => {
  await using rig = await new Rig().start();
  const master = serviceNamed("kubernetes", "10.0.0.1", {
    namespace: "default",
  });
  rig.server("kubernetes").put(master);
  rig.server("").put(serviceNamed("db", "10.0.0.2"));
  rig.server("").put(serviceNamed("none", "None"));
  rig.server("").put(serviceNamed("external", ""));
  await rig.want(podNaming());
  deepStrictEqual(rig.texts.toSorted(), ["db", "kubernetes"]);
  const { reads } = rig;
  rig.server("").put(serviceNamed("cache", "10.0.0.3"));
  await rig.clock.advance(0);
  strictEqual(rig.reads, reads + 1);
  deepStrictEqual(rig.texts.toSorted(), ["cache", "db", "kubernetes"]);
});

Deno.test("of many objects one that turns to garbage keeps what it was, and goes when it is deleted", async () => {
  await using rig = await new Rig().start();
  rig.server("").put(serviceNamed("db", "10.0.0.2"));
  await rig.want(podNaming());
  const broken: ReturnType<typeof serviceNamed> = {
    ...serviceNamed("db", ""),
    spec: { clusterIP: 5 },
  };
  rig.server("").put(broken);
  await rig.clock.advance(0);
  deepStrictEqual(rig.texts, ["db"]);
  rig.server("").remove("shop/db");
  await rig.clock.advance(0);
  deepStrictEqual(rig.texts, []);
});
