/**
 * Events over a real socket.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { eventFeed } from "../../../mod/views/mod.ts";
import type { Clock } from "../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { EventRecorder } from "../../../mod/events/mod.ts";
import type { ControlServer } from "../../../mod/server/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { Quiet } from "../../support/quiet/quiet.ts";
import { AgentStub } from "../../support/server/agent_stub.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

interface Line {
  readonly type: string;
  readonly object: {
    readonly reason: string;
    readonly count?: number;
    readonly code?: number;
  };
}

/** A server with a recorder behind it, and a client. */
class Rig implements AsyncDisposable {
  readonly recorder: EventRecorder;
  readonly #stack = new AsyncDisposableStack();
  #server: ControlServer | undefined;
  readonly #clock: Clock;
  path = "";
  #client: Deno.HttpClient | undefined;

  private constructor(clock: Clock) {
    const metrics = new MetricsRegistry();
    this.#clock = clock;
    this.recorder = new EventRecorder({ clock, log: silentLogger, metrics });
  }

  static async start(clock: Clock = new FakeClock()): Promise<Rig> {
    const rig = new Rig(clock);
    const dir = rig.#stack.use(await TempDir.make());
    rig.path = `${dir.path}/s.sock`;
    const agent = new AgentStub(clock);
    agent.events = eventFeed(rig.recorder, { nodeName: "n1" });
    rig.#server = await agent.serve(rig.path);
    const { path } = rig;
    rig.#client = Deno.createHttpClient({ proxy: { transport: "unix", path } });
    rig.#stack.defer(() => rig.#client?.close());
    return rig;
  }

  record(
    reason: string,
    name: string = "web-n1",
    namespace: string = "shop",
  ): void {
    this.recorder.record({ name, namespace, uid: `uid-${name}` }, {
      type: "Normal",
      reason,
      message: "m",
    });
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    ok(this.#client !== undefined);
    // A name would be asked of the network's name server, though the socket is known.
    return fetch(`http://127.0.0.1${path}`, { ...init, client: this.#client });
  }

  async list(path: string) {
    const response = await this.fetch(path);
    strictEqual(response.status, 200);
    return await response.json();
  }

  async reasons(path: string): Promise<string[]> {
    const { items } = await this.list(path);
    return items.map((event: Line["object"]) => event.reason);
  }

  async close(): Promise<void> {
    let isClosed = false;
    const closing = this.#server?.[Symbol.asyncDispose]().then(() => {
      isClosed = true;
    });
    this.#server = undefined;
    if (closing === undefined) return;
    const clock = this.#clock;
    if (clock instanceof FakeClock) {
      // A client that does not close is cut when its time is over.
      await until(async () => {
        await clock.advance(100);
        return isClosed;
      }, "the server's end");
    }
    await closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await this.#stack.disposeAsync();
  }
}

/** Reads lines one by one. */
class Lines {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(response: Response) {
    strictEqual(response.status, 200);
    ok(response.body !== null);
    this.#reader = response.body.getReader();
  }

