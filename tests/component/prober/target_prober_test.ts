/**
 * Commands, connections, gRPC, and probes that lead nowhere (PR-01, PR-06, PR-11).
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import type { Probe } from "../../../mod/api/types/mod.ts";
import { CriError } from "../../../mod/cri/model/mod.ts";
import type { ProbeResult } from "../../../mod/prober/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { serveHealth } from "../../support/peers/health_server.ts";
import { untilQuiet } from "../../support/quiet/quiet.ts";
import { drain, serveRaw } from "../../support/peers/raw_server.ts";
import {
  attempt,
  type AttemptOptions,
  execResult,
  LateClock,
} from "../../support/prober/attempts.ts";

const SLEEP: Probe = {
  exec: { command: ["sleep", "10000"] },
  timeoutSeconds: 1,
};

const ENDINGS: readonly [string, () => Promise<ReturnType<typeof execResult>>, {
  readonly kind: string;
  readonly message: string;
}][] = [
  ["0", () => Promise.resolve(execResult(0, { stdout: "fine" })), {
    kind: "success",
    message: "fine",
  }],
  [
    "3",
    () => Promise.resolve(execResult(3, { stdout: "out ", stderr: "err" })),
    {
      kind: "failure",
      message: "out err",
    },
  ],
  ["1 without a word", () => Promise.resolve(execResult(1)), {
    kind: "failure",
    message: "command terminated with exit code 1",
  }],
  ["more output than is told", () =>
    Promise.resolve(
      execResult(1, { stdout: "o".repeat(10_000), stderr: "e".repeat(10_000) }),
    ), { kind: "failure", message: "o".repeat(10_000) + "e".repeat(240) }],
  [
    "a deadline of the runtime",
    () => Promise.reject(criError("deadline", "timeout 1s exceeded")),
    {
      kind: "failure",
      message: 'command timed out: "sleep 10000" timed out after 1s',
    },
  ],
  [
    "a timeout in other words",
    () => Promise.reject(criError("failed", "command timed out")),
    {
      kind: "failure",
      message: 'command timed out: "sleep 10000" timed out after 1s',
    },
  ],
  [
    "a runtime that is not there",
    () => Promise.reject(criError("unavailable", "no connection")),
    {
      kind: "error",
      message: "Cannot ExecSync: no connection",
    },
  ],
];

function criError(kind: CriError["kind"], detail: string): CriError {
  return new CriError({ kind, method: "ExecSync", detail });
}

for (const [name, execSync, expected] of ENDINGS) {
  Deno.test(`TargetProber.run() judges a command that ends with ${name} (PR-01)`, async () => {
    deepStrictEqual(await attempt(SLEEP, { execSync }), expected);
  });
}

Deno.test("TargetProber.run() decides a second after the timeout, and cancels a call that hangs (PR-01)", async () => {
  const clock = new FakeClock();
  let asked: unknown;
  let result: ProbeResult | undefined;
  let isOver = false;
  const attempting = attempt(SLEEP, {
    clock,
    execSync: (id, command, options) => {
      asked = [id, command, options?.timeoutSeconds];
      const { promise, reject } = Promise.withResolvers<never>();
      options?.signal?.addEventListener("abort", () => reject(new Error("x")));
      return promise;
    },
  }).then((one) => result = one);
  await clock.advance(1999);
  deepStrictEqual(asked, ["c1", ["sleep", "10000"], 1]);
  strictEqual(result, undefined);
  await clock.advance(1);
  const { kind, message, over } = await attempting;
  strictEqual(kind, "failure");
  strictEqual(message, 'command timed out: "sleep 10000" timed out after 1s');
  const finished = over?.then(() => isOver = true);
  await clock.advance(9000);
  strictEqual(isOver, false);
  await clock.advance(1000);
  await finished;
  strictEqual(isOver, true);
  strictEqual(clock.pendingTimers, 0);
});

for (
  const { hung, givenUpS } of [
    { hung: 0, givenUpS: 10 },
    { hung: 1, givenUpS: 20 },
    { hung: 4, givenUpS: 160 },
    { hung: 1000, givenUpS: 300 },
  ]
) {
  Deno.test(`TargetProber.run() waits ${givenUpS} s for a command after ${hung} that hung as well (PR-01)`, async () => {
    const clock = new FakeClock();
    let isGivenUp = false;
    const attempting = attempt(SLEEP, {
      clock,
      hung,
      execSync: (_id, _command, { signal } = {}) => {
        const { promise, reject } = Promise.withResolvers<never>();
        signal?.addEventListener("abort", () => {
          isGivenUp = true;
          reject(new Error("x"));
        });
        return promise;
      },
    });
    await clock.advance(2000);
    const { over } = await attempting;
    await clock.advance(givenUpS * 1000 - 1);
    strictEqual(isGivenUp, false);
    await clock.advance(1);
    strictEqual(isGivenUp, true);
    await over;
  });
}

Deno.test("TargetProber.run() blames no command while the runtime answers nothing at all (R01)", async () => {
  const clock = new FakeClock();
  const hang = (
    options: { readonly signal?: AbortSignal | undefined } = {},
  ) => {
    const { promise, reject } = Promise.withResolvers<never>();
    options.signal?.addEventListener("abort", () => reject(new Error("x")));
    return promise;
  };
  const attempting = attempt(SLEEP, {
    clock,
    execSync: (_id, _command, options) => hang(options),
    version: hang,
  });
  await clock.advance(2250);
  const { kind, message, over } = await attempting;
  strictEqual(kind, "error");
  strictEqual(
    message,
    'command timed out: "sleep 10000" timed out after 1s, and the runtime does not answer',
  );
  await clock.advance(9750);
  await over;
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("TargetProber.run() blames no command while the agent stood still (CL-04)", async () => {
  const clock = new LateClock(60_000);
  const attempting = attempt(SLEEP, {
    clock,
    execSync: () => Promise.withResolvers<never>().promise,
  });
  await clock.advance(20_000);
  strictEqual((await attempting).kind, "stalled");
});

Deno.test("TargetProber.run() expands what the manifest itself says of variables (PR-11)", async () => {
  let asked: readonly string[] = [];
  await attempt(
    {
      exec: { command: ["$(A)", "$(B)/$(A)", "$(C)", "$(D)", "$$(A)"] },
      timeoutSeconds: 1,
    },
    {
      container: {
        env: [
          { name: "A", value: "old" },
          { name: "A", value: "1" },
          { name: "B", value: "2" },
          {
            name: "C",
            valueFrom: { fieldRef: { fieldPath: "metadata.name" } },
          },
        ],
      },
      execSync: (_, command) => {
        asked = command;
        return Promise.resolve(execResult(0));
      },
    },
  );
  // Upstream: TestExpandContainerCommandOnlyStatic.
  deepStrictEqual(asked, ["1", "2/1", "", "$(D)", "$(A)"]);
});

Deno.test("TargetProber.run() ends with the reason of the signal", async () => {
  await using server = await serveRaw(drain);
  for (const probe of [SLEEP, { httpGet: { port: server.port } }]) {
    const stop = new AbortController();
    const attempting = attempt(probe, {
      signal: stop.signal,
      execSync: () => Promise.withResolvers<never>().promise,
    });
    const ended = rejects(attempting, /enough/);
    await untilQuiet();
    stop.abort(new Error("enough"));
    await ended;
  }
});

Deno.test("TargetProber.run() is content with a connection (PR-11)", async () => {
  await using server = await serveRaw(drain);
  const tcpSocket = { port: server.port };
  deepStrictEqual(await attempt({ tcpSocket }), {
    kind: "success",
    message: "",
  });
  await using ipv6 = await serveRaw(drain, "::1");
  const there = { port: ipv6.port, host: "::1" };
  strictEqual((await attempt({ tcpSocket: there })).kind, "success");
});

Deno.test("TargetProber.run() says that nobody listens on a port", async () => {
  const server = await serveRaw(drain);
  await server[Symbol.asyncDispose]();
  const { port } = server;
  deepStrictEqual(await attempt({ tcpSocket: { port } }), {
    kind: "failure",
    message: `dial tcp 127.0.0.1:${port}: connect: connection refused`,
  });
});

const PORTS = [
  { name: "web", containerPort: 8080 },
  { name: "zero", containerPort: 0 },
  { name: "huge", containerPort: 70_000 },
];

/** Upstream: TestGetTCPAddrParts; nobody is killed for a probe that leads nowhere. */
const NOWHERE: readonly [string, Probe, AttemptOptions, RegExp][] = [
  ["an unknown port name", { tcpSocket: { port: "nope" } }, {}, /port "nope"/],
  ["port 0", { tcpSocket: { port: 0 } }, {}, /port "0"/],
  ["port 70000", { httpGet: { port: 70_000 } }, {}, /port "70000"/],
  ["port 0 by name", { httpGet: { port: "zero" } }, {}, /port "zero"/],
  ["port 70000 by name", { tcpSocket: { port: "huge" } }, {}, /port "huge"/],
  [
    "a pod without an address",
    { tcpSocket: { port: 80 } },
    { podIps: [] },
    /no address/,
  ],
  ["no handler", {}, {}, /found no handler/],
];

