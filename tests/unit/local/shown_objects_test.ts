/**
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import {
  type LocalObject,
  parseQuantity,
} from "../../../mod/api/objects/mod.ts";
import {
  CLAIM_KIND,
  LocalRig,
  plainWish,
  refOf,
} from "../../support/local/local_rig.ts";

const MAP_KIND = { apiVersion: "v1", kind: "ConfigMap" };
const SECRET_KIND = { apiVersion: "v1", kind: "Secret" };
const CLASS_KIND = { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass" };

const bytes = (text: string) => new TextEncoder().encode(text);

const SHOP = { namespace: "shop", immutable: false, type: "" } as const;

function map(name: string, entries: readonly [string, Uint8Array][]) {
  return {
    ...SHOP,
    kind: "ConfigMap",
    name,
    entries: new Map(entries),
  } as const;
}

async function shown(rig: LocalRig, kind: typeof MAP_KIND, name: string) {
  const { metadata: { uid, ...metadata }, ...rest } = await rig.get(kind, name);
  strictEqual(uid.length, 32);
  return { ...rest, metadata };
}

Deno.test("showObjects() shows a ConfigMap with its text and its bytes", async () => {
  const rig = new LocalRig();
  rig.store.showObjects([
    map("web", [
      ["a.txt", bytes("\uFEFFä")],
      ["b.bin", Uint8Array.of(0xff, 0)],
    ]),
    { ...map("empty", []), immutable: true },
  ]);
  deepStrictEqual(await shown(rig, MAP_KIND, "web"), {
    ...MAP_KIND,
    metadata: { name: "web", namespace: "shop", resourceVersion: "1" },
    data: { "a.txt": "\uFEFFä" },
    binaryData: { "b.bin": "/wA=" },
  });
  deepStrictEqual(await shown(rig, MAP_KIND, "empty"), {
    ...MAP_KIND,
    metadata: { name: "empty", namespace: "shop", resourceVersion: "2" },
    immutable: true,
  });
});

Deno.test("showObjects() shows of a Secret no value", async () => {
  const rig = new LocalRig();
  const secret: LocalObject = {
    ...SHOP,
    kind: "Secret",
    name: "login",
    type: "Opaque",
    entries: new Map([["password", bytes("hunter2")]]),
  };
  rig.store.showObjects([secret, {
    ...secret,
    name: "fixed",
    immutable: true,
  }]);
  deepStrictEqual(await shown(rig, SECRET_KIND, "login"), {
    ...SECRET_KIND,
    metadata: { name: "login", namespace: "shop", resourceVersion: "1" },
    type: "Opaque",
    data: { password: "" },
  });
  const { items } = await rig.store.reader(SECRET_KIND).list(
    { fieldSelector: "type=Opaque" },
    rig.signal,
  );
  strictEqual(items.length, 2);
  strictEqual("immutable" in await rig.get(SECRET_KIND, "fixed"), true);
});

Deno.test("showObjects() shows claims and classes", async () => {
  const rig = new LocalRig();
  const claim: LocalObject = {
    kind: "PersistentVolumeClaim",
    namespace: "shop",
    name: "data",
    accessModes: ["ReadWriteOnce"],
    volumeMode: "Filesystem",
    storage: parseQuantity("1Gi"),
  };
  rig.store.showObjects([
    claim,
    { ...claim, name: "any", storage: undefined },
    {
      kind: "RuntimeClass",
      name: "kata",
      handler: "kata",
      overhead: new Map([["cpu", parseQuantity("250m")]]),
      nodeSelector: { disk: "ssd" },
    },
    {
      kind: "RuntimeClass",
      name: "runc",
      handler: "runc",
      overhead: new Map(),
      nodeSelector: {},
    },
  ]);
  const spec = { accessModes: ["ReadWriteOnce"], volumeMode: "Filesystem" };
  deepStrictEqual((await rig.get(CLAIM_KIND, "data")).spec, {
    ...spec,
    resources: { requests: { storage: "1Gi" } },
  });
  deepStrictEqual((await rig.get(CLAIM_KIND, "any")).spec, spec);
  const { items } = await rig.store.reader(CLASS_KIND).list({}, rig.signal);
  deepStrictEqual(
    items.map(({ metadata: { uid: _, ...metadata }, ...rest }) => ({
      ...rest,
      metadata,
    })),
    [
      {
        ...CLASS_KIND,
        metadata: { name: "kata", namespace: "", resourceVersion: "3" },
        handler: "kata",
        overhead: { podFixed: { cpu: "250m" } },
        scheduling: { nodeSelector: { disk: "ssd" } },
      },
      {
        ...CLASS_KIND,
        metadata: { name: "runc", namespace: "", resourceVersion: "4" },
        handler: "runc",
      },
    ],
  );
});

Deno.test("showObjects() tells what comes, changes and goes, and nothing else", async () => {
  const rig = new LocalRig();
  const read = await rig.watch(MAP_KIND);
  const web = map("web", [["a", bytes("1")]]);
  rig.store.showObjects([web, map("db", [])]);
  rig.store.showObjects([web, map("db", [])]);
  rig.store.showObjects([map("web", [["a", bytes("2")]])]);
  deepStrictEqual(await read(4), [
    "ADDED web@1",
    "ADDED db@2",
    "MODIFIED web@3",
    "DELETED db@4",
  ]);
});

Deno.test("showObjects() leaves a claim alone that a client has made", async () => {
  const rig = new LocalRig();
  const claim = await rig.create(plainWish(CLAIM_KIND, "data"));
  const same: LocalObject = {
    kind: "PersistentVolumeClaim",
    namespace: "shop",
    name: "data",
    accessModes: [],
    volumeMode: "Filesystem",
    storage: undefined,
  };
  rig.store.showObjects([same, { ...same, name: "other" }]);
  deepStrictEqual(await rig.get(CLAIM_KIND, "data"), claim);
  rig.store.showObjects([]);
  deepStrictEqual(await rig.names(CLAIM_KIND), ["data"]);
});

Deno.test("a claim that is only shown cannot be changed nor deleted", async () => {
  const rig = new LocalRig();
  rig.store.showObjects([{
    kind: "PersistentVolumeClaim",
    namespace: "shop",
    name: "data",
    accessModes: [],
    volumeMode: "Filesystem",
    storage: undefined,
  }]);
  const refused = {
    reason: "MethodNotAllowed",
    message: 'Cannot change PersistentVolumeClaim "shop/data": ' +
      "it is kept in manifests only",
  };
  const ref = refOf(CLAIM_KIND, "data");
  const claim = await rig.get(CLAIM_KIND, "data");
  const { store, signal } = rig;
  await rejects(store.delete(ref, {}, signal), refused);
  await rejects(store.patch(ref, { spec: {} }, signal), refused);
  await rejects(store.update(claim, signal), refused);
  await rejects(store.updateStatus(claim, signal), refused);
});
