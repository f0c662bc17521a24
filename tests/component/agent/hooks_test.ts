/**
 * Hooks after the start and before the end of containers (RT-21).
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, untilGone, WEB, web } from "../../support/agent/manifests.ts";
import {
  ON_LOOPBACK,
  withOtherRuntime,
} from "../../support/agent/other_runtime.ts";
import {
  untilPhase,
  untilRunning,
  withRunning,
} from "../../support/agent/phases.ts";
import { type HttpServer, serveHttp } from "../../support/peers/http_server.ts";

const SHELL = ["sh", "-c", "hook"];

/** A workload that answers on the loopback address, where its pod is said to be. */
interface Workload extends HttpServer {
  /** Path and user agent of each request. */
  readonly asked: string[];
}

async function workload(
  answer: (response: ServerResponse) => void = (response) => response.end(),
): Promise<Workload> {
  const asked: string[] = [];
  const server = await serveHttp((request, response) => {
    asked.push(`${request.url} ${request.headers["user-agent"]}`);
    answer(response);
  });
  return { ...server, asked };
}

function withHooks(
  lifecycle: Readonly<Record<string, unknown>>,
  spec: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const ports = [{ name: "admin", containerPort: 8081 }];
  return web({
    spec: {
      terminationGracePeriodSeconds: 30,
      containers: [busybox(WEB, { lifecycle, ports })],
      ...spec,
    },
  });
}

function told(rig: CoreRig, reason: string): number {
  return rig.log.filter((line) => line.includes(`"reason":"${reason}"`)).length;
}

