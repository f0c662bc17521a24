/**
 * The ends of containers that the runtime tells of in a misleading way.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { isUnclearEnd } from "../../../mod/pod/observed/observed.ts";
import { ended, observed, seen } from "../../support/observed_pods.ts";
import {
  never,
  previously,
  statusOf,
} from "../../support/pod/container_status.ts";

const wasRunning = {
  containerID: "containerd://a-0",
  state: { running: { startedAt: "2026-01-02T03:00:00Z" } },
};

Deno.test("buildPodStatus() counts the loss of a container once, and not its next run again (RT-06)", () => {
  const lost = statusOf({
    observed: observed([seen("a", { state: "unknown" })]),
    ...previously({ ...wasRunning, restartCount: 0 }),
  });
  strictEqual(lost.restartCount, 1);
  const next = statusOf({
    observed: observed([seen("a", { id: "new", restartCount: 1 })]),
    ...previously(lost),
  });
  strictEqual(next.restartCount, 1);
  strictEqual(next.lastState?.terminated?.reason, "ContainerStatusUnknown");
});

for (
  const [exitCode, reason] of [[137, "OOMKilled"], [1, "OOMKilled"], [
    143,
    "Error",
  ]] as const
) {
  Deno.test(`buildPodStatus() calls an exit ${exitCode} after an OOM kill ${reason} (RT-24)`, () => {
    const status = statusOf({
      pod: never,
      observed: observed([ended("a", exitCode, { reason: "OOMKilled" })]),
    });
    strictEqual(status.state?.terminated?.reason, reason);
    strictEqual(status.state?.terminated?.exitCode, exitCode);
  });
}

Deno.test("buildPodStatus() shows the stop signal that the runtime tells of", () => {
  const shown = (stopSignal?: string) =>
    statusOf({
      observed: observed([
        seen("a", stopSignal === undefined ? {} : { stopSignal }),
      ]),
    }).stopSignal;
  strictEqual(shown("SIGRTMIN+3"), "SIGRTMIN+3");
  strictEqual(shown(), undefined);
});

Deno.test("isUnclearEnd() is of an end that may yet turn out to be the kernel's doing", () => {
  strictEqual(isUnclearEnd(ended("a", 137)), true);
  strictEqual(isUnclearEnd(ended("a", 138)), false);
  strictEqual(isUnclearEnd(ended("a", 137, { reason: "OOMKilled" })), false);
  strictEqual(isUnclearEnd(ended("a", 0, { isUnconfirmed: true })), true);
  const running = seen("a", { exitCode: 137, reason: "Error" });
  strictEqual(isUnclearEnd(running), false);
});
