/**
 * Probes beside what else befalls a pod: other resources, eviction, the end.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { untilGone, WEB, web } from "../../support/agent/manifests.ts";
import {
  Answers,
  ask,
  condition,
  messages,
  probed,
  seenWhile,
  untilReady,
} from "../../support/agent/probes.ts";
import { untilRunning, withRunning } from "../../support/agent/phases.ts";

const MI = 1 << 20;

Deno.test("Agent that resizes a container goes on with its probes and keeps it ready", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  const pod = (cpu: string) =>
    probed({
      livenessProbe: ask("live"),
      readinessProbe: ask("ready"),
      resources: { requests: { cpu, memory: "8Mi" } },
    }, { uid: "fixed-web" });
  await rig.apply("web", pod("100m"));
  await untilReady(rig);
  const { id } = rig.only(WEB);
  await rig.apply("web", pod("200m"));
  const seen = await seenWhile(rig, 5_000, () => condition(rig, "Ready"));
  deepStrictEqual(seen, ["True"]);
  ok(rig.fake.callsOf("UpdateContainerResources").length > 0);
  strictEqual(rig.only(WEB).id, id);
  const asked = answers.asked("live", id);
  await rig.pass(5_000);
  ok(answers.asked("live", id) >= asked + 4);
});

Deno.test("Agent that evicts a pod asks nothing more of it, and blames the pod and not the node (PW-19)", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  const fields = {
    livenessProbe: ask("live"),
    readinessProbe: ask("ready"),
    volumeMounts: [{ name: "data", mountPath: "/data" }],
  };
  const volumes = [{ name: "data", emptyDir: { sizeLimit: "1Mi" } }];
  await rig.apply("web", probed(fields, { spec: { volumes } }));
  await untilReady(rig);
  const mount = rig.only(WEB).config.mounts
    .find(({ containerPath }) => containerPath === "/data");
  await Deno.writeFile(`${mount?.hostPath}/big`, new Uint8Array(2 * MI));
  await rig.until(
    () => rig.status("web")?.reason === "Evicted" && rig.ready().length === 0,
    "the eviction",
    { stepMs: 500 },
  );
  strictEqual(condition(rig, "Ready"), "False");
  // As upstream for a pod that exceeds a limit of its own.
  strictEqual(condition(rig, "DisruptionTarget"), undefined);
  await rig.pass(2_000);
  const asked = answers.asked("live") + answers.asked("ready");
  await rig.pass(10_000);
  strictEqual(answers.asked("live") + answers.asked("ready"), asked);
});

Deno.test("Agent asks nothing of a pod that it only finds on the runtime, and ends it", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  rig.fake.behave(WEB, { onTerm: { code: 0, afterMs: 4_000 } });
  const probes = { livenessProbe: ask("live"), readinessProbe: ask("ready") };
  await rig.apply("web", probed(probes));
  await untilReady(rig);
  await rig.stopAgent();
  await rig.remove("web");
  const asked = answers.asked("live") + answers.asked("ready");
  await rig.startAgent();
  await untilGone(rig);
  strictEqual(answers.asked("live") + answers.asked("ready"), asked);
});

Deno.test("Agent asks a pod of a UID that is wanted back anew", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  rig.fake.behave(WEB, { onTerm: { code: 0, afterMs: 3_000 } });
  const uid = "0badc0de-0000-4000-8000-000000000008";
  const manifest = probed({ readinessProbe: ask("ready") }, { uid });
  await rig.apply("web", manifest);
  await untilReady(rig);
  const { id } = rig.only(WEB);
  await rig.remove("web");
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length === 1,
    "the order to end",
  );
  answers.set("ready", "no");
  await rig.apply("web", manifest);
  await rig.until(
    () => rig.fake.running(WEB).some((other) => other.id !== id),
    "another",
  );
  const next = rig.only(WEB).id;
  await rig.until(() => answers.asked("ready", next) > 2, "its questions");
  strictEqual(condition(rig, "Ready"), "False");
  answers.set("ready", "yes");
  await untilReady(rig);
});

Deno.test("Agent closes the status of a pod whose container vanished from the runtime", async () => {
  await using rig = await CoreRig.start();
  new Answers(rig);
  const spec = { restartPolicy: "Never" };
  await rig.apply("web", probed({ livenessProbe: ask("live") }, { spec }));
  await untilReady(rig);
  rig.fake.vanish(rig.only(WEB).id);
  const ended = () =>
    rig.status("web")?.containerStatuses?.[0]?.state?.terminated;
  await rig.until(() => ended() !== undefined, "its end");
  deepStrictEqual(
    [rig.status("web")?.phase, ended()?.exitCode, ended()?.reason],
    ["Failed", 137, "ContainerStatusUnknown"],
  );
});

Deno.test("Agent.outcome() and ProbeManager.report() tell what the last sync came to and what is asked", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  await rig.apply("web", probed({ readinessProbe: ask("ready") }));
  await untilReady(rig);
  const uid = rig.pod("web")?.metadata.uid ?? "";
  const { agent } = rig.core;
  await rig.until(
    () => agent.outcome(uid)?.decision?.next.kind === "settled",
    "the end of the sync",
  );
  const settled = agent.outcome(uid)?.decision;
  strictEqual(settled?.observed.containers.length, 1);
  deepStrictEqual(settled?.failures, []);
  const [probe] = rig.core.prober.report(uid);
  deepStrictEqual(
    [probe?.container, probe?.kind, probe?.verdict, probe?.last?.kind],
    [WEB, "readiness", "success", "success"],
  );

  // A crash again and again: what it waits for, and until when.
  rig.fake.behave(WEB, { exit: { code: 1, afterMs: 0 } });
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  await rig.until(
    () =>
      agent.outcome(uid)?.decision?.failures[0]?.reason === "CrashLoopBackOff",
    "the back-off",
  );
  const waiting = agent.outcome(uid)?.decision;
  strictEqual(waiting?.next.kind, "retry");
  ok((waiting?.next.dueMs ?? 0) > rig.clock.monotonic());
  deepStrictEqual(waiting?.plan?.start, [WEB]);

  await rig.remove("web");
  await untilGone(rig);
  strictEqual(agent.outcome(uid)?.decision, undefined);
  deepStrictEqual(rig.core.prober.report(uid), []);
  ok(answers.asked("ready") > 0);
});

Deno.test("Agent.outcome() says that a plan is being carried out, and that a runtime cannot be asked", async () => {
  await using rig = await CoreRig.start();
  rig.fake.fault("RunPodSandbox", { kind: "delay", ms: 20_000 });
  await rig.apply("web", web());
  const uid = () => rig.pod("web")?.metadata.uid ?? "";
  const decision = () => rig.core.agent.outcome(uid())?.decision;
  await rig.until(() => decision()?.next.kind === "acting", "the sandbox");
  strictEqual(decision()?.plan?.sandbox.kind, "create");
  await untilRunning(rig);
  rig.fake.clearFaults();
  await rig.until(() => decision()?.next.kind === "settled", "its end");
  rig.fake.fault("ListPodSandbox", { kind: "error", code: 14, details: "no" });
  rig.fake.fault("ListContainers", { kind: "error", code: 14, details: "no" });
  rig.fake.fault("ContainerStatus", { kind: "error", code: 14, details: "no" });
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  await rig.pass(30_000);
  ok(rig.problems().length > 0);
});

Deno.test("Agent.outcome() says what was seen of a pod whose sync could not be finished", async () => {
  await using rig = await withRunning();
  const uid = rig.pod("web")?.metadata.uid ?? "";
  const own = `${rig.config.paths.rootDir}/pods/${uid}`;
  await Deno.remove(own, { recursive: true });
  await Deno.writeTextFile(own, "");
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  const decision = () => rig.core.agent.outcome(uid)?.decision;
  await rig.until(
    () => decision()?.failures[0]?.reason === "FailedSync",
    "the failure",
  );
  const { observed, plan } = decision() ?? {};
  const states = observed?.containers.map(({ state }) => state);
  deepStrictEqual([states, plan], [["exited"], undefined]);
  match(decision()?.failures[0]?.message ?? "", /File exists/);
});

Deno.test("Agent.pendingVerdict() says why a pod is not taken", async () => {
  await using rig = await CoreRig.start();
  const spec = { nodeSelector: { disk: "none" } };
  await rig.apply("web", web({ spec }));
  const uid = () => rig.pod("web")?.metadata.uid ?? "";
  await rig.until(
    () => rig.core.agent.pendingVerdict(uid()) !== undefined,
    "a word",
  );
  const hold = rig.core.agent.pendingVerdict(uid());
  deepStrictEqual([hold?.kind, hold?.reason], ["refused", "NodeAffinity"]);
  await rig.apply("web", web());
  await untilRunning(rig);
  strictEqual(rig.core.agent.pendingVerdict(uid()), undefined);
  deepStrictEqual(messages(rig, "Unhealthy"), []);
});
