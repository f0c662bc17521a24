/**
 * The main job on a real containerd: manifests in a folder become containers.
 *
 * One runtime serves the whole file; each test has an agent of its own.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { pause, waitUntil } from "../../scripts/lib/wait_until.ts";
import { outside, shell } from "../support/e2e/outside.ts";

withRuntime("main job", (test) => {
  test("a pod of two containers runs, each with its own log", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "two.json",
      podManifest("two", {
        containers: [
          { name: "a", command: ["sh", "-c", "echo from a; sleep 1000"] },
          { name: "b", command: ["sh", "-c", "echo from b; sleep 1000"] },
        ],
      }),
    );
    const pods = await agent.until(
      "two/2 running",
      (pods) => runningContainers(find(pods, "two")) === 2,
    );
    const pod = find(pods, "two");
    strictEqual(pod?.status?.phase, "Running");
    strictEqual(pod?.metadata.name, "two-edge1");
    strictEqual(
      pod?.metadata.annotations?.["kubernetes.io/config.source"],
      "file",
    );
    match(pod?.status?.podIP ?? "", /^10\.244\./);
    const uid = pod?.metadata.uid ?? "";
    for (const name of ["a", "b"]) {
      const path = `${agent.podLogsDir}/default_two-edge1_${uid}/${name}/0.log`;
      // The runtime says that a program runs before it has run its first line.
      await waitUntil(
        `the line of "${name}"`,
        async () =>
          (await Deno.readTextFile(path)).includes(`stdout F from ${name}`),
      );
    }
  });

  test("a crashing container is restarted at once, then with a growing pause", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "crash.json",
      podManifest("crash", {
        containers: [{ name: "main", command: ["sh", "-c", "exit 3"] }],
      }),
    );
    const pods = await agent.until(
      "CrashLoopBackOff after one restart",
      (pods) => {
        const status = find(pods, "crash")?.status?.containerStatuses?.[0];
        return status?.state?.waiting?.reason === "CrashLoopBackOff" &&
          status.restartCount >= 1;
      },
    );
    const status = find(pods, "crash")?.status?.containerStatuses?.[0];
    strictEqual(status?.lastState?.terminated?.exitCode, 3);
    match(
      status?.state?.waiting?.message ?? "",
      /^back-off 10s restarting failed container=main pod=crash-edge1_default\(/,
    );
    await agent.until(
      "a second restart after about 10 s",
      (pods) =>
        (find(pods, "crash")?.status?.containerStatuses?.[0]?.restartCount ??
          0) >= 2,
    );
  });

  for (
    const [policy, command, phase] of [
      ["Never", "exit 0", "Succeeded"],
      ["OnFailure", "exit 0", "Succeeded"],
      ["Never", "exit 4", "Failed"],
    ] as const
  ) {
    test(`a pod with restartPolicy ${policy} whose container does "${command}" ends ${phase}`, async (runtime) => {
      await using agent = await AgentProcess.start(runtime.agentOptions());
      await agent.apply(
        "job.json",
        podManifest("job", {
          restartPolicy: policy,
          containers: [{ name: "main", command: ["sh", "-c", command] }],
        }),
      );
      const pods = await agent.until(
        phase,
        (pods) => find(pods, "job")?.status?.phase === phase,
      );
      const status = find(pods, "job")?.status;
      strictEqual(status?.containerStatuses?.[0]?.restartCount, 0);
      strictEqual(
        status?.containerStatuses?.[0]?.state?.terminated?.reason,
        phase === "Failed" ? "Error" : "Completed",
      );
      // An agent that starts anew does not run it again (PW-08).
      const id = status?.containerStatuses?.[0]?.containerID;
      await agent.kill();
      await agent.start();
      const again = await agent.until(
        `${phase} after a restart`,
        (pods) => find(pods, "job")?.status?.phase === phase,
      );
      strictEqual(
        find(again, "job")?.status?.containerStatuses?.[0]?.containerID,
        id,
      );
    });
  }

  test("an edited manifest replaces its pod, never two at once", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "web.json",
      podManifest("web", { containers: [sleeper("one")] }),
    );
    const before = find(
      await agent.until(
        "web running",
        (pods) => runningContainers(find(pods, "web")) === 1,
      ),
      "web",
    );
    await agent.apply(
      "web.json",
      podManifest("web", { containers: [sleeper("two")] }),
    );
    let most = 0;
    const pods = await agent.until("the new web running alone", (pods) => {
      most = Math.max(
        most,
        pods.filter((pod) => runningContainers(pod) > 0).length,
      );
      const all = pods.filter((pod) => pod.metadata.name === "web-edge1");
      return all.length === 1 &&
        all[0]?.metadata.uid !== before?.metadata.uid &&
        runningContainers(all[0]) === 1;
    });
    strictEqual(most, 1);
    strictEqual(
      find(pods, "web")?.status?.containerStatuses?.[0]?.name,
      "two",
    );
    await runtime.untilGone(before?.metadata.uid ?? "", agent);
  });

  test("a removed manifest's pod gets its grace period, then nothing of it is left", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    // It obeys when it is let; a grace period that is ignored would end it before.
    const out = await outside(agent, "slow");
    await agent.apply(
      "slow.json",
      podManifest("slow", {
        terminationGracePeriodSeconds: 120,
        containers: [{
          name: "main",
          command: shell(
            "trap 'until [ -e /out/let ]; do sleep 0.1; done; echo obeyed >> /out/seen; exit 0' TERM; echo up >> /out/seen; while true; do sleep 0.1; done",
          ),
          ...out.mount,
        }],
        volumes: out.volumes,
      }),
    );
    const pod = find(
      await agent.until(
        "slow running",
        (pods) => runningContainers(find(pods, "slow")) === 1,
      ),
      "slow",
    );
    await out.until("up");
    await agent.removeManifest("slow.json");
    await agent.until(
      "slow shown as terminating",
      (pods) => find(pods, "slow")?.metadata.deletionTimestamp !== undefined,
    );
    await pause(2_000);
    await out.put("let");
    await agent.until("slow gone", (pods) => find(pods, "slow") === undefined);
    deepStrictEqual(await out.lines(), ["up", "obeyed"]);
    await runtime.untilGone(pod?.metadata.uid ?? "", agent);
  });

  test("an invalid edit keeps the old pod, says so, and the original again restarts nothing", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const good = podManifest("web", { containers: [sleeper("one")] });
    await agent.apply("web.json", good);
    const before = find(
      await agent.until(
        "web running",
        (pods) => runningContainers(find(pods, "web")) === 1,
      ),
      "web",
    );
    const id = before?.status?.containerStatuses?.[0]?.containerID;
    for (
      const bad of [
        "",
        "{{{{",
        JSON.stringify({ ...good, spec: { containers: [] } }),
      ]
    ) {
      await agent.apply("web.json", bad);
      const pods = await agent.until(
        `"${bad.slice(0, 10)}" refused`,
        (pods) =>
          find(pods, "web")?.status?.conditions?.some((condition) =>
            condition.reason === "InvalidManifest"
          ) ?? false,
      );
      strictEqual(
        find(pods, "web")?.status?.containerStatuses?.[0]?.containerID,
        id,
      );
    }
    // The bad file is still there when the agent comes back: the pod runs on (I8).
    await agent.kill();
    await agent.start();
    const kept = await agent.until(
      "web kept by a new agent",
      (pods) => runningContainers(find(pods, "web")) === 1,
    );
    strictEqual(
      find(kept, "web")?.status?.containerStatuses?.[0]?.containerID,
      id,
    );
    await agent.apply("web.json", good);
    const pods = await agent.until(
      "web accepted again",
      (pods) =>
        find(pods, "web")?.status?.conditions?.every((condition) =>
          condition.reason !== "InvalidManifest"
        ) ?? false,
    );
    strictEqual(
      find(pods, "web")?.status?.containerStatuses?.[0]?.containerID,
      id,
    );
  });

  test("thirty pods dropped in at once all run", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        agent.apply(
          `p${at}.json`,
          podManifest(`p${at}`, { containers: [sleeper("main")] }),
        )),
    );
    await agent.until(
      "30 running",
      (pods) =>
        pods.filter((pod) => runningContainers(pod) === 1).length === 30,
    );
  });

  test("two agents on one runtime leave each other's pods alone", async (runtime) => {
    await using one = await AgentProcess.start(runtime.agentOptions());
    await using two = await AgentProcess.start({
      ...runtime.agentOptions(),
      nodeName: "edge2",
    });
    await one.apply(
      "a.json",
      podManifest("a", { containers: [sleeper("main")] }),
    );
    await two.apply(
      "b.json",
      podManifest("b", { containers: [sleeper("main")] }),
    );
    const a = find(
      await one.until(
        "a running",
        (pods) => runningContainers(find(pods, "a")) === 1,
      ),
      "a",
    );
    await two.until(
      "b running",
      (pods) => runningContainers(find(pods, "b")) === 1,
    );
    strictEqual(find(await one.pods() ?? [], "b"), undefined);
    await two.untilAnswer("/metrics", /^skerry_foreign_pods 1$/m);
    await two.removeManifest("b.json");
    await two.until("b gone", (pods) => pods.length === 0);
    deepStrictEqual(ids(find(await one.pods() ?? [], "a")), ids(a));
  });

  test("a second agent on the same root directory exits with a message", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.until("the first agent answers", () => true);
    await using second = await AgentProcess.create({
      ...runtime.agentOptions(),
      directory: agent.directory,
    });
    await second.start();
    strictEqual(await second.exitCode(), 1);
    match(await second.logTail(5), /another agent/);
  });

  test("SIGTERM leaves the containers running and exits 0", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "web.json",
      podManifest("web", { containers: [sleeper("main")] }),
    );
    const before = find(
      await agent.until(
        "web running",
        (pods) => runningContainers(find(pods, "web")) === 1,
      ),
      "web",
    );
    strictEqual(await agent.terminate(), 0);
    await agent.start();
    const after = await agent.until(
      "web adopted",
      (pods) => runningContainers(find(pods, "web")) === 1,
    );
    deepStrictEqual(ids(find(after, "web")), ids(before));
  });
});

function sleeper(name: string): { name: string; command: string[] } {
  return { name, command: ["sleep", "100000"] };
}

function ids(pod: Pod | undefined): (string | undefined)[] {
  return (pod?.status?.containerStatuses ?? []).map((status) =>
    status.containerID
  );
}