/** The timeouts, in seconds, that StopContainer was given from the `from`th call on. */
function timeouts(rig: CoreRig, from = 0): readonly string[] {
  return rig.fake.calls.slice(from)
    .filter(({ method }) => method === "StopContainer")
    .map(({ request }) =>
      /"timeout":"(\d+)"/.exec(JSON.stringify(request, plain))?.[1] ?? ""
    );
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

/** Removes the manifest and returns how long the end took, in milliseconds. */
async function end(rig: CoreRig): Promise<number> {
  const startMs = rig.clock.monotonic();
  await rig.remove("web");
  await rig.until(() => rig.fake.running(WEB).length === 0, "its end");
  return rig.clock.monotonic() - startMs;
}

Deno.test("Agent starts the next container when the postStart hook of the one before has ended (RT-21)", async () => {
  await using rig = await CoreRig.start();
  rig.fake.settings.exec = () => ({ afterMs: 10_000 });
  const lifecycle = { postStart: { exec: { command: SHELL } } };
  const spec = {
    containers: [busybox("c1", { lifecycle }), busybox("c2")],
  };
  await rig.apply("web", web({ spec }));
  await rig.until(() => rig.fake.running("c2").length === 1, "c2");
  const [c1, c2] = ["c1", "c2"].map((name) => rig.only(name).startedAt);
  const gapMs = Number(((c2 ?? 0n) - (c1 ?? 0n)) / 1_000_000n);
  ok(gapMs >= 9_999 && gapMs < 12_000, `${gapMs} ms`);
});

Deno.test("Agent kills a container whose postStart hook fails, and tries again (RT-21)", async () => {
  await using rig = await CoreRig.start();
  rig.fake.settings.exec = () => ({ exitCode: 7, stderr: "no luck" });
  await rig.apply(
    "web",
    withHooks({ postStart: { exec: { command: SHELL } } }),
  );
  await rig.until(
    () => rig.fake.callsOf("StartContainer").length === 2,
    "the second start",
  );
  await rig.pass(3_000);
  const [shown] = rig.status("web")?.containerStatuses ?? [];
  strictEqual(shown?.state?.waiting?.reason, "CrashLoopBackOff");
  strictEqual(told(rig, "FailedPostStartHook"), 1);
  ok(rig.log.some((line) => line.includes('"event":"FailedPostStartHook"')));
  strictEqual(rig.fake.running(WEB).length, 0);
});

Deno.test("Agent fails a Never pod whose postStart hook fails, and says why (RT-21)", async () => {
  await using rig = await CoreRig.start();
  rig.fake.settings.exec = () => ({ exitCode: 7 });
  const lifecycle = { postStart: { exec: { command: SHELL } } };
  await rig.apply("web", withHooks(lifecycle, { restartPolicy: "Never" }));
  await untilPhase(rig, "Failed");
  await rig.pass(70_000);
  strictEqual(rig.fake.callsOf("StartContainer").length, 1);
});

Deno.test("Agent asks a postStart hook by HTTP at the pod's address, by the name of a port (RT-21)", async () => {
  await using server = await workload((response) => {
    response.writeHead(503);
    response.end("not yet");
  });
  await using rig = await CoreRig.start(ON_LOOPBACK);
  const httpGet = { port: "http", path: "/started?really=1" };
  const ports = [{ name: "http", containerPort: server.port }];
  const containers = [
    busybox(WEB, { ports, lifecycle: { postStart: { httpGet } } }),
  ];
  await rig.apply("web", web({ spec: { containers } }));
  await untilRunning(rig);
  deepStrictEqual(server.asked, ["/started?really=1 kube-lifecycle/1.36"]);
  strictEqual(told(rig, "FailedPostStartHook"), 0);
});

Deno.test("Agent kills a container whose postStart hook asks a closed port (RT-21)", async () => {
  const server = await workload();
  await server[Symbol.asyncDispose]();
  await using rig = await CoreRig.start(ON_LOOPBACK);
  const httpGet = { port: server.port };
  await rig.apply(
    "web",
    withHooks({ postStart: { httpGet } }, { restartPolicy: "OnFailure" }),
  );
  await rig.until(() => told(rig, "FailedPostStartHook") > 0, "its failure");
  await rig.until(() => rig.fake.running(WEB).length === 0, "its end");
  const shown = () => rig.status("web")?.containerStatuses?.[0]?.state?.waiting;
  await rig.until(() => shown() !== undefined, "why it waits");
  match(shown()?.reason ?? "", /^(PostStartHookError|CrashLoopBackOff)$/);
});

Deno.test("Agent shows PostStartHookError with the words of the hook until the next start (RT-21)", async () => {
  await using rig = await CoreRig.start();
  rig.fake.settings.exec = () => ({ exitCode: 7, stderr: "no luck" });
  // The kill is held up, so that its cause can be seen.
  rig.fake.fault("StartContainer", { kind: "delay", ms: 5_000 }, { times: 9 });
  await rig.apply(
    "web",
    withHooks({ postStart: { exec: { command: SHELL } } }),
  );
  const shown = () => rig.status("web")?.containerStatuses?.[0]?.state?.waiting;
  await rig.until(() => shown()?.reason === "PostStartHookError", "the reason");
  match(shown()?.message ?? "", /ended with "7", wanted 0; it wrote "no luck"/);
});

Deno.test("Agent cuts a preStop command at the grace limit and leaves two seconds to the process (RT-21)", async () => {
  await using rig = await CoreRig.start();
  rig.fake.settings.exec = () => ({ afterMs: 10_000_000 });
  rig.fake.behave(WEB, { onTerm: "ignore" });
  await rig.apply("web", withHooks({ preStop: { exec: { command: SHELL } } }));
  await untilRunning(rig);
  const tookMs = await end(rig);
  deepStrictEqual(timeouts(rig), ["2"]);
  ok(tookMs >= 32_000 && tookMs <= 35_000, `${tookMs} ms`);
  strictEqual(told(rig, "FailedPreStopHook"), 0);
});

Deno.test("Agent takes what a preStop sleep used off the grace (RT-21)", async () => {
  await using rig = await withRunning(
    withHooks({ preStop: { sleep: { seconds: 5 } } }),
  );
  const tookMs = await end(rig);
  deepStrictEqual(timeouts(rig), ["25"]);
  ok(tookMs >= 5_000 && tookMs < 7_000, `${tookMs} ms`);
});

Deno.test("Agent goes on when a preStop hook fails, and tells of it (RT-21)", async () => {
  await using rig = await CoreRig.start();
  rig.fake.settings.exec = () => ({ exitCode: 1 });
  await rig.apply("web", withHooks({ preStop: { exec: { command: SHELL } } }));
  await untilRunning(rig);
  await end(rig);
  deepStrictEqual(timeouts(rig), ["30"]);
  strictEqual(told(rig, "FailedPreStopHook"), 1);
});

Deno.test("Agent reads no more than the beginning of an endless answer to a preStop hook (RT-21)", async () => {
  let sent = 0;
  await using server = await workload((response) => {
    const flood = (): void => {
      for (; !response.destroyed && sent < 1 << 28; sent += 1 << 16) {
        if (response.write(new Uint8Array(1 << 16))) continue;
        sent += 1 << 16;
        response.once("drain", flood);
        return;
      }
    };
    flood();
  });
  await using rig = await CoreRig.start(ON_LOOPBACK);
  const httpGet = { port: server.port, path: "/bye" };
  await rig.apply("web", withHooks({ preStop: { httpGet } }));
  await untilRunning(rig);
  const tookMs = await end(rig);
  ok(tookMs < 5_000, `${tookMs} ms`);
  strictEqual(server.asked.length, 1);
  // What the system itself buffers has been sent, but no more.
  ok(sent < 1 << 27, `${sent} bytes`);
});

Deno.test("Agent cuts a preStop request that is never answered at the grace limit (RT-21)", async () => {
  await using server = await workload(() => {});
  await using rig = await CoreRig.start(ON_LOOPBACK);
  const httpGet = { port: server.port };
  await rig.apply("web", withHooks({ preStop: { httpGet } }));
  await untilRunning(rig);
  await end(rig);
  deepStrictEqual(timeouts(rig), ["2"]);
  strictEqual(server.asked.length, 1);
});

Deno.test("Agent runs the recorded preStop request of a pod whose manifest went while it was down", async () => {
  await using server = await workload();
  await using rig = await CoreRig.start(ON_LOOPBACK);
  const preStop = { httpGet: { port: "http", path: "/bye" } };
  const ports = [{ name: "http", containerPort: server.port }];
  const containers = [busybox(WEB, { ports, lifecycle: { preStop } })];
  await rig.apply("web", web({ spec: { containers } }));
  await untilRunning(rig);
  await rig.stopAgent();
  await rig.remove("web");
  await rig.startAgent();
  await untilGone(rig);
  deepStrictEqual(server.asked, ["/bye kube-lifecycle/1.36"]);
});

for (const isKnown of [true, false]) {
  Deno.test(`Agent passes a stop signal on to a runtime that ${isKnown ? "knows" : "does not know"} it`, async () => {
    await using rig = await CoreRig.start({
      wrap: (connection) =>
        isKnown ? connection : withOtherRuntime(connection, {
          containerStatus: async (id, options) => {
            const { stopSignal: _, ...status } = await connection.runtime
              .containerStatus(id, options);
            return status;
          },
        }),
    });
    const lifecycle = { stopSignal: "SIGRTMIN+3" };
    await rig.apply("web", withHooks(lifecycle, { os: { name: "linux" } }));
    await untilRunning(rig);
    const SIGRTMINPLUS3 = 38;
    strictEqual(rig.only(WEB).config.stopSignal, SIGRTMINPLUS3);
    strictEqual(told(rig, "StopSignalIgnored"), isKnown ? 0 : 1);
    const [shown] = rig.status("web")?.containerStatuses ?? [];
    strictEqual(shown?.stopSignal, isKnown ? "SIGRTMIN+3" : undefined);
    rig.fake.exitContainer(rig.only(WEB).id, 1);
    await rig.until(() => rig.fake.running(WEB).length === 1, "the restart");
    strictEqual(told(rig, "StopSignalIgnored"), isKnown ? 0 : 1);
  });
}
