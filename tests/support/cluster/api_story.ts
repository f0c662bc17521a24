/**
 * What a client of an API server lives through, to compare two servers by.
 *
 * @module
 */

import { isRecord } from "../../../mod/base/mod.ts";
import type { ApiAnswer, ApiClient } from "./api_client.ts";

const NODES = "/api/v1/nodes";
const PODS = "/api/v1/namespaces/default/pods";
const MAPS = "/api/v1/namespaces/default/configmaps";
const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";

/** What was seen, by what was done. */
export type ApiNotes = Readonly<Record<string, unknown>>;

/** A pod that wants no more than a name. */
function storyPod(name: string, labels: Readonly<Record<string, string>> = {}) {
  return {
    metadata: { name, labels },
    spec: {
      nodeName: "edge1",
      automountServiceAccountToken: false,
      containers: [{ name: "c", image: "busybox" }],
    },
  };
}

/** A node's life: made, reported, refused. */
export async function nodeStory(api: ApiClient): Promise<ApiNotes> {
  const status = `${NODES}/edge1/status`;
  const patch = (body: unknown, type: string = STRATEGIC) =>
    api.ask("PATCH", status, { body, type });
  const notes: Record<string, unknown> = {};
  notes["missing"] = refusal(await api.ask("GET", `${NODES}/edge1`));
  const node = { metadata: { name: "edge1", labels: { zone: "a" } } };
  notes["made"] = (await api.ask("POST", NODES, { body: node })).status;
  notes["made twice"] = refusal(await api.ask("POST", NODES, { body: node }));
  const one = await patch({
    status: {
      conditions: [{ type: "Ready", status: "False" }],
      addresses: [
        { type: "Hostname", address: "edge1" },
        { type: "InternalIP", address: "10.0.0.1" },
      ],
    },
  });
  notes["status"] = [one.status, at(one, "status", "addresses")];
  const two = await patch({
    status: {
      conditions: [
        { type: "Ready", status: "True" },
        { type: "DiskPressure", status: "False" },
      ],
      "$setElementOrder/addresses": [{ type: "Hostname" }],
      addresses: [{ $patch: "delete", type: "InternalIP" }],
    },
  });
  notes["conditions merge"] = conditions(two);
  notes["an address goes"] = at(two, "status", "addresses");
  const again = await patch({ status: { conditions: [] } });
  notes["nothing changes"] = version(again) === version(two);
  const stale = { ...record(one.body), spec: { unschedulable: true } };
  notes["an old version"] = refusal(
    await api.ask("PUT", `${NODES}/edge1`, { body: stale }),
  );
  notes["a patch of an old version"] = refusal(
    await patch({ metadata: { resourceVersion: version(one) } }, MERGE),
  );
  notes["another's uid"] = refusal(
    await patch({ metadata: { uid: "another" } }),
    ["message"],
  );
  const other = { metadata: { name: "edge1", uid: "another" } };
  notes["another's uid, all of it"] = refusal(
    await api.ask("PUT", `${NODES}/edge1`, { body: other }),
    ["message"],
  );
  const labelled = await api.ask("PATCH", `${NODES}/edge1`, {
    type: MERGE,
    body: { metadata: { labels: { zone: null, rack: "7" } }, status: {} },
  });
  notes["labels"] = at(labelled, "metadata", "labels");
  notes["the status stays"] = conditions(labelled);
  notes["unknown patch"] = (await patch({}, "text/plain")).status;
  notes["unknown method"] =
    (await api.ask("POST", `${NODES}/edge1`, { body: node })).status;
  return notes;
}

/** A pod's life: bound, reported, listed, ended. */
export async function podStory(api: ApiClient): Promise<ApiNotes> {
  const notes: Record<string, unknown> = {};
  const made = await api.ask("POST", PODS, {
    body: storyPod("web", { app: "web" }),
  });
  notes["made"] = [
    made.status,
    at(made, "metadata", "generation"),
    at(made, "status", "phase"),
  ];
  const uid = at(made, "metadata", "uid");
  const report = (status: unknown) =>
    api.ask("PATCH", `${PODS}/web/status`, {
      type: STRATEGIC,
      body: { metadata: { uid }, status },
    });
  await report({
    phase: "Running",
    podIPs: [{ ip: "10.0.0.2" }],
    conditions: [{ type: "Ready", status: "False" }],
  });
  const ready = await report({
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Initialized", status: "True" },
    ],
  });
  notes["reported"] = [conditions(ready), at(ready, "status", "podIPs")];
  await api.create(PODS, storyPod("other", { app: "other" }));
  const query = "fieldSelector=spec.nodeName%3Dedge1&limit=1";
  const page = await api.ask("GET", `${PODS}?${query}`);
  const token = String(at(page, "metadata", "continue"));
  const next = await api.ask(
    "GET",
    `${PODS}?${query}&continue=${encodeURIComponent(token)}`,
  );
  notes["pages"] = [names(page), at(page, "kind"), names(next)];
  notes["by label"] = names(
    await api.ask("GET", `${PODS}?labelSelector=app%3Dweb`),
  );
  return { ...notes, ...await podEnd(api, uid) };
}

