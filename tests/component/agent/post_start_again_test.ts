/**
 * A postStart hook is run at least once: when the answer to the start was lost, and
 * when the agent ended in the midst of it.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";

const lifecycle = { postStart: { exec: { command: ["hook"] } } };

function hooked(): Record<string, unknown> {
  const containers = [busybox(WEB, { lifecycle }), busybox("next")];
  return web({ spec: { containers } });
}

function hooks(rig: CoreRig): number {
  return rig.fake.callsOf("ExecSync").length;
}

function isTold(rig: CoreRig): boolean {
  return rig.events("web").includes("Normal PostStartHookAgain");
}

Deno.test("Agent runs the postStart hook of a container that runs although its start was not answered", async () => {
  await using rig = await CoreRig.start();
  rig.fake.fault("StartContainer", { kind: "drop_reply" }, { times: 1 });
  await rig.apply("web", hooked());
  await rig.until(() => rig.fake.running("next").length === 1, "all");
  await rig.pass(5_000);
  strictEqual(hooks(rig), 1);
  strictEqual(rig.only(WEB).exitCode, 0);
  strictEqual(rig.fake.callsOf("StartContainer").length, 2);
  ok(isTold(rig));
});

Deno.test("Agent runs a postStart hook again that the end of an agent cut off", async () => {
  await using rig = await CoreRig.start();
  rig.fake.settings.exec = () => ({ afterMs: Infinity });
  await rig.apply("web", hooked());
  await rig.until(() => hooks(rig) === 1, "the hook");
  const { id } = rig.only(WEB);
  await rig.stopAgent();
  rig.fake.settings.exec = () => ({});
  await rig.startAgent();
  await rig.until(() => rig.fake.running("next").length === 1, "the next");
  strictEqual(hooks(rig), 2);
  strictEqual(rig.only(WEB).id, id);
  ok(isTold(rig));
  // Now it has run, for every agent to come.
  await rig.restartAgent();
  await rig.pass(5_000);
  strictEqual(hooks(rig), 2);
});

Deno.test("Agent stops a container whose postStart hook fails when it is run again", async () => {
  await using rig = await CoreRig.start();
  rig.fake.settings.exec = () => ({ afterMs: Infinity });
  await rig.apply("web", hooked());
  await rig.until(() => hooks(rig) === 1, "the hook");
  const { id } = rig.only(WEB);
  await rig.stopAgent();
  rig.fake.settings.exec = () => ({ exitCode: 3 });
  await rig.startAgent();
  await rig.until(
    () => rig.fake.containers.get(id)?.state !== "running",
    "its end",
  );
  ok(rig.events("web").includes("Warning FailedPostStartHook"));
});

Deno.test("Agent runs the hook once more in a container that it could not stop", async () => {
  await using rig = await CoreRig.start();
  rig.fake.settings.exec = () => ({ exitCode: 3 });
  const refusal = { kind: "error", code: 13, details: "no luck" } as const;
  rig.fake.fault("StopContainer", refusal, { times: 1 });
  await rig.apply("web", hooked());
  await rig.until(() => hooks(rig) === 1, "the hook");
  const { id } = rig.only(WEB);
  await rig.until(
    () => rig.fake.containers.get(id)?.state !== "running",
    "its end",
  );
  ok(hooks(rig) >= 2);
});

Deno.test("Agent runs no hook twice when nothing was cut off", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", hooked());
  await rig.until(() => rig.fake.running("next").length === 1, "all");
  await rig.restartAgent();
  await rig.pass(5_000);
  strictEqual(hooks(rig), 1);
  deepStrictEqual(isTold(rig), false);
});
