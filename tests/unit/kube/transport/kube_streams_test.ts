import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import { Hidden } from "../../../../mod/base/text/mod.ts";
import {
  json,
  OpenBody,
  silence,
  TransportRig,
  WATCH,
} from "../../../support/kube/transport_rig.ts";

const SERVER = "https://api:6443";

/** A rig whose streams stay open, and their bodies in order. */
function streaming(): {
  readonly rig: TransportRig;
  readonly bodies: OpenBody[];
} {
  const rig = new TransportRig();
  const bodies: OpenBody[] = [];
  rig.answer = (request, url) => {
    if (!url.includes("watch=")) return json({});
    const body = new OpenBody(request);
    bodies.push(body);
    return body.response;
  };
  return { rig, bodies };
}

Deno.test("KubeTransport.stream() gives pieces until the server ends", async () => {
  const { rig, bodies } = streaming();
  await using _rig = rig;
  const reading = await rig.read();
  bodies[0]?.send("a");
  await rig.clock.advance(0);
  strictEqual(reading.text, "a");
  // Longer than the time for the head.
  await rig.clock.advance(20_000);
  bodies[0]?.send("b");
  bodies[0]?.end();
  await rig.clock.advance(0);
  deepStrictEqual(reading, { text: "ab", end: "ended" });
  // Only the next look at credentials is due.
  strictEqual(rig.clock.pendingTimers, 1);
});

Deno.test("KubeTransport.stream() gives nothing of an empty body", async () => {
  await using rig = new TransportRig();
  rig.answer = () => new Response(null);
  const reading = await rig.read();
  await rig.clock.advance(0);
  deepStrictEqual(reading, { text: "", end: "ended" });
});

Deno.test("KubeTransport.stream() fails when it cannot be opened", async () => {
  await using rig = new TransportRig();
  rig.answer = () => json({}, { status: 410 });
  await rejects(rig.read(), { reason: "Expired" });
  rig.answer = silence;
  const late = rig.read();
  late.catch(() => {});
  await rig.clock.advance(WATCH.timeoutMs);
  await rejects(late, {
    reason: "Timeout",
    message: "Cannot watch pods: there was no whole answer within 10 s",
  });
  rig.answer = () => Promise.reject(new TypeError("fetch failed"));
  await rejects(rig.read(), { reason: "Unreachable" });
});

Deno.test("KubeTransport.stream() throws when the connection breaks", async () => {
  const { rig, bodies } = streaming();
  await using _rig = rig;
  const reading = await rig.read();
  bodies[0]?.break(new TypeError("connection reset"));
  await rig.clock.advance(0);
  deepStrictEqual(
    reading.end,
    new ApiFailure("Unreachable", "Cannot watch pods: connection reset"),
  );
});

Deno.test("KubeTransport.stream() ends when its caller has enough", async () => {
  const { rig, bodies } = streaming();
  await using _rig = rig;
  const stop = new AbortController();
  const reading = await rig.read({}, stop.signal);
  bodies[0]?.send("a");
  await rig.clock.advance(0);
  stop.abort(new Error("enough"));
  await rig.clock.advance(0);
  deepStrictEqual(reading, { text: "a", end: "ended" });
});

Deno.test("KubeTransport.stream() breaks off what its reader leaves", async () => {
  const { rig, bodies } = streaming();
  await using _rig = rig;
  const stream = await rig.transport.stream(WATCH, rig.stop.signal);
  bodies[0]?.send("a");
  for await (const _piece of stream) break;
  strictEqual(bodies[0]?.isCancelled, true);
  strictEqual(rig.requests[0]?.signal.aborted, true);
});

Deno.test("KubeTransport.stream() is over when it is never read and its caller has enough", async () => {
  const { rig } = streaming();
  await using _rig = rig;
  for (let at = 0; at < 200; at++) {
    const stop = new AbortController();
    await rig.transport.stream(WATCH, stop.signal);
    stop.abort();
  }
  strictEqual(rig.connections.length, 1);
});

