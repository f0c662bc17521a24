/**
 * The commands against a real agent, as an operator types them.
 *
 * @module
 */

import {
  deepStrictEqual,
  doesNotMatch,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { runSkerry, type SkerryResult } from "../../scripts/lib/run_skerry.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

withRuntime("command line", (test) => {
  test("get pods shows one pod in every format, by either of its names", async (runtime) => {
    await using agent = await startWithWeb(runtime.agentOptions());
    const get = (...args: string[]) => client(agent, "get", "pods", ...args);

    const table = await get();
    strictEqual(table.code, 0, table.stderr);
    const [head, ...rows] = table.stdout.trimEnd().split("\n");
    match(head ?? "", /^NAME +READY +STATUS +RESTARTS +AGE$/);
    match(rows[0] ?? "", /^web-edge1 +2\/2 +Running +0 +\d+[ms]/);
    strictEqual(rows.length, 1);

    const wide = await get("-o", "wide");
    match(wide.stdout, /^NAME .* AGE +IP +NODE *$/m);
    match(wide.stdout, /^web-edge1 .* 10\.244\.\d+\.\d+ +edge1 *$/m);
    const all = await get("-A");
    match(all.stdout, /^NAMESPACE +NAME/);
    match(all.stdout, /^default +web-edge1/m);
    strictEqual((await get("-o", "name")).stdout, "pod/web-edge1\n");

    const list: ListOutput = JSON.parse((await get("-o", "json")).stdout);
    strictEqual(list.apiVersion, "v1");
    strictEqual(list.kind, "List");
    strictEqual(list.items[0]?.kind, "Pod");
    strictEqual(list.items[0]?.spec.containers.length, 2);
    for (const name of ["web", "web-edge1"]) {
      const one = JSON.parse((await get(name, "-o", "json")).stdout);
      strictEqual(one.kind, "Pod");
      strictEqual(one.metadata.name, "web-edge1");
      strictEqual(one.status.containerStatuses.length, 2);
    }
    const yaml = await get("web", "-o", "yaml");
    match(yaml.stdout, /^apiVersion: v1\nkind: Pod\n/);
    match(yaml.stdout, /^ {2}phase: Running$/m);
  });

  test("get pods without pods is an empty List, and a missing name an error", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.until("an answer", () => true);
    const get = (...args: string[]) => client(agent, "get", "pods", ...args);
    const list: ListOutput = JSON.parse((await get("-o", "json")).stdout);
    deepStrictEqual(list.items, []);
    const none = await get();
    strictEqual(none.code, 0);
    strictEqual(none.stdout, "");
    match(none.stderr, /No resources found in default namespace/);
    const missing = await get("nobody");
    strictEqual(missing.code, 1);
    match(missing.stderr, /pods? "nobody"/);
  });

  test("-n and -A choose the namespace, and an ambiguous name lists both", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    // The pod "x" of this node and the pod whose manifest says "x-edge1".
    for (const name of ["x", "x-edge1"]) {
      await agent.apply(`${name}.json`, podManifest(name, sleeping()));
    }
    const inShop = podManifest("till", sleeping());
    await agent.apply("till.json", {
      ...inShop,
      metadata: { name: "till", namespace: "shop" },
    });
    await agent.until(
      "three running",
      (pods) => pods.filter((pod) => runningContainers(pod) === 1).length === 3,
    );
    const get = (...args: string[]) => client(agent, "get", "pods", ...args);
    doesNotMatch((await get()).stdout, /till/);
    match((await get("-n", "shop")).stdout, /^till-edge1 /m);
    strictEqual((await get("till")).code, 1);
    strictEqual((await get("till", "-n", "shop")).code, 0);
    match((await get("-A")).stdout, /^shop +till-edge1 /m);
    const both = await get("x-edge1");
    strictEqual(both.code, 1);
    match(both.stderr, /"x-edge1" and "x-edge1-edge1"/);
    strictEqual((await get("x")).code, 0);
  });

  test("refused, kept and ending pods are shown for what they are", async (runtime) => {
    await using agent = await startWithWeb(runtime.agentOptions());
    const get = (...args: string[]) => client(agent, "get", "pods", ...args);
    await agent.apply("bad.json", podManifest("bad", { containers: [] }));
    await agent.until(
      "bad shown",
      (pods) => find(pods, "bad")?.status?.phase === "Failed",
    );
    match((await get()).stdout, /^bad-edge1 +0\/0 +InvalidManifest /m);
    const bad = JSON.parse((await get("bad", "-o", "json")).stdout);
    strictEqual(bad.status.reason, "InvalidManifest");
    match(bad.status.message, /bad\.json.*spec\.containers/);

    await agent.apply("web.json", podManifest("web", { containers: [] }));
    await agent.until(
      "last good shown",
      (pods) =>
        find(pods, "web")?.status?.conditions?.some(({ reason }) =>
          reason === "InvalidManifest"
        ) ?? false,
    );
    match((await get("web")).stdout, /^web-edge1 +2\/2 +Running /m);
    const web: PodOutput = JSON.parse((await get("web", "-o", "json")).stdout);
    match(
      web.status.conditions.find(({ reason }) => reason === "InvalidManifest")
        ?.message ?? "",
      /last good .*spec\.containers/,
    );

    await agent.removeManifest("web.json");
    await agent.until(
      "web ending",
      (pods) => find(pods, "web")?.metadata.deletionTimestamp !== undefined,
    );
    match((await get()).stdout, /^web-edge1 .* Terminating /m);
  });

  test("logs follows kubectl: containers, tails, ends, earlier runs", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("talk.json", podManifest("talk", talkers()));
    await agent.until(
      "talk has crashed twice",
      (pods) =>
        (find(pods, "talk")?.status?.containerStatuses?.find(({ name }) =>
            name === "crasher"
          )?.restartCount ?? 0) >= 1 &&
        runningContainers(find(pods, "talk")) >= 1,
    );
    // The runtime says that a program runs before it has run its first line.
    await agent.untilAnswer(
      "/containerLogs/default/talk-edge1/talker",
      /three/,
    );
    const logs = (...args: string[]) => client(agent, "logs", ...args);
    const first = await logs("talk");
    strictEqual(first.code, 0, first.stderr);
    strictEqual(first.stdout, "one\ntwo\nthree\n");
    match(first.stderr, /Defaulted container "talker" out of: talker/);
    strictEqual(
      (await logs("talk", "-c", "talker", "--tail", "2")).stdout,
      "two\nthree\n",
    );
    strictEqual((await logs("talk", "talker", "--tail=0")).stdout, "");
    match(
      (await logs("talk-edge1", "-c", "crasher", "--previous")).stdout,
      /^run of /,
    );
    strictEqual((await logs("talk", "-c", "first")).stdout, "prepared\n");

    const wrong = await logs("talk", "-c", "nobody");
    strictEqual(wrong.code, 1);
    match(wrong.stderr, /"nobody".*"talker", "crasher"/);
    const never = await logs("talk", "-c", "talker", "--previous");
    strictEqual(never.code, 1);
    match(never.stderr, /previous terminated container "talker"/);
    strictEqual((await logs("nobody")).code, 1);
  });

  test("logs -f shows what comes and ends with its container", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "count.json",
      podManifest("count", {
        restartPolicy: "Never",
        containers: [{
          name: "main",
          command: [
            "sh",
            "-c",
            "for i in 1 2 3 4 5; do echo $i; sleep 0.4; done",
          ],
        }],
      }),
    );
    await agent.until(
      "count started",
      (pods) => {
        const state = find(pods, "count")?.status?.containerStatuses?.[0]
          ?.state;
        return state?.running !== undefined || state?.terminated !== undefined;
      },
    );
    const { code, stdout } = await client(agent, "logs", "count", "-f");
    strictEqual(code, 0);
    strictEqual(stdout, "1\n2\n3\n4\n5\n");
  });

  test("metrics, the socket's mode, the pid file and the health check", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.until("an answer", () => true);
    await agent.untilAnswer("/healthz", /^ok/);
    const { code, stdout } = await client(agent, "metrics");
    strictEqual(code, 0);
    match(stdout, /^# TYPE skerry_foreign_pods gauge$/m);
    const info = await Deno.lstat(agent.socketPath);
    strictEqual((info.mode ?? 0) & 0o777, 0o600);
    const pid = await Deno.readTextFile(`${agent.rootDir}/run/skerry.pid`);
    strictEqual(Number(pid), agent.pid);
    await agent.terminate();
    await rejects(Deno.lstat(agent.socketPath), Deno.errors.NotFound);
  });

  test("a path outside the grants is refused by name, with its option", async (runtime) => {
    await using agent = await AgentProcess.create({
      ...runtime.agentOptions(),
      args: ["--pod-logs-dir=/elsewhere/logs"],
      grantsOf: [],
    });
    await agent.start();
    strictEqual(await agent.exitCode(), 64);
    const log = await agent.logTail();
    match(log, /\/elsewhere\/logs/);
    match(log, /--pod-logs-dir/);
    match(log, /read grant/);
    match(log, /write grant/);
  });

  test("get pods answers while the runtime is down", async (runtime) => {
    await using agent = await startWithWeb(runtime.agentOptions());
    await runtime.rig.killRuntime();
    try {
      const { code, stdout } = await client(agent, "get", "pods");
      strictEqual(code, 0);
      match(stdout, /^web-edge1 +2\/2 +Running /m);
    } finally {
      await runtime.rig.startRuntime();
    }
  });
});

