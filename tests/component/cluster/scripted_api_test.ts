/**
 * The scripted API server does to its clients what it is told.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  ok,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { isRecord } from "../../../mod/base/mod.ts";
import { ApiClient } from "../../support/cluster/api_client.ts";
import type {
  RequestFault,
  RequestMatch,
} from "../../support/cluster/request_fault.ts";
import {
  ScriptedApi,
  type ScriptedApiOptions,
} from "../../support/cluster/scripted_api.ts";
import { until } from "../../support/until.ts";

const MAPS = "/api/v1/namespaces/shop/configmaps";
const WATCH = `${MAPS}?watch=true&resourceVersion=100`;

/** A server and one who asks it. */
async function withApi(
  test: (api: ScriptedApi, client: ApiClient) => Promise<void>,
  options: ScriptedApiOptions = {},
): Promise<void> {
  await using api = await ScriptedApi.start(options);
  const user = await api.authority.issue({ name: "system:node:edge1" });
  using client = new ApiClient(api.server, user);
  await test(api, client);
}

function testFault(
  name: string,
  fault: RequestFault,
  test: (api: ScriptedApi, client: ApiClient) => Promise<void>,
  match: RequestMatch = {},
): void {
  Deno.test(`ScriptedApi ${name}`, () =>
    withApi(async (api, client) => {
      api.fail(match, fault);
      await test(api, client);
      // Only the first request is meant.
      strictEqual((await client.ask("GET", MAPS)).status, 200);
    }));
}

testFault("refuses with a Status", {
  kind: "refuse",
  code: 429,
  reason: "TooManyRequests",
  retryAfterSeconds: 7,
}, async (_api, client) => {
  const { status, body } = await client.ask("GET", MAPS);
  deepStrictEqual([status, isRecord(body) && body["reason"]], [
    429,
    "TooManyRequests",
  ]);
});

testFault("says what is no object", { kind: "say", text: "<html>" }, async (
  api,
  client,
) => {
  const answer = await client.ask("POST", MAPS, { body: named("a") });
  deepStrictEqual(answer, { status: 200, body: "<html>" });
  strictEqual(api.objects.version, 100);
});

testFault("cuts before it does anything", { kind: "cut" }, async (
  api,
  client,
) => {
  await rejects(client.ask("POST", MAPS, { body: named("a") }));
  strictEqual(api.objects.version, 100);
});

testFault(
  "does it, and cuts before it answers",
  { kind: "break", by: "cut" },
  async (
    api,
    client,
  ) => {
    await rejects(client.ask("POST", MAPS, { body: named("a") }));
    strictEqual((await client.ask("GET", `${MAPS}/a`)).status, 200);
    strictEqual(api.requests.length, 2);
  },
);

testFault("cuts in the middle of an answer", {
  kind: "break",
  by: "cut",
  afterBytes: 10,
}, async (_api, client) => {
  await rejects(client.ask("GET", MAPS));
});

for (
  const fault of [
    { kind: "stall" },
    { kind: "break", by: "stall" },
    { kind: "break", by: "stall", afterBytes: 10 },
  ] as const
) {
  const name = JSON.stringify(fault);
  testFault(`is silent by ${name}`, fault, async (api, client) => {
    const asked = client.ask("POST", MAPS, { body: named("a") });
    await until(() => api.requests.length === 1);
    const isDone = fault.kind === "break";
    await until(() => api.objects.version === (isDone ? 101 : 100));
    strictEqual(await state(asked), "pending");
    api.cutAll();
    await rejects(asked);
  });
}

const gate = Promise.withResolvers<void>();
testFault("does it when it may", { kind: "hold", until: gate.promise }, async (
  api,
  client,
) => {
  const asked = client.ask("POST", MAPS, { body: named("a") });
  await until(() => api.requests.length === 1);
  strictEqual(await state(asked), "pending");
  gate.resolve();
  strictEqual((await asked).status, 201);
});

const ISSUED = [["ADDED a", "ADDED b"], ["ADDED a", "ADDED a"], [
  "ADDED b",
  "ADDED a",
]];
for (
  const [at, kind] of (["none", "repeat_events", "swap_events"] as const)
    .entries()
) {
  Deno.test(`ScriptedApi tells of two events with ${kind}`, () =>
    withApi(async (api, client) => {
      await client.create(MAPS, named("a"));
      await client.create(MAPS, named("b"));
      if (kind !== "none") api.fail({ isWatch: true }, { kind });
      const events = await client.events(WATCH, { count: 2 });
      deepStrictEqual(events.map(lineOf).slice(0, 2), ISSUED[at]);
    }));
}

