import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { ApiObject } from "../../../../mod/api/workload/mod.ts";
import { KubeKind, kubeResource } from "../../../../mod/kube/objects/mod.ts";
import { RecordingApi, wirePod } from "../../../support/kube/recording_api.ts";

const { signal } = new AbortController();
const PLACE = { namespace: "shop", name: "web" };
const OBJECT = {
  namespace: "shop",
  name: "web",
  uid: "uid-web",
  resourceVersion: "7",
};
const MEBIBYTE = 1024 * 1024;

function pods(
  answer: unknown = wirePod(),
): { readonly api: RecordingApi; readonly pods: KubeKind<ApiObject> } {
  const api = new RecordingApi();
  api.answer = answer;
  const resource = kubeResource({ apiVersion: "v1", kind: "Pod" });
  return { api, pods: new KubeKind(api, resource) };
}

function listOf(
  items: unknown,
  metadata: unknown = { resourceVersion: "9" },
): unknown {
  return { apiVersion: "v1", kind: "PodList", metadata, items };
}

Deno.test("KubeKind.list() asks for what is wanted and says of items what they are", async () => {
  const { kind: _kind, apiVersion: _version, ...item } = wirePod();
  const { api, pods: kind } = pods(listOf([item]));
  const list = await kind.list({
    namespace: "shop",
    labelSelector: "app=web",
    fieldSelector: "spec.nodeName=n1",
    limit: 5,
    resourceVersion: "0",
    continue: "token",
  }, signal);
  deepStrictEqual(list, { items: [wirePod()], resourceVersion: "9" });
  deepStrictEqual(api.requests, [{
    what: "list pods",
    method: "GET",
    path: "/api/v1/namespaces/shop/pods",
    query: {
      labelSelector: "app=web",
      fieldSelector: "spec.nodeName=n1",
      limit: "5",
      resourceVersion: "0",
      continue: "token",
    },
    timeoutMs: 120_000,
    maxBytes: 32 * MEBIBYTE,
  }]);
});

Deno.test("KubeKind.list() asks for all when nothing is said", async () => {
  const { api, pods: kind } = pods(
    listOf(null, { resourceVersion: "9", continue: "next" }),
  );
  deepStrictEqual(await kind.list({}, signal), {
    items: [],
    resourceVersion: "9",
    continue: "next",
  });
  strictEqual(api.last.path, "/api/v1/pods");
  deepStrictEqual(api.last.query, {});
});

Deno.test("KubeKind.list() gives what cannot be read without a uid, and all the rest", async () => {
  const { pods: kind } = pods(
    listOf([
      wirePod("a"),
      wirePod("b", { resourceVersion: "" }),
      7,
      wirePod("c"),
    ], {
      resourceVersion: "9",
      continue: "",
    }),
  );
  const list = await kind.list({}, signal);
  deepStrictEqual(list.items.map(({ metadata }) => metadata.uid), [
    "uid-a",
    "",
    "",
    "uid-c",
  ]);
  strictEqual(list.items[1]?.metadata.name, "b");
  strictEqual("continue" in list, false);
});

for (
  const [name, answer, message] of [
    ["a list", [], "Cannot list pods: the answer is no PodList"],
    ["one pod", wirePod(), "Cannot list pods: the answer is no PodList"],
    [
      "a status",
      { kind: "Status" },
      "Cannot list pods: the answer is no PodList",
    ],
    [
      "no version",
      listOf([], {}),
      "Cannot list pods: the list has no resourceVersion",
    ],
    [
      "an empty version",
      listOf([], { resourceVersion: "" }),
      "Cannot list pods: the list has no resourceVersion",
    ],
    [
      "no metadata",
      listOf([], null),
      "Cannot list pods: the list has no resourceVersion",
    ],
    ["no items", listOf(undefined), "Cannot list pods: the list has no items"],
    [
      "items that are a map",
      listOf({}),
      "Cannot list pods: the list has no items",
    ],
  ] as const
) {
  Deno.test(`KubeKind.list() refuses ${name}`, async () => {
    await rejects(pods(answer).pods.list({}, signal), {
      reason: "Garbage",
      message,
    });
  });
}

const CALL = {
  timeoutMs: 30_000,
  maxBytes: 10 * MEBIBYTE,
  obeysRetryAfter: true,
};
const AT_POD = "/api/v1/namespaces/shop/pods/web";

Deno.test("KubeKind.get() asks for one object", async () => {
  const { api, pods: kind } = pods();
  deepStrictEqual(await kind.get(PLACE, signal), wirePod());
  deepStrictEqual(api.requests, [
    { what: 'get pods "shop/web"', method: "GET", path: AT_POD, ...CALL },
  ]);
});

Deno.test("KubeKind.create() sends the object", async () => {
  const { api, pods: kind } = pods();
  const body = { apiVersion: "v1", kind: "Pod", metadata: PLACE };
  deepStrictEqual(await kind.create(body, signal), wirePod());
  deepStrictEqual(api.last, {
    what: 'create pods "shop/web"',
    method: "POST",
    path: "/api/v1/namespaces/shop/pods",
    body,
    ...CALL,
  });
  const metadata = { namespace: "shop", generateName: "web-" };
  await kind.create({ ...body, metadata }, signal);
  strictEqual(api.last.what, 'create pods "shop/web-*"');
});

