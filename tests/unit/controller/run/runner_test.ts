/** A controller is asked one key at a time, and never before it can see what it did. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import type { ReplicaSet } from "../../../../mod/api/workload/mod.ts";
import {
  NO_POD_SET as NONE,
  ONE_POD_SET as SET,
  RunnerRig as Rig,
} from "../../../support/controller/runner_rig.ts";

Deno.test("what is wished is done once, however often it is asked, until the cache shows it", async () => {
  await using rig = new Rig();
  rig.objects.put(SET);
  rig.objects.freeze();
  for (let turn = 0; turn < 5; turn++) await rig.look();
  deepStrictEqual(rig.objects.calls, [
    "create Pod web-1",
    "status ReplicaSet web",
  ]);
  strictEqual(rig.looks, 1);
  rig.objects.thaw();
  await rig.look();
  strictEqual(rig.looks, 2);
});

Deno.test("what the cache never shows is not believed after five minutes", async () => {
  await using rig = new Rig();
  rig.objects.put(SET);
  rig.objects.freeze();
  await rig.look();
  await rig.clock.advance(5 * 60_000 - 1);
  strictEqual(rig.looks, 1);
  await rig.clock.advance(1);
  strictEqual(rig.looks, 2);
});

Deno.test("a deletion is awaited as well", async () => {
  await using rig = new Rig();
  rig.objects.put(NONE);
  const pod = rig.objects.put({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", namespace: "shop", uid: "a" },
  });
  rig.objects.freeze();
  rig.extra = (pods) => ({
    status: () => ({ replicas: 0 }),
    changes: pods === 0 ? [] : [{
      verb: "delete",
      ref: { ...pod, ...pod.metadata },
    }],
  });
  await rig.look();
  await rig.look();
  strictEqual(
    rig.objects.calls.filter((call) => call === "delete Pod a").length,
    1,
  );
  rig.objects.thaw();
  await rig.look();
  strictEqual(rig.looks, 2);
});

Deno.test("what fails is tried again after pauses that double, up to a thousand seconds", async () => {
  await using rig = new Rig();
  rig.objects.put(SET);
  rig.objects.refuse = (verb) =>
    verb === "create" ? new ApiFailure("Forbidden", "no") : undefined;
  await rig.look();
  let elapsed = 0;
  for (let turn = 0; turn < 20; turn++) {
    const pause = Math.min(5 * 2 ** turn, 1_000_000);
    const before = rig.looks;
    await rig.clock.advance(pause - 1);
    strictEqual(rig.looks, before, `a look before ${elapsed + pause} ms`);
    await rig.clock.advance(1);
    strictEqual(rig.looks, before + 1, `no look at ${elapsed + pause} ms`);
    elapsed += pause;
  }
  rig.objects.refuse = () => undefined;
  await rig.look();
  await rig.look();
  const before = rig.looks;
  await rig.clock.advance(2_000_000);
  strictEqual(rig.looks, before);
});

Deno.test("a look that waits for what was done takes nothing from the pauses after failures", async () => {
  await using rig = new Rig();
  const three: ReplicaSet = { ...SET, spec: { ...SET.spec, replicas: 3 } };
  rig.objects.put(three);
  rig.objects.refuse = (verb, { name }) =>
    verb === "create" && name !== "web-1"
      ? new ApiFailure("Forbidden", "no")
      : undefined;
  rig.objects.freeze();
  await rig.look();
  await rig.clock.advance(5);
  strictEqual(rig.looks, 1);
  rig.objects.thaw();
  await rig.look();
  strictEqual(rig.looks, 2);
  await rig.clock.advance(9);
  strictEqual(rig.looks, 2);
  await rig.clock.advance(1);
  strictEqual(rig.looks, 3);
});

Deno.test("what is awaited delays no look that is due sooner", async () => {
  await using rig = new Rig();
  rig.objects.put(SET);
  rig.objects.freeze();
  rig.extra = () => rig.looks === 1 ? { againAfterMs: 1_000 } : {};
  await rig.look();
  await rig.look();
  rig.objects.thaw();
  await rig.clock.advance(1_000);
  strictEqual(rig.looks, 2);
});

Deno.test("of a hundred objects that fail all are tried again, and then ten a second", async () => {
  await using rig = new Rig();
  rig.objects.refuse = () => new ApiFailure("Unreachable", "no server");
  const names = Array.from({ length: 300 }, (_, at) => `web-${at}`);
  for (const name of names) {
    rig.objects.put({ ...SET, metadata: { ...SET.metadata, name, uid: name } });
    rig.wake(name);
  }
  await rig.clock.advance(5);
  strictEqual(rig.looks, 400);
  await rig.clock.advance(10_000);
  const more = rig.looks - 400;
  ok(more > 90 && more < 110, `${more}`);
});

Deno.test("a controller that throws ends nothing and is asked again", async () => {
  await using rig = new Rig();
  rig.objects.put(SET);
  rig.extra = () => {
    throw new TypeError("broken step");
  };
  await rig.look();
  await rig.clock.advance(5);
  strictEqual(rig.looks, 2);
  rig.extra = () => ({});
  await rig.clock.advance(10);
  strictEqual(rig.objects.all("Pod").length, 1);
  ok(
    rig.metrics.render()
      .includes('skerry_workqueue_retries_total{name="test"} 2'),
  );
});

Deno.test("it looks again when it wished to", async () => {
  await using rig = new Rig();
  rig.objects.put(NONE);
  await rig.look();
  await rig.look();
  rig.extra = () => rig.looks < 5 ? { againAfterMs: 1_000 } : {};
  await rig.look();
  const before = rig.looks;
  await rig.clock.advance(999);
  strictEqual(rig.looks, before);
  await rig.clock.advance(1);
  strictEqual(rig.looks, before + 1);
  await rig.clock.advance(10_000);
  strictEqual(rig.looks, 5);
});

Deno.test("what is no news is not told again", async () => {
  await using rig = new Rig();
  rig.objects.put(NONE);
  const words = (reason: string) => ({
    events: [{ type: "Warning" as const, reason, message: "" }],
  });
  for (const reason of ["A", "A", "B", "B", "A"]) {
    rig.extra = () => words(reason);
    await rig.look();
  }
  deepStrictEqual(rig.told, ["A", "B", "A"]);
});

Deno.test("an object that is gone is nobody's work, and nothing is remembered of it", async () => {
  await using rig = new Rig();
  await rig.look();
  strictEqual(rig.looks, 0);
  rig.objects.put(SET);
  rig.objects.refuse = (verb) =>
    verb === "create" ? new ApiFailure("Forbidden", "no") : undefined;
  await rig.look();
  rig.objects.drop("ReplicaSet", "shop", "web");
  await rig.clock.advance(10_000);
  rig.objects.put(SET);
  await rig.look();
  const before = rig.looks;
  await rig.clock.advance(5);
  strictEqual(rig.looks, before + 1);
});

Deno.test("what was told of an object is forgotten with it", async () => {
  await using rig = new Rig();
  const idle = { type: "Normal", reason: "Idle", message: "none" } as const;
  rig.extra = () => ({ events: [idle] });
  for (const wanted of [["Idle"], ["Idle", "Idle"]]) {
    rig.objects.put(NONE);
    await rig.look();
    deepStrictEqual(rig.told, wanted);
    rig.objects.drop("ReplicaSet", "shop", "web");
    await rig.look();
  }
});

Deno.test("of another object of its name nothing is remembered", async () => {
  await using rig = new Rig();
  rig.objects.put(NONE);
  rig.extra = () => ({
    events: [{ type: "Normal", reason: "Idle", message: "nothing to do" }],
  });
  await rig.look();
  rig.objects.refuse = () => new ApiFailure("Forbidden", "quota");
  rig.objects.put(SET);
  await rig.look();
  await rig.clock.advance(60_000);
  const { looks } = rig;
  rig.told.splice(0);
  rig.objects.put({ ...SET, metadata: { ...SET.metadata, uid: "another" } });
  await rig.look();
  deepStrictEqual(rig.told, ["Idle"]);
  await rig.clock.advance(4);
  strictEqual(rig.looks, looks + 1);
  await rig.clock.advance(1);
  strictEqual(rig.looks, looks + 2);
});