for (const [name, probe, options, expected] of NOWHERE) {
  Deno.test(`TargetProber.run() knows nothing of a container after a probe of ${name} (PR-11)`, async () => {
    const container = { ports: PORTS };
    const { kind, message } = await attempt(probe, { container, ...options });
    strictEqual(kind, "error");
    match(message, expected);
  });
}

Deno.test("TargetProber.run() finds a port by its name (PR-11)", async () => {
  await using server = await serveRaw(drain);
  const container = { ports: [{ name: "web", containerPort: server.port }] };
  const probe = { tcpSocket: { port: "web" } };
  strictEqual((await attempt(probe, { container })).kind, "success");
});

const HEALTH: readonly [
  string,
  Parameters<typeof serveHealth>,
  string,
  RegExp,
][] = [
  ["SERVING", [() => Uint8Array.of(8, 1)], "success", /^service healthy$/],
  [
    "NOT_SERVING",
    [() => Uint8Array.of(8, 2)],
    "failure",
    /^service unhealthy \(responded with "NOT_SERVING"\)$/,
  ],
  [
    "an unknown service",
    [() => ({ code: 5, details: "unknown service" })],
    "failure",
    /^error: health rpc probe failed: rpc error: code = NotFound desc = unknown service$/,
  ],
  [
    "no health service",
    [() => undefined, "shop.Cart"],
    "failure",
    /^error: this server does not implement the grpc health protocol \(grpc.health.v1.Health\): /,
  ],
];

