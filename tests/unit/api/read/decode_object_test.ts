/**
 * ConfigMaps, Secrets, claims and runtime classes in manifests.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { decodeManifest } from "../../../../mod/api/read/decode.ts";
import { formatQuantity } from "../../../../mod/api/objects/quantity.ts";
import type { LocalObject } from "../../../../mod/api/objects/objects.ts";
import {
  claimParts,
  decodedObjects,
  objectJson,
  textsOf,
} from "../../../support/api/object_json.ts";
import { type Draft, faultsOf, podJson } from "../../../support/api/drafts.ts";

Deno.test("decodeManifest() gives pods and objects of a file apart, each in its order", () => {
  const result = decodeManifest(
    [
      podJson({ metadata: { name: "a" } }),
      objectJson("Secret"),
      podJson({ metadata: { name: "b" } }),
      objectJson("ConfigMap"),
    ].join("\n---\n"),
  );
  if (result.kind === "refused") throw new Error(JSON.stringify(result.faults));
  deepStrictEqual(result.pods.map(({ metadata }) => metadata.name), ["a", "b"]);
  deepStrictEqual(result.objects.map(({ kind }) => kind), [
    "Secret",
    "ConfigMap",
  ]);
});

Deno.test("decodeManifest() takes objects in a List, and what an API server adds", () => {
  const [config, runtimeClass, claim] = decodedObjects(`
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: web
    namespace: shop
    creationTimestamp: "2026-01-01T00:00:00Z"
    resourceVersion: "7"
    uid: 3f0c
    labels: {a: b}
    annotations: {c: d}
    managedFields: [{manager: kubectl}]
- apiVersion: node.k8s.io/v1
  kind: RuntimeClass
  metadata: {name: fast, generation: 1}
  handler: crun
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: data}
  spec:
    accessModes: [ReadWriteOnce]
    resources: {requests: {storage: 1Gi}}
  status: {phase: Bound, anything: [1]}
`);
  deepStrictEqual(config, {
    kind: "ConfigMap",
    namespace: "shop",
    name: "web",
    entries: new Map(),
    type: "",
    immutable: false,
  });
  strictEqual(runtimeClass?.name, "fast");
  strictEqual(claim?.kind, "PersistentVolumeClaim");
});

Deno.test("decodeManifest() reads what a ConfigMap holds", () => {
  const [config] = decodedObjects(`
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data:
  text: "grün"
  empty: ""
  nothing:
  __proto__: harmless
  lines: |
    a
    b
binaryData:
  bytes: AAEC
  none:
immutable: true
`);
  ok(config?.kind === "ConfigMap");
  strictEqual(config.namespace, "default");
  strictEqual(config.immutable, true);
  deepStrictEqual(config.entries.get("bytes"), new Uint8Array([0, 1, 2]));
  strictEqual(config.entries.get("none")?.length, 0);
  const texts = new Map(
    [...config.entries].map((
      [key, bytes],
    ) => [key, new TextDecoder().decode(bytes)]),
  );
  strictEqual(texts.get("text"), "grün");
  strictEqual(texts.get("empty"), "");
  strictEqual(texts.get("nothing"), "");
  strictEqual(texts.get("__proto__"), "harmless");
  strictEqual(texts.get("lines"), "a\nb\n");
  strictEqual(Object.getPrototypeOf({}), Object.prototype);
});

Deno.test("decodeManifest() reads what a Secret holds, text before base64", () => {
  const [secret] = decodedObjects(objectJson("Secret", {
    data: { user: btoa("admin"), password: btoa("old"), lines: "aGk\nK\n" },
    stringData: { password: "new" },
  }));
  ok(secret?.kind === "Secret");
  strictEqual(secret.type, "Opaque");
  deepStrictEqual(textsOf(secret), {
    user: "admin",
    password: "new",
    lines: "hi\n",
  });
});

Deno.test("decodeManifest() reads what a claim asks for", () => {
  const [claim] = decodedObjects(objectJson("PersistentVolumeClaim", {
    ...claimParts({ volumeMode: "Block", storageClassName: "local" }),
    metadata: { name: "data", namespace: "shop" },
  }));
  ok(claim?.kind === "PersistentVolumeClaim");
  const { storage, ...rest } = claim;
  strictEqual(storage && formatQuantity(storage), "1Gi");
  deepStrictEqual(rest, {
    kind: "PersistentVolumeClaim",
    namespace: "shop",
    name: "data",
    accessModes: ["ReadWriteOnce"],
    volumeMode: "Block",
  });
});

Deno.test("decodeManifest() gives a claim of another class the one that the node has, with a warning", () => {
  const parts = claimParts({
    storageClassName: "fast",
    resources: { requests: { storage: " 1Gi " } },
  });
  const result = decodeManifest(objectJson("PersistentVolumeClaim", parts));
  ok(result.kind === "ok");
  deepStrictEqual(
    result.warnings.map(({ field, message }) => ({ field, message })),
    [{
      field: "spec.storageClassName",
      message: 'Has no effect: the node has one class of storage, "local"',
    }],
  );
  const [claim] = result.objects;
  ok(claim?.kind === "PersistentVolumeClaim");
  strictEqual(claim.storage && formatQuantity(claim.storage), "1Gi");
});

Deno.test("decodeManifest() reads a RuntimeClass", () => {
  const [found] = decodedObjects(objectJson("RuntimeClass", {
    handler: "kata",
    overhead: { podFixed: { cpu: "250m", memory: "120Mi" } },
    scheduling: {
      nodeSelector: { kvm: "yes" },
      tolerations: [{ operator: "Exists" }],
    },
  }));
  ok(found?.kind === "RuntimeClass");
  strictEqual(found.handler, "kata");
  deepStrictEqual(found.nodeSelector, { kvm: "yes" });
  deepStrictEqual(
    [...found.overhead].map(([name, amount]) => [name, formatQuantity(amount)]),
    [["cpu", "250m"], ["memory", "120Mi"]],
  );
});

const MIB = 1024 * 1024;

const TAKEN: readonly (readonly [string, LocalObject["kind"], Draft])[] = [
  ["a ConfigMap of nothing", "ConfigMap", {}],
  ["a ConfigMap of null", "ConfigMap", { data: null, binaryData: null }],
  ["a ConfigMap of exactly 1 MiB", "ConfigMap", {
    data: { a: "x".repeat(MIB - 3) },
    binaryData: { b: btoa("xyz") },
  }],
  ["a name of several labels", "ConfigMap", { metadata: { name: "a.b-c" } }],
  ["a key of 253 characters", "ConfigMap", {
    data: { ["k".repeat(253)]: "" },
  }],
  ["keys with every character", "ConfigMap", { data: { "-._aZ9": "" } }],
  ["a Secret of a type of its own", "Secret", { type: "example.com/x" }],
  ["a Secret of the empty type", "Secret", { type: "" }],
  ["a tls Secret with empty values", "Secret", {
    type: "kubernetes.io/tls",
    data: { "tls.crt": "", "tls.key": "" },
  }],
  ["a basic-auth Secret with a password only", "Secret", {
    type: "kubernetes.io/basic-auth",
    stringData: { password: "" },
  }],
  ["an ssh-auth Secret", "Secret", {
    type: "kubernetes.io/ssh-auth",
    stringData: { "ssh-privatekey": "x" },
  }],
  ["a dockerconfigjson Secret", "Secret", {
    type: "kubernetes.io/dockerconfigjson",
    stringData: { ".dockerconfigjson": '{"auths":{}}' },
  }],
  ["a dockercfg Secret", "Secret", {
    type: "kubernetes.io/dockercfg",
    data: { ".dockercfg": btoa("{}") },
  }],
  ["a service account token with its annotation", "Secret", {
    type: "kubernetes.io/service-account-token",
    metadata: {
      name: "t",
      annotations: { "kubernetes.io/service-account.name": "default" },
    },
  }],
  ["a claim of the empty class", "PersistentVolumeClaim", {
    ...claimParts({ storageClassName: "", volumeName: "", selector: null }),
  }],
  ["a claim with a limit", "PersistentVolumeClaim", {
    ...claimParts({
      resources: { requests: { storage: 1 }, limits: { storage: "2" } },
    }),
  }],
  ["a RuntimeClass with a handler only", "RuntimeClass", { handler: "runc" }],
];
for (const [what, kind, parts] of TAKEN) {
  Deno.test(`decodeManifest() takes ${what}`, () => {
    strictEqual(decodedObjects(objectJson(kind, parts)).length, 1);
  });
}

Deno.test("decodeManifest() says of an object's field of the wrong type only that", () => {
  deepStrictEqual(
    faultsOf(objectJson(
      "PersistentVolumeClaim",
      claimParts({
        accessModes: "ReadWriteOnce",
      }),
    )).map(({ field }) => field),
    ["spec.accessModes"],
  );
});

Deno.test("decodeManifest() refuses the pods of a file with a bad object, and names line and document", () => {
  const result = decodeManifest(
    [
      "apiVersion: v1",
      "kind: Secret",
      "metadata:",
      "  name: s",
      "data:",
      "  password: hunter2",
      "---",
      podJson(),
    ].join("\n"),
  );
  if (result.kind === "ok") throw new Error("It was taken");
  const [fault] = result.faults;
  strictEqual(fault?.field, "data[password]");
  strictEqual(fault.line, 6);
  strictEqual(fault.document, 1);
  deepStrictEqual(result.named, [{ name: "web" }]);
});