Deno.test("ScriptedApi breaks a watch in the middle of an event", () =>
  withApi(async (api, client) => {
    await client.create(MAPS, named("a"));
    api.fail({ isWatch: true }, { kind: "break", by: "cut", afterBytes: 40 });
    await rejects(client.events(WATCH, { count: 1 }));
    await until(() => api.watches === 0);
  }));

Deno.test("ScriptedApi says on watches what a test says", () =>
  withApi(async (api, client) => {
    const act = async (): Promise<void> => {
      await until(() => api.watches === 1);
      api.bookmark();
      api.say('{"type":"ODD"}');
    };
    const events = await client.events(
      `${WATCH}&allowWatchBookmarks=true`,
      { count: 2, act },
    );
    deepStrictEqual(events.map(lineOf), ["BOOKMARK ", "ODD "]);
  }));

Deno.test("ScriptedApi ends watches, and forgets what was", () =>
  withApi(async (api, client) => {
    const watching = client.events(WATCH, { count: 2 });
    await until(() => api.watches === 1);
    api.endWatches();
    deepStrictEqual(await watching, []);
    await client.create(MAPS, named("a"));
    api.objects.compact();
    const [event] = await client.events(WATCH, { count: 1 });
    strictEqual(lineOf(event), "ERROR ");
    match(JSON.stringify(event), /"reason":"Expired".*"code":410/);
  }));

Deno.test("ScriptedApi is half dead and wakes up", () =>
  withApi(async (api, client) => {
    await client.create(MAPS, named("a"));
    api.freeze();
    const old = client.ask("GET", MAPS);
    using another = new ApiClient(
      api.server,
      await api.authority.issue({ name: "admin" }),
    );
    const fresh = another.ask("GET", MAPS);
    strictEqual(await state(Promise.race([old, fresh])), "pending");
    strictEqual(api.requests.length, 1);
    api.thaw();
    deepStrictEqual([(await old).status, (await fresh).status], [200, 200]);
  }));

Deno.test("ScriptedApi knows who asks", () =>
  withApi(async (api, client) => {
    await client.ask("GET", MAPS);
    strictEqual(api.requests[0]?.user, "system:node:edge1");
    const http = Deno.createHttpClient({ caCerts: [api.server.ca] });
    const ask = async (headers: Record<string, string>): Promise<number> => {
      const url = `${api.server.url}${MAPS}`;
      const response = await fetch(url, { client: http, headers });
      await response.body?.cancel();
      return response.status;
    };
    strictEqual(await ask({}), 401);
    strictEqual(await ask({ authorization: "Bearer no" }), 401);
    strictEqual(await ask({ authorization: "Bearer word" }), 200);
    http.close();
  }, { tokens: ["word"] }));

Deno.test("ScriptedApi comes back on its port with what it had, and another certificate", () =>
  withApi(async (api, client) => {
    await client.create(MAPS, named("a"));
    const { authority, objects } = api;
    const { port } = new URL(api.server.url);
    await api[Symbol.asyncDispose]();
    const certificate = await authority.issue({
      name: "kube-apiserver",
      hosts: ["127.0.0.1"],
      endYear: 2021,
    });
    const old = { authority, objects, port: Number(port) };
    {
      await using _expired = await ScriptedApi.start({ ...old, certificate });
      // One who was here before goes on with its session, and looks at no certificate.
      using fresh = new ApiClient(
        api.server,
        await authority.issue({ name: "admin" }),
      );
      const wrong = await fresh.ask("GET", MAPS).catch((error) => error.cause);
      match(String(wrong), /certificate.*expired/is);
    }
    await using _well = await ScriptedApi.start(old);
    strictEqual((await client.ask("GET", `${MAPS}/a`)).status, 200);
  }));

Deno.test("ScriptedApi lists what was asked for", () =>
  withApi(async (api, client) => {
    await client.create(MAPS, named("a"));
    await client.events(WATCH, { count: 1 });
    deepStrictEqual(api.lines, [`POST ${MAPS}`, `WATCH ${MAPS}`]);
    ok(api.requests.every(({ headers }) => headers["user-agent"]));
  }));

function named(name: string): unknown {
  return { metadata: { name } };
}

/** As `ADDED web`. */
function lineOf(event: unknown): string {
  const { type, object } = isRecord(event) ? event : {};
  const meta = isRecord(object) ? object["metadata"] : undefined;
  return `${type} ${isRecord(meta) ? meta["name"] ?? "" : ""}`;
}

/** Whether something has come to pass, after all that could have been said was. */
async function state(promise: Promise<unknown>): Promise<string> {
  const quiet = new Promise((resolve) => setTimeout(resolve, 50, "pending"));
  return String(await Promise.race([promise.then(() => "done"), quiet]));
}
