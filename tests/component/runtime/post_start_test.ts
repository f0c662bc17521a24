/**
 * What a postStart hook leads to besides its own success.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  notStrictEqual,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { container, pod } from "../../support/pods.ts";
import { fakeRig } from "../../support/runtime/runtime_rig.ts";
import { until } from "../../support/until.ts";

const HOOKED = {
  lifecycle: { postStart: { exec: { command: ["warm-up"] } } },
};

Deno.test("PodExecutor.execute() tells of the hook that failed, also when the container cannot be stopped after it", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.settings.exec = () => ({ exitCode: 1 });
  fake.fault("StopContainer", { kind: "error", code: 13, details: "stuck" });
  const outcome = await rig.sync(pod({ containers: [container("c", HOOKED)] }));
  const [failure] = outcome.failures;
  strictEqual(failure?.reason, "PostStartHookError");
  match(failure.message, /ended with "1".*; .*stuck/);
});

Deno.test("PodExecutor.execute() does not show containers as they were before a long hook", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod({
    containers: [container(), container("hooked", HOOKED)],
  });
  await rig.sync(subject);
  const [hooked] = fake.running("hooked");
  const [other] = fake.running("c");
  fake.exitContainer(hooked?.id ?? "", 1);
  fake.settings.exec = () => {
    fake.exitContainer(other?.id ?? "", 1);
    return { exitCode: 0 };
  };
  fake.fault("ExecSync", { kind: "delay", ms: 1_100 });
  const syncing = rig.sync(subject);
  await until(() => fake.callsOf("ExecSync").length === 2);
  await rig.clock.advance(1_100);
  const { observed } = await syncing;
  const shown = observed?.pod.containers.find(({ id }) => id === other?.id);
  notStrictEqual(shown?.state, "running");
});

Deno.test("PodExecutor.execute() notes that a hook is due until it has run, and how a container ends whose hook failed", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.behave("c", { onTerm: { code: 0, afterMs: 0 } });
  const subject = pod({
    containers: [container("c", HOOKED)],
    restartPolicy: "OnFailure",
  });
  const newest = async () => {
    const [seen] = (await rig.look(subject)).containers;
    return [seen?.state, seen?.postStartDue, seen?.stopped];
  };
  fake.fault("ExecSync", { kind: "hang" }, { times: 1 });
  const stop = new AbortController();
  const givenUp = rejects(rig.sync(subject, { signal: stop.signal }), /later/);
  await until(() => fake.callsOf("ExecSync").length === 1);
  stop.abort(new Error("later"));
  await givenUp;
  deepStrictEqual(await newest(), ["running", true, undefined]);
  deepStrictEqual((await rig.sync(subject)).failures, []);
  deepStrictEqual(await newest(), ["running", undefined, undefined]);
  for (const { id } of fake.running("c")) fake.exitContainer(id, 1);
  fake.settings.exec = () => ({ exitCode: 1 });
  await rig.sync(subject);
  deepStrictEqual(await newest(), ["exited", undefined, "as_failed"]);
});
