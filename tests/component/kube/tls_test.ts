import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createServer } from "node:tls";
import { ApiFailure } from "../../../mod/api/access/mod.ts";
import { Hidden } from "../../../mod/base/text/mod.ts";
import type { KubeIdentity } from "../../../mod/kube/config/mod.ts";
import {
  answering,
  KubeClient,
  StagedServer,
} from "../../support/kube/staged_server.ts";
import { GET_VERSION, WATCH } from "../../support/kube/transport_rig.ts";
import { Authority } from "../../support/peers/certificates.ts";
import { HOSTS } from "../../support/peers/pki.ts";
import { drain, sayLast, serveRaw } from "../../support/peers/raw_server.ts";
import { until } from "../../support/until.ts";

const NAMED = { name: "api", hosts: HOSTS };

/** How a call of the version fails, on a clock that goes if it must. */
async function failure(
  identity: KubeIdentity,
  { isLate = false }: { readonly isLate?: boolean } = {},
): Promise<string> {
  await using client = new KubeClient(identity);
  let said: string | undefined;
  client.transport.call(GET_VERSION, client.stop.signal).then(
    (answer) => said = `answered ${answer}`,
    (error) => {
      ok(error instanceof ApiFailure);
      said = `${error.reason} ${error.message}`;
    },
  );
  await until(async () => {
    if (isLate) await client.clock.advance(1_000);
    return said !== undefined;
  });
  const words = said ?? "";
  ok(!words.includes("S3CR3T"), words);
  return words;
}

for (
  const [name, draft, words] of [
    ["has expired", { ...NAMED, endYear: 2022 }, /certificate expired/],
    [
      "is another host's",
      { ...NAMED, hosts: ["api.internal"] },
      /not valid for name "127.0.0.1"/,
    ],
    ["names nobody", { name: "127.0.0.1" }, /invalid peer certificate/],
  ] as const
) {
  Deno.test(`KubeTransport sends nothing to a server whose certificate ${name}`, async () => {
    const authority = await Authority.create();
    const certificate = await authority.issue(draft);
    await using server = await StagedServer.start({ authority, certificate });
    const said = await failure(server.identity);
    match(
      said,
      /^Unreachable Cannot get the version: client error \(Connect\): /,
    );
    match(said, words);
    strictEqual(server.requests.length, 0);
  });
}

Deno.test("KubeTransport sends nothing to a server of an authority that is not its own", async () => {
  await using server = await StagedServer.start();
  const { cert: ca } = await Authority.create();
  const { ca: _other, ...without } = server.identity;
  for (const identity of [{ ...without, ca }, without]) {
    const said = await failure(identity);
    match(said, /^Unreachable .*invalid peer certificate: /);
  }
  strictEqual(server.requests.length, 0);
});

Deno.test("KubeTransport says that nobody listens", async () => {
  const server = await StagedServer.start();
  const { identity } = server;
  await server[Symbol.asyncDispose]();
  match(await failure(identity), /^Unreachable .*Connection refused/);
});

Deno.test("KubeTransport waits no longer than it may for a server that accepts and says nothing", async () => {
  await using server = await serveRaw(drain);
  const identity = { server: `https://127.0.0.1:${server.port}` };
  match(
    await failure(identity, { isLate: true }),
    /^Timeout .*there was no whole answer within 10 s$/,
  );
});

Deno.test("KubeTransport makes nothing of a server without TLS", async () => {
  await using server = await serveRaw((connection) =>
    sayLast(connection, "HTTP/1.1 400 Bad Request\r\n\r\n")
  );
  const identity = { server: `https://127.0.0.1:${server.port}` };
  match(await failure(identity), /^Unreachable Cannot get the version: client/);
});

for (
  const [name, head] of [
    ["no HTTP", "SSH-2.0-OpenSSH\r\n\r\n"],
    ["a head of garbage", "HTTP/1.1 200 OK\r\n\u0000\u0001: \u0002\r\n\r\n{}"],
    [
      "two lengths",
      "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\n{}",
    ],
    ["an odd length", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{}"],
    ["a head without end", `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(200_000)}`],
    [
      "one long header",
      `HTTP/1.1 200 OK\r\nx: ${"y".repeat(2_000_000)}\r\n\r\n{}`,
    ],
  ] as const
) {
  Deno.test(`KubeTransport makes nothing of ${name} over TLS`, async () => {
    const authority = await Authority.create();
    const { cert, key } = await authority.issue(NAMED);
    const server = createServer({ cert, key }, (socket) => {
      socket.on("error", () => {});
      socket.on("data", () => {});
      socket.end(head);
    });
    const listening = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", () => listening.resolve());
    await listening.promise;
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const identity = {
      server: `https://127.0.0.1:${port}`,
      ca: authority.cert,
    };
    const said = await failure(identity);
    match(said, /^Unreachable Cannot get the version: /);
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    await closed.promise;
  });
}

Deno.test("KubeTransport shows a renewed certificate, and ends what the old one has opened", async () => {
  await using server = await StagedServer.start();
  const clientOf = async (name: string): Promise<KubeIdentity> => {
    const { cert, key } = await server.authority.issue({ name });
    return { ...server.identity, client: { cert, key: new Hidden(key) } };
  };
  const first = await clientOf("first");
  await using client = new KubeClient(first);
  const { signal } = client.stop;
  server.answer = ({ path }, response) => {
    if (path === "/version") return void response.end("{}");
    response.writeHead(200);
    response.flushHeaders();
  };
  let isOver = false;
  const watch = await client.transport.stream(WATCH, signal);
  const reading = Array.fromAsync(watch).then(() => isOver = true);
  // In steps in which something is heard, since the clock goes and the sockets do not.
  const aMinute = async (): Promise<void> => {
    for (let seconds = 0; seconds < 60; seconds += 10) {
      await client.clock.advance(10_000);
      await client.transport.call(GET_VERSION, signal);
    }
  };
  // One whose key is another's is not taken.
  const second = await clientOf("second");
  client.identity = {
    ...second,
    ...first.client &&
      { client: { cert: second.client?.cert ?? "", key: first.client.key } },
  };
  await aMinute();
  strictEqual(isOver, false);
  client.identity = second;
  await aMinute();
  await reading;
  const shown = server.requests.map(({ client }) => client);
  strictEqual(shown.lastIndexOf("first"), shown.length - 2);
  strictEqual(shown.indexOf("second"), shown.length - 1);
});

Deno.test("KubeTransport goes through a proxy, and tells it nothing of what it sends", async () => {
  await using server = await StagedServer.start();
  server.answer = answering({ ok: true });
  const asked: string[] = [];
  await using proxy = await serveRaw(async (connection) => {
    const room = new Uint8Array(65_536);
    const read = await connection.read(room) ?? 0;
    asked.push(new TextDecoder().decode(room.subarray(0, read)));
    await sayLast(connection, "HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  const proxyUrl = new Hidden(`http://me:p%40ss@127.0.0.1:${proxy.port}`);
  const said = await failure({ ...server.identity, proxyUrl });
  match(said, /^Unreachable Cannot get the version: /);
  ok(!said.includes("p%40ss") && !said.includes("p@ss"), said);
  match(asked[0] ?? "", /^CONNECT 127\.0\.0\.1:\d+ HTTP\/1\.1\r\n/);
  match(asked[0] ?? "", new RegExp(btoa("me:p@ss")));
  ok(!asked[0]?.includes("S3CR3T"));
  strictEqual(server.connections, 0);
  deepStrictEqual(server.requests, []);
});