Deno.test("KubeKind.update() replaces the object, or its status", async () => {
  const { api, pods: kind } = pods();
  const body = { apiVersion: "v1", kind: "Pod", metadata: OBJECT };
  deepStrictEqual(await kind.update(body, {}, signal), wirePod());
  deepStrictEqual(api.last, {
    what: 'update pods "shop/web"',
    method: "PUT",
    path: AT_POD,
    body,
    ...CALL,
  });
  await kind.update(body, { subresource: "status" }, signal);
  strictEqual(api.last.path, `${AT_POD}/status`);
});

for (
  const [type, contentType] of [
    ["merge", "application/merge-patch+json"],
    ["strategic", "application/strategic-merge-patch+json"],
    ["json", "application/json-patch+json"],
  ] as const
) {
  Deno.test(`KubeKind.patch() sends a patch of type ${type}`, async () => {
    const { api, pods: kind } = pods();
    const body = { status: { phase: "Running" } };
    await kind.patch(PLACE, { type, body, subresource: "status" }, signal);
    deepStrictEqual(api.last, {
      what: 'patch pods "shop/web"',
      method: "PATCH",
      path: `${AT_POD}/status`,
      body,
      contentType,
      ...CALL,
    });
    const whole = await kind.patch(PLACE, { type, body }, signal);
    deepStrictEqual(whole, wirePod());
    strictEqual(api.last.path, AT_POD);
  });
}

Deno.test("KubeKind.delete() says of which object, how soon, and what of those that it owns", async () => {
  const { api, pods: kind } = pods({ kind: "Status", status: "Success" });
  const options = { apiVersion: "v1", kind: "DeleteOptions" };
  await kind.delete(PLACE, { uid: "u1", gracePeriodSeconds: 0 }, signal);
  deepStrictEqual(api.last, {
    what: 'delete pods "shop/web"',
    method: "DELETE",
    path: AT_POD,
    body: {
      ...options,
      propagationPolicy: "Background",
      gracePeriodSeconds: 0,
      preconditions: { uid: "u1" },
    },
    ...CALL,
  });
  await kind.delete(PLACE, { propagation: "Orphan" }, signal);
  deepStrictEqual(api.last.body, { ...options, propagationPolicy: "Orphan" });
});

Deno.test("KubeKind takes another time for its calls", async () => {
  const api = new RecordingApi();
  const resource = kubeResource({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
  });
  const leases = new KubeKind(api, resource, { timeoutMs: 10_000 });
  api.answer = { ...wirePod(), ...resource };
  await leases.get(PLACE, signal);
  strictEqual(api.last.timeoutMs, 10_000);
  strictEqual(api.last.what, 'get leases.coordination.k8s.io "shop/web"');
  await leases.watch({}, signal);
  strictEqual(api.last.timeoutMs, 10_000);
});

Deno.test("KubeKind asks for objects of no namespace", async () => {
  const api = new RecordingApi();
  const resource = kubeResource({ apiVersion: "v1", kind: "Node" });
  const nodes = new KubeKind(api, resource);
  const { namespace: _none, ...metadata } = OBJECT;
  api.answer = { apiVersion: "v1", kind: "Node", metadata };
  const node = await nodes.get({ namespace: "", name: "web" }, signal);
  strictEqual(node.metadata.namespace, "");
  strictEqual(api.last.path, "/api/v1/nodes/web");
  strictEqual(api.last.what, 'get nodes "web"');
  await nodes.create({ apiVersion: "v1", kind: "Node", metadata }, signal);
  strictEqual(api.last.path, "/api/v1/nodes");
});

for (
  const [name, answer, found] of [
    ["nothing", null, "the answer cannot be read: it is no object"],
    [
      "a status",
      { kind: "Status" },
      "the answer cannot be read: it is of another kind, wanted a v1 Pod",
    ],
    [
      "an object without a uid",
      wirePod("web", { uid: "" }),
      "the answer cannot be read: it has no uid",
    ],
    [
      "an object of another name",
      wirePod("other"),
      "the answer is about another object",
    ],
    [
      "an object of another namespace",
      wirePod("web", { namespace: "b" }),
      "the answer is about another object",
    ],
  ] as const
) {
  Deno.test(`KubeKind.get() refuses ${name}`, async () => {
    await rejects(pods(answer).pods.get(PLACE, signal), {
      name: "ApiFailure",
      reason: "Garbage",
      message: `Cannot get pods "shop/web": ${found}`,
    });
  });
}

Deno.test("KubeKind refuses to ask for an object of a namespace without it", async () => {
  const { api, pods: kind } = pods();
  await rejects(kind.get({ namespace: "", name: "web" }, signal), {
    name: "TypeError",
    message: 'Cannot get pods "web": wanted a namespace',
  });
  strictEqual(api.requests.length, 0);
});
