/**
 * What an execution reports.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { SyncReport } from "../../../../mod/runtime/account/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

async function setUp() {
  const clock = new FakeClock();
  await clock.advance(5_000);
  return { clock, report: new SyncReport(clock) };
}

Deno.test("SyncReport has nothing to say of an execution that did nothing", async () => {
  const { report } = await setUp();
  deepStrictEqual(report.outcome(), {
    acted: false,
    actedAtMs: 5_000,
    failures: [],
    isPulling: false,
  });
  strictEqual(report.onlyStarted, false);
  strictEqual(report.timeAfter(), 5_000.001);
});

Deno.test("SyncReport tells a start from what leaves the rest of the pod unknown", async () => {
  const { clock, report } = await setUp();
  report.changed();
  strictEqual(report.onlyStarted, true);
  strictEqual(report.timeAfter(), 5_000.001);
  await clock.advance(7);
  strictEqual(report.timeAfter(), 5_007);
  deepStrictEqual(
    [report.outcome().acted, report.outcome().actedAtMs],
    [true, 5_000],
  );
  report.stopped();
  strictEqual(report.onlyStarted, false);
  strictEqual(report.outcome().actedAtMs, 5_007);
});

Deno.test("SyncReport collects what went wrong, and what is to be looked at again", async () => {
  const { report } = await setUp();
  const refused = { reason: "RunContainerError", message: "no" } as const;
  const noSandbox = { reason: "CreatePodSandboxError", message: "no" } as const;
  report.failed({ container: "c", ...refused });
  report.podFailed(noSandbox);
  report.pulling();
  report.leftUnstopped(["s1"]);
  strictEqual(report.outcome().acted, false);
  report.again("SandboxChanged", "It is another one");
  deepStrictEqual(report.outcome(), {
    acted: true,
    actedAtMs: 5_000,
    failures: [
      { container: "c", ...refused },
      {
        reason: "SandboxChanged",
        message: "It is another one",
        retryAtMs: 5_000,
      },
    ],
    isPulling: true,
    unstopped: ["s1"],
    podFailure: noSandbox,
  });
  strictEqual(report.onlyStarted, false);
});
