/**
 * What a runtime is asked when it is found.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { FakeClock } from "../../support/fake_clock.ts";
import { CODE } from "../../support/fake_cri/status_error.ts";
import { fieldsTo } from "../../support/log_lines.ts";
import { startCriRig } from "../../support/cri/cri_rig.ts";
import { until } from "../../support/until.ts";

const NEVER = new AbortController().signal;
const UNKNOWN = "runtime_config_unknown";

Deno.test("CriConnection.ready() asks everything at once, and each thing once", async () => {
  await using rig = await startCriRig();
  const methods = ["RuntimeConfig", "Status", "Version"];
  for (const method of methods) rig.fake.fault(method, { kind: "hang" });
  const asked = () => rig.fake.calls.map(({ method }) => method).toSorted();
  const abort = new AbortController();
  const ready = rig.cri.ready(abort.signal).catch(() => "aborted");
  await until(() => asked().length === methods.length, "all are asked");
  deepStrictEqual(asked(), methods);
  abort.abort();
  strictEqual(await ready, "aborted");
});

Deno.test("CriConnection.ready() takes the cgroup driver of RuntimeConfig before that of the status", async () => {
  await using rig = await startCriRig();
  rig.fake.settings.cgroupDriver = "systemd";
  await rig.cri.ready(NEVER);
  strictEqual(rig.cri.features()?.cgroupDriver, "systemd");
  deepStrictEqual(
    rig.fake.callsOf("Status").map(({ request }) => request),
    [{ verbose: true }],
  );
});

Deno.test("CriConnection.ready() does without what a status says beyond when that fails", async () => {
  await using rig = await startCriRig();
  rig.fake.fault("Status", {
    kind: "error",
    code: CODE.internal,
    details: "cannot marshal the configuration",
  }, { times: 1 });
  const { runtimeName } = await rig.cri.ready(NEVER);
  strictEqual(runtimeName, "containerd");
  strictEqual(rig.cri.features()?.cgroupDriver, undefined);
  deepStrictEqual(
    rig.fake.callsOf("Status").map(({ request }) => request),
    [{ verbose: true }, { verbose: false }],
  );
});

for (
  const code of [CODE.resourceExhausted, CODE.unimplemented, CODE.notFound]
) {
  Deno.test(`CriConnection.ready() does without what a status says beyond when the runtime refuses it with ${code}`, async () => {
    await using rig = await startCriRig();
    const details = "not with details";
    rig.fake.fault("Status", { kind: "error", code, details }, { times: 1 });
    await rig.cri.ready(NEVER);
    deepStrictEqual(
      rig.fake.callsOf("Status").map(({ request }) => request),
      [{ verbose: true }, { verbose: false }],
    );
  });
}

Deno.test("CriConnection.ready() does without what a status says beyond when that never comes", async () => {
  const clock = new FakeClock();
  await using rig = await startCriRig({ clock });
  rig.fake.fault("Status", { kind: "hang" }, { times: 1 });
  const ready = rig.cri.ready(NEVER);
  // Else the time of the others would be over as well.
  await until(
    () =>
      ["Version", "RuntimeConfig"].every((method) =>
        rig.metrics.render().includes(`seconds_count{method="${method}"} 1`)
      ),
    "the others have their answers",
  );
  await clock.advance(10_000);
  await until(() => rig.fake.callsOf("Status").length === 2, "asked again");
  await ready;
  deepStrictEqual(
    rig.fake.callsOf("Status").map(({ request }) => request),
    [{ verbose: true }, { verbose: false }],
  );
});

Deno.test("CriConnection.ready() does without the cgroup driver when that never comes, and says so", async () => {
  const clock = new FakeClock();
  const lines: Record<string, unknown>[] = [];
  await using rig = await startCriRig({ clock, log: fieldsTo(lines) });
  rig.fake.fault("RuntimeConfig", { kind: "hang" });
  const ready = rig.cri.ready(NEVER);
  await until(
    () =>
      ["Version", "Status"].every((method) =>
        rig.metrics.render().includes(`seconds_count{method="${method}"} 1`)
      ),
    "the others have their answers",
  );
  await clock.advance(10_000);
  const { runtimeName } = await ready;
  strictEqual(runtimeName, "containerd");
  strictEqual(rig.cri.features()?.cgroupDriver, undefined);
  strictEqual(rig.fake.callsOf("RuntimeConfig").length, 1);
  const messages = lines.map((line) => line["message"]);
  strictEqual(messages.filter((each) => each === UNKNOWN).length, 1);
});

Deno.test("CriConnection.ready() leaves no call behind when it asks again", async () => {
  const clock = new FakeClock();
  await using rig = await startCriRig({ clock, requestTimeoutMs: 3_600_000 });
  rig.fake.fault("Version", {
    kind: "error",
    code: CODE.unknown,
    details: "server is not initialized yet",
  });
  rig.fake.fault("Status", { kind: "hang" });
  rig.fake.fault("RuntimeConfig", { kind: "hang" });
  const abort = new AbortController();
  const ready = rig.cri.ready(abort.signal).catch(() => "aborted");
  await until(async () => {
    await clock.advance(500);
    return rig.fake.callsOf("Version").length >= 5;
  }, "it is asked again and again");
  // Those of the try that goes on.
  const { unanswered } = rig.fake;
  ok(unanswered.unary <= 3, `${unanswered.unary} calls are under way`);
  abort.abort();
  strictEqual(await ready, "aborted");
});