for (const [name, server, kind, expected] of HEALTH) {
  Deno.test(`TargetProber.run() takes ${name} of a gRPC server for a ${kind} (PR-06)`, async () => {
    await using health = await serveHealth(...server);
    const grpc = { port: health.port, service: "shop" };
    const result = await attempt({ grpc });
    strictEqual(result.kind, kind);
    match(result.message, expected);
  });
}

Deno.test("TargetProber.run() fails when a gRPC server does not answer in time (PR-06)", async () => {
  const clock = new FakeClock();
  await using health = await serveHealth(() => undefined);
  const grpc = { port: health.port };
  const attempting = attempt({ grpc, timeoutSeconds: 3 }, { clock });
  // By then the server's greeting has arrived.
  await untilQuiet(clock);
  strictEqual(health.calls.length, 1);
  await clock.advance(3000);
  deepStrictEqual(await attempting, {
    kind: "failure",
    message: "timeout: health rpc did not complete within 3s",
  });
});

Deno.test("TargetProber.run() says that a gRPC server is not there (PR-06)", async () => {
  const server = await serveRaw(drain);
  await server[Symbol.asyncDispose]();
  const { kind, message } = await attempt({ grpc: { port: server.port } });
  strictEqual(kind, "failure");
  match(
    message,
    /^error: failed to connect service at "127.0.0.1:\d+": dial tcp .* connection refused$/,
  );
});

for (
  const probe of [
    { httpGet: { port: 1, host: "127.0.0.1" } },
    { httpGet: { port: 1, host: "127.0.0.1", scheme: "HTTPS" } },
    { tcpSocket: { port: 1, host: "127.0.0.1" } },
    { grpc: { port: 1 } },
  ]
) {
  Deno.test({
    name: `TargetProber.run() says in words that it may not ask ${
      JSON.stringify(probe)
    } (PR-11)`,
    permissions: { net: ["10.0.0.0"] },
    fn: async () => {
      const { kind, message } = await attempt(probe);
      strictEqual(kind, "error");
      match(message, /the agent may not connect there.*--pod-network/);
    },
  });
}