interface PodOutput {
  readonly kind: string;
  readonly spec: { readonly containers: readonly unknown[] };
  readonly status: {
    readonly conditions: readonly { reason?: string; message?: string }[];
  };
}

interface ListOutput {
  readonly apiVersion: string;
  readonly kind: string;
  readonly items: readonly PodOutput[];
}

/** A client command against this agent. */
async function client(
  agent: AgentProcess,
  ...args: string[]
): Promise<SkerryResult> {
  return await runSkerry([...args, `--root-dir=${agent.rootDir}`]);
}

async function startWithWeb(
  options: Parameters<typeof AgentProcess.start>[0],
): Promise<AgentProcess> {
  const agent = await AgentProcess.start(options);
  await agent.apply(
    "web.json",
    podManifest("web", {
      // Long enough to be seen ending, also by a slow machine.
      terminationGracePeriodSeconds: 600,
      containers: ["a", "b"].map((name) => ({
        name,
        command: ["sleep", "100000"],
      })),
    }),
  );
  await agent.until(
    "web running",
    (pods) => runningContainers(find(pods, "web")) === 2,
  );
  return agent;
}

function sleeping(): Parameters<typeof podManifest>[1] {
  return { containers: [{ name: "main", command: ["sleep", "100000"] }] };
}

function talkers(): Parameters<typeof podManifest>[1] {
  return {
    initContainers: [{
      name: "first",
      image: "localhost/busybox:1.35",
      command: ["echo", "prepared"],
    }],
    containers: [
      {
        name: "talker",
        command: ["sh", "-c", "echo one; echo two; echo three; sleep 100000"],
      },
      { name: "crasher", command: ["sh", "-c", "echo run of $$; exit 1"] },
    ],
  };
}
