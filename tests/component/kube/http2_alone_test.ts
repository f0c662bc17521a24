import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { KubeClient } from "../../support/kube/staged_server.ts";
import { GET_VERSION, WATCH } from "../../support/kube/transport_rig.ts";
import { Authority } from "../../support/peers/certificates.ts";
import { HOSTS } from "../../support/peers/pki.ts";
import { until } from "../../support/until.ts";

/** A server of HTTP/2 that takes 100 streams of a connection, as API servers do. */
class Http2Server implements AsyncDisposable {
  readonly watches = new Map<string, Http2ServerResponse>();
  readonly versions: string[] = [];
  readonly sessions = new Set<ServerHttp2Session>();
  /** Whether nothing is answered any more. */
  isDeaf = false;
  readonly #server: Http2SecureServer;
  readonly #ca: string;

  private constructor(server: Http2SecureServer, ca: string) {
    this.#server = server;
    this.#ca = ca;
    server.on("session", (session) => {
      this.sessions.add(session);
      session.on("error", () => {});
      session.on("close", () => this.sessions.delete(session));
    });
    server.on("request", (request, response) => {
      this.versions.push(request.httpVersion);
      const { url } = request;
      if (this.isDeaf) return;
      if (!url.includes("watch")) return void response.end("{}");
      this.watches.set(url, response);
      request.on("close", () => this.watches.delete(url));
      response.writeHead(200);
      response.write("hello");
    });
  }

  static async start(): Promise<Http2Server> {
    const authority = await Authority.create();
    const { cert, key } = await authority.issue({ name: "api", hosts: HOSTS });
    const settings = { maxConcurrentStreams: 100 };
    const server = createSecureServer({ cert, key, settings });
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", () => resolve());
    await promise;
    return new Http2Server(server, authority.cert);
  }

  get identity(): { readonly server: string; readonly ca: string } {
    const address = this.#server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    return { server: `https://127.0.0.1:${port}`, ca: this.#ca };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const session of this.sessions) session.destroy();
    await promise;
  }
}

/** Opens a stream and reads it; what it has said and how it ended. */
async function open(
  client: KubeClient,
  number: number,
): Promise<{ text: string; end: unknown }> {
  const query = { watch: `${number}` };
  const { signal } = client.stop;
  const stream = await client.transport.stream({ ...WATCH, query }, signal);
  const reading: { text: string; end: unknown } = { text: "", end: undefined };
  const read = async (): Promise<void> => {
    for await (const piece of stream) {
      reading.text += new TextDecoder().decode(piece);
    }
  };
  read().then(() => reading.end = "ended", (error) => reading.end = error);
  return reading;
}

Deno.test("KubeTransport shares connections of HTTP/2 without waiting for room", async () => {
  await using server = await Http2Server.start();
  await using client = new KubeClient(server.identity);
  const readings: { readonly text: string }[] = [];
  for (let number = 0; number < 170; number++) {
    readings.push(await open(client, number));
  }
  await until(() => readings.every(({ text }) => text === "hello"));
  strictEqual(server.sessions.size, 3);
  const answer = await client.transport.call(GET_VERSION, client.stop.signal);
  deepStrictEqual(answer, {});
  strictEqual(server.sessions.size, 3);
  ok(server.versions.every((version) => version === "2.0"));
});

Deno.test("KubeTransport notices that a connection of HTTP/2 is dead, and opens another", async () => {
  await using server = await Http2Server.start();
  await using client = new KubeClient(server.identity);
  const readings = [await open(client, 1), await open(client, 2)];
  await until(() => readings.every(({ text }) => text === "hello"));
  server.isDeaf = true;
  const beganMs = client.clock.monotonic();
  await until(async () => {
    await client.clock.advance(500);
    return readings.every(({ end }) => end !== undefined);
  });
  ok(client.clock.monotonic() - beganMs <= 45_500);
  for (const { end } of readings) match(`${end}`, /says nothing any more/);
  // Both streams and the question are gone at the server, too.
  await until(() => server.watches.size === 0);
  server.isDeaf = false;
  const [dead] = server.sessions;
  await open(client, 3);
  ok([...server.sessions].some((session) => session !== dead));
});
