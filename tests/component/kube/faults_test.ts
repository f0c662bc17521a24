import {
  deepStrictEqual,
  match,
  ok,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { Hidden } from "../../../mod/base/text/mod.ts";
import { ApiFailure } from "../../../mod/api/access/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import { KubeKind, kubeResource } from "../../../mod/kube/objects/mod.ts";
import {
  answering,
  type KubeAnswer,
  KubeClient,
  pour,
  StagedServer,
} from "../../support/kube/staged_server.ts";
import { wirePod } from "../../support/kube/recording_api.ts";
import { until } from "../../support/until.ts";

const PLACE = { namespace: "shop", name: "web" };

function podsOf(client: KubeClient): KubeKind<ApiObject> {
  const resource = kubeResource({ apiVersion: "v1", kind: "Pod" });
  return new KubeKind(client.transport, resource);
}

function statusAnswer(
  code: number,
  reason: string,
  headers: Readonly<Record<string, string>> = {},
): KubeAnswer {
  const body = { kind: "Status", apiVersion: "v1", reason, message: "because" };
  return answering({ ...body, code }, { status: code, headers });
}

/** Waits for a failure, at will with a clock that goes. */
async function failureOf(
  work: Promise<unknown>,
  client?: KubeClient,
): Promise<ApiFailure> {
  let failure: unknown;
  work.then(
    () => failure = new Error("it did not fail"),
    (error) => failure = error,
  );
  await until(async () => {
    await client?.clock.advance(1_000);
    return failure !== undefined;
  });
  if (failure instanceof ApiFailure) return failure;
  throw failure;
}

Deno.test("KubeKind reads and writes objects over TLS with a token and a certificate", async () => {
  await using server = await StagedServer.start();
  const { cert, key } = await server.authority.issue({
    name: "system:node:n1",
  });
  const identity = {
    ...server.identity,
    client: { cert, key: new Hidden(key) },
  };
  await using client = new KubeClient(identity);
  const pods = podsOf(client);
  server.answer = answering(wirePod());
  const { signal } = client.stop;
  deepStrictEqual(await pods.get(PLACE, signal), wirePod());
  const body = { status: { phase: "Running" } };
  await pods.patch(
    PLACE,
    { type: "strategic", body, subresource: "status" },
    signal,
  );
  await pods.delete(PLACE, { uid: "u1", gracePeriodSeconds: 0 }, signal);
  deepStrictEqual(
    server.requests.map((
      { method, path, contentType },
    ) => [method, path, contentType]),
    [
      ["GET", "/api/v1/namespaces/shop/pods/web", undefined],
      [
        "PATCH",
        "/api/v1/namespaces/shop/pods/web/status",
        "application/strategic-merge-patch+json",
      ],
      ["DELETE", "/api/v1/namespaces/shop/pods/web", "application/json"],
    ],
  );
  strictEqual(server.requests[1]?.body, JSON.stringify(body));
  for (const { authorization, client } of server.requests) {
    strictEqual(authorization, "Bearer S3CR3T");
    strictEqual(client, "system:node:n1");
  }
  strictEqual(server.connections, 1);
});

const half: KubeAnswer = (_request, response) => {
  response.writeHead(200);
  response.write('{"kind":');
};

/** Sends the same for as long as anybody listens. */
function flood(code: number): KubeAnswer {
  return (_request, response) => {
    response.writeHead(code);
    pour(response);
  };
}

const FAULTS: readonly (readonly [string, KubeAnswer, RegExp])[] = [
  [
    "401",
    statusAnswer(401, "Unauthorized"),
    /^Unauthorized .* answered 401: because$/,
  ],
  [
    "403",
    statusAnswer(403, "Forbidden"),
    /^Forbidden .* answered 403: because$/,
  ],
  ["404", statusAnswer(404, "NotFound"), /^NotFound .* answered 404: because$/],
  ["409", statusAnswer(409, "Conflict"), /^Conflict .* answered 409: because$/],
  ["410", statusAnswer(410, "Expired"), /^Expired .* answered 410: because$/],
  [
    "429",
    statusAnswer(429, "TooManyRequests"),
    /^TooManyRequests .* answered 429: because$/,
  ],
  [
    "500",
    statusAnswer(500, "InternalError"),
    /^InternalError .* answered 500: because$/,
  ],
  [
    "another object",
    answering(wirePod("other")),
    /^Garbage .*the answer is about another object$/,
  ],
  [
    "another kind",
    answering({ ...wirePod(), kind: "Node" }),
    /^Garbage .*it is of another kind/,
  ],
  ["garbage", answering("\u0000<html>"), /^Garbage .*the answer is no JSON$/],
  ["a cut", (_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write('{"kind":', () => response.destroy());
  }, /^Unreachable /],
  ["a cut between chunks", (_request, response) => {
    response.writeHead(200);
    response.write('{"kind":', () => response.destroy());
  }, /^Unreachable /],
  ["no head", (_request, response) => void response.destroy(), /^Unreachable /],
  ["silence", () => {}, /^Timeout .*there was no whole answer within 30 s$/],
  ["half an answer", half, /^Timeout .*there was no whole answer within 30 s$/],
  [
    "no end",
    flood(200),
    /^Garbage .*longer than 10485760 bytes$/,
  ],
  ["no end of a refusal", flood(500), /^InternalError .*answered 500$/],
  ["a bomb", (_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    response.end(gzipSync(new Uint8Array(100 * 1024 * 1024)));
  }, /^Garbage .*longer than 10485760 bytes$/],
];

for (const [name, answer, wanted] of FAULTS) {
  Deno.test(`KubeKind.get() fails when the server answers ${name}, and then works again`, async () => {
    await using server = await StagedServer.start();
    await using client = new KubeClient(server.identity);
    server.answer = answer;
    const pods = podsOf(client);
    const { signal } = client.stop;
    const isLate = wanted.source.startsWith("^Timeout");
    const call = pods.get(PLACE, signal);
    const { reason, message } = await failureOf(
      call,
      isLate ? client : undefined,
    );
    match(`${reason} ${message}`, wanted);
    match(message, /^Cannot get pods "shop\/web": /);
    ok(!message.includes("S3CR3T"));
    server.answer = answering(wirePod());
    deepStrictEqual(await pods.get(PLACE, signal), wirePod());
  });
}

Deno.test("KubeKind.get() takes a slow answer as long as there is time", async () => {
  await using server = await StagedServer.start();
  await using client = new KubeClient(server.identity);
  const text = JSON.stringify(wirePod());
  server.answer = (_request, response) => {
    const dribble = async (): Promise<void> => {
      for (const char of text) {
        await new Promise<void>((resolve) =>
          response.write(char, () => resolve())
        );
      }
      response.end();
    };
    void dribble();
  };
  const pod = await podsOf(client).get(PLACE, client.stop.signal);
  deepStrictEqual(pod, wirePod());
});

Deno.test("KubeKind asks again after 429 with Retry-After, but for lists", async () => {
  await using server = await StagedServer.start();
  await using client = new KubeClient(server.identity);
  const busy = statusAnswer(429, "TooManyRequests", { "retry-after": "7" });
  server.answer = busy;
  const pods = podsOf(client);
  const { signal } = client.stop;
  const call = pods.get(PLACE, signal);
  await until(() => server.requests.length === 1);
  server.answer = answering(wirePod());
  await until(async () => {
    await client.clock.advance(1_000);
    return server.requests.length === 2;
  });
  ok(client.clock.monotonic() >= 7_000);
  deepStrictEqual(await call, wirePod());
  server.answer = busy;
  await rejects(pods.list({}, signal), { retryAfterMs: 7_000 });
  await rejects(pods.watch({}, signal), { retryAfterMs: 7_000 });
});

Deno.test("KubeKind.create() may have been carried out when its time is over", async () => {
  await using server = await StagedServer.start();
  await using client = new KubeClient(server.identity);
  const kept: string[] = [];
  server.answer = ({ body }, response) => {
    if (kept.length > 0) {
      return statusAnswer(409, "AlreadyExists")(
        server.requests[0] ?? never(),
        response,
      );
    }
    kept.push(body);
  };
  const pods = podsOf(client);
  const pod = { apiVersion: "v1", kind: "Pod", metadata: PLACE };
  const { signal } = client.stop;
  const first = await failureOf(pods.create(pod, signal), client);
  strictEqual(first.reason, "Timeout");
  const second = await failureOf(pods.create(pod, signal), client);
  strictEqual(second.reason, "AlreadyExists");
  deepStrictEqual(kept, [JSON.stringify(pod)]);
});

function never(): never {
  throw new Error("Wanted a request");
}

for (const code of [301, 302, 303, 307, 308]) {
  Deno.test(`KubeTransport follows no redirect of code ${code}: no secret goes elsewhere`, async () => {
    await using server = await StagedServer.start();
    const { authority } = server;
    await using other = await StagedServer.start({ authority });
    await using client = new KubeClient(server.identity);
    server.answer = answering("", {
      status: code,
      headers: { location: `${other.url}/api/v1/pods` },
    });
    const pods = podsOf(client);
    const { signal } = client.stop;
    for (
      const call of [
        () => pods.get(PLACE, signal),
        () => pods.list({}, signal),
        () => pods.watch({}, signal),
      ]
    ) {
      const { reason, message } = await failureOf(call());
      strictEqual(reason, "Garbage");
      match(
        message,
        new RegExp(`answered ${code}, wanted an answer of its own`),
      );
    }
    strictEqual(other.connections, 0);
  });
}

Deno.test("KubeKind.list() asks for an address with a prefix", async () => {
  await using server = await StagedServer.start();
  const identity = { ...server.identity, server: `${server.url}/k8s/c-1` };
  await using client = new KubeClient(identity);
  server.answer = answering({
    kind: "PodList",
    metadata: { resourceVersion: "1" },
    items: [],
  });
  const fieldSelector = "spec.nodeName=n&1";
  await podsOf(client).list({ fieldSelector, limit: 5 }, client.stop.signal);
  strictEqual(
    server.requests[0]?.path,
    "/k8s/c-1/api/v1/pods?fieldSelector=spec.nodeName%3Dn%261&limit=5",
  );
});
