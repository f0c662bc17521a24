import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import type { ApiObject } from "../../../../mod/api/workload/mod.ts";
import { KubeKind, kubeResource } from "../../../../mod/kube/objects/mod.ts";
import { RecordingApi, wirePod } from "../../../support/kube/recording_api.ts";

const { signal } = new AbortController();
const MEBIBYTE = 1024 * 1024;

function pods(): {
  readonly api: RecordingApi;
  readonly pods: KubeKind<ApiObject>;
} {
  const api = new RecordingApi();
  const resource = kubeResource({ apiVersion: "v1", kind: "Pod" });
  return { api, pods: new KubeKind(api, resource) };
}

Deno.test("KubeKind.watch() asks for what is wanted", async () => {
  const { api, pods: kind } = pods();
  await kind.watch({
    namespace: "shop",
    fieldSelector: "metadata.name=web",
    resourceVersion: "7",
    allowWatchBookmarks: true,
    timeoutSeconds: 300,
  }, signal);
  deepStrictEqual(api.last, {
    what: "watch pods",
    method: "GET",
    path: "/api/v1/namespaces/shop/pods",
    query: {
      watch: "true",
      fieldSelector: "metadata.name=web",
      resourceVersion: "7",
      timeoutSeconds: "300",
      allowWatchBookmarks: "true",
    },
    timeoutMs: 30_000,
    maxBytes: 10 * MEBIBYTE,
  });
  await kind.watch({
    labelSelector: "app",
    sendInitialEvents: true,
    allowWatchBookmarks: false,
  }, signal);
  strictEqual(api.last.path, "/api/v1/pods");
  deepStrictEqual(api.last.query, {
    watch: "true",
    labelSelector: "app",
    sendInitialEvents: "true",
    resourceVersionMatch: "NotOlderThan",
  });
});

function bookmark(resourceVersion: unknown, annotations?: unknown): unknown {
  const metadata = { resourceVersion, annotations };
  return { type: "BOOKMARK", object: { kind: "Pod", metadata } };
}

Deno.test("KubeKind.watch() gives events", async () => {
  const { api, pods: kind } = pods();
  api.lines = [
    { type: "ADDED", object: wirePod("a", { managedFields: [] }) },
    { type: "MODIFIED", object: wirePod("b") },
    { type: "DELETED", object: wirePod("c") },
    bookmark("8"),
    bookmark("9", { "k8s.io/initial-events-end": "true" }),
    bookmark("10", { "k8s.io/initial-events-end": "false" }),
    { type: "ERROR", object: { kind: "Status", code: 410, message: "old" } },
  ];
  const events = await Array.fromAsync(await kind.watch({}, signal));
  deepStrictEqual(events, [
    { type: "ADDED", object: wirePod("a") },
    { type: "MODIFIED", object: wirePod("b") },
    { type: "DELETED", object: wirePod("c") },
    { type: "BOOKMARK", resourceVersion: "8" },
    { type: "BOOKMARK", resourceVersion: "9", isInitialEnd: true },
    { type: "BOOKMARK", resourceVersion: "10" },
    {
      type: "ERROR",
      failure: new ApiFailure(
        "Expired",
        "Cannot watch pods: the API server answered 410: old",
      ),
    },
  ]);
});

for (
  const [name, line, found] of [
    ["no event", 7, "a line is no event"],
    ["a list", [], "a line is no event"],
    [
      "an event of no type",
      { object: wirePod() },
      "an event is of no known type",
    ],
    [
      "an event of another type",
      { type: "TOLD", object: wirePod() },
      "an event is of no known type",
    ],
    ["an object without a uid", {
      type: "ADDED",
      object: wirePod("a", { uid: "" }),
    }, "an object cannot be read: it has no uid"],
    ["an object of another kind", {
      type: "DELETED",
      object: { ...wirePod(), kind: "Node" },
    }, "an object cannot be read: it is of another kind, wanted a v1 Pod"],
    [
      "an object that is none",
      { type: "MODIFIED" },
      "an object cannot be read: it is no object",
    ],
    [
      "a bookmark without a version",
      bookmark(undefined),
      "a bookmark has no resourceVersion",
    ],
    [
      "a bookmark with an empty version",
      bookmark(""),
      "a bookmark has no resourceVersion",
    ],
    [
      "a bookmark without anything",
      { type: "BOOKMARK" },
      "a bookmark has no resourceVersion",
    ],
    ["a bookmark with odd metadata", {
      type: "BOOKMARK",
      object: { metadata: 7 },
    }, "a bookmark has no resourceVersion"],
  ] as const
) {
  Deno.test(`KubeKind.watch() breaks at ${name}`, async () => {
    const { api, pods: kind } = pods();
    api.lines = [bookmark("1"), line, bookmark("2")];
    const seen: unknown[] = [];
    const follow = async () => {
      for await (const event of await kind.watch({}, signal)) seen.push(event);
    };
    await rejects(follow(), {
      reason: "Garbage",
      message: `Cannot watch pods: ${found}`,
    });
    strictEqual(seen.length, 1);
  });
}
