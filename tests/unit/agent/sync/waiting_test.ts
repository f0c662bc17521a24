/**
 * Why containers wait after an attempt to start them.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { waitingAfter } from "../../../../mod/agent/sync/waiting.ts";

Deno.test("waitingAfter() says of each container why it did not start, and nothing of the pod as a whole", () => {
  const failed = { reason: "ErrImagePull", message: "no such host" } as const;
  const backOff = {
    reason: "CrashLoopBackOff",
    message: "wait",
    retryAtMs: 5,
  } as const;
  const waiting = waitingAfter({
    acted: false,
    actedAtMs: 0,
    isPulling: false,
    failures: [
      { container: "a", ...failed },
      { reason: "CreatePodSandboxError", message: "no network" },
      { container: "b", ...backOff },
    ],
  });
  deepStrictEqual(
    waiting,
    new Map([
      ["a", failed],
      ["b", { reason: "CrashLoopBackOff", message: "wait" }],
    ]),
  );
});
