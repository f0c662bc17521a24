/**
 * gRPC's health question, to servers that know it and to those that know nothing.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  checkHealth,
  type HealthAnswer,
} from "../../../mod/host/clients/mod.ts";
import {
  type HealthReply,
  serveHealth,
} from "../../support/peers/health_server.ts";
import { untilQuiet } from "../../support/quiet/quiet.ts";
import {
  drain,
  readRequest,
  say,
  serveRaw,
} from "../../support/peers/raw_server.ts";

const NEVER = new AbortController().signal;

function ask(
  port: number,
  more: { readonly service?: string; readonly signal?: AbortSignal } = {},
): Promise<HealthAnswer> {
  const { service = "", signal = NEVER } = more;
  return checkHealth({
    address: { host: "127.0.0.1", port },
    service,
    userAgent: "kube-probe/1.36",
    timeoutMs: 1000,
    signal,
  });
}

const REPLIES: readonly [string, HealthReply, HealthAnswer][] = [
  ["SERVING", Uint8Array.of(8, 1), { kind: "status", status: "SERVING" }],
  ["NOT_SERVING", Uint8Array.of(8, 2), {
    kind: "status",
    status: "NOT_SERVING",
  }],
  ["nothing", new Uint8Array(), { kind: "status", status: "UNKNOWN" }],
  ["a status of the future", Uint8Array.of(8, 200, 1), {
    kind: "status",
    status: "200",
  }],
  [
    "fields of the future as well",
    Uint8Array.of(0x12, 2, 65, 66, 0x1d, 0, 0, 0, 0, 8, 1, 0x20, 5),
    { kind: "status", status: "SERVING" },
  ],
  ["NOT_FOUND", { code: 5, details: "unknown service x, größer" }, {
    kind: "refused",
    code: "NotFound",
    detail: "unknown service x, größer",
  }],
];

for (const [name, reply, expected] of REPLIES) {
  Deno.test(`checkHealth() hears that a server answers ${name} (PR-06)`, async () => {
    await using server = await serveHealth(() => reply);
    deepStrictEqual(await ask(server.port), expected);
  });
}

Deno.test("checkHealth() says what is asked for and who asks (PR-06)", async () => {
  await using server = await serveHealth(() => Uint8Array.of(8, 1));
  await ask(server.port);
  await ask(server.port, { service: "shop" });
  deepStrictEqual(server.calls.map(({ request }) => [...request]), [
    [],
    [0x0a, 4, ...new TextEncoder().encode("shop")],
  ]);
  strictEqual(server.calls[0]?.userAgent, "kube-probe/1.36");
});

Deno.test("checkHealth() hears that a server has no health service (PR-06)", async () => {
  await using server = await serveHealth(() => undefined, "shop.Cart");
  const answer = await ask(server.port);
  strictEqual(answer.kind === "refused" && answer.code, "Unimplemented");
});

Deno.test("checkHealth() ends when its time is over, and knows how far it came (PR-06)", async () => {
  await using slow = await serveHealth(() => undefined);
  const call = new AbortController();
  const asking = ask(slow.port, { signal: call.signal });
  await untilQuiet();
  call.abort();
  deepStrictEqual(await asking, { kind: "aborted", wasConnected: true });
  await using mute = await serveRaw(drain);
  const other = new AbortController();
  const waiting = ask(mute.port, { signal: other.signal });
  await untilQuiet();
  other.abort();
  deepStrictEqual(await waiting, { kind: "aborted", wasConnected: false });
});

/** A frame of HTTP/2. */
function frame(
  type: number,
  flags: number,
  stream: number,
  payload: readonly number[] = [],
): number[] {
  const { length } = payload;
  return [0, length >> 8, length & 255, type, flags, 0, 0, 0, stream]
    .concat(payload);
}

const ascii = (text: string): number[] => [...new TextEncoder().encode(text)];
const SETTINGS = frame(4, 0, 0);
const goAway = (last: number): number[] =>
  frame(7, 0, 0, [0, 0, 0, last, 0, 0, 0, 0]);
const STATUS_200 = [0x88];
const MESSAGE = frame(0, 0, 1, [0, 0, 0, 0, 2, 8, 1]);
const TRAILERS = frame(1, 5, 1, [0, 11, ...ascii("grpc-status"), 1, 48]);
const SERVING = [...frame(1, 4, 1, STATUS_200), ...MESSAGE, ...TRAILERS];

