/** What a controller does for what is left when its object is gone. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../../mod/base/telemetry/mod.ts";
import {
  type Change,
  type Controller,
  exactRef,
  type ObjectCache,
} from "../../../../mod/controller/run/mod.ts";
import { ControllerRunner } from "../../../../mod/controller/run/runner.ts";
import { ScriptedObjects } from "../../../support/controller/scripted_objects.ts";
import { jobPod } from "../../../support/controller/job_objects.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

type Leave = NonNullable<Controller<"Job", unknown>["leave"]>;

/** Looks at a Job that is not there. */
async function lookAtNothing(
  objects: ScriptedObjects,
  leave: Leave | undefined,
  { cache = objects.cache, wakes = 1 }: {
    readonly cache?: ObjectCache;
    readonly wakes?: number;
  } = {},
): Promise<FakeClock> {
  const clock = new FakeClock();
  const controller: Controller<"Job", unknown> = {
    kind: "Job",
    name: "test",
    owns: [],
    gather: () => undefined,
    step: () => ({ changes: [] }),
    ...(leave !== undefined && { leave }),
  };
  const runner = new ControllerRunner(controller, {
    client: objects,
    cache,
    clock,
    log: silentLogger,
    metrics: new MetricsRegistry(),
    tell: () => {
      throw new Error("There is nothing to tell of");
    },
  });
  const ended = new AbortController();
  const running = runner.run(ended.signal);
  for (let turn = 0; turn < wakes; turn++) {
    runner.wake("shop", "gone");
    await clock.advance(100);
  }
  ended.abort();
  await running;
  return clock;
}

const words = { type: "Normal", reason: "Left", message: "{name}" } as const;
const drop: Change = {
  verb: "delete",
  ref: exactRef(jobPod("a")),
  events: { done: words, failed: words },
};

Deno.test("what is left is seen to, by the name of what is gone", async () => {
  const objects = new ScriptedObjects();
  objects.put(jobPod("a"));
  const asked: unknown[] = [];
  await lookAtNothing(objects, (gone, cache) => {
    asked.push(gone);
    strictEqual(cache, objects.cache);
    return [drop];
  });
  deepStrictEqual(asked, [{ namespace: "shop", name: "gone" }]);
  deepStrictEqual(objects.calls, ["delete Pod a"]);
});

Deno.test("what fails for what is left is tried again, with pauses", async () => {
  const objects = new ScriptedObjects();
  objects.put(jobPod("a"));
  let refusals = 4;
  objects.refuse = () =>
    refusals-- > 0 ? new ApiFailure("Timeout", "late") : undefined;
  await lookAtNothing(objects, () => [drop]);
  // At 0, 5, 15, 35 and 75 ms.
  strictEqual(objects.calls.length, 5);
});

Deno.test("what is gone adopts nothing", async () => {
  const objects = new ScriptedObjects();
  const adoption: Change = {
    verb: "patch",
    ref: exactRef(objects.put(jobPod("a"))),
    patch: {},
    isAdoption: true,
  };
  let turns = 0;
  await lookAtNothing(objects, () => turns++ === 0 ? [adoption] : []);
  deepStrictEqual(objects.calls, []);
  strictEqual(turns, 2);
});

Deno.test("nothing is done for what is left when nobody says what", async () => {
  const objects = new ScriptedObjects();
  objects.put(jobPod("a"));
  await lookAtNothing(objects, undefined);
  deepStrictEqual(objects.calls, []);
});

Deno.test("what was done for what is left is not done again before it is seen", async () => {
  const objects = new ScriptedObjects();
  const pod = objects.put(jobPod("a"));
  const { cache } = objects;
  const behind: ObjectCache = {
    get: (...of) => cache.get(...of),
    list: (...of) => cache.list(...of),
    candidates: (...of) => cache.candidates(...of),
    version: () => pod.metadata.resourceVersion,
  };
  const patch = { metadata: { labels: { left: "1" } } };
  const change: Change = { verb: "patch", ref: exactRef(pod), patch };
  await lookAtNothing(objects, () => [change], { cache: behind, wakes: 3 });
  strictEqual(objects.calls.length, 1);
});
