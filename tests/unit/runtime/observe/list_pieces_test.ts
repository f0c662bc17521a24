/**
 * Listing what is too large for one answer.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { silentLogger } from "../../../../mod/base/telemetry/mod.ts";
import { CriError } from "../../../../mod/cri/model/mod.ts";
import { PodLister } from "../../../../mod/runtime/observe/list_pieces.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { ModelRuntime } from "../../picture/model_runtime.ts";

function setUp() {
  const clock = new FakeClock();
  const runtime = new ModelRuntime(clock);
  for (const uid of ["u", "v"]) runtime.addPod(uid);
  runtime.exit("c-v");
  runtime.endSandbox("s-v");
  const lister = new PodLister({
    runtime,
    clock,
    log: silentLogger,
    uids: () => ["u", "v", "v"],
  });
  const tooLarge = (...lists: readonly string[]) =>
    lists.forEach((list) => runtime.faults.set(list, "resource_exhausted"));
  return { clock, runtime, lister, tooLarge };
}

Deno.test("PodLister.list() lists the same in pieces as in one", async () => {
  const { runtime, lister, tooLarge } = setUp();
  const whole = await lister.list();
  tooLarge("list sandboxes", "list containers");
  const byState = await lister.list();
  tooLarge("list sandboxes not_ready", "list containers exited");
  const byPod = await lister.list();
  runtime.calls.length = 0;
  deepStrictEqual([byState, byPod], [whole, whole]);
});

Deno.test("PodLister.list() asks for the whole again after a minute only", async () => {
  const { clock, runtime, lister, tooLarge } = setUp();
  tooLarge("list containers");
  for (let second = 0; second < 60; second++) {
    await lister.list();
    await clock.advance(1_000);
  }
  const wholes = () =>
    runtime.calls.filter((call) => call === "list containers").length;
  strictEqual(wholes(), 1);
  runtime.faults.clear();
  await lister.list();
  await lister.list();
  strictEqual(wholes(), 3);
});

Deno.test("PodLister.list() fails when a list fails for another reason than its size", async () => {
  const { runtime, lister, tooLarge } = setUp();
  runtime.faults.set("list containers", "unavailable");
  await rejects(lister.list(), CriError);
  tooLarge("list containers");
  runtime.faults.set("list containers running", "unavailable");
  await rejects(lister.list(), CriError);
});
