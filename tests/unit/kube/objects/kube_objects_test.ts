import {
  deepStrictEqual,
  match,
  ok,
  rejects,
  strictEqual,
  throws,
} from "node:assert/strict";
import { inspect } from "node:util";
import {
  KubeKind,
  KubeObjects,
  kubeResource,
  requestToken,
} from "../../../../mod/kube/objects/mod.ts";
import { RecordingApi, wirePod } from "../../../support/kube/recording_api.ts";

const { signal } = new AbortController();
const REF = { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "web" };
const AT_POD = "/api/v1/namespaces/shop/pods/web";
const POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "shop", name: "web", uid: "uid-web" },
};

Deno.test("KubeObjects does each call at the place of the kind", async () => {
  const api = new RecordingApi();
  api.answer = wirePod();
  const objects = new KubeObjects(api, { timeoutMs: 5_000 });
  deepStrictEqual(await objects.get(REF, signal), wirePod());
  deepStrictEqual(await objects.create(POD, signal), wirePod());
  deepStrictEqual(await objects.update(POD, signal), wirePod());
  deepStrictEqual(await objects.updateStatus(POD, signal), wirePod());
  deepStrictEqual(await objects.patch(REF, { a: 1 }, signal), wirePod());
  await objects.delete(REF, { uid: "u1" }, signal);
  deepStrictEqual(
    api.requests.map(({ method, path }) => `${method} ${path}`),
    [
      `GET ${AT_POD}`,
      "POST /api/v1/namespaces/shop/pods",
      `PUT ${AT_POD}`,
      `PUT ${AT_POD}/status`,
      `PATCH ${AT_POD}`,
      `DELETE ${AT_POD}`,
    ],
  );
  ok(api.requests.every(({ timeoutMs }) => timeoutMs === 5_000));
  strictEqual(api.requests[2]?.body, POD);
});

Deno.test("KubeObjects.patch() sends a merge patch, of the very object if it is named", async () => {
  const api = new RecordingApi();
  api.answer = wirePod();
  const objects = new KubeObjects(api);
  await objects.patch(REF, { metadata: { labels: { a: null } } }, signal);
  deepStrictEqual(api.last.body, { metadata: { labels: { a: null } } });
  strictEqual(api.last.contentType, "application/merge-patch+json");
  const ref = { ...REF, uid: "u1" };
  await objects.patch(ref, { metadata: { labels: {} }, spec: 1 }, signal);
  deepStrictEqual(api.last.body, {
    metadata: { labels: {}, uid: "u1" },
    spec: 1,
  });
  await objects.patch(ref, {}, signal);
  deepStrictEqual(api.last.body, { metadata: { uid: "u1" } });
});

Deno.test("KubeObjects refuses a kind that it does not know", () => {
  const objects = new KubeObjects(new RecordingApi());
  throws(() => objects.get({ ...REF, kind: "Gadget" }, signal), {
    name: "TypeError",
    message: "Cannot ask for a v1 Gadget: it is no kind that a node asks for",
  });
});

for (
  const [apiVersion, kind, resource, isNamespaced] of [
    ["v1", "Node", "nodes", false],
    ["v1", "Namespace", "namespaces", false],
    ["v1", "PersistentVolume", "persistentvolumes", false],
    ["v1", "Event", "events", true],
    ["v1", "ServiceAccount", "serviceaccounts", true],
    ["v1", "ConfigMap", "configmaps", true],
    ["v1", "Service", "services", true],
    ["coordination.k8s.io/v1", "Lease", "leases", true],
    ["node.k8s.io/v1", "RuntimeClass", "runtimeclasses", false],
    [
      "certificates.k8s.io/v1",
      "CertificateSigningRequest",
      "certificatesigningrequests",
      false,
    ],
  ] as const
) {
  Deno.test(`kubeResource() knows ${apiVersion} ${kind}`, () => {
    const found = kubeResource({ apiVersion, kind });
    strictEqual(found.resource, resource);
    strictEqual(found.isNamespaced, isNamespaced);
    throws(() => kubeResource({ apiVersion: "v9", kind }), TypeError);
  });
}

Deno.test("KubeKind.createSubresource() gives what the server says", async () => {
  const api = new RecordingApi();
  const pods = new KubeKind(api, kubeResource(REF));
  api.answer = { kind: "Eviction" };
  const place = { namespace: "shop", name: "web", subresource: "eviction" };
  deepStrictEqual(await pods.createSubresource(place, { a: 1 }, signal), {
    kind: "Eviction",
  });
  strictEqual(api.last.method, "POST");
  strictEqual(api.last.path, `${AT_POD}/eviction`);
  deepStrictEqual(api.last.body, { a: 1 });
  api.answer = "done";
  await rejects(pods.createSubresource(place, {}, signal), {
    reason: "Garbage",
    message:
      'Cannot create eviction of pods "shop/web": the answer is no object',
  });
});

const WISH = {
  namespace: "shop",
  serviceAccount: "seller",
  audiences: ["vault"],
  expirationSeconds: 3600,
};

Deno.test("requestToken() asks for a token that ends with its pod", async () => {
  const api = new RecordingApi();
  api.answer = {
    kind: "TokenRequest",
    // Shorter than what was wished for.
    spec: { expirationSeconds: 600 },
    status: { token: "S3CR3T", expirationTimestamp: "2026-01-01T00:10:00Z" },
  };
  const boundTo = { apiVersion: "v1", kind: "Pod", name: "web", uid: "u1" };
  const wish = { ...WISH, boundTo, timeoutMs: 7_000 };
  const { token, lifeMs } = await requestToken(api, wish, signal);
  strictEqual(token.reveal(), "S3CR3T");
  strictEqual(lifeMs, 600_000);
  ok(!inspect(token).includes("S3CR3T"));
  strictEqual(
    api.last.path,
    "/api/v1/namespaces/shop/serviceaccounts/seller/token",
  );
  strictEqual(api.last.timeoutMs, 7_000);
  deepStrictEqual(api.last.body, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: {
      audiences: ["vault"],
      expirationSeconds: 3600,
      boundObjectRef: boundTo,
    },
  });
});

Deno.test("requestToken() asks for a token of nothing else", async () => {
  const api = new RecordingApi();
  api.answer = {
    spec: { expirationSeconds: 3600 },
    status: { token: "a" },
  };
  await requestToken(api, WISH, signal);
  deepStrictEqual(Reflect.get(Object(api.last.body), "spec"), {
    audiences: ["vault"],
    expirationSeconds: 3600,
  });
});

for (
  const [status, spec] of [
    [undefined, { expirationSeconds: 600 }],
    [7, { expirationSeconds: 600 }],
    [{}, { expirationSeconds: 600 }],
    [{ token: "" }, { expirationSeconds: 600 }],
    [{ token: 7 }, { expirationSeconds: 600 }],
    [{ token: "S3CR3T" }, undefined],
    [{ token: "S3CR3T" }, { expirationSeconds: "soon" }],
    [{ token: "S3CR3T" }, { expirationSeconds: 0 }],
  ]
) {
  const what = JSON.stringify({ spec, status });
  Deno.test(`requestToken() refuses ${what}`, async () => {
    const api = new RecordingApi();
    api.answer = { spec, status };
    await rejects(requestToken(api, WISH, signal), (error) => {
      match(
        `${error}`,
        /Cannot create token of serviceaccounts "shop\/seller"/,
      );
      ok(!`${error}`.includes("S3CR3T"));
      return Reflect.get(Object(error), "reason") === "Garbage";
    });
  });
}
