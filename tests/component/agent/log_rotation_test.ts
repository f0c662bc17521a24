/**
 * What the agent asks the runtime for when logs grow, end and are read.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { NODE } from "../../support/agent/core_config.ts";
import { WEB, web } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";

const SETTINGS = {
  kubelet: ["containerLogMaxSize: 1Ki", "containerLogMaxFiles: 3"],
};

async function running(): Promise<CoreRig> {
  const rig = await CoreRig.start(SETTINGS);
  await rig.apply("web", web());
  await untilRunning(rig, "web");
  return rig;
}

function directoryOf(rig: CoreRig): string {
  const uid = rig.pod("web")?.metadata.uid;
  const { podLogsDir } = rig.config.runtime;
  return `${podLogsDir}/default_web-${NODE}_${uid}/${WEB}`;
}

async function grow(rig: CoreRig): Promise<void> {
  const path = `${directoryOf(rig)}/0.log`;
  await Deno.writeTextFile(path, "x".repeat(2_000), { append: true });
}

function asked(rig: CoreRig): number {
  return rig.fake.callsOf("ReopenContainerLog").length;
}

Deno.test("Agent has the log of a running container rotated, and that of no other", async () => {
  await using rig = await running();
  await rig.pass(30_000);
  strictEqual(asked(rig), 0);
  await grow(rig);
  await rig.until(() => asked(rig) === 1, "the rotation");
  await rig.until(() => rig.list(directoryOf(rig)).length === 2, "both files");
  const [log, rotated = ""] = rig.list(directoryOf(rig)).toSorted();
  strictEqual(log, "0.log");
  match(rotated, /^0\.log\.\d{8}-\d{6}$/);
  strictEqual(rig.only(WEB).logReopened, 1);
  await rig.pass(60_000);
  strictEqual(asked(rig), 1);
});

Deno.test("Agent goes on with the rotation that another one began", async () => {
  await using rig = await running();
  const path = `${directoryOf(rig)}/0.log`;
  await rig.stopAgent();
  await Deno.rename(path, `${path}.20260101-000000`);
  await rig.startAgent();
  await rig.until(() => asked(rig) === 1, "the new file");
  deepStrictEqual(rig.list(directoryOf(rig)).toSorted(), [
    "0.log",
    "0.log.20260101-000000",
  ]);
  await rig.pass(60_000);
  strictEqual(asked(rig), 1);
});

Deno.test("Agent leaves a log as it is while the runtime does not open another", async () => {
  await using rig = await running();
  rig.fake.fault("ReopenContainerLog", {
    kind: "error",
    code: 14,
    details: "away",
  });
  await grow(rig);
  await rig.until(() => asked(rig) >= 2, "the second try");
  await rig.pass(5_000);
  deepStrictEqual(rig.list(directoryOf(rig)), ["0.log"]);
  const events = rig.events("web");
  ok(events.includes("Warning LogRotationFailed"), events.join());
});

Deno.test("Agent removes the rotated logs with the pod", async () => {
  await using rig = await running();
  await grow(rig);
  await rig.until(() => asked(rig) === 1, "the rotation");
  await rig.remove("web");
  const { podLogsDir } = rig.config.runtime;
  await rig.until(() => rig.list(podLogsDir).length === 0, "no logs");
  await rig.pass(60_000);
  deepStrictEqual(rig.list(podLogsDir), []);
});
