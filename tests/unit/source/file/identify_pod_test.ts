/**
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { DecodedPod } from "../../../../mod/api/read/mod.ts";
import type { ObjectMeta, PodSpec } from "../../../../mod/api/types/mod.ts";
import {
  type IdentifiedPod,
  identifyPod,
  type ManifestOrigin,
} from "../../../../mod/source/file/identify_pod.ts";

const FILE: ManifestOrigin = { kind: "file", path: "/manifests/web.yaml" };

function decoded(
  metadata: Partial<ObjectMeta> = {},
  spec: Partial<PodSpec> = {},
): DecodedPod {
  const written = {
    containers: [{ name: "main", image: "busybox" }],
    ...spec,
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...metadata, name: metadata.name ?? "web" },
    spec: written,
    writtenSpec: written,
    warnings: [],
  };
}

function identify(
  pod: DecodedPod,
  origin: ManifestOrigin = FILE,
  nodeName = "Node-A.Example",
): Extract<IdentifiedPod, { kind: "ok" }> {
  const identified = identifyPod(pod, { nodeName, origin });
  ok(identified.kind === "ok");
  return identified;
}

Deno.test("identifyPod() names a file pod as the kubelet does", () => {
  const { pod } = identify(decoded({ labels: { app: "web" } }));
  const { uid } = pod.metadata;
  match(uid, /^[0-9a-f]{32}$/);
  deepStrictEqual(pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "web-node-a.example",
      namespace: "default",
      uid,
      labels: { app: "web" },
      annotations: {
        "kubernetes.io/config.hash": uid,
        "kubernetes.io/config.source": "file",
      },
    },
    spec: {
      containers: [{ name: "main", image: "busybox" }],
      nodeName: "Node-A.Example",
      tolerations: [{ operator: "Exists", effect: "NoExecute" }],
    },
    status: { phase: "Pending" },
  });
});

Deno.test("identifyPod() gives URL pods no toleration", () => {
  const { pod } = identify(decoded(), { kind: "http", url: "https://x/y" });
  strictEqual(pod.spec.tolerations, undefined);
  strictEqual(
    pod.metadata.annotations?.["kubernetes.io/config.source"],
    "http",
  );
});

Deno.test("identifyPod() gives the same UID for the same content, whatever the order of keys", () => {
  const a = identify(decoded({ labels: { a: "1", b: "2" } }));
  const b = identify(decoded({ labels: { b: "2", a: "1" } }));
  strictEqual(a.pod.metadata.uid, b.pod.metadata.uid);
});

Deno.test("identifyPod() gives the same UID whatever the defaults of the agent are", () => {
  const plain = decoded();
  const later = {
    ...plain,
    spec: { ...plain.spec, restartPolicy: "Always", aNewDefault: 1 },
  };
  strictEqual(
    identify(plain).pod.metadata.uid,
    identify(later).pod.metadata.uid,
  );
});

const OTHERS: readonly (readonly [string, () => string])[] = [
  [
    "another image",
    () =>
      identify(decoded({}, { containers: [{ name: "main", image: "x" }] }))
        .pod.metadata.uid,
  ],
  [
    "another label",
    () => identify(decoded({ labels: { a: "1" } })).pod.metadata.uid,
  ],
  [
    "another path",
    () =>
      identify(decoded(), { kind: "file", path: "/manifests/b.yaml" })
        .pod.metadata.uid,
  ],
  ["another node", () => identify(decoded(), FILE, "b").pod.metadata.uid],
  [
    "a URL",
    () =>
      identify(decoded(), { kind: "http", url: "/manifests/web.yaml" })
        .pod.metadata.uid,
  ],
];
for (const [what, uidOf] of OTHERS) {
  Deno.test(`identifyPod() gives another UID for ${what}`, () => {
    ok(uidOf() !== identify(decoded()).pod.metadata.uid);
  });
}

Deno.test("identifyPod() keeps a UID, a namespace and annotations of the manifest", () => {
  const { pod } = identify(
    decoded({ uid: "own-1", namespace: "prod", annotations: { a: "b" } }),
  );
  strictEqual(pod.metadata.uid, "own-1");
  strictEqual(pod.metadata.namespace, "prod");
  deepStrictEqual(pod.metadata.annotations, {
    a: "b",
    "kubernetes.io/config.hash": "own-1",
    "kubernetes.io/config.source": "file",
  });
});

for (
  const [what, metadata, uid] of [
    ["no annotations", {}, "d470d0a2713195db2e18bee6ae239488"],
    [
      "empty annotations",
      { annotations: {} },
      "d470d0a2713195db2e18bee6ae239488",
    ],
    [
      "a label and an annotation",
      { labels: { a: "1" }, annotations: { b: "2" } },
      "45d4a6850a8e8d564f98f53702d74207",
    ],
  ] as const
) {
  Deno.test(`identifyPod() gives a pod with ${what} the UID that agents before gave it (I2)`, () => {
    strictEqual(identify(decoded(metadata)).pod.metadata.uid, uid);
  });
}

for (const uid of ["../../etc", "a/b", "-x", "a b", "x".repeat(65), "ä"]) {
  Deno.test(`identifyPod() refuses the UID "${uid.slice(0, 20)}"`, () => {
    const identified = identifyPod(decoded({ uid }), {
      nodeName: "n",
      origin: FILE,
    });
    ok(identified.kind === "refused");
    strictEqual(identified.faults[0]?.field, "metadata.uid");
  });
}

Deno.test("identifyPod() refuses a name that is too long with the node's (SRC-26)", () => {
  const nameOf = (length: number): IdentifiedPod =>
    identifyPod(decoded({ name: "x".repeat(length) }), {
      nodeName: "node",
      origin: FILE,
    });
  strictEqual(nameOf(248).kind, "ok");
  const identified = nameOf(249);
  ok(identified.kind === "refused");
  strictEqual(identified.faults[0]?.field, "metadata.name");
});

const TOLERATIONS: readonly (readonly [
  string,
  NonNullable<PodSpec["tolerations"]>,
  NonNullable<PodSpec["tolerations"]>,
])[] = [
  [
    "adds it after others",
    [{ key: "a", operator: "Exists" }],
    [
      { key: "a", operator: "Exists" },
      { operator: "Exists", effect: "NoExecute" },
    ],
  ],
  [
    "overwrites one that ends",
    [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 }],
    [{ operator: "Exists", effect: "NoExecute" }],
  ],
  [
    "leaves one of another key",
    [{ key: "a", operator: "Exists", effect: "NoExecute" }],
    [
      { key: "a", operator: "Exists", effect: "NoExecute" },
      { operator: "Exists", effect: "NoExecute" },
    ],
  ],
];
for (const [what, tolerations, expected] of TOLERATIONS) {
  Deno.test(`identifyPod() tolerates NoExecute and ${what}`, () => {
    const { pod } = identify(decoded({}, { tolerations }));
    deepStrictEqual(pod.spec.tolerations, expected);
  });
}
