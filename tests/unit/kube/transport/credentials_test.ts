import {
  deepStrictEqual,
  match,
  ok,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { Hidden } from "../../../../mod/base/text/mod.ts";
import type { KubeIdentity } from "../../../../mod/kube/config/mod.ts";
import {
  json,
  OpenBody,
  silence,
  TransportRig,
} from "../../../support/kube/transport_rig.ts";

const SERVER = "https://api:6443";

function withToken(token: string): KubeIdentity {
  return { server: SERVER, token: new Hidden(token) };
}

function withCert(cert: string, key: string = `key of ${cert}`): KubeIdentity {
  return { server: SERVER, client: { cert, key: new Hidden(key) } };
}

function tokensOf(rig: TransportRig): readonly (string | undefined)[] {
  return rig.requests.map(({ headers }) => headers["authorization"]);
}

function messages(rig: TransportRig): readonly string[] {
  return rig.log.map((line) => JSON.parse(line).message);
}

Deno.test("KubeTransport reads credentials again after a minute, when it is asked", async () => {
  await using rig = new TransportRig();
  rig.identity = withToken("one");
  await rig.call();
  rig.identity = withToken("two");
  await rig.clock.advance(59_999);
  await rig.call();
  strictEqual(rig.loads, 1);
  await rig.clock.advance(1);
  await rig.call();
  strictEqual(rig.loads, 2);
  deepStrictEqual(tokensOf(rig), ["Bearer one", "Bearer one", "Bearer two"]);
  strictEqual(rig.connections.length, 1, "a token needs no new connection");
  deepStrictEqual(messages(rig), ["credentials_renewed"]);
});

Deno.test("KubeTransport reads once for all calls that wait", async () => {
  await using rig = new TransportRig();
  await Promise.all([rig.call(), rig.call(), rig.call()]);
  strictEqual(rig.loads, 1);
  await rig.clock.advance(60_000);
  await Promise.all([rig.call(), rig.call()]);
  strictEqual(rig.loads, 2);
  deepStrictEqual(messages(rig), []);
});

Deno.test("KubeTransport reads credentials each minute while streams are open", async () => {
  await using rig = new TransportRig();
  const bodies: OpenBody[] = [];
  rig.answer = (request, url) => {
    if (!url.includes("watch=")) return json({});
    const body = new OpenBody(request);
    bodies.push(body);
    return body.response;
  };
  rig.identity = withCert("one");
  const reading = await rig.read();
  await rig.clock.advance(120_000);
  strictEqual(rig.loads, 3);
  strictEqual(reading.end, undefined);
  rig.identity = withCert("two");
  await rig.clock.advance(60_000);
  // The end is a plain one: the reader opens it again from where it was.
  strictEqual(reading.end, "ended");
  deepStrictEqual(rig.connections, [undefined, rig.identity]);
  await rig.clock.advance(600_000);
  strictEqual(rig.loads, 4, "nothing is read while nothing is open");
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("KubeTransport lets calls go on over a connection that is replaced", async () => {
  await using rig = new TransportRig();
  rig.identity = withCert("one");
  let body: OpenBody | undefined;
  rig.answer = (request) => (body = new OpenBody(request)).response;
  const call = rig.call({ timeoutMs: 100_000 });
  await rig.clock.advance(60_000);
  rig.identity = withCert("two");
  rig.answer = () => json("second");
  strictEqual(await rig.call(), "second");
  strictEqual(rig.open, 2);
  body?.send('"first"');
  body?.end();
  strictEqual(await call, "first");
  strictEqual(rig.open, 1);
});

Deno.test("KubeTransport says that credentials have changed to a stream that is being opened", async () => {
  await using rig = new TransportRig();
  rig.identity = withCert("one");
  rig.answer = (request, url) =>
    url.endsWith("/version") ? json({}) : silence(request);
  const reading = rig.read({ timeoutMs: 200_000 });
  reading.catch(() => {});
  await rig.clock.advance(60_000);
  rig.identity = withCert("two");
  await rig.clock.advance(60_000);
  await rejects(reading, {
    reason: "Unreachable",
    message: "Cannot watch pods: the credentials have changed meanwhile",
  });
});

for (
  const [what, identity] of [
    ["server", { server: "https://other:6443" }],
    ["authorities", { server: SERVER, ca: "CA" }],
    ["certificate", withCert("two", "key")],
    ["key", withCert("one", "other")],
    ["proxy", { server: SERVER, proxyUrl: new Hidden("http://proxy") }],
  ] as const
) {
  Deno.test(`KubeTransport opens a new connection for another ${what}`, async () => {
    await using rig = new TransportRig();
    rig.identity = withCert("one", "key");
    await rig.call();
    rig.identity = identity;
    await rig.clock.advance(60_000);
    await rig.call();
    deepStrictEqual(rig.connections, [undefined, identity]);
  });
}

Deno.test("KubeTransport keeps what works while new credentials cannot be used", async () => {
  await using rig = new TransportRig();
  rig.identity = withCert("one");
  await rig.call();
  const inUse = rig.connections[0];
  for (
    const broken of [new Error("Cannot read"), withCert("two", "unfit")]
  ) {
    rig.identity = broken;
    for (let minutes = 0; minutes < 3; minutes++) {
      await rig.clock.advance(60_000);
      await rig.call();
    }
  }
  deepStrictEqual(rig.connections, [inUse]);
  strictEqual(rig.loads, 7);
  deepStrictEqual(messages(rig), [
    "credentials_unusable",
    "credentials_unusable",
  ]);
  match(rig.log[0] ?? "", /Cannot read.*"inUse":true/);
  rig.identity = withCert("three");
  await rig.clock.advance(60_000);
  await rig.call();
  deepStrictEqual(rig.connections, [undefined, rig.identity]);
});

Deno.test("KubeTransport says it again when what was mended breaks once more", async () => {
  await using rig = new TransportRig();
  for (const identity of [new Error("a"), withToken("x"), new Error("a")]) {
    rig.identity = identity;
    await rig.call().catch(() => {});
    await rig.clock.advance(60_000);
  }
  deepStrictEqual(messages(rig), [
    "credentials_unusable",
    "credentials_unusable",
  ]);
});

Deno.test("KubeTransport fails without any credentials, and looks again at each call", async () => {
  await using rig = new TransportRig();
  rig.identity = new Error('Cannot read "/etc/kube": no such file');
  await rejects(rig.call(), {
    name: "ApiFailure",
    reason: "Unauthorized",
    message:
      'Cannot speak to the API server: Cannot read "/etc/kube": no such file',
  });
  await rejects(rig.read(), { reason: "Unauthorized" });
  strictEqual(rig.loads, 2);
  match(rig.log[0] ?? "", /"inUse":false/);
  rig.identity = withToken("one");
  await rig.call();
  strictEqual(rig.loads, 3);
  deepStrictEqual(messages(rig), ["credentials_unusable"]);
});

Deno.test("KubeTransport waits for credentials no longer than the call may take", async () => {
  await using rig = new TransportRig();
  const { promise, resolve } = Promise.withResolvers<KubeIdentity>();
  Reflect.set(rig, "identity", promise);
  const call = rig.call();
  await rig.clock.advance(10_000);
  await rejects(call, { reason: "Timeout" });
  resolve(withToken("one"));
  await rig.call();
  deepStrictEqual(tokensOf(rig), ["Bearer one"]);
});

function refusing(rig: TransportRig, ...refused: readonly string[]): void {
  rig.answer = ({ headers }) => {
    const token = headers["authorization"] ?? "";
    return refused.some((each) => token === `Bearer ${each}`)
      ? json({ kind: "Status", message: "who?" }, { status: 401 })
      : json("welcome");
  };
}

Deno.test("KubeTransport.call() tries once more with a token that has changed", async () => {
  await using rig = new TransportRig();
  refusing(rig, "old");
  rig.identity = withToken("old");
  await rejects(rig.call(), { reason: "Unauthorized" });
  strictEqual(rig.loads, 2, "a refusal is a reason to look");
  rig.identity = withToken("new");
  strictEqual(await rig.call(), "welcome");
  deepStrictEqual(tokensOf(rig), ["Bearer old", "Bearer old", "Bearer new"]);
});

Deno.test("KubeTransport.call() tries once more and not for ever", async () => {
  await using rig = new TransportRig();
  let tokens = 0;
  rig.answer = () => {
    rig.identity = withToken(`${++tokens}`);
    return json({}, { status: 401 });
  };
  rig.identity = withToken("0");
  await rejects(rig.call(), { reason: "Unauthorized" });
  deepStrictEqual(tokensOf(rig), ["Bearer 0", "Bearer 1"]);
});

Deno.test("KubeTransport.call() looks for credentials after no other refusal", async () => {
  await using rig = new TransportRig();
  rig.identity = withToken("old");
  rig.answer = () => {
    rig.identity = withToken("new");
    return json({}, { status: 403 });
  };
  await rejects(rig.call(), { reason: "Forbidden" });
  strictEqual(rig.loads, 1);
});

Deno.test("KubeTransport.call() takes what others have read since it began", async () => {
  await using rig = new TransportRig();
  rig.identity = withToken("old");
  await rig.call();
  const answers: ((response: Response) => void)[] = [];
  rig.answer = ({ headers }) => {
    if (headers["authorization"] === "Bearer new") return json("welcome");
    const { promise, resolve } = Promise.withResolvers<Response>();
    answers.push(resolve);
    return promise;
  };
  const calls = [rig.call(), rig.call()];
  await rig.clock.advance(1);
  rig.identity = withToken("new");
  answers[0]?.(json({}, { status: 401 }));
  strictEqual(await calls[0], "welcome");
  answers[1]?.(json({}, { status: 401 }));
  strictEqual(await calls[1], "welcome");
  strictEqual(rig.loads, 2);
});

Deno.test("KubeTransport.call() tries once more over a new connection with another certificate", async () => {
  await using rig = new TransportRig();
  rig.identity = withCert("old");
  rig.answer = () => {
    rig.identity = withCert("new");
    return rig.connections.length === 1
      ? json({}, { status: 401 })
      : json("welcome");
  };
  strictEqual(await rig.call(), "welcome");
  deepStrictEqual(rig.lines, ["0 GET /version", "1 GET /version"]);
  ok(rig.connections[0] === undefined);
});

Deno.test("KubeTransport.refresh() reads credentials now, and not those of a reading before", async () => {
  await using rig = new TransportRig();
  rig.identity = withCert("one");
  await rig.call();
  rig.identity = withCert("two");
  const { signal } = rig.stop;
  await rig.transport.refresh(signal);
  deepStrictEqual(rig.connections, [undefined, rig.identity]);
  const { promise, resolve } = Promise.withResolvers<KubeIdentity>();
  Reflect.set(rig, "identity", promise);
  const first = rig.transport.refresh(signal);
  await rig.clock.advance(0);
  rig.identity = withCert("four");
  const second = rig.transport.refresh(signal);
  resolve(withCert("three"));
  await Promise.all([first, second]);
  strictEqual(rig.loads, 4);
  strictEqual(rig.connections.at(-1), rig.identity);
});