Deno.test("KubeTransport opens a further connection for more than 80 streams", async () => {
  const { rig, bodies } = streaming();
  await using _rig = rig;
  for (let at = 0; at < 161; at++) await rig.read();
  const used = rig.requests.map(({ connection }) => connection);
  deepStrictEqual(
    [used.indexOf(1), used.indexOf(2), rig.open],
    [80, 160, 3],
  );
  // Calls have room on the first.
  await rig.call();
  strictEqual(rig.requests.at(-1)?.connection, 0);
  // What has no stream any more is closed, but for the first.
  bodies[160]?.end();
  await rig.clock.advance(0);
  strictEqual(rig.open, 2);
  for (const body of bodies.slice(0, 80)) body.end();
  await rig.clock.advance(0);
  strictEqual(rig.open, 2);
  await rig.read();
  strictEqual(rig.requests.at(-1)?.connection, 0);
  for (const body of bodies.slice(80, 160)) body.end();
  await rig.clock.advance(0);
  deepStrictEqual(rig.connections.map((each) => each !== undefined), [
    true,
    false,
    false,
  ]);
});

Deno.test("KubeTransport opens no stream on a connection that it has closed", async () => {
  const { rig, bodies } = streaming();
  await using _rig = rig;
  for (let at = 0; at < 81; at++) await rig.read();
  bodies[80]?.end();
  await rig.clock.advance(0);
  strictEqual(rig.open, 1);
  await rig.read();
  strictEqual(rig.requests.at(-1)?.connection, 2);
});

Deno.test("KubeTransport asks on a connection whose streams are silent for 30 s", async () => {
  const { rig, bodies } = streaming();
  await using _rig = rig;
  const reading = await rig.read();
  await rig.clock.advance(29_999);
  strictEqual(rig.requests.length, 1);
  await rig.clock.advance(1);
  strictEqual(rig.lines[1], "0 GET /version");
  deepStrictEqual(rig.requests[1]?.headers, {});
  // It has answered: there are another 30 s, and so on from each sign of life.
  await rig.clock.advance(20_000);
  bodies[0]?.send("a");
  await rig.clock.advance(29_999);
  strictEqual(rig.requests.length, 2);
  await rig.clock.advance(1);
  strictEqual(rig.requests.length, 3);
  strictEqual(reading.end, undefined);
});

Deno.test("KubeTransport does not ask because nothing was open for long", async () => {
  const { rig, bodies } = streaming();
  await using _rig = rig;
  await rig.read();
  bodies[0]?.end();
  await rig.clock.advance(50_000);
  rig.answer = silence;
  rig.read().catch(() => {});
  await rig.clock.advance(9_999);
  strictEqual(rig.requests.length, 2);
  // It could not be opened in time, and nothing else was heard.
  await rig.clock.advance(1);
  strictEqual(rig.lines[2], "0 GET /version");
});

Deno.test("KubeTransport reads no more than the head of what it asked to hear something", async () => {
  const { rig } = streaming();
  await using _rig = rig;
  await rig.read();
  let body: OpenBody | undefined;
  rig.answer = (request) => (body = new OpenBody(request)).response;
  await rig.clock.advance(30_000);
  strictEqual(body?.isCancelled, true);
});

Deno.test("KubeTransport takes any answer for a sign of life, and that of a call", async () => {
  const { rig } = streaming();
  await using _rig = rig;
  await rig.read();
  const answer = rig.answer;
  rig.answer = () => new Response("no", { status: 500 });
  await rig.clock.advance(30_000);
  strictEqual(rig.requests.length, 2);
  await rig.clock.advance(15_000);
  rig.answer = answer;
  await rig.call();
  await rig.clock.advance(29_999);
  strictEqual(rig.requests.length, 3);
  await rig.clock.advance(1);
  strictEqual(rig.requests.length, 4);
  strictEqual(rig.connections.length, 1);
});

