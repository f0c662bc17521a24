/**
 * Listing what is too large for one answer.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { CriError } from "../../../../mod/cri/model/mod.ts";
import { PodLister } from "../../../../mod/runtime/observe/list_pieces.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { LogRecorder } from "../../../support/agent/recorders.ts";
import { ModelRuntime } from "../../../support/picture/model_runtime.ts";

function setUp(uids: readonly string[] = ["u", "v", "v"]) {
  const clock = new FakeClock();
  const runtime = new ModelRuntime(clock);
  const log = new LogRecorder();
  for (const uid of new Set(uids)) runtime.addPod(uid);
  runtime.exit("c-v");
  runtime.endSandbox("s-v");
  const lister = new PodLister({
    runtime,
    clock,
    log: log.logger,
    uids: () => uids,
  });
  const tooLarge = (...lists: readonly string[]) =>
    lists.forEach((list) => runtime.faults.set(list, "resource_exhausted"));
  return { clock, log, runtime, lister, tooLarge };
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

Deno.test("PodLister.list() hides no pod behind another whose dead are too many", async () => {
  const { runtime, lister, tooLarge } = setUp();
  const all = ["list containers", "list containers exited"];
  tooLarge(...all, "list containers exited u");
  const { pods } = await lister.list();
  deepStrictEqual(
    [...pods.values()].map(({ containers }) => containers.length),
    [1, 1],
  );
  runtime.faults.set("list containers exited v", "unavailable");
  await rejects(lister.list(), CriError);
});

Deno.test("PodLister.list() asks for the dead of four pods at once", async () => {
  const uids = ["u", "v", "w", "x", "y", "z"];
  const { clock, runtime, lister, tooLarge } = setUp(uids);
  tooLarge("list containers", "list containers exited");
  for (const uid of uids) {
    runtime.faults.set(`list containers exited ${uid}`, "hang");
  }
  const asked = () =>
    runtime.calls.filter((call) => call.startsWith("list containers exited "));
  const listing = lister.list();
  await clock.advance(0);
  strictEqual(asked().length, 4);
  runtime.release();
  await clock.advance(0);
  await listing;
  strictEqual(asked().length, uids.length);
});

Deno.test("PodLister.list() says once of a list that it was too large, and again when it was not meanwhile", async () => {
  const { clock, log, runtime, lister, tooLarge } = setUp();
  const told = () => log.of("list_too_large").map(({ list }) => list);
  tooLarge("list containers");
  for (let minute = 0; minute < 3; minute++) {
    await lister.list();
    await clock.advance(60_000);
  }
  deepStrictEqual(told(), ["containers"]);
  runtime.faults.clear();
  await lister.list();
  tooLarge("list containers");
  await lister.list();
  deepStrictEqual(told(), ["containers", "containers"]);
});