/** How a pod ends. */
async function podEnd(api: ApiClient, uid: unknown): Promise<ApiNotes> {
  const notes: Record<string, unknown> = {};
  const end = (body: unknown) =>
    api.ask("DELETE", `${PODS}/web`, {
      body: { kind: "DeleteOptions", apiVersion: "v1", ...record(body) },
    });
  for (const seconds of [20, 30, 5]) {
    const ending = await end({ gracePeriodSeconds: seconds });
    notes[`ends in ${seconds} s`] = [
      ending.status,
      at(ending, "metadata", "deletionGracePeriodSeconds"),
      at(ending, "metadata", "generation"),
    ];
  }
  notes["gone"] =
    (await end({ gracePeriodSeconds: 0, preconditions: { uid } })).status;
  notes["gone twice"] = refusal(await end({ gracePeriodSeconds: 0 }));
  return notes;
}

/** What becomes of words for a pod that is no more. */
export async function lateStory(api: ApiClient): Promise<ApiNotes> {
  const notes: Record<string, unknown> = {};
  const path = `${PODS}/late`;
  const report = () =>
    api.ask("PATCH", `${path}/status`, {
      type: STRATEGIC,
      body: { metadata: { uid: "another" }, status: { phase: "Running" } },
    });
  const end = () =>
    api.ask("DELETE", path, {
      body: {
        kind: "DeleteOptions",
        apiVersion: "v1",
        preconditions: { uid: "another" },
      },
    });
  notes["a status of none"] = refusal(await report());
  notes["the end of none"] = refusal(await end());
  await api.create(PODS, storyPod("late"));
  notes["a status of another"] = refusal(await report());
  notes["the end of another"] = refusal(await end(), ["message"]);
  const whole = await api.ask("GET", path);
  const draft = {
    ...record(whole.body),
    metadata: { name: "late", uid: "another" },
  };
  notes["another's whole status"] = refusal(
    await api.ask("PUT", `${path}/status`, { body: draft }),
    ["message"],
  );
  return notes;
}

/** What else a node reads and writes. */
export async function objectStory(api: ApiClient): Promise<ApiNotes> {
  const notes: Record<string, unknown> = {};
  const lease = {
    metadata: { name: "edge1" },
    spec: { holderIdentity: "edge1" },
  };
  const first = await api.ask("POST", LEASES, { body: lease });
  const put = (body: unknown) => api.ask("PUT", `${LEASES}/edge1`, { body });
  notes["a lease without a version"] = refusal(await put(lease), ["message"]);
  const renewed = {
    ...record(first.body),
    spec: { holderIdentity: "edge1", leaseDurationSeconds: 40 },
  };
  notes["a lease"] = (await put(renewed)).status;
  notes["an old lease"] = refusal(await put(renewed));
  notes["another kind"] = (await api.ask("POST", MAPS, {
    body: { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } },
  })).status;
  notes["no name"] = (await api.ask("POST", MAPS, { body: {} })).status;
  const drawn = await api.ask("POST", MAPS, {
    body: { metadata: { generateName: "drawn-" } },
  });
  notes["a name is drawn"] = [
    drawn.status,
    /^drawn-[a-z0-9]{5}$/.test(String(at(drawn, "metadata", "name"))),
  ];
  await api.create(MAPS, {
    metadata: { name: "held", finalizers: ["test.example/held"] },
  });
  await api.ask("DELETE", `${MAPS}/held`);
  const held = await api.ask("GET", `${MAPS}/held`);
  notes["held"] = [
    held.status,
    typeof at(held, "metadata", "deletionTimestamp"),
  ];
  await api.ask("PATCH", `${MAPS}/held`, {
    type: MERGE,
    body: { metadata: { finalizers: null } },
  });
  notes["let go"] = (await api.ask("GET", `${MAPS}/held`)).status;
  await api.create(ACCOUNTS, { metadata: { name: "robot" } });
  const token = await api.ask("POST", `${ACCOUNTS}/robot/token`, {
    body: { spec: { audiences: ["vault"], expirationSeconds: 600 } },
  });
  notes["a token"] = [
    token.status,
    at(token, "kind"),
    at(token, "spec", "audiences"),
    at(token, "spec", "expirationSeconds"),
    typeof at(token, "status", "token"),
  ];
  notes["no such path"] = (await api.ask("GET", "/api/v1/wonders")).status;
  const future = await api.ask("GET", `${MAPS}?resourceVersion=999999999`);
  notes["the future"] = [
    future.status,
    at(future, "reason"),
    at(future, "details", "retryAfterSeconds"),
  ];
  return notes;
}

