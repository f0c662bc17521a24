/**
 * Pods that cannot run as they are, or that something happens to.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  notStrictEqual,
  ok,
  strictEqual,
} from "node:assert/strict";
import type { ContainerStatus, Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import {
  containerOf,
  idOf,
  sandboxesOf,
  stopSandbox,
  untilPodRuns,
} from "../support/e2e/inside.ts";
import { countOf, untilPodReport } from "../support/e2e/probed_pods.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { waitUntil } from "../../scripts/lib/wait_until.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

const SLEEP = ["sleep", "100000"];

withRuntime("pods in trouble", (test) => {
  test("a sandbox that is stopped behind the agent's back is made anew", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("box.json", sleeper("box"));
    const before = await untilPodRuns(agent, "box");
    for (const { id } of await sandboxesOf(runtime, before.metadata.uid)) {
      await stopSandbox(runtime, id);
    }
    // The runtime ends the container first, and the agent may be quick enough to restart
    // it once in the sandbox that is about to end.
    const readyOnes = async () =>
      (await sandboxesOf(runtime, before.metadata.uid))
        .filter(({ state }) => state === "ready")
        .map(({ metadata }) => metadata.attempt);
    await waitUntil(
      "the second sandbox alone",
      async () => (await readyOnes()).join() === "1",
      { saw: readyOnes },
    );
    const after = find(
      await agent.until(
        "box runs in a new sandbox",
        (pods) => {
          const pod = find(pods, "box");
          return runningContainers(pod) === 1 &&
            idOf(pod, "main") !== idOf(before, "main");
        },
      ),
      "box",
    );
    strictEqual(after?.metadata.uid, before.metadata.uid);
    const count = containerOf(after, "main")?.restartCount ?? 0;
    ok(count === 1 || count === 2, `${count} restarts`);
  });

  test("a pod whose shim hangs is shown as ending, and gone when the shim is back (RT-10)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("stuck.json", sleeper("stuck"));
    await agent.apply("beside.json", sleeper("beside"));
    const { uid } = (await untilPodRuns(agent, "stuck")).metadata;
    await untilPodRuns(agent, "beside");
    const [sandbox] = await sandboxesOf(runtime, uid);
    const shim = await shimOf(sandbox?.id ?? "");
    Deno.kill(shim, "SIGSTOP");
    try {
      await agent.removeManifest("stuck.json");
      await agent.removeManifest("beside.json");
      const left = await agent.until(
        "the pod beside it gone",
        (pods) => find(pods, "beside") === undefined,
      );
      // Its process lives, so nobody may say that it has ended.
      notStrictEqual(
        find(left, "stuck")?.metadata.deletionTimestamp,
        undefined,
      );
    } finally {
      Deno.kill(shim, "SIGCONT");
    }
    await runtime.untilGone(uid, agent);
    await agent.until("nothing listed", (pods) => pods.length === 0);
  });

  test("a pod whose shim is killed runs again (RT-06)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("orphan.json", sleeper("orphan"));
    const before = await untilPodRuns(agent, "orphan");
    const { uid } = before.metadata;
    const [sandbox] = await sandboxesOf(runtime, uid);
    Deno.kill(await shimOf(sandbox?.id ?? ""), "SIGKILL");
    const after = find(
      await agent.until(
        "orphan runs again",
        (pods) => {
          const pod = find(pods, "orphan");
          return runningContainers(pod) === 1 &&
            idOf(pod, "main") !== idOf(before, "main");
        },
      ),
      "orphan",
    );
    strictEqual(after?.metadata.uid, uid);
    await agent.removeManifest("orphan.json");
    await runtime.untilGone(uid, agent);
  });

  test("an image that may not be pulled is waited for, and used once it is there", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("canary.json", sleeper("canary"));
    const canary = await untilPodRuns(agent, "canary");
    const late = `localhost/late-${Date.now()}:1`;
    await agent.apply(
      "late.json",
      podManifest("late", {
        containers: [{
          name: "main",
          image: late,
          imagePullPolicy: "Never",
          command: SLEEP,
        }],
      }),
    );
    // No registry answers there, and it does not even exist.
    await agent.apply(
      "nowhere.json",
      podManifest("nowhere", {
        containers: [{
          name: "main",
          image: "localhost:1/nothing:1",
          command: SLEEP,
        }],
      }),
    );
    await agent.until(
      "the reason",
      (pods) => waitingReason(find(pods, "late")) === "ErrImageNeverPull",
    );
    // As a state it lasts for a moment only.
    await untilPodReport(
      agent,
      "nowhere",
      (report) => countOf(report, "Failed", /^Error: ErrImagePull$/) > 0,
    );
    await runtime.rig.tools.importBusybox(late);
    const pods = await agent.until(
      "late running, nowhere backing off",
      (pods) =>
        runningContainers(find(pods, "late")) === 1 &&
        waitingReason(find(pods, "nowhere")) === "ImagePullBackOff",
    );
    strictEqual(find(pods, "nowhere")?.status?.phase, "Pending");
    strictEqual(idOf(find(pods, "canary"), "main"), idOf(canary, "main"));
    await agent.removeManifest("nowhere.json");
    await agent.until(
      "nowhere gone",
      (pods) => find(pods, "nowhere") === undefined,
    );
  });

  test("a command that is not there is tried again with a growing pause", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "typo.json",
      podManifest("typo", {
        containers: [{ name: "main", command: ["/no/such/program"] }],
      }),
    );
    const reasons = new Set<string>();
    const pods = await agent.until(
      "CrashLoopBackOff",
      (pods) => {
        const status = containerOf(find(pods, "typo"), "main");
        reasons.add(status?.state?.waiting?.reason ?? "");
        return status?.state?.waiting?.reason === "CrashLoopBackOff" &&
          (status.restartCount ?? 0) >= 1;
      },
    );
    const status = containerOf(find(pods, "typo"), "main");
    strictEqual(status?.lastState?.terminated?.reason, "StartError");
    strictEqual(status?.lastState?.terminated?.exitCode, 128);
    match(status?.lastState?.terminated?.message ?? "", /such\/program/);
  });

  test("a container that takes too much memory is shown as OOMKilled", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const reasons: (string | undefined)[] = [];
    // With cgroups v1 a busy shim loses the event now and then.
    for (let at = 0; at < 5 && reasons.at(-1) !== "OOMKilled"; at++) {
      const name = `greedy${at}`;
      await agent.apply(
        `${name}.json`,
        podManifest(name, {
          restartPolicy: "Never",
          containers: [{
            name: "main",
            // tail keeps the last line, and /dev/zero has only one.
            command: ["tail", "/dev/zero"],
            resources: { limits: { memory: "16Mi" } },
          }],
        }),
      );
      const pods = await agent.until(
        `${name} failed`,
        (pods) => find(pods, name)?.status?.phase === "Failed",
      );
      const pod = find(pods, name);
      const ended = containerOf(pod, "main")?.state?.terminated;
      strictEqual(ended?.exitCode, 137);
      reasons.push(ended?.reason);
      // The agent is ending the sandbox of the failed pod: let it, or two would.
      await waitUntil("the sandbox ended", async () => {
        const { uid = "" } = pod?.metadata ?? {};
        const sandboxes = await sandboxesOf(runtime, uid);
        return sandboxes.every(({ state }) => state !== "ready");
      });
    }
    strictEqual(reasons.at(-1), "OOMKilled", reasons.join());
  });

  test("restart counts go on after a restart of the agent", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("box.json", sleeper("box"));
    for (let count = 1; count <= 2; count++) {
      const pod = await untilPodRuns(agent, "box");
      await runtime.rig.tools.killContainer(idOf(pod, "main"));
      if (count === 1) await agent.kill();
      if (count === 1) await agent.start();
      const pods = await agent.until(
        `restart ${count}`,
        (pods) =>
          containerOf(find(pods, "box"), "main")?.restartCount === count &&
          runningContainers(find(pods, "box")) === 1,
      );
      const status = containerOf(find(pods, "box"), "main");
      strictEqual(status?.lastState?.terminated?.exitCode, 137);
    }
  });

  test("an agent that comes back never asks for a second sandbox of what runs", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("box.json", sleeper("box"));
    const before = await untilPodRuns(agent, "box");
    // Work is waiting each time it comes back, so that it is busy before it has looked.
    for (const name of ["one", "two", "three", "four", "five", "six"]) {
      await agent.apply(`${name}.json`, sleeper(name));
      await agent.kill();
      await agent.start();
      await untilPodRuns(agent, name);
    }
    const log = await Deno.readTextFile(`${agent.directory}/agent.log`);
    const refused = log.split("\n").filter((line) =>
      line.includes("FailedCreatePodSandBox") && line.includes("box-edge1")
    );
    deepStrictEqual(refused, []);
    const sandboxes = await sandboxesOf(runtime, before.metadata.uid);
    strictEqual(sandboxes.length, 1);
  });

  test("with a UID of its own a pod keeps its sandbox when an image changes", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const other = "localhost/other:1";
    await runtime.rig.tools.importBusybox(other);
    const manifest = (image: string, note: string) => ({
      ...podManifest("own", {
        containers: [
          { name: "a", command: SLEEP, image },
          { name: "b", command: SLEEP },
        ],
      }),
      metadata: {
        name: "own",
        uid: "c0ffee00-1111-4222-8333-444455556666",
        annotations: { note },
      },
    });
    const busybox = "localhost/busybox:1.35";
    await agent.apply("own.json", manifest(busybox, "one"));
    const before = await untilPodRuns(agent, "own", 2);
    await agent.apply("own.json", manifest(busybox, "two"));
    const noted = find(
      await agent.until(
        "the new annotation",
        (pods) => find(pods, "own")?.metadata.annotations?.["note"] === "two",
      ),
      "own",
    );
    for (const name of ["a", "b"]) {
      strictEqual(idOf(noted, name), idOf(before, name));
    }
    await agent.apply("own.json", manifest(other, "two"));
    const after = find(
      await agent.until(
        "a replaced",
        (pods) =>
          idOf(find(pods, "own"), "a") !== idOf(before, "a") &&
          runningContainers(find(pods, "own")) === 2,
      ),
      "own",
    );
    strictEqual(idOf(after, "b"), idOf(before, "b"));
    strictEqual(after?.status?.podIP, before.status?.podIP);
    strictEqual(containerOf(after, "a")?.restartCount, 1);
    strictEqual(containerOf(after, "b")?.restartCount, 0);
    const sandboxes = await sandboxesOf(runtime, before.metadata.uid);
    deepStrictEqual(sandboxes.map(({ metadata }) => metadata.attempt), [0]);
  });
});

function sleeper(name: string): Record<string, unknown> {
  return podManifest(name, {
    containers: [{ name: "main", command: SLEEP }],
  });
}

function waitingReason(pod: Pod | undefined): string | undefined {
  const status: ContainerStatus | undefined = containerOf(pod, "main");
  return status?.state?.waiting?.reason;
}

/** The process that holds a sandbox and its containers. */
async function shimOf(sandboxId: string): Promise<number> {
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // A process may end between the listing and the reading.
    const words = (await Deno.readTextFile(`/proc/${name}/cmdline`)
      .catch(() => "")).split("\0");
    if (words[0]?.includes("containerd-shim") && words.includes(sandboxId)) {
      return Number(name);
    }
  }
  throw new Error(`Cannot find the shim of sandbox "${sandboxId}"`);
}
