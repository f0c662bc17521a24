import {
  deepStrictEqual,
  match,
  ok,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import { Hidden } from "../../../../mod/base/text/mod.ts";
import {
  GET_VERSION,
  json,
  OpenBody,
  silence,
  TransportRig,
} from "../../../support/kube/transport_rig.ts";

const SERVER = "https://api:6443";

Deno.test("KubeTransport.call() sends what was wanted and decodes the answer", async () => {
  await using rig = new TransportRig();
  rig.identity = { server: `${SERVER}/k8s`, token: new Hidden("abc") };
  rig.answer = () => json({ a: [1, null] });
  const call = rig.call({
    method: "PATCH",
    path: "/api/v1/pods",
    query: { labelSelector: "app=web,tier in (a)", limit: "5" },
    body: { metadata: {} },
    contentType: "application/merge-patch+json",
  });
  deepStrictEqual(await call, { a: [1, null] });
  const [request] = rig.requests;
  strictEqual(
    request?.url,
    `${SERVER}/k8s/api/v1/pods?labelSelector=app%3Dweb%2Ctier+in+%28a%29&limit=5`,
  );
  strictEqual(request.method, "PATCH");
  strictEqual(request.body, '{"metadata":{}}');
  deepStrictEqual(request.headers, {
    "accept": "application/json",
    "user-agent": "skerry/test",
    "content-type": "application/merge-patch+json",
    "authorization": "Bearer abc",
  });
});

Deno.test("KubeTransport.call() says nothing of what it does not have", async () => {
  await using rig = new TransportRig();
  strictEqual(await rig.call().then(() => "answered"), "answered");
  const [request] = rig.requests;
  strictEqual(request?.url, `${SERVER}/version`);
  strictEqual("body" in request, false);
  deepStrictEqual(request.headers, {
    "accept": "application/json",
    "user-agent": "skerry/test",
  });
  await rig.call({ body: null });
  strictEqual(rig.requests[1]?.body, "null");
  strictEqual(rig.requests[1]?.headers["content-type"], "application/json");
});

Deno.test("KubeTransport.call() gives null when that was answered", async () => {
  await using rig = new TransportRig();
  rig.answer = () => json(null);
  strictEqual(await rig.call(), null);
});

for (
  const [name, answer, reason, message] of [
    [
      "a refusal",
      () =>
        json({ kind: "Status", reason: "Forbidden", message: "no" }, {
          status: 403,
        }),
      "Forbidden",
      "Cannot get the version: the API server answered 403: no",
    ],
    [
      "a page of a proxy",
      () => new Response("<html>", { status: 502 }),
      "ServiceUnavailable",
      "Cannot get the version: the API server answered 502",
    ],
    [
      "a refusal without end",
      () => new Response("x".repeat(70_000), { status: 500 }),
      "InternalError",
      "Cannot get the version: the API server answered 500",
    ],
    [
      "a redirect",
      () =>
        new Response("go", {
          status: 302,
          headers: { location: "https://evil" },
        }),
      "Garbage",
      "Cannot get the version: the API server answered 302, wanted an answer of its own",
    ],
    [
      "a page that has not changed",
      () => new Response(null, { status: 304 }),
      "Garbage",
      "Cannot get the version: the API server answered 304, wanted an answer of its own",
    ],
    [
      "no JSON",
      () => new Response("S3CR3T"),
      "Garbage",
      "Cannot get the version: the answer is no JSON",
    ],
    [
      "nothing",
      () => new Response(null, { status: 204 }),
      "Garbage",
      "Cannot get the version: the answer is no JSON",
    ],
    [
      "bytes that are no text",
      () => new Response(new Uint8Array([34, 255, 34])),
      "Garbage",
      "Cannot get the version: the answer is no JSON",
    ],
    [
      "too much",
      () => new Response(`"${"x".repeat(1023)}"`),
      "Garbage",
      "Cannot get the version: the answer is longer than 1024 bytes",
    ],
    [
      "a broken connection",
      () =>
        Promise.reject(
          new TypeError("fetch failed", {
            cause: new Error(
              "error sending request for url (https://api/?q): client error (Connect): refused",
            ),
          }),
        ),
      "Unreachable",
      "Cannot get the version: client error (Connect): refused",
    ],
    [
      "another failure",
      () => Promise.reject(new TypeError("Requests are blocked")),
      "Unreachable",
      "Cannot get the version: Requests are blocked",
    ],
  ] as const
) {
  Deno.test(`KubeTransport.call() fails when the answer is ${name}`, async () => {
    await using rig = new TransportRig();
    rig.answer = answer;
    const call = rig.call();
    await rejects(call, { name: "ApiFailure", reason, message });
    strictEqual(rig.requests.length, 1);
    strictEqual(rig.open, 1);
  });
}

Deno.test("KubeTransport.call() takes an answer of just the bound", async () => {
  await using rig = new TransportRig();
  const text = "x".repeat(1022);
  rig.answer = () => json(text);
  strictEqual(await rig.call(), text);
});

Deno.test("KubeTransport.call() reads no more of an answer that is too long", async () => {
  await using rig = new TransportRig();
  let body: OpenBody | undefined;
  rig.answer = (request) => {
    body = new OpenBody(request);
    body.send("x".repeat(1025));
    return body.response;
  };
  await rejects(rig.call(), { reason: "Garbage" });
  strictEqual(body?.isCancelled, true);
});

Deno.test("KubeTransport.call() fails when the body breaks off", async () => {
  await using rig = new TransportRig();
  rig.answer = (request) => {
    const body = new OpenBody(request);
    body.send('{"a":');
    queueMicrotask(() => body.break(new TypeError("error reading a body")));
    return body.response;
  };
  await rejects(rig.call(), {
    reason: "Unreachable",
    message: "Cannot get the version: error reading a body",
  });
});

for (const [name, isHead] of [["a head", true], ["a body", false]] as const) {
  Deno.test(`KubeTransport.call() waits for ${name} no longer than its time`, async () => {
    await using rig = new TransportRig();
    rig.answer = (request) =>
      isHead ? silence(request) : new OpenBody(request).response;
    const call = rig.call();
    let isOver = false;
    call.catch(() => isOver = true);
    await rig.clock.advance(9_999);
    strictEqual(isOver, false);
    await rig.clock.advance(1);
    await rejects(call, {
      name: "ApiFailure",
      reason: "Timeout",
      message: "Cannot get the version: there was no whole answer within 10 s",
    });
  });
}

Deno.test("KubeTransport.call() throws the reason of its caller", async () => {
  await using rig = new TransportRig();
  rig.answer = silence;
  const call = rig.call();
  await rig.clock.advance(0);
  const reason = new Error("enough");
  rig.stop.abort(reason);
  strictEqual(await call.catch((error) => error), reason);
  await rejects(rig.call(), reason);
  strictEqual(rig.requests.length, 1);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("KubeTransport.call() throws the reason of its caller in the middle of a refusal", async () => {
  await using rig = new TransportRig();
  rig.answer = (request) => new OpenBody(request, { status: 403 }).response;
  const call = rig.call();
  await rig.clock.advance(0);
  const reason = new Error("enough");
  rig.stop.abort(reason);
  strictEqual(await call.catch((error) => error), reason);
});

Deno.test("KubeTransport.call() takes the code of a refusal that has no end", async () => {
  await using rig = new TransportRig();
  rig.answer = (request) => new OpenBody(request, { status: 403 }).response;
  const call = rig.call();
  await rig.clock.advance(10_000);
  await rejects(call, { reason: "Forbidden" });
});

Deno.test("KubeTransport.call() leaves no timer behind", async () => {
  await using rig = new TransportRig();
  await rig.call();
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("KubeTransport counts answers by method and code", async () => {
  await using rig = new TransportRig();
  await rig.call();
  await rig.call();
  rig.answer = () => new Response("", { status: 404 });
  await rig.call({ method: "DELETE" }).catch(() => {});
  rig.answer = () => Promise.reject(new TypeError("fetch failed"));
  await rig.call().catch(() => {});
  const lines = rig.metrics.render().split("\n").filter((line) =>
    line.startsWith("skerry_api_requests_total{")
  );
  deepStrictEqual(lines, [
    'skerry_api_requests_total{method="GET",code="200"} 2',
    'skerry_api_requests_total{method="DELETE",code="404"} 1',
    'skerry_api_requests_total{method="GET",code="0"} 1',
  ]);
});

function busy(retryAfter: string, status: number = 429): Response {
  return json({}, { status, headers: { "retry-after": retryAfter } });
}

Deno.test("KubeTransport.call() asks again when the server wishes, if it may", async () => {
  await using rig = new TransportRig();
  const answers = [busy("2"), busy("0", 503), json("done")];
  rig.answer = () => answers.shift() ?? json("more");
  const call = rig.call({ obeysRetryAfter: true });
  await rig.clock.advance(2_199);
  strictEqual(rig.requests.length, 1);
  await rig.clock.advance(1);
  strictEqual(rig.requests.length, 2);
  // At least a second, and a tenth by chance.
  await rig.clock.advance(1_099);
  strictEqual(rig.requests.length, 2);
  await rig.clock.advance(1);
  strictEqual(await call, "done");
  strictEqual(rig.requests.length, 3);
});

Deno.test("KubeTransport.call() tells its caller when the wish is too long or not its own to obey", async () => {
  await using rig = new TransportRig();
  rig.answer = () => busy("7");
  await rejects(rig.call(), { reason: "TooManyRequests", retryAfterMs: 7_000 });
  rig.answer = () => busy("10");
  await rejects(rig.call({ obeysRetryAfter: true }), { retryAfterMs: 10_000 });
  rig.answer = () => json({}, { status: 429 });
  await rejects(rig.call({ obeysRetryAfter: true }), {
    reason: "TooManyRequests",
    retryAfterMs: undefined,
  });
  rig.answer = () => busy("1", 403);
  await rejects(rig.call({ obeysRetryAfter: true }), {
    reason: "Forbidden",
    retryAfterMs: undefined,
  });
  rig.answer = () => busy("1", 500);
  await rejects(rig.call(), { reason: "InternalError", retryAfterMs: 1_000 });
  strictEqual(rig.requests.length, 5);
});

Deno.test("KubeTransport.call() asks ten times at most", async () => {
  await using rig = new TransportRig();
  rig.answer = () => busy("0");
  const call = rig.call({ obeysRetryAfter: true, timeoutMs: 60_000 });
  await rig.clock.advance(60_000);
  await rejects(call, { reason: "TooManyRequests" });
  strictEqual(rig.requests.length, 10);
});

Deno.test("KubeTransport.call() stops to wait when its caller has enough", async () => {
  await using rig = new TransportRig();
  rig.answer = () => busy("5");
  const call = rig.call({ obeysRetryAfter: true });
  await rig.clock.advance(1_000);
  rig.stop.abort(new Error("enough"));
  await rejects(call, /enough/);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("KubeTransport shows no secret in a failure or in its log", async () => {
  await using rig = new TransportRig();
  rig.identity = { server: SERVER, token: new Hidden("S3CR3T") };
  const failures: unknown[] = [];
  for (
    const answer of [
      () => Promise.reject(new TypeError("fetch failed")),
      () => json({ kind: "Status", message: "who?" }, { status: 401 }),
      () => new Response("S3CR3T"),
    ]
  ) {
    rig.answer = answer;
    failures.push(await rig.call().catch((error) => error));
  }
  for (const failure of failures) {
    ok(failure instanceof ApiFailure);
    ok(!Deno.inspect(failure, { depth: 9 }).includes("S3CR3T"));
  }
  ok(!rig.log.join().includes("S3CR3T"));
  match(`${failures[1]}`, /answered 401: who\?/);
});

Deno.test("KubeTransport keeps one connection for all calls, and closes it in the end", async () => {
  const rig = new TransportRig();
  await Promise.all([rig.call(), rig.call({ path: "/livez" })]);
  deepStrictEqual(rig.lines, ["0 GET /version", "0 GET /livez"]);
  strictEqual(rig.open, 1);
  await rig[Symbol.asyncDispose]();
  strictEqual(rig.open, 0);
  strictEqual(GET_VERSION.timeoutMs, 10_000);
});
