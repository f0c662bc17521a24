/**
 * How soon another sandbox of a pod may be made.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Sessions } from "../../../../mod/base/mod.ts";
import { BACKOFF_EXPIRY_MS } from "../../../../mod/pod/recovery/mod.ts";
import { SandboxPauses } from "../../../../mod/runtime/start/sandbox_pauses.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const FAILURE = {
  reason: "CreatePodSandboxError",
  message: "no network",
} as const;

function setUp() {
  const clock = new FakeClock();
  const sessions = new Sessions();
  const pauses = new SandboxPauses({ clock, sessions });
  /** How long the pod has to wait yet; 0 for not at all. */
  const left = (uid = "u") =>
    Math.max(0, (pauses.waitOf(uid)?.retryAtMs ?? 0) - clock.monotonic());
  return { clock, sessions, pauses, left };
}

Deno.test("SandboxPauses waits longer after each sandbox that could not be made, up to 30 s", async () => {
  const { clock, pauses, left } = setUp();
  const waits: number[] = [];
  for (let times = 0; times < 6; times++) {
    const wait = pauses.failed("u", FAILURE);
    deepStrictEqual(pauses.waitOf("u"), wait);
    deepStrictEqual(
      { reason: wait.reason, message: wait.message },
      FAILURE,
    );
    waits.push(left());
    await clock.advance(left() - 1);
    strictEqual(left(), 1);
    await clock.advance(1);
    strictEqual(pauses.waitOf("u"), undefined);
  }
  deepStrictEqual(waits, [2, 4, 8, 16, 30, 30].map((s) => s * 1_000));
  strictEqual(left("other"), 0);
});

Deno.test("SandboxPauses begins anew when a sandbox was made", () => {
  const { pauses, left } = setUp();
  for (let times = 0; times < 3; times++) pauses.failed("u", FAILURE);
  pauses.made("u");
  strictEqual(left(), 0);
  pauses.failed("u", FAILURE);
  strictEqual(left(), 2_000);
});

Deno.test("SandboxPauses waits when sandboxes that were made break soon, and longer each time", async () => {
  const { clock, pauses, left } = setUp();
  const waits: number[] = [];
  for (let times = 0; times < 7; times++) {
    pauses.made("u");
    waits.push(left());
    await clock.advance(left());
    strictEqual(pauses.waitOf("u"), undefined);
  }
  deepStrictEqual(waits, [0, 2, 4, 8, 16, 30, 30].map((s) => s * 1_000));
  pauses.made("u");
  strictEqual(pauses.waitOf("u")?.reason, "CreatePodSandboxError");
});

Deno.test("SandboxPauses forgives a sandbox that lasted", async () => {
  for (const [pastMs, waitMs] of [[0, 2_000], [1, 0]] as const) {
    const { clock, pauses, left } = setUp();
    pauses.made("u");
    await clock.advance(BACKOFF_EXPIRY_MS + pastMs);
    pauses.made("u");
    strictEqual(left(), waitMs);
  }
});

Deno.test("SandboxPauses forgets with a session what became of a pod's sandboxes", () => {
  const { sessions, pauses, left } = setUp();
  pauses.made("u");
  pauses.made("u");
  pauses.failed("v", FAILURE);
  for (const uid of ["u", "v"]) {
    strictEqual(left(uid), 2_000);
    sessions.delete(uid);
    strictEqual(left(uid), 0);
  }
  pauses.made("u");
  strictEqual(left(), 0);
});
