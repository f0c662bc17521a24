/** A Job's deadline and its end count time that has passed, whatever becomes of the clock. */

import { ok, strictEqual } from "node:assert/strict";
import type { Job } from "../../../../mod/api/workload/mod.ts";
import { jobController } from "../../../../mod/controller/job/mod.ts";
import { job } from "../../../support/controller/job_objects.ts";
import { SimulatedNode } from "../../../support/controller/simulated_node.ts";

const NOON = "2026-05-01T12:00:00Z";

/** Where a clock stands, and by how much it is set. */
const JUMPS: Readonly<Record<string, readonly [string, number]>> = {
  "by nothing": [NOON, 0],
  "a day ahead": [NOON, 24 * 3_600_000],
  "a day back": [NOON, -24 * 3_600_000],
  "from 1970 to now": ["1970-01-01T00:01:00Z", 1.8e12],
  "from now to 1970": [NOON, -Date.parse(NOON)],
};

/** A node with a Job that has begun, and whose one pod runs. */
async function begun(
  from: string,
  spec: Partial<Job["spec"]>,
): Promise<SimulatedNode> {
  const on = new SimulatedNode().add(jobController);
  on.clock.wall = Date.parse(from);
  const { status: _new, ...subject } = job(spec);
  await on.apply(subject);
  await on.report(on.pods(), { isReady: true });
  return on;
}

function conditions(on: SimulatedNode): string {
  return on.get("Job", "pi")?.status?.conditions
    ?.map(({ type }) => type).join() ?? "";
}

/** For how long the Job has run, in seconds, as one reads it off its status. */
function age(on: SimulatedNode): number {
  const { startTime = "" } = on.get("Job", "pi")?.status ?? {};
  return (on.clock.now() - Date.parse(startTime)) / 1000;
}

for (const [name, [from, byMs]] of Object.entries(JUMPS)) {
  for (const isCut of [false, true]) {
    const then = isCut ? ", and another agent goes on" : "";
    Deno.test(`a Job has the time that it may take: a clock is set ${name}${then}`, async () => {
      await using on = await begun(from, { activeDeadlineSeconds: 60 });
      await on.clock.advance(20_000);
      on.clock.wall = on.clock.now() + byMs;
      await on.wakeAll();
      ok(Math.abs(age(on) - 20) <= 1, `${age(on)} seconds`);
      if (isCut) await on.restart();
      const before = on.objects.calls.length;
      await on.clock.advance(38_000);
      await on.wakeAll();
      strictEqual(conditions(on), "");
      strictEqual(on.objects.calls.length, before);
      await on.clock.advance(2_000);
      strictEqual(conditions(on), "FailureTarget,Failed");
    });
  }

  Deno.test(`a Job that is over goes when its time has come: a clock is set ${name}`, async () => {
    await using on = await begun(from, {
      completions: 1,
      ttlSecondsAfterFinished: 60,
    });
    const phase = "Succeeded";
    await on.report(on.pods(), { isReady: false, phase });
    strictEqual(conditions(on), "SuccessCriteriaMet,Complete");
    await on.clock.advance(20_000);
    on.clock.wall = on.clock.now() + byMs;
    await on.wakeAll();
    await on.clock.advance(38_000);
    await on.wakeAll();
    ok(on.get("Job", "pi"));
    await on.clock.advance(2_000);
    strictEqual(on.get("Job", "pi"), undefined);
  });
}

Deno.test("a Job that was over before the agent began goes by what the clock says, never later than after its time", async () => {
  const spec = { completions: 1, ttlSecondsAfterFinished: 60 };
  for (const [time, leftMs] of [["11:59:30", 30_000], ["12:00:40", 60_000]]) {
    await using on = new SimulatedNode().add(jobController);
    on.clock.wall = Date.parse(NOON);
    const lastTransitionTime = `2026-05-01T${time}Z`;
    await on.apply(job(spec, {
      conditions: [{ type: "Complete", status: "True", lastTransitionTime }],
    }));
    await on.clock.advance(Number(leftMs) - 1);
    ok(on.get("Job", "pi"), lastTransitionTime);
    await on.clock.advance(1);
    strictEqual(on.get("Job", "pi"), undefined);
  }
});
