/**
 * The hooks of containers, of every kind (RT-21).
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { LifecycleHandler } from "../../../../mod/api/types/mod.ts";
import type { ExecResult } from "../../../../mod/cri/model/mod.ts";
import {
  type HttpAnswer,
  type HttpGetOptions,
  NotTlsError,
} from "../../../../mod/host/clients/mod.ts";
import {
  HookRunner,
  type HookTarget,
} from "../../../../mod/runtime/end/hooks.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { pod } from "../../../support/pods.ts";
import { EventList } from "../../../support/event_list.ts";

const never = new AbortController().signal;
const utf8 = new TextEncoder();

interface Asked {
  readonly url: string;
  readonly headers: HttpGetOptions["headers"];
}

function answer(status: number, location?: string): HttpAnswer {
  return { status, location, body: new Uint8Array(), bodyEnd: "whole" };
}

function setUp(
  options: {
    readonly exec?: Partial<ExecResult>;
    readonly get?: (url: URL) => HttpAnswer;
  } = {},
) {
  const clock = new FakeClock();
  const events = new EventList();
  const asked: Asked[] = [];
  const nothing = new Uint8Array();
  const hooks = new HookRunner({
    clock,
    events,
    runtime: {
      execSync: () =>
        Promise.resolve({
          stdout: nothing,
          stderr: nothing,
          exitCode: 0,
          ...options.exec,
        }),
    },
    get: async (url, { headers, maxBodyBytes }) => {
      asked.push({ url: url.href, headers });
      // No more of an answer is read than anybody needs.
      strictEqual(maxBodyBytes, 10_240);
      return await (options.get?.(url) ?? answer(200));
    },
  });
  const target: HookTarget = {
    pod: pod(),
    container: {
      name: "web",
      ports: [{ name: "admin", containerPort: 8081 }],
    },
    containerId: "web-0",
    podIps: ["10.88.0.7", "fd00::7"],
    signal: never,
  };
  return { hooks, clock, events, asked, target };
}

const URLS: readonly [LifecycleHandler["httpGet"], string][] = [
  [{ port: 8080 }, "http://10.88.0.7:8080/"],
  [{ port: 80, path: "bye?now=1" }, "http://10.88.0.7/bye?now=1"],
  [{ port: "admin", path: "/bye" }, "http://10.88.0.7:8081/bye"],
  [{ port: "9000" }, "http://10.88.0.7:9000/"],
  [{ port: 8443, scheme: "HTTPS" }, "https://10.88.0.7:8443/"],
  [{ port: 8080, host: "10.88.0.9" }, "http://10.88.0.9:8080/"],
  [{ port: 8080, host: "fd00::9" }, "http://[fd00::9]:8080/"],
  [
    { port: 8080, path: "//else.example/x" },
    "http://10.88.0.7:8080//else.example/x",
  ],
];

for (const [httpGet, url] of URLS) {
  Deno.test(`HookRunner.run() asks ${url} for ${JSON.stringify(httpGet)}`, async () => {
    const { hooks, asked, target } = setUp();
    if (httpGet === undefined) return;
    await hooks.run({ httpGet }, target);
    deepStrictEqual(asked.map((each) => each.url), [url]);
  });
}

const HEADERS: readonly [readonly [string, string][], Asked["headers"]][] = [
  [[], { "User-Agent": ["kube-lifecycle/1.36"], Accept: ["*/*"] }],
  [[["X-A", "1"], ["x-a", "2"], ["user-agent", "me"]], {
    "X-A": ["1", "2"],
    "user-agent": ["me"],
    Accept: ["*/*"],
  }],
  [[["Accept", ""], ["User-Agent", ""], ["Host", "a"], ["Host", "b"]], {
    Host: ["b"],
  }],
];

for (const [given, expected] of HEADERS) {
  Deno.test(`HookRunner.run() sends ${JSON.stringify(expected)}`, async () => {
    const { hooks, asked, target } = setUp();
    const httpHeaders = given.map(([name, value]) => ({ name, value }));
    await hooks.run({ httpGet: { port: 80, httpHeaders } }, target);
    deepStrictEqual(asked[0]?.headers, expected);
  });
}

Deno.test("HookRunner.run() takes every answer for a success", async () => {
  for (const status of [200, 302, 404, 500]) {
    const { hooks, target } = setUp({ get: () => answer(status) });
    await hooks.run({ httpGet: { port: 80 } }, target);
  }
});

Deno.test("HookRunner.run() follows redirects on its host, and leaves it for none", async () => {
  const { hooks, asked, target } = setUp({
    get: (url) =>
      url.pathname === "/"
        ? answer(301, "/next")
        : url.pathname === "/next"
        ? answer(307, "http://10.88.0.7:81/last")
        : answer(302, "http://192.0.2.1/stolen"),
  });
  await hooks.run({ httpGet: { port: 80 } }, target);
  deepStrictEqual(asked.map(({ url }) => url), [
    "http://10.88.0.7/",
    "http://10.88.0.7/next",
    "http://10.88.0.7:81/last",
  ]);
});

