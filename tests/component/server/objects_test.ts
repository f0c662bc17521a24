/**
 * What the node keeps, over a real socket.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../mod/api/access/mod.ts";
import { isRecord } from "../../../mod/base/mod.ts";
import { OPEN_OBJECT_WATCHES } from "../../../mod/server/objects/mod.ts";
import { AgentStub, stubPod } from "../../support/server/agent_stub.ts";
import {
  LocalRig,
  plainWish,
  podWish,
  SET_KIND,
} from "../../support/local/local_rig.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

/** A server over a store, and a client. */
class Rig implements AsyncDisposable {
  readonly local: LocalRig;
  readonly agent = new AgentStub();
  readonly #stack = new AsyncDisposableStack();
  #client: Deno.HttpClient | undefined;

  constructor(local: LocalRig = new LocalRig()) {
    this.local = local;
  }

  static async start(local?: LocalRig): Promise<Rig> {
    const rig = new Rig(local);
    const dir = rig.#stack.use(await TempDir.make());
    const path = `${dir.path}/s.sock`;
    rig.agent.objects = rig.local.store;
    rig.#stack.use(await rig.agent.serve(path));
    rig.#client = Deno.createHttpClient({ proxy: { transport: "unix", path } });
    rig.#stack.defer(() => rig.#client?.close());
    return rig;
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    ok(this.#client !== undefined);
    // A name would be asked of the network's name server, though the socket is known.
    return fetch(`http://127.0.0.1${path}`, { ...init, client: this.#client });
  }

  async get(path: string, status: number = 200) {
    const response = await this.fetch(path);
    const body = await response.json();
    strictEqual(response.status, status, JSON.stringify(body));
    return body;
  }

  async names(path: string): Promise<string[]> {
    const { items } = await this.get(path);
    return items.map(nameOf);
  }

  watch(path: string): Lines {
    return this.#stack.use(new Lines((signal) => this.fetch(path, { signal })));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** The lines of a watch as they come. */
class Lines implements AsyncDisposable {
  readonly seen: { readonly type: string; readonly object: unknown }[] = [];
  isDone = false;
  readonly #controller = new AbortController();
  readonly #reading: Promise<void>;

  constructor(open: (signal: AbortSignal) => Promise<Response>) {
    this.#reading = this.#read(open).catch(() => {});
  }

  async #read(open: (signal: AbortSignal) => Promise<Response>): Promise<void> {
    const response = await open(this.#controller.signal);
    let rest = "";
    const text = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
    for await (const piece of text) {
      const lines = `${rest}${piece}`.split("\n");
      rest = lines.pop() ?? "";
      this.seen.push(...lines.map((line) => JSON.parse(line)));
    }
    this.isDone = true;
  }

  get words(): string[] {
    return this.seen.map(({ type, object }) => `${type} ${nameOf(object)}`);
  }

  async until(count: number): Promise<void> {
    await until(() => this.seen.length >= count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
    await this.#reading;
  }
}

function nameOf(object: unknown): string {
  ok(isRecord(object) && isRecord(object["metadata"]));
  return String(object["metadata"]["name"]);
}

const SETS = "/apis/apps/v1/namespaces/shop/replicasets";

Deno.test("ControlServer lists objects of one namespace and of all, as lists of their kind", async () => {
  await using rig = await Rig.start();
  await rig.local.create(plainWish(SET_KIND, "web"));
  await rig.local.create(plainWish(SET_KIND, "web", { namespace: "lab" }));

  const list = await rig.get(SETS);
  strictEqual(list.kind, "ReplicaSetList");
  strictEqual(list.apiVersion, "apps/v1");
  match(list.metadata.resourceVersion, /^\d+$/);
  strictEqual(list.metadata.continue, undefined);
  deepStrictEqual(list.items.map(nameOf), ["web"]);
  deepStrictEqual(await rig.names("/apis/apps/v1/replicasets"), ["web", "web"]);
  deepStrictEqual(await rig.names("/apis/apps/v1/deployments"), []);
  deepStrictEqual(await rig.names("/api/v1/configmaps"), []);
  deepStrictEqual(await rig.names("/apis/node.k8s.io/v1/runtimeclasses"), []);
});

Deno.test("ControlServer selects by labels and fields, and gives lists in pages", async () => {
  await using rig = await Rig.start();
  for (const name of ["a", "b", "c"]) {
    const labels = { app: name === "b" ? "db" : "web" };
    await rig.local.create(plainWish(SET_KIND, name, { labels }));
  }
  deepStrictEqual(await rig.names(`${SETS}?labelSelector=app%3Dweb`), [
    "a",
    "c",
  ]);
  deepStrictEqual(await rig.names(`${SETS}?fieldSelector=metadata.name!%3Da`), [
    "b",
    "c",
  ]);
  const first = await rig.get(`${SETS}?limit=2`);
  deepStrictEqual(first.items.map(nameOf), ["a", "b"]);
  const next = encodeURIComponent(first.metadata.continue);
  const second = await rig.get(`${SETS}?limit=2&continue=${next}`);
  deepStrictEqual(second.items.map(nameOf), ["c"]);
  strictEqual(
    second.metadata.resourceVersion,
    first.metadata.resourceVersion,
  );
});

Deno.test("ControlServer gives one object, or says that it is not found", async () => {
  await using rig = await Rig.start();
  await rig.local.create(plainWish(SET_KIND, "web"));
  strictEqual(nameOf(await rig.get(`${SETS}/web`)), "web");
  deepStrictEqual(await rig.get(`${SETS}/dust`, 404), {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'replicasets.apps "dust" not found',
    reason: "NotFound",
    details: { name: "dust", group: "apps", kind: "replicasets" },
    code: 404,
  });
  const claim = await rig.get(
    "/api/v1/namespaces/shop/persistentvolumeclaims/x",
    404,
  );
  strictEqual(claim.message, 'persistentvolumeclaims "x" not found');
  deepStrictEqual(claim.details, { name: "x", kind: "persistentvolumeclaims" });
});

for (
  const [path, status, reason] of [
    [`${SETS}?labelSelector=a%20b`, 400, "BadRequest"],
    [`${SETS}?fieldSelector=spec.x%3D1`, 400, "BadRequest"],
    [`${SETS}?limit=x`, 400, "BadRequest"],
    [`${SETS}?watch=maybe`, 400, "BadRequest"],
    [`${SETS}?watch=1&timeoutSeconds=-1`, 400, "BadRequest"],
    [`${SETS}?watch=1&allowWatchBookmarks=x`, 400, "BadRequest"],
    [`${SETS}?watch=1&sendInitialEvents=x`, 400, "BadRequest"],
    [`${SETS}?watch=1&labelSelector=a%20b`, 400, "BadRequest"],
    [`${SETS}?continue=x`, 400, "BadRequest"],
    [`${SETS}?resourceVersion=999`, 504, "Timeout"],
    [`${SETS}/web/status`, 404, "NotFound"],
    ["/apis/apps/v1/replicasets/web", 404, "NotFound"],
    ["/apis/apps/v1/pods", 404, "NotFound"],
    ["/api/v1/replicasets", 404, "NotFound"],
    ["/apis/apps/v2/replicasets", 404, "NotFound"],
    ["/apis/apps/v1", 404, "NotFound"],
    ["/api/v1/namespaces/shop/runtimeclasses", 404, "NotFound"],
    ["/apis/node.k8s.io/v1/namespaces/shop/runtimeclasses", 404, "NotFound"],
    ["/api/v1/pods?labelSelector=a%20b", 400, "BadRequest"],
  ] as const
) {
  Deno.test(`ControlServer refuses "${path}" with a Status`, async () => {
    await using rig = await Rig.start();
    const body = await rig.get(path, status);
    strictEqual(body.kind, "Status");
    strictEqual(body.reason, reason);
    strictEqual(body.code, status);
  });
}

Deno.test("ControlServer tells a client of a version that is not there yet why, and when to ask again", async () => {
  await using rig = await Rig.start();
  const body = await rig.get(`${SETS}?resourceVersion=999`, 504);
  deepStrictEqual(body.details, {
    causes: [{
      reason: "ResourceVersionTooLarge",
      message: "Too large resource version",
    }],
    retryAfterSeconds: 1,
  });
});

Deno.test("ControlServer says that a kind is not kept", async () => {
  await using rig = await Rig.start();
  const { store } = rig.local;
  rig.agent.objects = {
    get: (ref, signal) => store.get(ref, signal),
    reader: ({ kind }) => {
      throw new ApiFailure("NotFound", `This node keeps no ${kind} objects`);
    },
  };
  const body = await rig.get("/apis/batch/v1/jobs", 404);
  strictEqual(body.reason, "NotFound");
  strictEqual(body.message, "This node keeps no Job objects");
});

Deno.test("ControlServer has no objects while the agent starts", async () => {
  await using rig = await Rig.start();
  rig.agent.objects = undefined;
  const body = await rig.get(SETS, 503);
  strictEqual(body.reason, "ServiceUnavailable");
  strictEqual(
    body.message,
    "Cannot list replicasets.apps: the agent is starting",
  );
});

Deno.test("ControlServer gives pods by labels and fields, too", async () => {
  await using rig = await Rig.start();
  const [a, b] = [stubPod("a"), stubPod("b", "shop")];
  const labels = { app: "web" };
  rig.agent.pods = [a, { ...b, metadata: { ...b.metadata, labels } }];
  deepStrictEqual(await rig.names("/api/v1/pods"), ["a", "b"]);
  deepStrictEqual(await rig.names("/api/v1/pods?labelSelector=app%3Dweb"), [
    "b",
  ]);
  const path = "/api/v1/namespaces/default/pods";
  deepStrictEqual(await rig.names(`${path}?labelSelector=app%3Dweb`), []);
  deepStrictEqual(
    await rig.names("/api/v1/pods?fieldSelector=status.phase!%3DRunning"),
    [],
  );
});

Deno.test("ControlServer tells who watches what comes, changes and goes", async () => {
  await using rig = await Rig.start();
  await rig.local.create(plainWish(SET_KIND, "a", { labels: { app: "web" } }));
  const { metadata } = await rig.get(SETS);
  const from = metadata.resourceVersion;
  const all = rig.watch(`${SETS}?watch=1&resourceVersion=${from}`);
  const web = rig.watch(`${SETS}?watch=true&labelSelector=app%3Dweb`);
  await web.until(1);
  await rig.local.create(plainWish(SET_KIND, "b"));
  await rig.local.create(podWish("other"));
  const ref = { ...SET_KIND, namespace: "shop", name: "a" };
  const patch = { metadata: { labels: { app: null } } };
  await rig.local.store.patch(ref, patch, rig.local.signal);
  await all.until(2);
  await web.until(2);
  deepStrictEqual(all.words, ["ADDED b", "MODIFIED a"]);
  deepStrictEqual(web.words, ["ADDED a", "DELETED a"]);
});

Deno.test("ControlServer sends what is there first and a bookmark behind it to who wants that", async () => {
  await using rig = await Rig.start();
  await rig.local.create(plainWish(SET_KIND, "a"));
  const lines = rig.watch(
    `${SETS}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true`,
  );
  await lines.until(2);
  strictEqual(lines.words[0], "ADDED a");
  const { metadata } = await rig.get(SETS);
  deepStrictEqual(lines.seen[1], {
    type: "BOOKMARK",
    object: {
      kind: "ReplicaSet",
      apiVersion: "apps/v1",
      metadata: {
        resourceVersion: metadata.resourceVersion,
        creationTimestamp: null,
        annotations: { "k8s.io/initial-events-end": "true" },
      },
    },
  });
});

Deno.test("ControlServer ends a watch when its time is over, with a bookmark", async () => {
  await using rig = await Rig.start();
  const lines = rig.watch(
    `${SETS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=5`,
  );
  await rig.local.create(podWish("other"));
  await until(async () => {
    await rig.local.clock.advance(1000);
    return lines.isDone;
  });
  for (const { type } of lines.seen) strictEqual(type, "BOOKMARK");
});

Deno.test("ControlServer ends a watch that begins too long ago with an error of code 410", async () => {
  const limits = { kept: 2, behind: 4 };
  await using rig = await Rig.start(new LocalRig({ watchLimits: limits }));
  for (let at = 0; at < 40; at++) {
    await rig.local.create(plainWish(SET_KIND, `set-${at}`));
  }
  const lines = rig.watch(`${SETS}?watch=1&resourceVersion=1`);
  await until(() => lines.isDone);
  deepStrictEqual(lines.seen.map(({ type }) => type), ["ERROR"]);
  const status = lines.seen[0]?.object;
  ok(isRecord(status));
  strictEqual(status["kind"], "Status");
  strictEqual(status["code"], 410);
  strictEqual(status["reason"], "Expired");
});

Deno.test("ControlServer lets a bounded number of clients watch objects", async () => {
  await using rig = await Rig.start();
  await rig.local.create(plainWish(SET_KIND, "a"));
  const open = Array.from(
    { length: OPEN_OBJECT_WATCHES },
    () => rig.watch(`${SETS}?watch=1`),
  );
  for (const lines of open) await lines.until(1);
  const refused = await rig.get(`${SETS}?watch=1`, 429);
  strictEqual(
    refused.message,
    "Cannot watch replicasets.apps: found 32 open watches, wanted fewer",
  );
  // What cannot be opened takes no place, and who leaves gives it back.
  await open[0]?.[Symbol.asyncDispose]();
  await until(async () => {
    const response = await rig.fetch(`${SETS}?watch=1&labelSelector=a%20b`);
    await response.body?.cancel();
    return response.status === 400;
  });
  const again = rig.watch(`${SETS}?watch=1`);
  await again.until(1);
  deepStrictEqual(again.words, ["ADDED a"]);
});

Deno.test("ControlServer takes no HEAD of a watch, which has no end", async () => {
  await using rig = await Rig.start();
  const response = await rig.fetch(`${SETS}?watch=1`, { method: "HEAD" });
  strictEqual(response.status, 405);
});