/** What patches make of lists and maps. */
export async function patchStory(api: ApiClient): Promise<ApiNotes> {
  const path = `${MAPS}/patched`;
  const patch = (body: unknown, place: string = path) =>
    api.ask("PATCH", place, { type: STRATEGIC, body });
  const notes: Record<string, unknown> = {};
  await api.create(MAPS, {
    metadata: { name: "patched", finalizers: ["test.example/a"] },
    data: { one: "1", two: "2" },
  });
  const held = { metadata: { finalizers: ["test.example/b"] } };
  notes["words join"] = at(await patch(held), "metadata", "finalizers");
  const deletion = "$deleteFromPrimitiveList/finalizers";
  const freed = await patch({ metadata: { [deletion]: ["test.example/a"] } });
  notes["words go"] = at(freed, "metadata", "finalizers");
  notes["keys merge"] = at(
    await patch({ data: { one: null, two: "22", three: "3" } }),
    "data",
  );
  notes["a map is replaced"] = at(
    await patch({ data: { $patch: "replace", four: "4" } }),
    "data",
  );
  await api.create(NODES, { metadata: { name: "patched" } });
  const status = `${NODES}/patched/status`;
  const address = (type: string) => ({ type, address: type });
  const order = "$setElementOrder/addresses";
  const three = ["Hostname", "InternalIP", "ExternalIP"].map(address);
  await patch({ status: { addresses: three } }, status);
  const sorted = await patch({
    status: {
      [order]: [{ type: "ExternalIP" }, { type: "InternalDNS" }],
      addresses: [address("InternalDNS")],
    },
  }, status);
  notes["an order"] = at(sorted, "status", "addresses");
  const renewed = await patch({
    status: { addresses: [{ $patch: "replace" }, address("InternalDNS")] },
  }, status);
  notes["a list is replaced"] = at(renewed, "status", "addresses");
  const taints = (...keys: readonly string[]) =>
    keys.map((key) => ({ key, effect: "NoSchedule" }));
  const node = `${NODES}/patched`;
  await patch({ spec: { taints: taints("a", "b") } }, node);
  const tainted = await patch({ spec: { taints: taints("c") } }, node);
  notes["a list without keys"] = at(tainted, "spec", "taints");
  return notes;
}

/** What watches say. */
export async function watchStory(api: ApiClient): Promise<ApiNotes> {
  const notes: Record<string, unknown> = {};
  const list = await api.ask("GET", MAPS);
  const from = `${MAPS}?watch=true&resourceVersion=${version(list)}`;
  const change = (name: string, labels: unknown) =>
    api.ask("PATCH", `${MAPS}/${name}`, {
      type: MERGE,
      body: { metadata: { labels } },
    });
  const act = async (): Promise<void> => {
    await api.create(MAPS, { metadata: { name: "w1", labels: { a: "1" } } });
    await api.create(MAPS, { metadata: { name: "w2" } });
    await change("w2", { a: "1" });
    await change("w2", { a: "1", b: "2" });
    await change("w1", { a: "3" });
    await api.ask("DELETE", `${MAPS}/w2`);
  };
  notes["selected"] = told(
    await api.events(`${from}&labelSelector=a%3D1`, { count: 5, act }),
  );
  notes["from before"] = told(await api.events(from, { count: 6 }));
  const stream = `${MAPS}?watch=true&sendInitialEvents=true` +
    "&allowWatchBookmarks=true&labelSelector=a";
  const initial = await api.events(
    `${stream}&resourceVersionMatch=NotOlderThan`,
    { count: 2 },
  );
  notes["a stream"] = told(initial);
  const [, bookmark] = initial;
  notes["its bookmark"] = at(
    { status: 200, body: bookmark },
    ...["object", "metadata", "annotations"],
  );
  notes["a stream without its words"] = (await api.ask("GET", stream)).status;
  return notes;
}

/** All stories, in order. */
export const API_STORIES: Readonly<
  Record<string, (api: ApiClient) => Promise<ApiNotes>>
> = {
  "a node": nodeStory,
  "a pod": podStory,
  "a pod that is no more": lateStory,
  "other objects": objectStory,
  "patches": patchStory,
  "watches": watchStory,
};

function refusal(
  answer: ApiAnswer,
  without: readonly string[] = [],
): readonly unknown[] {
  return [
    answer.status,
    ...["reason", "message"].filter((key) => !without.includes(key))
      .map((key) => at(answer, key)),
  ];
}

function at({ body }: ApiAnswer, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((value, key) => record(value)[key], body);
}

function version(answer: ApiAnswer): unknown {
  return at(answer, "metadata", "resourceVersion");
}

function conditions(answer: ApiAnswer): readonly string[] {
  return items(at(answer, "status", "conditions")).map((each) =>
    `${each["type"]}=${each["status"]}`
  );
}

function names(answer: ApiAnswer): readonly unknown[] {
  return items(at(answer, "items")).map((each) =>
    record(each["metadata"])["name"]
  );
}

function told(events: readonly unknown[]): readonly string[] {
  return events.map(record).map(({ type, object }) =>
    `${type} ${record(record(object)["metadata"])["name"] ?? ""}`
  );
}

function items(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(record) : [];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
