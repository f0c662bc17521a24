/**
 * A runtime that goes away, comes back, or says for a moment that it has nothing.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { CriConnection } from "../../../mod/cri/mod.ts";
import { CoreRig, type CoreRigOptions } from "../../support/agent/core_rig.ts";
import { untilGone, WEB, web } from "../../support/agent/manifests.ts";
import { report } from "../../support/agent/told.ts";
import { isFound } from "../../support/findings.ts";
import { untilPhase, withRunning } from "../../support/agent/phases.ts";
import { withOtherRuntime } from "../../support/agent/other_runtime.ts";

async function withSettled(options: CoreRigOptions = {}): Promise<CoreRig> {
  const rig = await withRunning(web(), options);
  await rig.pass(3_000);
  return rig;
}

Deno.test("Agent keeps statuses, says what is wrong and kills nothing while the runtime is away", async () => {
  await using rig = await withSettled();
  deepStrictEqual(rig.problems(), []);
  const before = rig.status("web");
  const from = rig.fake.calls.length;
  await rig.fake.stop();
  await rig.until(() => rig.problems().length > 0, "the problem");
  strictEqual(rig.problems()[0]?.check, "runtime");
  await rig.pass(100_000);
  deepStrictEqual(rig.status("web"), before);
  await rig.fake.restart();
  await rig.until(() => rig.problems().length === 0, "the return");
  await rig.pass(70_000);
  deepStrictEqual(rig.mutations(from), []);
});

Deno.test("Agent says that the list is late when the runtime is away for three minutes", async () => {
  await using rig = await withSettled();
  await rig.fake.stop();
  await rig.pass(190_000);
  deepStrictEqual(rig.problems().map(({ check }) => check), [
    "runtime",
    "pleg",
  ]);
  await rig.fake.restart();
  await rig.until(() => rig.problems().length === 0, "the return");
});

Deno.test("Agent says after 15 s in explain, healthz and the log that the runtime does not answer a list, and once when it does", async () => {
  await using rig = await withSettled();
  const lists = () => rig.fake.callsOf("ListContainers").length;
  const before = lists();
  rig.fake.fault("ListContainers", { kind: "hang" }, { times: 1 });
  await rig.until(() => lists() > before, "the list that hangs");
  await rig.pass(14_000);
  deepStrictEqual(rig.problems(), []);
  await rig.pass(2_000);
  deepStrictEqual(rig.problems(), [
    { check: "runtime", reason: "the runtime does not answer" },
  ]);
  const found = report(rig);
  ok(found);
  ok(isFound({ kind: "runtime_down", said: /\(1[56] s\): .*list/ }, found));
  await rig.pass(90_000, 5_000);
  strictEqual(rig.logged("relist_hangs").length, 1);
  deepStrictEqual(rig.logged("relist_recovered"), []);
  await rig.until(() => rig.problems().length === 0, "the next list", {
    stepMs: 1_000,
  });
  strictEqual(rig.logged("relist_hangs").length, 1);
  strictEqual(rig.logged("relist_recovered").length, 1);
  strictEqual(report(rig)?.findings[0]?.kind, "ready");
});

Deno.test("Agent restarts what exited while the runtime was away", async () => {
  await using rig = await withSettled();
  await rig.fake.stop();
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  await rig.pass(20_000);
  await rig.fake.restart();
  await rig.until(() => rig.fake.running(WEB).length === 1, "the restart", {
    limitMs: 10_000,
  });
  await rig.until(
    () => rig.status("web")?.containerStatuses?.[0]?.restartCount === 1,
    "the count",
  );
});

Deno.test("Agent starts and removes what was wished while the runtime was away", async () => {
  await using rig = await withSettled();
  await rig.fake.stop();
  await rig.remove("web");
  await rig.apply("other", web({ name: "other" }));
  await rig.until(() => rig.pod("other") !== undefined, "the wish");
  await rig.pass(20_000);
  await rig.fake.restart();
  await rig.until(
    () =>
      rig.status("other")?.phase === "Running" && rig.pods().length === 1 &&
      rig.fake.sandboxes.size === 1,
    "both wishes",
    { limitMs: 30_000 },
  );
  await rig.remove("other");
  await untilGone(rig);
});

Deno.test("Agent waits for a runtime that is not there when it starts", async () => {
  await using rig = await CoreRig.start({ prepare: ({ fake }) => fake.stop() });
  await rig.apply("web", web());
  await rig.pass(10_000);
  strictEqual(rig.problems()[0]?.check, "runtime");
  strictEqual(rig.pod("web")?.status?.phase, "Pending");
  await rig.fake.restart();
  await untilPhase(rig, "Running", { limitMs: 10_000 });
});

Deno.test("Agent warns of a runtime that is known to be dangerous, once for each version (SE-15)", async () => {
  await using rig = await withRunning();
  const flaws = () => rig.logged("runtime_advisory");
  const atStart = flaws().length;
  ok(atStart > 0 && flaws()[0]?.includes("CVE-2024-40635"));
  await rig.fake.stop();
  await rig.until(() => rig.problems().length > 0, "the outage");
  await rig.fake.restart();
  await rig.until(() => rig.problems().length === 0, "the return");
  strictEqual(flaws().length, atStart);
  await rig.fake.stop();
  await rig.until(() => rig.problems().length > 0, "the upgrade");
  rig.fake.settings.runtimeVersion = "1.5.0";
  await rig.fake.restart();
  await rig.until(() => flaws().length > atStart, "new warnings");
  ok(flaws().at(-1)?.includes('"version":"1.5.0"'));
});

for (const attempt of [0, 1]) {
  Deno.test(`Agent neither kills nor doubles pods when lists are empty for a moment, in sandbox ${attempt}`, async () => {
    let isEmpty = false;
    await using rig = await withSettled({
      wrap: (connection) => withLists(connection, () => isEmpty),
    });
    if (attempt > 0) {
      rig.fake.killSandbox(rig.only(WEB).sandboxId);
      await rig.until(
        () => rig.ready().length === 1 && rig.fake.running(WEB).length === 1,
        "the second sandbox",
      );
      await rig.pass(3_000);
    }
    const { id } = rig.only(WEB);
    const from = rig.fake.calls.length;
    isEmpty = true;
    await rig.pass(3_000, 250);
    isEmpty = false;
    await rig.pass(20_000);
    deepStrictEqual(rig.mutations(from), []);
    strictEqual(rig.only(WEB).id, id);
    strictEqual(rig.status("web")?.phase, "Running");
  });
}

/** A runtime whose lists of everything are empty when told so. */
function withLists(
  connection: CriConnection,
  isEmpty: () => boolean,
): CriConnection {
  const { runtime } = connection;
  return withOtherRuntime(connection, {
    listPodSandbox: (filter, options) =>
      isEmpty() && filter === undefined
        ? Promise.resolve([])
        : runtime.listPodSandbox(filter, options),
    listContainers: (filter, options) =>
      isEmpty() && filter === undefined
        ? Promise.resolve([])
        : runtime.listContainers(filter, options),
  });
}