/** What is said to the request, and what is made of it. */
const SAID: readonly [string, readonly number[], string][] = [
  ["an answer", [...SETTINGS, ...SERVING], "SERVING"],
  ["a GOAWAY before the answer it still gives", [
    ...SETTINGS,
    ...goAway(1),
    ...SERVING,
  ], "SERVING"],
  ["pings and windows before the answer", [
    ...SETTINGS,
    ...frame(6, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]),
    ...frame(8, 0, 0, [0, 1, 0, 0]),
    ...frame(4, 1, 0),
    ...frame(99, 7, 3, [1, 2]),
    ...SERVING,
  ], "SERVING"],
  ["headers in pieces, padded", [
    ...SETTINGS,
    ...frame(1, 0x28, 1, [2, 0, 0, 0, 0, 7, ...STATUS_200, 0, 0]),
    ...frame(9, 4, 1, []),
    ...frame(0, 8, 1, [3, 0, 0, 0, 0, 2, 8, 1, 0, 0, 0]),
    ...TRAILERS,
  ], "SERVING"],
  [
    "a GOAWAY that leaves the call out",
    [...SETTINGS, ...goAway(0)],
    "going away \\(GOAWAY\\) with error code: NO_ERROR",
  ],
  // Deno 2.9.6's own node:http2 ends the process on this one.
  ["a GOAWAY with an error, and more behind it", [
    ...SETTINGS,
    ...frame(1, 4, 1, STATUS_200),
    ...frame(7, 0, 0, [0, 0, 0, 1, 0, 0, 0, 2]),
    ...SERVING,
    ...frame(3, 0, 1, [0, 0, 0, 1]),
    ...goAway(1),
  ], "SERVING"],
  ["a GOAWAY instead of a greeting", goAway(0), "did not begin"],
  [
    "RST_STREAM",
    [...SETTINGS, ...frame(3, 0, 1, [0, 0, 0, 7])],
    "RST_STREAM with error code: REFUSED_STREAM",
  ],
  ["a push", [...SETTINGS, ...frame(5, 4, 1, [0, 0, 0, 2])], "pushes"],
  ["a huge frame", [...SETTINGS, 255, 255, 255, 0, 0, 0, 0, 0, 1], "too large"],
  ["a padding of everything", [
    ...SETTINGS,
    ...frame(0, 8, 1, [200, 1]),
  ], "all padding"],
  ["a compressed message", [
    ...SETTINGS,
    ...frame(1, 4, 1, STATUS_200),
    ...frame(0, 0, 1, [1, 0, 0, 0, 0]),
    ...TRAILERS,
  ], "compressed"],
  ["no message", [
    ...SETTINGS,
    ...frame(1, 4, 1, STATUS_200),
    ...TRAILERS,
  ], "without a message"],
  // Each may have 16 KiB, and each was kept: 800 MB in ten seconds.
  [
    "headers again and again",
    [...SETTINGS, ...Array(8).fill(frame(1, 4, 1, STATUS_200)).flat()],
    "more than 7 blocks of headers",
  ],
  ["nonsense for headers", [
    ...SETTINGS,
    ...frame(1, 4, 1, [255, 255, 255, 255, 255, 255]),
  ], "headers that cannot be read"],
  ["an end without a status", [
    ...SETTINGS,
    ...frame(1, 5, 1, STATUS_200),
  ], "without a gRPC status"],
  ["a page that is not there", [
    ...SETTINGS,
    ...frame(1, 5, 1, [0x8d]),
  ], "Unimplemented.*404"],
  ["TLS", [0x15, 3, 1, 0, 2, 2, 70], "speaks TLS"],
  ["HTTP/1", ascii("HTTP/1.1 400 Bad Request\r\n\r\n"), "speaks HTTP/1"],
  ["nothing", [], "EOF"],
  ["a greeting and no more", SETTINGS, "EOF"],
];

for (const [name, said, expected] of SAID) {
  Deno.test(`checkHealth() of a server that says ${name} (PR-06)`, async () => {
    await using server = await serveRaw(async (connection) => {
      await readRequest(connection);
      await say(connection, Uint8Array.from(said));
      connection.closeWrite();
      await drain(connection);
    });
    const answer = await ask(server.port);
    const text = "cause" in answer
      ? `${answer.kind} ${answer.cause}`
      : JSON.stringify(answer);
    match(text, new RegExp(expected));
  });
}

const FLOODS: readonly [string, readonly number[], number][] = [
  ["settings", SETTINGS, 3000],
  ["pings", frame(6, 0, 0, [0, 0, 0, 0, 0, 0, 0, 0]), 3000],
  ["headers without an end", frame(9, 0, 1, Array(1000).fill(0)), 100],
  ["a message without an end", frame(0, 0, 1, Array(1000).fill(0)), 100],
];

for (const [name, each, times] of FLOODS) {
  Deno.test(`checkHealth() gives up on a flood of ${name}`, async () => {
    await using server = await serveRaw(async (connection) => {
      const first = each[3] === 9 ? frame(1, 0, 1, STATUS_200) : [];
      await say(connection, Uint8Array.from([...SETTINGS, ...first]));
      for (let sent = 0; sent < times; sent++) {
        await say(connection, Uint8Array.from(each));
      }
      await drain(connection);
    });
    const { kind } = await ask(server.port);
    strictEqual(kind, "broken");
  });
}

Deno.test("checkHealth() survives whatever bytes there are (PR-06)", async () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return Math.floor(seed / 2 ** 31 * below);
  };
  const whole = [...SETTINGS, ...SERVING, ...goAway(1)];
  await using server = await serveRaw(async (connection) => {
    const bytes = Uint8Array.from(whole);
    for (let flips = 0; flips <= random(4); flips++) {
      bytes[random(bytes.length)] = random(256);
    }
    await say(connection, bytes);
    connection.closeWrite();
    await drain(connection);
  });
  for (let round = 0; round < 150; round++) {
    const { kind } = await ask(server.port);
    match(kind, /^(status|refused|unconnected|broken)$/);
  }
});

Deno.test("checkHealth() says when nobody listens", async () => {
  const server = await serveRaw(drain);
  await server[Symbol.asyncDispose]();
  const answer = await ask(server.port);
  match(
    String(answer.kind === "unconnected" && answer.cause),
    /dial tcp 127.0.0.1:\d+: connect: connection refused/,
  );
});
