/**
 * Agent and runtime are killed under running pods; the pods must not notice.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";
import { seededRandom } from "../support/seeded_random.ts";

const STEADY = 26;

withRuntime("survival", (test) => {
  test("SIGKILL of the agent 20 times over 30 pods changes no container", async (runtime) => {
    const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
    // deno-lint-ignore no-console -- with it a failure can be repeated
    console.log(`seed ${seed}`);
    const random = seededRandom(seed);
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await applyThirty(agent);
    const before = await agent.until(
      "26 running, 2 done, 2 crashing",
      settled,
    );
    const known = containerIds(
      before.filter((pod) => /^(steady|done)/.test(pod.metadata.name)),
    );
    const counts = new Map<string, number>();
    for (let round = 0; round < 20; round++) {
      await agent.kill();
      await new Promise((resolve) => setTimeout(resolve, random.next() * 300));
      await agent.start();
      // Half the kills hit an agent that has not even adopted its pods yet.
      if (round % 2 === 0) {
        await new Promise((resolve) =>
          setTimeout(resolve, random.next() * 400)
        );
        continue;
      }
      const pods = await agent.until("all there", settled);
      deepStrictEqual(
        containerIds(
          pods.filter((pod) => /^(steady|done)/.test(pod.metadata.name)),
        ),
        known,
      );
      for (const pod of pods) checkCounts(pod, counts);
      await assertNoDuplicates(runtime.rig.tools.tasks());
    }
  });

  test("six times SIGKILL and restart of containerd: pods recover without a duplicate, no address leaks (RT-11)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    for (let at = 0; at < 5; at++) {
      await agent.apply(`p${at}.json`, sleeper(`p${at}`));
    }
    const before = await agent.until(
      "5 running",
      (pods) => pods.filter((pod) => runningContainers(pod) === 1).length === 5,
    );
    for (let round = 0; round < 6; round++) {
      await runtime.rig.killRuntime();
      // While it is down the agent answers, and takes new wishes.
      const pods = await agent.pods();
      strictEqual(pods?.length, 5 + round);
      await agent.apply(`late${round}.json`, sleeper(`late${round}`));
      await runtime.rig.startRuntime();
      await agent.until(
        "the late pod running",
        (all) => runningContainers(find(all, `late${round}`)) === 1,
      );
    }
    const after = await agent.until(
      "11 running",
      (pods) =>
        pods.filter((pod) => runningContainers(pod) === 1).length === 11,
    );
    strictEqual((await leases(runtime.rig.directory)).length, 11);
    deepStrictEqual(
      containerIds(after.filter((pod) => pod.metadata.name.startsWith("p"))),
      containerIds(before),
    );
    // A container that dies while the runtime is down is noticed afterwards.
    const victim = containerIds(after)[0] ?? "";
    const pid =
      (await runtime.rig.tools.tasks()).get(victim.replace(/^.*:\/\//, "")) ??
        0;
    ok(pid > 1);
    await runtime.rig.killRuntime();
    Deno.kill(pid, "SIGKILL");
    await runtime.rig.startRuntime();
    await agent.until(
      "11 running again",
      (pods) =>
        !containerIds(pods).includes(victim) &&
        pods.filter((pod) => runningContainers(pod) === 1).length === 11,
    );
  });

  test("an agent that starts before the runtime waits for it", async (runtime) => {
    await runtime.rig.killRuntime();
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("p.json", sleeper("p"));
    const pods = await agent.until(
      "the pod listed as pending",
      (pods) => find(pods, "p") !== undefined,
    );
    strictEqual(find(pods, "p")?.status?.phase, "Pending");
    strictEqual((await agent.get("/healthz")).status, 500);
    await runtime.rig.startRuntime();
    await agent.until(
      "the pod running",
      (pods) => runningContainers(find(pods, "p")) === 1,
    );
    await agent.untilAnswer("/healthz", /^ok/);
  });

  test("a manifest deleted or edited while the agent is down is acted on when it returns", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("gone.json", sleeper("gone"));
    await agent.apply("new.json", sleeper("new"));
    const before = await agent.until(
      "both running",
      (pods) => pods.filter((pod) => runningContainers(pod) === 1).length === 2,
    );
    await agent.kill();
    await agent.removeManifest("gone.json");
    await agent.apply(
      "new.json",
      podManifest("new", {
        containers: [{ name: "other", command: ["sleep", "100000"] }],
      }),
    );
    await agent.start();
    const old = find(before, "new")?.metadata.uid;
    await agent.until("the new one alone", (pods) => {
      const pod = find(pods, "new");
      return pods.length === 1 && pod?.metadata.uid !== old &&
        runningContainers(pod) === 1;
    });
    for (const pod of before) await runtime.untilGone(pod.metadata.uid, agent);
  });
});

async function applyThirty(agent: AgentProcess): Promise<void> {
  for (let at = 0; at < STEADY; at++) {
    await agent.apply(`steady${at}.json`, sleeper(`steady${at}`));
  }
  for (
    const [name, policy, command] of [
      ["done0", "Never", "exit 0"],
      ["done1", "Never", "exit 1"],
      ["crash0", "Always", "exit 1"],
      ["crash1", "OnFailure", "exit 2"],
    ] as const
  ) {
    await agent.apply(
      `${name}.json`,
      podManifest(name, {
        restartPolicy: policy,
        containers: [{ name: "main", command: ["sh", "-c", command] }],
      }),
    );
  }
}

function settled(pods: readonly Pod[]): boolean {
  return pods.length === 30 &&
    pods.filter((pod) =>
        pod.metadata.name.startsWith("steady") && runningContainers(pod) === 1
      ).length === STEADY &&
    find(pods, "done0")?.status?.phase === "Succeeded" &&
    find(pods, "done1")?.status?.phase === "Failed" &&
    ["crash0", "crash1"].every((name) =>
      (find(pods, name)?.status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1
    );
}

/** Restart counts of crashing containers may rise and never fall (I4). */
function checkCounts(pod: Pod, counts: Map<string, number>): void {
  const count = pod.status?.containerStatuses?.[0]?.restartCount ?? 0;
  const before = counts.get(pod.metadata.uid) ?? 0;
  ok(
    count >= before,
    `${pod.metadata.name}: restartCount fell from ${before} to ${count}`,
  );
  counts.set(pod.metadata.uid, count);
}

/** Each running pod is two tasks, its sandbox and its container: more is a duplicate. */
async function assertNoDuplicates(
  tasks: Promise<ReadonlyMap<string, number>>,
): Promise<void> {
  const running = [...(await tasks).values()].filter((pid) => pid > 1).length;
  // The two crash loops may or may not have something running right now.
  ok(running <= STEADY * 2 + 4, `${running} tasks run`);
}

/** The addresses that the network plugin has given out. */
async function leases(directory: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const network of Deno.readDir(`${directory}/ipam`)) {
    const path = `${directory}/ipam/${network.name}`;
    for await (const { name } of Deno.readDir(path)) {
      if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) found.push(name);
    }
  }
  return found;
}

function sleeper(name: string): Record<string, unknown> {
  return podManifest(name, {
    containers: [{ name: "main", command: ["sleep", "100000"] }],
  });
}

function containerIds(pods: readonly Pod[]): string[] {
  return pods.flatMap((pod) =>
    (pod.status?.containerStatuses ?? []).map((status) =>
      status.containerID ?? ""
    )
  ).sort();
}