for (
  const [name, answer] of [
    ["is silent", silence],
    ["breaks", () => Promise.reject(new TypeError("refused"))],
  ] as const
) {
  Deno.test(`KubeTransport leaves a connection on which the question ${name}, with all its streams`, async () => {
    const { rig } = streaming();
    await using _rig = rig;
    const readings = [await rig.read(), await rig.read()];
    const answers = rig.answer;
    rig.answer = answer;
    await rig.clock.advance(name === "breaks" ? 30_000 : 44_999);
    if (name === "is silent") {
      deepStrictEqual(readings.map(({ end }) => end), [undefined, undefined]);
      await rig.clock.advance(1);
    }
    for (const { end } of readings) {
      deepStrictEqual(
        end,
        new ApiFailure(
          "Unreachable",
          "The API server says nothing any more on this connection",
        ),
      );
    }
    strictEqual(rig.open, 0);
    strictEqual(rig.log.length, 1);
    strictEqual(JSON.parse(rig.log[0] ?? "").message, "connection_is_dead");
    strictEqual(JSON.parse(rig.log[0] ?? "").streams, 2);
    rig.answer = answers;
    await rig.read();
    strictEqual(rig.requests.at(-1)?.connection, 1);
  });
}

Deno.test("KubeTransport forgives silence while a stream speaks during the question", async () => {
  const { rig, bodies } = streaming();
  await using _rig = rig;
  const reading = await rig.read();
  rig.answer = silence;
  await rig.clock.advance(40_000);
  bodies[0]?.send("late");
  await rig.clock.advance(5_000);
  strictEqual(reading.end, undefined);
  strictEqual(rig.open, 1);
  await rig.clock.advance(24_999);
  strictEqual(rig.requests.length, 2);
  await rig.clock.advance(1);
  strictEqual(rig.requests.length, 3);
});

Deno.test("KubeTransport asks nothing when no stream is open", async () => {
  const { rig, bodies } = streaming();
  await using _rig = rig;
  await rig.read();
  bodies[0]?.end();
  await rig.clock.advance(120_000);
  strictEqual(rig.requests.length, 1);
  await rig.call();
  await rig.clock.advance(120_000);
  strictEqual(rig.requests.length, 2);
});

Deno.test("KubeTransport asks at once when a call got no answer and nothing else came", async () => {
  const { rig, bodies } = streaming();
  await using _rig = rig;
  const reading = await rig.read();
  await rig.clock.advance(1);
  rig.answer = silence;
  const first = rig.call();
  await rig.clock.advance(5_000);
  bodies[0]?.send("a");
  await rig.clock.advance(5_000);
  await rejects(first, { reason: "Timeout" });
  strictEqual(rig.requests.length, 2, "the server is slow, not dead");
  const second = rig.call();
  await rig.clock.advance(10_000);
  await rejects(second, { reason: "Timeout" });
  strictEqual(rig.lines[3], "0 GET /version");
  await rig.clock.advance(15_000);
  strictEqual(rig.open, 0);
  strictEqual(reading.end instanceof ApiFailure, true);
});

Deno.test("KubeTransport asks nothing for a caller that has enough", async () => {
  const { rig } = streaming();
  await using _rig = rig;
  rig.answer = silence;
  const stop = new AbortController();
  const call = rig.transport.call(WATCH, stop.signal).catch(() => {});
  await rig.clock.advance(5_000);
  stop.abort();
  await call;
  await rig.clock.advance(60_000);
  strictEqual(rig.requests.length, 1);
});

Deno.test("KubeTransport ends all streams when it is disposed", async () => {
  const { rig } = streaming();
  rig.identity = { server: SERVER, token: new Hidden("abc") };
  const reading = await rig.read();
  await rig.transport[Symbol.asyncDispose]();
  await rig.clock.advance(0);
  strictEqual(rig.open, 0);
  strictEqual(reading.end === undefined, false);
  strictEqual(rig.clock.pendingTimers, 0);
});
