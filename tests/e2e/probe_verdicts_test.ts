/**
 * What becomes of containers that fail their probes.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { containerOf, idOf, untilPodRuns } from "../support/e2e/inside.ts";
import { outside, shell } from "../support/e2e/outside.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { pause } from "../../scripts/lib/wait_until.ts";
import {
  countOf,
  untilPodReady,
  untilPodReport,
} from "../support/e2e/probed_pods.ts";
import { BUSYBOX_IMAGE } from "../../scripts/lib/containerd_rig.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

/** Says that it began, and ends at once when told to. */
function service(name: string): readonly string[] {
  return shell(
    `trap 'echo ${name} told >> /out/seen; exit 0' TERM; echo ${name} began >> /out/seen; sleep 100000 & wait`,
  );
}

/** Says that it is asked, and answers by whether there is a file. */
function ask(name: string, file: string) {
  const script = `echo ${name} >> /out/seen; test -e /out/${file}`;
  const exec = { command: shell(script) };
  // What counts is the answer, however long a busy machine takes to get it.
  return { exec, periodSeconds: 1, timeoutSeconds: 10 };
}

function say(word: string) {
  return { exec: { command: shell(`echo ${word} >> /out/seen`) } };
}

/** How often a startup probe may fail. */
const STARTS = 8;

withRuntime("verdicts of probes", (test) => {
  test("a container that lives no more is killed after the probe's grace, and deleted after the pod's (PR-09)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const out = await outside(agent, "stubborn");
    await out.put("well");
    await agent.apply(
      "stubborn.json",
      podManifest("stubborn", {
        terminationGracePeriodSeconds: 300,
        containers: [{
          name: "c",
          command: shell(
            "trap 'echo told >> /out/seen' TERM; echo began >> /out/seen; until [ -e /out/end ]; do sleep 0.1; done",
          ),
          livenessProbe: {
            ...ask("live", "well"),
            failureThreshold: 2,
            // Long enough for the program to say that it was told.
            terminationGracePeriodSeconds: 3,
          },
          ...out.mount,
        }],
        volumes: out.volumes,
      }),
    );
    await out.until("began");
    await out.until("live");
    await out.take("well");
    await out.until("told");
    await out.put("well");
    const report = await untilPodReport(
      agent,
      "stubborn",
      ({ pod }) => containerOf(pod, "c")?.restartCount === 1,
    );
    const { pod } = report;
    strictEqual(containerOf(pod, "c")?.lastState?.terminated?.exitCode, 137);
    strictEqual(
      countOf(
        report,
        "Killing",
        /^Container c failed liveness probe, will be restarted$/,
      ),
      1,
    );
    ok(countOf(report, "Unhealthy", /^Liveness probe failed: /) >= 2);

    await out.until("began", 2);
    await agent.removeManifest("stubborn.json");
    await out.until("told", 2);
    // Longer than the grace of the probe and what the agent adds to it.
    await pause(6_000);
    ok((await runtime.rig.tools.tasks()).has(idOf(pod, "c")));
    await out.put("end");
    await runtime.untilGone(pod.metadata.uid, agent);
  });

  test("nothing else is asked before a container has started, after a restart either (PR-07)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const out = await outside(agent, "gate");
    await agent.apply(
      "gate.json",
      podManifest("gate", {
        terminationGracePeriodSeconds: 120,
        containers: [{
          name: "c",
          command: service("c"),
          // Time enough to put the file there.
          startupProbe: { ...ask("startup", "up"), failureThreshold: STARTS },
          livenessProbe: { ...ask("live", "up"), failureThreshold: 1000 },
          readinessProbe: ask("ready", "up"),
          lifecycle: { preStop: say("pre") },
          ...out.mount,
        }],
        volumes: out.volumes,
      }),
    );
    await out.until("startup", 2);
    const before = await out.lines();
    deepStrictEqual([...new Set(before)], ["c began", "startup"]);
    strictEqual(
      containerOf(await untilPodRuns(agent, "gate"), "c")?.started,
      false,
    );
    await out.put("up");
    const pod = await untilPodReady(agent, "gate");
    strictEqual(containerOf(pod, "c")?.started, true);
    const count = (line: string, lines: readonly string[]): number =>
      lines.filter((each) => each === line).length;
    const asked = count("startup", await out.lines());
    await out.until("live", 3);
    strictEqual(count("startup", await out.lines()), asked);

    await out.take("up");
    await runtime.rig.tools.killContainer(idOf(pod, "c"));
    await out.until("c told");
    const report = await untilPodReport(agent, "gate");
    const lines = await out.lines();
    const second = lines.indexOf("c began", lines.indexOf("c began") + 1);
    deepStrictEqual(lines.slice(second, second + STARTS + 3), [
      "c began",
      ...Array.from({ length: STARTS }, () => "startup"),
      "pre",
      "c told",
    ]);
    strictEqual(
      countOf(
        report,
        "Killing",
        /^Container c failed startup probe, will be restarted$/,
      ),
      1,
    );
    ok(
      countOf(report, "Unhealthy", /^Startup probe failed: /) >= STARTS,
    );
  });

  test("nothing after a sidecar begins before it has started (RT-16)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const out = await outside(agent, "side");
    await agent.apply(
      "side.json",
      podManifest("side", {
        terminationGracePeriodSeconds: 120,
        initContainers: [
          {
            name: "side",
            image: BUSYBOX_IMAGE,
            restartPolicy: "Always",
            command: service("side"),
            startupProbe: { ...ask("startup", "up"), failureThreshold: 2 },
            lifecycle: { preStop: say("pre") },
            ...out.mount,
          },
          {
            name: "init",
            image: BUSYBOX_IMAGE,
            command: shell("echo init >> /out/seen"),
            ...out.mount,
          },
        ],
        containers: [{ name: "app", command: service("app"), ...out.mount }],
        volumes: out.volumes,
      }),
    );
    await out.until("side began", 2);
    deepStrictEqual((await out.lines()).slice(0, 6), [
      "side began",
      "startup",
      "startup",
      "pre",
      "side told",
      "side began",
    ]);
    const waits = find(await agent.pods() ?? [], "side");
    strictEqual(waits?.status?.phase, "Pending");
    strictEqual(containerOf(waits, "init")?.state?.running, undefined);
    await out.put("up");
    const pod = await untilPodRuns(agent, "side");
    strictEqual(containerOf(pod, "side")?.started, true);
    await out.until("app began");
    const [init, app] = (await out.lines())
      .filter((line) => /^init$|^app/.test(line));
    deepStrictEqual([init, app], ["init", "app began"]);
  });

  test("a pod that is deleted before its sidecar has started ends all the same (RT-17)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const out = await outside(agent, "stuck");
    const sidecar = (name: string) => ({
      name,
      image: BUSYBOX_IMAGE,
      restartPolicy: "Always",
      command: service(name),
      startupProbe: { ...ask("startup", "up"), failureThreshold: 1000 },
      ...out.mount,
    });
    await agent.apply(
      "stuck.json",
      podManifest("stuck", {
        terminationGracePeriodSeconds: 120,
        initContainers: [sidecar("first"), sidecar("second")],
        containers: [{ name: "app", command: service("app"), ...out.mount }],
        volumes: out.volumes,
      }),
    );
    await out.until("startup");
    const pod = find(await agent.pods() ?? [], "stuck");
    ok(pod);
    await agent.removeManifest("stuck.json");
    await runtime.untilGone(pod.metadata.uid, agent);
    deepStrictEqual(
      (await out.lines()).filter((line) => line !== "startup"),
      ["first began", "first told"],
    );
  });
});
