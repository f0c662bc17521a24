/**
 * A fixed UID whose manifest gives it another name.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { untilGone, web } from "../../support/agent/manifests.ts";
import { untilOneRuns, withRunning } from "../../support/agent/phases.ts";

const UID = "0badc0de-0000-4000-8000-000000000005";

Deno.test("Agent starts a pod once that was renamed while it was off, though the old sandbox stays", async () => {
  await using rig = await withRunning(web({ uid: UID }));
  await rig.stopAgent();
  const busy = { kind: "error", code: 2, details: "device busy" } as const;
  rig.fake.fault("RemovePodSandbox", busy);
  const manifest = JSON.stringify(web({ uid: UID, name: "other" }));
  await Deno.writeTextFile(rig.manifestPath("web"), manifest);
  const from = rig.fake.calls.length;
  await rig.startAgent();
  await untilOneRuns(rig, "other");
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
  await using rig = await withRunning(web({ uid: UID }));
  rig.fake.fault("StopContainer", { kind: "hang" }, { times: 1 });
  await rig.apply("web", web({ uid: UID, name: "other" }));
  await rig.until(
    () => rig.mutations().includes("StopContainer"),
    "the end of web",
  );
  await rig.restartAgent();
  await untilOneRuns(rig, "other");
  await rig.remove("web");
  await untilGone(rig);
  deepStrictEqual(rig.list(rig.config.runtime.podLogsDir), []);
});
