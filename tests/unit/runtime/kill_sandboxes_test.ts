/**
 * Stopping the sandboxes of a pod: how long anybody waits for it.
 *
 * @module
 */

import { deepStrictEqual, match, ok, rejects } from "node:assert/strict";
import { SandboxesLeft } from "../../../mod/runtime/end/kill.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { observed, sandbox, seen } from "../../support/observed_pods.ts";
import { container, pod } from "../../support/pods.ts";
import { killerRig, STUCK } from "../../support/runtime/killer_rig.ts";

const never = new AbortController().signal;

/** Begins to end a pod whose sandbox takes a minute to stop. */
function killSlowly(
  options: {
    readonly stopContainer: () => Promise<void>;
    readonly signal?: AbortSignal;
  },
) {
  const clock = new FakeClock();
  const { killer } = killerRig({
    stopContainer: options.stopContainer,
    stopPodSandbox: (_id, { signal = never } = {}) =>
      clock.sleep(60_000, signal),
  }, { clock });
  const done = killer.killPod({
    pod: pod({ containers: [container("a")] }),
    observed: observed([seen("a")], [sandbox({ id: "s1" })]),
    graceSeconds: 0,
    signal: options.signal ?? never,
  });
  return { clock, done };
}

Deno.test("PodKiller.killPod() waits 10 s for a sandbox in which nothing runs, and says which it leaves", async () => {
  const { clock, done } = killSlowly({
    stopContainer: () => Promise.resolve(),
  });
  const isLeft = rejects(done, (error) => {
    ok(error instanceof SandboxesLeft);
    deepStrictEqual(error.sandboxIds, ["s1"]);
    match(error.message, /Sandbox "s1" did not stop within 10000 ms/);
    return true;
  });
  await clock.advance(10_000);
  await isLeft;
});

Deno.test("PodKiller.killPod() gives a sandbox all its time that is to end a container", async () => {
  const { clock, done } = killSlowly({
    stopContainer: () => Promise.reject(STUCK),
  });
  const isTold = rejects(done, (error) => {
    ok(error instanceof AggregateError && !(error instanceof SandboxesLeft));
    deepStrictEqual(error.errors, [STUCK]);
    return true;
  });
  await clock.advance(60_000);
  await isTold;
});

Deno.test("PodKiller.killPod() fails with the reason of its signal when it is given up while a sandbox stops", async () => {
  const stop = new AbortController();
  const reason = new Error("the agent ends");
  const { clock, done } = killSlowly({
    stopContainer: () => Promise.resolve(),
    signal: stop.signal,
  });
  const isTold = rejects(done, (error) => error === reason);
  await clock.advance(1_000);
  stop.abort(reason);
  await clock.advance(0);
  await isTold;
});
