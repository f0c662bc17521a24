/**
 * Readiness: what the status says, and when.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, WEB } from "../../support/agent/manifests.ts";
import {
  Answers,
  ask,
  condition,
  messages,
  probed,
  seenWhile,
  untilReady,
} from "../../support/agent/probes.ts";
import { untilPhase, untilRunning } from "../../support/agent/phases.ts";

const IMAGE = "localhost/slow:1";

Deno.test("Agent says that a pod is ready when its containers are, and when they are not", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  answers.set("ready", "no");
  await rig.apply("web", probed({ readinessProbe: ask("ready") }));
  await untilRunning(rig);
  await rig.pass(5_000);
  const shown = () => rig.status("web")?.containerStatuses?.[0];
  deepStrictEqual([shown()?.started, shown()?.ready], [true, false]);
  strictEqual(condition(rig, "ContainersReady"), "False");
  const { message } = rig.status("web")?.conditions
    ?.find(({ type }) => type === "ContainersReady") ?? {};
  strictEqual(message, `containers with unready status: [${WEB}]`);

  answers.set("ready", "yes");
  await untilReady(rig);
  strictEqual(shown()?.ready, true);
  const from = rig.fake.calls.length;
  answers.set("ready", "no");
  await untilReady(rig, "False");
  answers.set("ready", "yes");
  await untilReady(rig);
  // Nobody is restarted for it.
  deepStrictEqual(rig.mutations(from), []);
  ok(messages(rig, "Unhealthy").every((text) => text.startsWith("Readiness")));
});

Deno.test("Agent shows a change of readiness at once while the pod's worker pulls an image", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  rig.fake.addImage({ ref: IMAGE });
  const containers = [
    busybox(WEB, { readinessProbe: ask("ready") }),
    busybox("other", { image: IMAGE, imagePullPolicy: "Always" }),
  ];
  rig.fake.setRegistry(IMAGE, { kind: "image", image: { ref: IMAGE } });
  await rig.apply("web", probed({}, { spec: { containers } }));
  await untilReady(rig);
  // From now on the pull of the crashed container's image never ends.
  rig.fake.fault("PullImage", { kind: "hang" });
  const pulls = rig.fake.callsOf("PullImage").length;
  rig.fake.exitContainer(rig.only("other").id, 1);
  await rig.until(
    () => rig.fake.callsOf("PullImage").length > pulls,
    "the pull",
  );
  const isReady = () =>
    rig.status("web")?.containerStatuses?.find(({ name }) => name === WEB)
      ?.ready;
  strictEqual(isReady(), true);
  answers.set("ready", "no");
  await rig.until(() => isReady() === false, "unready", { limitMs: 10_000 });
  strictEqual(condition(rig, "ContainersReady"), "False");
  answers.set("ready", "yes");
  await rig.until(() => isReady() === true, "ready", { limitMs: 10_000 });
  strictEqual(rig.fake.running("other").length, 0);
});

Deno.test("Agent goes on asking for readiness while a pod ends, and not for liveness", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  rig.fake.behave(WEB, { onTerm: "ignore" });
  const spec = { terminationGracePeriodSeconds: 20 };
  const probes = { livenessProbe: ask("live"), readinessProbe: ask("ready") };
  await rig.apply("web", probed(probes, { spec }));
  await untilReady(rig);
  await rig.remove("web");
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length === 1,
    "the order to end",
  );
  const { id } = rig.only(WEB);
  const live = answers.asked("live", id);
  answers.set("live", "no");
  answers.set("ready", "no");
  await untilReady(rig, "False");
  answers.set("ready", "yes");
  await untilReady(rig, "True");
  await rig.pass(5_000);
  strictEqual(answers.asked("live", id), live);
  strictEqual(rig.fake.running(WEB).length, 1);
  deepStrictEqual(messages(rig, "Killing"), [`Stopping container ${WEB}`]);
});

Deno.test("Agent goes on asking sidecars for liveness while their pod ends", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  rig.fake.behave(WEB, { onTerm: "ignore" });
  const sidecar = busybox("side", {
    restartPolicy: "Always",
    livenessProbe: ask("live"),
  });
  const spec = { terminationGracePeriodSeconds: 15, initContainers: [sidecar] };
  await rig.apply(
    "web",
    probed({ livenessProbe: ask("live") }, { spec }),
  );
  await untilReady(rig);
  await rig.remove("web");
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length === 1,
    "the order to end",
  );
  const [app, side] = [rig.only(WEB).id, rig.only("side").id];
  const [before, besides] = [
    answers.asked("live", app),
    answers.asked(
      "live",
      side,
    ),
  ];
  await rig.pass(8_000);
  strictEqual(answers.asked("live", app), before);
  ok(answers.asked("live", side) >= besides + 7);
});

Deno.test("Agent takes over an edited probe of a pod that keeps its UID, without a restart", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  const uid = "0badc0de-0000-4000-8000-000000000007";
  const slow = { readinessProbe: ask("ready", { periodSeconds: 600 }) };
  answers.set("ready", "no");
  await rig.apply("web", probed(slow, { uid }));
  await rig.until(() => answers.asked("ready") === 1, "the first question");
  const { id } = rig.only(WEB);
  answers.set("ready", "yes");
  await rig.apply("web", probed({ readinessProbe: ask("ready") }, { uid }));
  await untilReady(rig);
  strictEqual(rig.only(WEB).id, id);

  // One that is taken away does not count any more, whatever it said.
  answers.set("ready", "no");
  await untilReady(rig, "False");
  await rig.apply("web", probed({}, { uid }));
  await untilReady(rig);
  const asked = answers.asked("ready");
  await rig.pass(5_000);
  strictEqual(answers.asked("ready"), asked);

  // One that is added counts from its first answers on.
  answers.set("live", "no");
  await rig.apply("web", probed({ livenessProbe: ask("live") }, { uid }));
  await rig.until(
    () => rig.fake.callsOf("StartContainer").length === 2,
    "the restart",
  );
});

Deno.test("Agent asks nothing of a pod that has ended by itself", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  const spec = { restartPolicy: "Never" };
  await rig.apply(
    "web",
    probed({ readinessProbe: ask("ready") }, { spec }),
  );
  await untilReady(rig);
  rig.fake.exitContainer(rig.only(WEB).id, 0);
  await untilPhase(rig, "Succeeded");
  strictEqual(condition(rig, "Ready"), "False");
  await rig.pass(3_000);
  const asked = answers.asked("ready");
  const seen = await seenWhile(rig, 5_000, () => condition(rig, "Ready"));
  deepStrictEqual(seen, ["False"]);
  strictEqual(answers.asked("ready"), asked);
  deepStrictEqual(
    rig.core.prober.report(rig.pod("web")?.metadata.uid ?? ""),
    [],
  );
});

Deno.test("Agent leaves nothing behind that asks, when a pod is removed (I3)", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  await rig.apply("near", probed({}, { name: "near" }));
  await untilReady(rig, "True", "near");
  await rig.pass(5_000);
  const before = rig.clock.pendingTimers;
  answers.set("live", { afterMs: Infinity });
  await rig.apply(
    "web",
    probed({
      livenessProbe: ask("live", { timeoutSeconds: 30 }),
      readinessProbe: ask("ready"),
      startupProbe: ask("start"),
    }),
  );
  await untilReady(rig);
  await rig.until(() => answers.asked("live") > 0, "a question");
  await rig.remove("web");
  await rig.until(() => rig.pod("web") === undefined, "its end");
  await rig.pass(5_000);
  const from = rig.fake.calls.length;
  await rig.pass(20_000);
  const asked = rig.fake.calls.slice(from)
    .filter(({ method }) => method === "ExecSync");
  deepStrictEqual(asked, []);
  ok(rig.clock.pendingTimers <= before);
});
