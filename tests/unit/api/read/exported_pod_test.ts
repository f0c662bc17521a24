/**
 * Pods that come from a cluster.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { DecodedPod } from "../../../../mod/api/read/decode_document.ts";
import { decodeManifest } from "../../../../mod/api/read/decode.ts";
import { EXPORTED_POD } from "../../../support/exported_pod.ts";

function decoded(
  pod: Readonly<Record<string, unknown>>,
): ReturnType<typeof decodeManifest> {
  return decodeManifest(
    JSON.stringify({ apiVersion: "v1", kind: "Pod", ...pod }),
  );
}

function one(pod: Readonly<Record<string, unknown>>): DecodedPod {
  const result = decoded(pod);
  ok(result.kind === "ok", JSON.stringify(result));
  const [first] = result.pods;
  ok(first);
  return first;
}

const CONTAINER = { name: "c", image: "i" };
const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
const MARK = { name: "a", resourceVersion: "7" };

const MARKS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["resourceVersion", { metadata: MARK }],
  ["managedFields", { metadata: { name: "a", managedFields: [] } }],
  ["creationTimestamp", {
    metadata: { name: "a", creationTimestamp: "2024-05-14T09:21:07Z" },
  }],
  ["status", { metadata: { name: "a" }, status: { phase: "Running" } }],
  ["kubernetes.io/config.source", {
    metadata: {
      name: "a",
      annotations: { "kubernetes.io/config.source": "api" },
    },
  }],
];
for (const [mark, pod] of MARKS) {
  Deno.test(`decodeManifest() knows by ${mark} that a pod comes from a cluster`, () => {
    const spec = { serviceAccountName: "default", containers: [CONTAINER] };
    const { spec: read, warnings } = one({ ...pod, spec });
    strictEqual(read.serviceAccountName, undefined);
    match(
      warnings[0]?.message ?? "",
      /^Comes from a cluster, .*spec\.serviceAccountName/,
    );
    strictEqual(warnings[0]?.field, "metadata");
    strictEqual(warnings.length, 1);
  });
}

Deno.test("decodeManifest() makes of a pod from a cluster what its author wrote", () => {
  const written = {
    metadata: { name: "a", labels: { app: "a" }, annotations: { mine: "1" } },
    spec: {
      containers: [{ ...CONTAINER, volumeMounts: [MOUNT] }],
      volumes: [VOLUME],
    },
  };
  const exported = one({
    metadata: {
      ...written.metadata,
      annotations: {
        "kubernetes.io/config.hash": "x",
        "kubernetes.io/config.mirror": "x",
        "kubernetes.io/config.seen": "2024-05-14T09:21:07.123456789Z",
        "kubernetes.io/config.source": "file",
        ...written.metadata.annotations,
      },
      uid: "5f0d9f0b-3c0b-4c5e-9a94-d77b0b1f3a10",
      resourceVersion: "7",
      creationTimestamp: "2024-05-14T09:21:07Z",
      deletionTimestamp: "2024-05-14T10:21:07Z",
      deletionGracePeriodSeconds: 30,
      generation: 2,
      generateName: "a-",
      selfLink: "/api/v1/namespaces/default/pods/a",
      finalizers: ["example.com/f"],
      managedFields: [{ manager: "kubectl" }],
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet" }],
    },
    spec: {
      nodeName: "worker-2",
      serviceAccount: "robot",
      serviceAccountName: "robot",
      containers: [{
        ...CONTAINER,
        volumeMounts: [MOUNT, { name: ACCESS.name, mountPath: TOKEN_PATH }],
      }],
      ephemeralContainers: [{ name: "debug", image: "i" }],
      volumes: [VOLUME, ACCESS],
    },
    status: { phase: "Running" },
  });
  const plain = one(written);
  // What the identity is made from: the very same.
  deepStrictEqual(exported.writtenSpec, plain.writtenSpec);
  deepStrictEqual(exported.metadata, plain.metadata);
  deepStrictEqual(
    (exported.warnings[0]?.message ?? "").split(": ")[1]?.split(", ").sort(),
    [
      "metadata.annotations[kubernetes.io/config.hash]",
      "metadata.annotations[kubernetes.io/config.mirror]",
      "metadata.annotations[kubernetes.io/config.seen]",
      "metadata.annotations[kubernetes.io/config.source]",
      "metadata.creationTimestamp",
      "metadata.deletionGracePeriodSeconds",
      "metadata.deletionTimestamp",
      "metadata.finalizers",
      "metadata.generateName",
      "metadata.generation",
      "metadata.managedFields",
      "metadata.ownerReferences",
      "metadata.resourceVersion",
      "metadata.selfLink",
      "metadata.uid",
      "spec.ephemeralContainers",
      "spec.nodeName",
      "spec.serviceAccount",
      "spec.serviceAccountName",
      'the volume "kube-api-access-v9q8l" and its mounts',
    ],
  );
});

const VOLUME = { name: "data", emptyDir: {} };
const MOUNT = { name: "data", mountPath: "/data" };
const ACCESS = {
  name: "kube-api-access-v9q8l",
  projected: {
    defaultMode: 420,
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
      { configMap: { name: "kube-root-ca.crt" } },
    ],
  },
};

Deno.test("decodeManifest() takes the output of kubectl get pod -o yaml", () => {
  const result = decodeManifest(EXPORTED_POD);
  ok(result.kind === "ok", JSON.stringify(result));
  const [pod] = result.pods;
  strictEqual(pod?.metadata.name, "web-6d4cf56db6-7xk2p");
  strictEqual(pod.metadata.uid, undefined);
  strictEqual(pod.spec.volumes, undefined);
  strictEqual(pod.spec.containers[0]?.volumeMounts, undefined);
  strictEqual(pod.spec.tolerations?.length, 2);
  strictEqual(result.warnings.length, 1);
});

Deno.test("decodeManifest() drops the token's Secret of older clusters, and no other Secret", () => {
  const volumes = ["default-token-x2k4p", "login"].map((name) => ({
    name,
    secret: { secretName: name },
  }));
  const { spec } = one({
    metadata: MARK,
    spec: {
      containers: [{
        ...CONTAINER,
        volumeMounts: [
          { name: "default-token-x2k4p", mountPath: TOKEN_PATH },
          { name: "login", mountPath: "/login" },
        ],
      }],
      volumes,
    },
  });
  deepStrictEqual(spec.volumes?.map(({ name }) => name), ["login"]);
  deepStrictEqual(
    spec.containers[0]?.volumeMounts?.map(({ name }) => name),
    ["login"],
  );
});

const REFUSED: readonly (readonly [string, Record<string, unknown>, RegExp])[] =
  [
    ["a service account without any mark of a cluster", {
      metadata: { name: "a" },
      status: {},
      spec: { serviceAccountName: "x", containers: [CONTAINER] },
    }, /serviceAccountName/],
    ["an owner without any mark of a cluster", {
      metadata: { name: "a", creationTimestamp: null, ownerReferences: [{}] },
      spec: { containers: [CONTAINER] },
    }, /ownerReferences/],
    ["a token that the author of a pod from a cluster mounts elsewhere", {
      metadata: MARK,
      spec: {
        containers: [{
          ...CONTAINER,
          volumeMounts: [{ name: ACCESS.name, mountPath: "/token" }],
        }],
        volumes: [ACCESS],
      },
    }, /serviceAccountToken/],
    ["what is wrong in a pod from a cluster", {
      metadata: MARK,
      spec: { containers: [{ name: "c", image: "i", imagePullPolicy: "x" }] },
    }, /imagePullPolicy/],
  ];
for (const [what, pod, fault] of REFUSED) {
  Deno.test(`decodeManifest() refuses ${what}`, () => {
    const result = decoded(pod);
    ok(result.kind === "refused");
    match(JSON.stringify(result.faults), fault);
  });
}

Deno.test("decodeManifest() keeps the UID of a pod that does not come from a cluster, and warns of nothing", () => {
  const { metadata, warnings } = one({
    metadata: { name: "a", uid: "mine-1", creationTimestamp: null },
    status: {},
    spec: { nodeName: "n", containers: [CONTAINER] },
  });
  strictEqual(metadata.uid, "mine-1");
  deepStrictEqual(warnings, []);
});

Deno.test("decodeManifest() survives anything in the places where a cluster writes", () => {
  for (
    const odd of [null, 7, "x", [], [null], [[]], {}, { name: 7 }, [{
      name: 7,
    }]]
  ) {
    for (
      const pod of [
        { metadata: odd },
        { metadata: { ...MARK, annotations: odd } },
        { metadata: MARK, spec: odd },
        { metadata: MARK, spec: { containers: odd, volumes: odd } },
        { metadata: MARK, spec: { containers: [{ volumeMounts: odd }] } },
        { metadata: MARK, spec: { volumes: [{ name: "x", projected: odd }] } },
        { metadata: { name: "a" }, status: odd },
      ]
    ) {
      strictEqual(decoded(pod).kind, "refused");
    }
  }
});

Deno.test("decodeManifest() takes objects as a cluster hands them out", () => {
  const metadata = {
    name: "settings",
    namespace: "default",
    creationTimestamp: "2024-05-14T09:21:07Z",
    resourceVersion: "7",
    uid: "5f0d9f0b-3c0b-4c5e-9a94-d77b0b1f3a10",
    managedFields: [{ manager: "kubectl" }],
  };
  const items = [
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "1" } },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      data: { a: "MQ==" },
      type: "Opaque",
    },
  ];
  const list = {
    apiVersion: "v1",
    kind: "List",
    metadata: { resourceVersion: "" },
    items,
  };
  const result = decodeManifest(JSON.stringify(list));
  ok(result.kind === "ok", JSON.stringify(result));
  strictEqual(result.objects.length, 2);
});