  /** The next line; `undefined` at the end. */
  async next(): Promise<Line | undefined> {
    for (let chunk = 0; !this.#text.includes("\n") && chunk < 1_000; chunk++) {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
    const end = this.#text.indexOf("\n");
    const line = JSON.parse(this.#text.slice(0, end));
    this.#text = this.#text.slice(end + 1);
    return line;
  }

  async text(): Promise<string> {
    const line = await this.next();
    return line === undefined ? "end" : `${line.type} ${line.object.reason}`;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

Deno.test("ControlServer lists events of all namespaces, of one, and of what is selected", async () => {
  await using rig = await Rig.start();
  rig.record("A");
  rig.record("B", "db-n1");
  rig.record("C", "web-n1", "other");
  const all = await rig.list("/api/v1/events");
  deepStrictEqual([all.apiVersion, all.kind], ["v1", "EventList"]);
  match(all.metadata.resourceVersion, /^\d+$/);
  for (
    const [path, wanted] of [
      ["/api/v1/events", ["A", "B", "C"]],
      ["/api/v1/events?namespace=shop", ["A", "B"]],
      ["/api/v1/namespaces/shop/events", ["A", "B"]],
      ["/api/v1/namespaces/none/events", []],
      ["/api/v1/events?fieldSelector=involvedObject.name%3Dweb-n1", ["A", "C"]],
      [
        "/api/v1/events?fieldSelector=involvedObject.name=web-n1,involvedObject.namespace=shop",
        [
          "A",
        ],
      ],
      ["/api/v1/events?fieldSelector=involvedObject.uid==uid-db-n1", ["B"]],
      ["/api/v1/events?fieldSelector=reason!=A,type=Normal", ["B", "C"]],
      ["/api/v1/events?limit=500", ["A", "B", "C"]],
    ] as const
  ) deepStrictEqual(await rig.reasons(path), wanted, path);
});

for (
  const [query, fault] of [
    ["fieldSelector=spec.x=1", 'found "spec.x", wanted one of'],
    ["fieldSelector=toString=1", 'found "toString", wanted one of'],
    ["fieldSelector=reason", "wanted a field, = or !=, and a value"],
    ["watch=maybe", 'found "maybe", wanted true or false'],
    ["watch=1&resourceVersion=x", 'found "x", wanted one of a list'],
  ] as const
) {
  Deno.test(`ControlServer refuses events with ${query}`, async () => {
    await using rig = await Rig.start();
    const response = await rig.fetch(`/api/v1/events?${query}`);
    const { message, code } = await response.json();
    deepStrictEqual([response.status, code], [400, 400]);
    ok(message.includes(fault), message);
  });
}

Deno.test("ControlServer refuses HEAD of a watch, and paths below events", async () => {
  await using rig = await Rig.start();
  const head = await rig.fetch("/api/v1/events?watch=1", { method: "HEAD" });
  strictEqual(head.status, 405);
  await head.body?.cancel();
  for (
    const path of [
      "/api/v1/events/x",
      "/api/v1/namespaces/shop/events/x",
      "/api/v1/namespaces/shop",
      "/api/v1",
      "/metrics/x",
    ]
  ) {
    const { status, body } = await rig.fetch(path);
    strictEqual(status, 404, path);
    await body?.cancel();
  }
});

Deno.test("ControlServer streams events from a version on, new ones and those that happen again", async () => {
  await using rig = await Rig.start();
  rig.record("A");
  const { metadata: { resourceVersion } } = await rig.list("/api/v1/events");
  rig.record("B");
  const lines = new Lines(
    await rig.fetch(
      `/api/v1/namespaces/shop/events?watch=1&resourceVersion=${resourceVersion}`,
    ),
  );
  strictEqual(await lines.text(), "ADDED B");
  rig.record("X", "web-n1", "other");
  rig.record("A");
  const again = await lines.next();
  deepStrictEqual(
    [again?.type, again?.object.reason, again?.object.count],
    ["MODIFIED", "A", 2],
  );
  await rig.close();
  strictEqual(await lines.text(), "end");
});

Deno.test("ControlServer streams all there is to a watch without a version", async () => {
  await using rig = await Rig.start();
  rig.record("A");
  for (const query of ["watch=true", "watch=1&resourceVersion=0"]) {
    const lines = new Lines(await rig.fetch(`/api/v1/events?${query}`));
    strictEqual(await lines.text(), "ADDED A");
    await lines.cancel();
  }
});

Deno.test("ControlServer tells a watch of another run that its version is too old", async () => {
  await using rig = await Rig.start();
  rig.record("A");
  for (const version of ["7", "999999999999999"]) {
    const lines = new Lines(
      await rig.fetch(`/api/v1/events?watch=1&resourceVersion=${version}`),
    );
    const line = await lines.next();
    deepStrictEqual(
      [line?.type, line?.object.reason, line?.object.code],
      ["ERROR", "Expired", 410],
    );
    strictEqual(await lines.next(), undefined);
  }
});

Deno.test("ControlServer takes 16 watches and gives back the place of one that left", async () => {
  await using rig = await Rig.start();
  const open = [];
  for (let number = 0; number < 16; number++) {
    open.push(new Lines(await rig.fetch("/api/v1/events?watch=1")));
  }
  const refusal = await rig.fetch("/api/v1/events?watch=1");
  strictEqual(refusal.status, 429);
  strictEqual((await refusal.json()).reason, "TooManyRequests");
  // Nothing is sent meanwhile: that the client has left shows by itself.
  await open[0]?.cancel();
  await until(async () => {
    const response = await rig.fetch("/api/v1/events?watch=1");
    await response.body?.cancel();
    return response.status === 200;
  });
  for (const lines of open.slice(1)) await lines.cancel();
});

/** Asks for a watch and reads nothing of the answer. */
async function askAndSleep(path: string): Promise<Deno.UnixConn> {
  const connection = await Deno.connect({ transport: "unix", path });
  const request = "GET /api/v1/events?watch=1 HTTP/1.1\r\nhost: x\r\n\r\n";
  await connection.write(new TextEncoder().encode(request));
  return connection;
}

/** Records more than the buffers between hold. */
function flood({ recorder }: Rig): void {
  for (let number = 0; number < 3_000; number++) {
    recorder.record(
      { name: "web-n1", namespace: "shop", uid: `u-${number}` },
      { type: "Normal", reason: "A", message: "x".repeat(1_000) },
    );
  }
}

Deno.test("ControlServer drops a watcher that does not read, and others go on", async () => {
  const clock = new FakeClock();
  using quiet = await Quiet.open({ clock });
  await using rig = await Rig.start(clock);
  const idle = clock.pendingTimers;
  using _asleep = await askAndSleep(rig.path);
  flood(rig);
  // Until it is really stuck, and does not just take its time.
  await quiet.settle();
  ok(clock.pendingTimers > idle);
  await clock.advance(60_000);
  await until(() => clock.pendingTimers === idle);
  strictEqual((await rig.reasons("/api/v1/events")).length > 1_000, true);
  await rig.close();
});

Deno.test("ControlServer closes although a client does not read", async () => {
  const clock = new FakeClock();
  using quiet = await Quiet.open({ clock });
  await using rig = await Rig.start(clock);
  const idle = clock.pendingTimers;
  using _asleep = await askAndSleep(rig.path);
  flood(rig);
  await quiet.settle();
  ok(clock.pendingTimers > idle);
  const closed = rig.close();
  await quiet.settle();
  await clock.advance(1_000);
  await closed;
});

Deno.test("ControlServer serves the metrics of probes apart", async () => {
  await using rig = await Rig.start();
  const response = await rig.fetch("/metrics/probes");
  match(response.headers.get("content-type") ?? "", /version=0\.0\.4/);
  match(await response.text(), /^# TYPE prober_/);
});