Deno.test("HookRunner.run() goes round in a circle ten times and no more", async () => {
  const { hooks, asked, target } = setUp({ get: () => answer(302, "/") });
  await rejects(
    hooks.run({ httpGet: { port: 80 } }, target),
    /Cannot follow redirects: found 10, wanted an answer/,
  );
  strictEqual(asked.length, 10);
});

Deno.test("HookRunner.run() asks once more in plain text when the server speaks no TLS", async () => {
  const { hooks, asked, events, target } = setUp({
    get: (url) => {
      if (url.protocol === "https:") throw new NotTlsError("no TLS");
      return answer(200);
    },
  });
  const httpHeaders = [{ name: "Authorization", value: "secret" }, {
    name: "X-A",
    value: "1",
  }];
  await hooks.run(
    { httpGet: { port: 443, scheme: "HTTPS", httpHeaders } },
    target,
  );
  deepStrictEqual(asked.map(({ url }) => url), [
    "https://10.88.0.7/",
    "http://10.88.0.7:443/",
  ]);
  deepStrictEqual(Object.keys(asked[0]?.headers ?? {}), [
    "Authorization",
    "X-A",
    "User-Agent",
    "Accept",
  ]);
  strictEqual(asked[1]?.headers["Authorization"], undefined);
  deepStrictEqual(events.texts, [
    "Warning LifecycleHTTPFallback: The HTTPS hook to 10.88.0.7 was answered in plain HTTP; asked again by HTTP, it succeeded",
  ]);
});

const FAILURES: readonly [string, LifecycleHandler, RegExp][] = [
  [
    "a kind that cannot be run",
    { tcpSocket: { port: 80 } },
    /invalid handler "tcpSocket", wanted exec, httpGet or sleep/,
  ],
  [
    "a port that the container does not have",
    { httpGet: { port: "nope" } },
    /found port "nope", wanted a number or the name of a port/,
  ],
  [
    "a server that cannot be reached",
    { httpGet: { port: 80, path: "/gone" } },
    /GET "http:\/\/10\.88\.0\.7\/gone" failed: connection refused/,
  ],
  [
    "a command that fails",
    { exec: { command: ["false"] } },
    /its command ended with "3", wanted 0; it wrote "no such luck"/,
  ],
];

for (const [what, hook, expected] of FAILURES) {
  Deno.test(`HookRunner.run() fails for ${what}`, async () => {
    const { hooks, target } = setUp({
      exec: { exitCode: 3, stderr: utf8.encode("no such luck\n") },
      get: () => {
        throw new Error("connection refused");
      },
    });
    await rejects(hooks.run(hook, target), expected);
  });
}

Deno.test("HookRunner.run() quotes the last 512 characters of what a command wrote", async () => {
  const { hooks, target } = setUp({
    exec: {
      exitCode: 1,
      stdout: utf8.encode("x".repeat(600)),
      stderr: utf8.encode("y".repeat(500)),
    },
  });
  const words = `${"x".repeat(12)}${"y".repeat(500)}`;
  await rejects(hooks.run({ exec: { command: ["false"] } }, target), {
    message:
      `Cannot run the hook: its command ended with "1", wanted 0; it wrote "${words}"`,
  });
});

const CUT_SHORT: readonly (readonly [
  what: string,
  scheme: string,
  get: (url: URL) => HttpAnswer,
])[] = [
  ["as it is answered", "HTTP", () => answer(200)],
  ["as it asks", "HTTP", () => {
    throw new Error("cancelled");
  }],
  ["as it asks again in plain text", "HTTPS", ({ protocol }) => {
    throw protocol === "https:"
      ? new NotTlsError("no TLS")
      : new Error("cancelled");
  }],
];

for (const [what, scheme, get] of CUT_SHORT) {
  Deno.test(`HookRunner.run() fails with the reason of its signal when it is stopped ${what}`, async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const { hooks, target, events } = setUp({
      get: (url) => {
        if (url.protocol === "http:") stop.abort(reason);
        return get(url);
      },
    });
    const { signal } = stop;
    await rejects(
      hooks.run({ httpGet: { port: 80, scheme } }, { ...target, signal }),
      (error) => error === reason,
    );
    deepStrictEqual(events.texts, []);
  });
}

Deno.test("HookRunner.run() fails for a pod without an address", async () => {
  const { hooks, target } = setUp();
  await rejects(
    hooks.run({ httpGet: { port: 80 } }, { ...target, podIps: [] }),
    /the pod has no address/,
  );
});

Deno.test("HookRunner.run() names the option when the agent may not connect", async () => {
  const { hooks, target } = setUp({
    get: () => {
      throw new Deno.errors.NotCapable("Requires net access");
    },
  });
  await rejects(hooks.run({ httpGet: { port: 80 } }, target), /--pod-network/);
});

Deno.test("HookRunner.run() sleeps as long as it was told, or until it is stopped", async () => {
  const { hooks, clock, target } = setUp();
  let isOver = false;
  const whole = hooks.run({ sleep: { seconds: 5 } }, target)
    .then(() => isOver = true);
  await clock.advance(4_999);
  strictEqual(isOver, false);
  await clock.advance(1);
  await whole;
  const stop = new AbortController();
  const cut = hooks.run({ sleep: { seconds: 5 } }, {
    ...target,
    signal: stop.signal,
  });
  stop.abort(new Error("enough"));
  await rejects(cut, /enough/);
});
