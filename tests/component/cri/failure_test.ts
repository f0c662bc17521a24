/**
 * What callers meet when the runtime is slow, gone or refuses.
 *
 * @module
 */

import { match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { isAbort, systemClock } from "../../../mod/base/mod.ts";
import { connectCri } from "../../../mod/cri/mod.ts";
import { CriError, type RuntimeVersion } from "../../../mod/cri/model/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { Quiet } from "../../support/quiet/quiet.ts";
import { CODE } from "../../support/fake_cri/status_error.ts";
import {
  runContainer,
  sandboxConfig,
  startCriRig,
} from "../../support/cri/cri_rig.ts";
import { until } from "../../support/until.ts";
import { linesTo } from "../../support/log_lines.ts";

Deno.test("RuntimeService gives up a call after the common deadline", async () => {
  const clock = new FakeClock();
  await using rig = await startCriRig({ clock, requestTimeoutMs: 500 });
  rig.fake.fault("ListContainers", { kind: "hang" });
  const failing = rejects(rig.cri.runtime.listContainers(), {
    kind: "deadline",
    detail: "the runtime did not answer within 500 ms",
  });
  await arrived(rig, "ListContainers");
  await clock.advance(500);
  await failing;
});

const DEADLINES: readonly (readonly [
  string,
  number,
  (rig: Awaited<ReturnType<typeof startCriRig>>) => Promise<unknown>,
])[] = [
  ["Version", 120_000, ({ cri }) => cri.runtime.version()],
  [
    "RunPodSandbox",
    240_000,
    ({ cri }) => cri.runtime.runPodSandbox(sandboxConfig("p")),
  ],
  ["StopContainer", 150_000, ({ cri }) => cri.runtime.stopContainer("c", 30)],
  [
    "ExecSync",
    125_000,
    ({ cri }) => cri.runtime.execSync("c", ["x"], { timeoutSeconds: 5 }),
  ],
  ["ImageStatus", 120_000, ({ cri }) => cri.images.imageStatus({ image: "x" })],
];

for (const [method, deadlineMs, call] of DEADLINES) {
  Deno.test(`${method} has ${deadlineMs} ms`, async () => {
    const clock = new FakeClock();
    await using rig = await startCriRig({ clock, requestTimeoutMs: 120_000 });
    rig.fake.fault(method, { kind: "hang" });
    const failure = call(rig).catch((error: unknown) => error);
    await arrived(rig, method);
    await clock.advance(deadlineMs - 1);
    strictEqual(clock.pendingTimers, 1);
    await clock.advance(1);
    const error = await failure;
    ok(error instanceof CriError);
    strictEqual(error.kind, "deadline");
    strictEqual(clock.pendingTimers, 0);
  });
}

for (
  const [method, call] of [
    [
      "PullImage",
      (rig, signal) => rig.cri.images.pullImage({ image: "x" }, { signal }),
    ],
    [
      "ExecSync",
      (rig, signal) => rig.cri.runtime.execSync("c", ["x"], { signal }),
    ],
  ] satisfies readonly (readonly [
    string,
    (
      rig: Awaited<ReturnType<typeof startCriRig>>,
      signal: AbortSignal,
    ) => Promise<unknown>,
  ])[]
) {
  Deno.test(`${method} without a limit has no deadline, yet can be cancelled`, async () => {
    const clock = new FakeClock();
    await using rig = await startCriRig({ clock });
    rig.fake.fault(method, { kind: "hang" });
    const controller = new AbortController();
    const failure = call(rig, controller.signal).catch((e: unknown) => e);
    await arrived(rig, method);
    strictEqual(clock.pendingTimers, 0);
    const reason = new Error("enough");
    controller.abort(reason);
    const error = await failure;
    ok(error instanceof CriError);
    strictEqual(error.kind, "cancelled");
    ok(isAbort(error, controller.signal));
  });
}

Deno.test("RuntimeService does not begin a call that is cancelled already", async () => {
  await using rig = await startCriRig();
  const signal = AbortSignal.abort();
  await rejects(rig.cri.runtime.version({ signal }), { kind: "cancelled" });
  strictEqual(rig.fake.calls.length, 0);
});

for (
  const [method, call] of [
    ["StopPodSandbox", (rig) => rig.cri.runtime.stopPodSandbox("x")],
    ["RemovePodSandbox", (rig) => rig.cri.runtime.removePodSandbox("x")],
    ["StopContainer", (rig) => rig.cri.runtime.stopContainer("x", 1)],
    ["RemoveContainer", (rig) => rig.cri.runtime.removeContainer("x")],
  ] satisfies readonly (readonly [
    string,
    (rig: Awaited<ReturnType<typeof startCriRig>>) => Promise<unknown>,
  ])[]
) {
  Deno.test(`${method} of what is gone is no failure`, async () => {
    await using rig = await startCriRig();
    rig.fake.fault(method, {
      kind: "error",
      code: CODE.notFound,
      details: "not found",
    });
    await call(rig);
    strictEqual(rig.fake.callsOf(method).length, 1);
  });
}

Deno.test("RuntimeService.removeContainer() passes other failures on", async () => {
  await using rig = await startCriRig();
  const fault = { kind: "error", code: CODE.unknown, details: "busy" } as const;
  rig.fake.fault("RemoveContainer", fault);
  await rejects(rig.cri.runtime.removeContainer("x"), {
    kind: "failed",
    message: "Cannot RemoveContainer: busy",
  });
});

Deno.test("RuntimeService calls fail at once while the runtime is away, and the first after its return succeeds", async () => {
  await using rig = await startCriRig();
  await rig.cri.runtime.version();
  await rig.fake.stop();
  const fails = () =>
    rejects(rig.cri.runtime.version(), { kind: "unavailable" });
  for (let times = 0; times < 5; times++) await fails();
  {
    // While grpc-js backed off, a call would fail without a connection of its own.
    await using listener = new NoRuntime(rig.socketPath, "");
    for (let times = 0; times < 15; times++) {
      const { connections } = listener;
      await fails();
      ok(listener.connections > connections, `call ${times} was not sent`);
    }
  }
  await fails();
  await rig.fake.restart();
  await rig.cri.runtime.version();
});

Deno.test("RuntimeService calls under way fail when the connection breaks", async () => {
  await using rig = await startCriRig();
  rig.fake.fault("RunPodSandbox", { kind: "cut" }, { times: 1 });
  const config = sandboxConfig("p");
  await rejects(rig.cri.runtime.runPodSandbox(config), { kind: "unavailable" });
  strictEqual(rig.fake.sandboxes.size, 0);
  // The failure may be told before the connection is seen to be broken.
  await rig.cri.runtime.version().catch(() => {});
  await rig.cri.runtime.runPodSandbox(config);
  strictEqual(rig.fake.sandboxes.size, 1);
});

Deno.test("RuntimeService learns nothing of a call whose reply was lost", async () => {
  await using rig = await startCriRig();
  rig.fake.fault("RunPodSandbox", { kind: "drop_reply" }, { times: 1 });
  const config = sandboxConfig("p");
  await rejects(rig.cri.runtime.runPodSandbox(config), { kind: "unavailable" });
  strictEqual((await rig.cri.runtime.listPodSandbox()).length, 1);
  await rejects(rig.cri.runtime.runPodSandbox(config), {
    kind: "failed",
    detail: /is reserved for/,
  });
});

Deno.test("Closing the connection ends the calls under way", async () => {
  await using rig = await startCriRig();
  rig.fake.fault("Status", { kind: "hang" });
  const failure = rejects(rig.cri.runtime.status(), CriError);
  await arrived(rig, "Status");
  await rig.cri[Symbol.asyncDispose]();
  await failure;
  await rejects(rig.cri.runtime.version(), CriError);
});

Deno.test("Calls are counted and timed by method, failures by kind", async () => {
  await using rig = await startCriRig();
  await runContainer(rig, "web");
  await rejects(rig.cri.runtime.containerStatus("x"));
  const text = rig.metrics.render();
  match(
    text,
    /skerry_cri_request_duration_seconds_count\{method="RunPodSandbox"\} 1/,
  );
  match(
    text,
    /skerry_cri_request_errors_total\{method="ContainerStatus",kind="not_found"\} 1/,
  );
});

Deno.test("CriConnection.ready() waits for a runtime that comes later", async () => {
  const clock = new FakeClock();
  await using rig = await startCriRig({ clock });
  using quiet = await Quiet.open({ clock });
  await rig.fake.stop();
  const ready = rig.cri.ready(new AbortController().signal);
  await quiet.pass(5);
  ok(attempts(rig.metrics) > 5, `${attempts(rig.metrics)} attempts`);
  strictEqual(rig.cri.features(), undefined);
  await rig.fake.restart();
  let version: RuntimeVersion | undefined;
  void ready.then((told) => version = told);
  // The next attempt is due within half a second.
  for (let half = 0; half < 4 && version === undefined; half++) {
    await clock.advance(500);
    await quiet.settle();
  }
  strictEqual(version?.runtimeName, "containerd");
});

Deno.test("CriConnection.ready() waits for a runtime whose services come later", async () => {
  const clock = new FakeClock();
  await using rig = await startCriRig({ clock });
  using quiet = await Quiet.open({ clock });
  const fault = {
    kind: "error",
    code: CODE.unimplemented,
    details: "unknown service runtime.v1.RuntimeService",
  } as const;
  rig.fake.fault("Version", fault, { times: 2 });
  const ready = rig.cri.ready(new AbortController().signal);
  await quiet.pass(2);
  await ready;
  strictEqual(rig.fake.callsOf("Version").length, 3);
});

for (
  const [what, answer] of [
    ["speaks HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n"],
    ["hangs up", ""],
  ] as const
) {
  Deno.test(`CriConnection.ready() says once what is wrong with a socket whose owner ${what} (RT-12)`, async () => {
    const directory = await Deno.makeTempDir({ prefix: "cri_no_runtime_" });
    const endpoint = join(directory, "cri.sock");
    const noRuntime = new NoRuntime(endpoint, answer);
    const said: string[] = [];
    const clock = new FakeClock();
    using quiet = await Quiet.open({ clock });
    const log = linesTo(said, { clock, level: "warn" });
    const stop = new AbortController();
    const metrics = new MetricsRegistry();
    const cri = connectCri({ endpoint }, { clock, log, metrics });
    const ready = cri.ready(stop.signal);
    await quiet.pass(5);
    ok(attempts(metrics) > 5, `${attempts(metrics)} attempts`);
    stop.abort(new Error("enough"));
    await rejects(ready, /enough/);
    await cri[Symbol.asyncDispose]();
    await quiet.settle();
    await transportEnds();
    await noRuntime[Symbol.asyncDispose]();
    await Deno.remove(directory, { recursive: true });
    // Another word may come with the first breath of the connection.
    ok(said.length >= 1 && said.length <= 2, said.join("\n"));
    match(said[0] ?? "", /wanted a CRI runtime that listens there"/);
  });
}

/** How often it was asked in vain who it is. */
function attempts(metrics: MetricsRegistry): number {
  const failures = /errors_total\{method="Version".*\} (\d+)/;
  return Number(failures.exec(metrics.render())?.[1]);
}

/** Says one thing to all who connect to a socket, and hangs up. */
class NoRuntime implements AsyncDisposable {
  connections = 0;
  readonly #listener: Deno.UnixListener;
  readonly #running: Promise<void>;

  constructor(path: string, answer: string) {
    this.#listener = Deno.listen({ transport: "unix", path });
    this.#running = this.#answerAll(new TextEncoder().encode(answer));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#running;
  }

  async #answerAll(answer: Uint8Array): Promise<void> {
    for await (const connection of this.#listener) {
      this.connections++;
      // Whoever asks may be gone before it is answered.
      await connection.write(answer).catch(() => 0);
      connection.close();
    }
  }
}

Deno.test("CriConnection.ready() ends with the reason of its signal", async () => {
  await using rig = await startCriRig();
  await rig.fake.stop();
  const controller = new AbortController();
  const ready = rig.cri.ready(controller.signal);
  const reason = new Error("shutdown");
  controller.abort(reason);
  await rejects(ready, reason);
});

Deno.test("CriConnection.features() says what the runtime showed", async () => {
  await using rig = await startCriRig();
  rig.fake.settings.runtimeVersion = "v2.0.1";
  rig.fake.settings.cgroupDriver = "systemd";
  await rig.cri.ready(new AbortController().signal);
  const before = rig.cri.features();
  strictEqual(before?.cgroupDriver, "systemd");
});

Deno.test("connectCri() keeps images on a socket of their own", async () => {
  await using runtimeRig = await startCriRig();
  await using imageRig = await startCriRig();
  await using cri = connectCri({
    endpoint: runtimeRig.socketPath,
    imageEndpoint: imageRig.socketPath,
  }, {
    clock: systemClock,
    log: silentLogger,
    metrics: new MetricsRegistry(),
  });
  await cri.runtime.version();
  await cri.images.imageStatus({ image: "x" });
  strictEqual(runtimeRig.fake.callsOf("ImageStatus").length, 0);
  strictEqual(imageRig.fake.callsOf("ImageStatus").length, 1);
});

Deno.test("connectCri() reports the grant that is missing", {
  permissions: { env: true, read: true, write: false, net: true },
}, async () => {
  await using cri = connectCri(
    { endpoint: join("/", "nowhere", "cri.sock") },
    {
      clock: systemClock,
      log: silentLogger,
      metrics: new MetricsRegistry(),
    },
  );
  await rejects(cri.ready(new AbortController().signal), {
    kind: "denied",
    message: /--allow-write=\/nowhere\/cri\.sock/,
  });
  await cri[Symbol.asyncDispose]();
  await transportEnds();
});

// grpc-js has a timer of a millisecond left, which no clock of a test moves; it fires
// before one that is longer and set later, however slow the machine is.
async function transportEnds(): Promise<void> {
  await systemClock.sleep(20, new AbortController().signal);
}

async function arrived(
  rig: Awaited<ReturnType<typeof startCriRig>>,
  method: string,
): Promise<void> {
  await until(() => rig.fake.callsOf(method).length > 0);
}
