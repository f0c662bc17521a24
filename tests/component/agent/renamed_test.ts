/**
 * A fixed UID whose manifest gives it another name.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { untilGone, WEB, web } from "../../support/agent/manifests.ts";

const UID = "0badc0de-0000-4000-8000-000000000005";

async function withRunning(): Promise<CoreRig> {
  const rig = await CoreRig.start();
  await rig.apply("web", web({ uid: UID }));
  await untilRunning(rig, "web");
  return rig;
}

async function untilRunning(rig: CoreRig, name: string): Promise<void> {
  await rig.until(
    () =>
      rig.status(name)?.phase === "Running" &&
      rig.fake.running(WEB).length === 1,
    `${name} Running`,
  );
}

Deno.test("Agent starts a pod once that was renamed while it was off, though the old sandbox stays", async () => {
  await using rig = await withRunning();
  await rig.stopAgent();
  const busy = { kind: "error", code: 2, details: "device busy" } as const;
  rig.fake.fault("RemovePodSandbox", busy);
  const manifest = JSON.stringify(web({ uid: UID, name: "other" }));
  await Deno.writeTextFile(rig.manifestPath("web"), manifest);
  const from = rig.fake.calls.length;
  await rig.startAgent();
  await untilRunning(rig, "other");
  await rig.pass(30_000);
  const starts = rig.mutations(from)
    .filter((method) => method === "StartContainer");
  strictEqual(starts.length, 1);
  strictEqual(rig.fake.sandboxes.size, 2);
  rig.fake.clearFaults();
  await rig.remove("web");
  await untilGone(rig);
});

Deno.test("Agent leaves no logs of a name that a pod lost while the agent ended (I3)", async () => {
  await using rig = await withRunning();
  rig.fake.fault("StopContainer", { kind: "hang" }, { times: 1 });
  await rig.apply("web", web({ uid: UID, name: "other" }));
  await rig.until(
    () => rig.mutations().includes("StopContainer"),
    "the end of web",
  );
  await rig.restartAgent();
  await untilRunning(rig, "other");
  await rig.remove("web");
  await untilGone(rig);
  deepStrictEqual(rig.list(rig.config.runtime.podLogsDir), []);
});
