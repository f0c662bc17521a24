/**
 * What pods ask for, as their containers see it.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  ok,
  rejects,
  strictEqual,
} from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import {
  containerOf,
  execIn,
  idOf,
  untilPodRuns,
} from "../support/e2e/inside.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { waitUntil } from "../../scripts/lib/wait_until.ts";
import { outside, shell } from "../support/e2e/outside.ts";
import { type TestRuntime, withRuntime } from "../support/e2e/with_runtime.ts";

const SLEEP = ["sleep", "100000"];

withRuntime("pods from inside", (test) => {
  test("command, args, environment and working directory", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const field = (name: string, fieldPath: string) => ({
      name,
      valueFrom: { fieldRef: { fieldPath } },
    });
    await agent.apply("env.json", {
      ...podManifest("env", {
        containers: [{
          name: "main",
          command: ["sh", "-c"],
          args: ["echo '$(GREETING) $$(GREETING)'; exec sleep 100000"],
          workingDir: "/tmp",
          env: [
            field("NAME", "metadata.name"),
            field("SPACE", "metadata.namespace"),
            field("UID", "metadata.uid"),
            field("NODE", "spec.nodeName"),
            field("IP", "status.podIP"),
            field("TEAM", "metadata.labels['team']"),
            { name: "WHO", value: "world" },
            { name: "GREETING", value: "hello $(WHO) $(NOBODY)" },
          ],
        }],
      }),
      metadata: { name: "env", labels: { team: "blue" } },
    });
    const pod = await untilPodRuns(agent, "env");
    const seen = await inside(runtime, pod, "tr '\\0' '\\n' < /proc/1/environ");
    const values = new Map(
      seen.trim().split("\n").map((line) => {
        const at = line.indexOf("=");
        return [line.slice(0, at), line.slice(at + 1)];
      }),
    );
    const expected = {
      NAME: "env-edge1",
      SPACE: "default",
      UID: pod.metadata.uid,
      NODE: "edge1",
      IP: pod.status?.podIP,
      TEAM: "blue",
      GREETING: "hello world $(NOBODY)",
      HOSTNAME: "env-edge1",
    };
    for (const [name, value] of Object.entries(expected)) {
      strictEqual(values.get(name), value, name);
    }
    strictEqual(
      (await inside(runtime, pod, "readlink /proc/1/cwd")).trim(),
      "/tmp",
    );
    // The runtime says that a program runs before it has run its first line.
    await agent.untilAnswer(
      "/containerLogs/default/env-edge1/main",
      /^hello world \$\(NOBODY\) \$\(GREETING\)\n$/,
    );
  });

  test("an emptyDir is shared and outlives a container; a hostPath is the node's", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await Deno.mkdir(`${agent.directory}/host`);
    await Deno.writeTextFile(`${agent.directory}/host/from-node`, "node\n");
    const mounts = [{ name: "shared", mountPath: "/shared" }];
    await agent.apply(
      "vol.json",
      podManifest("vol", {
        containers: [
          {
            name: "a",
            command: ["sh", "-c", "echo start >> /shared/starts; sleep 100000"],
            volumeMounts: mounts,
          },
          {
            name: "b",
            command: SLEEP,
            volumeMounts: [
              { name: "shared", mountPath: "/shared", readOnly: true },
              { name: "host", mountPath: "/host" },
            ],
          },
        ],
        volumes: [{ name: "shared", emptyDir: {} }, {
          name: "host",
          hostPath: { path: `${agent.directory}/host` },
        }],
      }),
    );
    const pod = await untilPodRuns(agent, "vol", 2);
    await runtime.rig.tools.killContainer(idOf(pod, "a"));
    const after = find(
      await agent.until(
        "a restarted",
        (pods) =>
          containerOf(find(pods, "vol"), "a")?.restartCount === 1 &&
          runningContainers(find(pods, "vol")) === 2,
      ),
      "vol",
    );
    strictEqual(idOf(after, "b"), idOf(pod, "b"));
    const b = (script: string) => execIn(runtime, idOf(pod, "b"), script);
    await waitUntil(
      "the second start",
      async () => await b("cat /shared/starts") === "start\nstart\n",
    );
    strictEqual(await b("cat /host/from-node"), "node\n");
    await rejects(b("echo x > /shared/x"), /Read-only/);
    await b("echo pod > /host/from-pod");
    strictEqual(
      await Deno.readTextFile(`${agent.directory}/host/from-pod`),
      "pod\n",
    );
  });

  test("resources become limits of the container's cgroup", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "res.json",
      podManifest("res", {
        containers: [{
          name: "main",
          command: SLEEP,
          resources: {
            requests: { cpu: "100m" },
            limits: { cpu: "500m", memory: "64Mi" },
          },
        }],
      }),
    );
    const pod = await untilPodRuns(agent, "res");
    const read = (v1: string, v2: string) =>
      inside(
        runtime,
        pod,
        `cat /sys/fs/cgroup/${v1} 2>/dev/null || cat /sys/fs/cgroup/${v2}`,
      );
    strictEqual(
      (await read("memory/memory.limit_in_bytes", "memory.max")).trim(),
      String(64 << 20),
    );
    match(
      await read("cpu/cpu.cfs_quota_us", "cpu.max"),
      /^50000( 100000)?$/m,
    );
    match(await read("cpu/cpu.shares", "cpu.weight"), /^(102|4)$/m);
    strictEqual(pod.status?.qosClass, "Burstable");
  });

  test("a pod has its host name, hosts file and resolver", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "net.json",
      podManifest("net", {
        hostname: "till",
        subdomain: "shop",
        dnsPolicy: "None",
        dnsConfig: {
          nameservers: ["192.0.2.53"],
          searches: ["shop.example"],
          options: [{ name: "ndots", value: "2" }],
        },
        hostAliases: [{ ip: "192.0.2.7", hostnames: ["printer", "scanner"] }],
        containers: [{ name: "main", command: SLEEP }],
      }),
    );
    const pod = await untilPodRuns(agent, "net");
    strictEqual((await inside(runtime, pod, "hostname")).trim(), "till");
    const hosts = await inside(runtime, pod, "cat /etc/hosts");
    match(hosts, /^127\.0\.0\.1\tlocalhost$/m);
    match(hosts, /^192\.0\.2\.7\tprinter\tscanner$/m);
    match(
      hosts,
      new RegExp(`^${pod.status?.podIP?.replaceAll(".", "\\.")}\t.*till$`, "m"),
    );
    const resolver = await inside(runtime, pod, "cat /etc/resolv.conf");
    match(resolver, /^nameserver 192\.0\.2\.53$/m);
    match(resolver, /^search shop\.example$/m);
    match(resolver, /^options ndots:2$/m);
  });

  test("a pod with hostNetwork shares the node's network and name", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "host.json",
      podManifest("host", {
        hostNetwork: true,
        containers: [{ name: "main", command: SLEEP }],
      }),
    );
    const pod = await untilPodRuns(agent, "host");
    const own = await Deno.readLink("/proc/self/ns/net");
    const seen = await inside(runtime, pod, "readlink /proc/1/ns/net");
    strictEqual(seen.trim(), own);
    strictEqual(
      (await inside(runtime, pod, "hostname")).trim(),
      Deno.hostname(),
    );
  });

  test("init containers run one after the other, sidecars around the app", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const log = [{ name: "log", mountPath: "/log" }];
    const say = (name: string, script: string, more: object = {}) => ({
      name,
      image: "localhost/busybox:1.35",
      command: ["sh", "-c", script],
      volumeMounts: log,
      ...more,
    });
    const until = (what: string) =>
      `trap 'echo ${what} ends >> /log/all; exit 0' TERM; ` +
      `echo ${what} starts >> /log/all; while true; do sleep 0.05; done`;
    await Deno.mkdir(`${agent.directory}/log`);
    const lines = () => Deno.readTextFile(`${agent.directory}/log/all`);
    await agent.apply(
      "order.json",
      podManifest("order", {
        terminationGracePeriodSeconds: 120,
        initContainers: [
          say("one", "sleep 0.5; echo one >> /log/all"),
          say("proxy", until("proxy"), { restartPolicy: "Always" }),
          say("two", "sleep 0.3; echo two >> /log/all"),
        ],
        containers: [say("app", until("app"))],
        volumes: [{
          name: "log",
          hostPath: { path: `${agent.directory}/log` },
        }],
      }),
    );
    const pod = await untilPodRuns(agent, "order");
    strictEqual(containerOf(pod, "one")?.state?.terminated?.exitCode, 0);
    ok(containerOf(pod, "proxy")?.state?.running);
    await waitUntil(
      "the app's first line",
      async () => (await lines()).includes("app starts"),
    );
    await agent.removeManifest("order.json");
    await agent.until("gone", (pods) => pods.length === 0);
    strictEqual(
      await lines(),
      "one\nproxy starts\ntwo\napp starts\napp ends\nproxy ends\n",
    );
    await runtime.untilGone(pod.metadata.uid, agent);
  });

  test("the user, a read-only root and the termination message", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "sec.json",
      podManifest("sec", {
        restartPolicy: "Never",
        securityContext: { runAsUser: 1000, runAsGroup: 3000 },
        containers: [
          {
            name: "main",
            command: SLEEP,
            securityContext: { readOnlyRootFilesystem: true },
          },
          {
            name: "last-words",
            command: [
              "sh",
              "-c",
              "echo disk is full > /dev/termination-log; exit 7",
            ],
          },
        ],
      }),
    );
    const pods = await agent.until(
      "one ended, one running",
      (pods) =>
        containerOf(find(pods, "sec"), "last-words")?.state?.terminated !==
          undefined && runningContainers(find(pods, "sec")) === 1,
    );
    const pod = find(pods, "sec");
    const ended = containerOf(pod, "last-words")?.state?.terminated;
    strictEqual(ended?.exitCode, 7);
    strictEqual(ended?.message, "disk is full\n");
    const seen = await execIn(
      runtime,
      idOf(pod, "main"),
      "grep -E '^(Uid|Gid)' /proc/1/status; touch /x 2>&1 || true",
    );
    match(seen, /^Uid:\t1000\t/m);
    match(seen, /^Gid:\t3000\t/m);
    match(seen, /Read-only file system/);
  });

  test("hooks: preStop runs before the end, a failing postStart ends the container", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const out = await outside(agent, "pre");
    await agent.apply(
      "pre.json",
      podManifest("pre", {
        terminationGracePeriodSeconds: 120,
        containers: [{
          name: "main",
          command: shell(
            "trap 'echo told >> /out/seen; exit 0' TERM; echo up >> /out/seen; while true; do sleep 0.05; done",
          ),
          lifecycle: {
            preStop: { exec: { command: shell("echo hook >> /out/seen") } },
          },
          ...out.mount,
        }],
        volumes: out.volumes,
      }),
    );
    await agent.apply(
      "post.json",
      podManifest("post", {
        containers: [{
          name: "main",
          command: SLEEP,
          lifecycle: { postStart: { exec: { command: ["false"] } } },
        }],
      }),
    );
    await untilPodRuns(agent, "pre");
    await out.until("up");
    await agent.removeManifest("pre.json");
    await agent.until("pre gone", (pods) => find(pods, "pre") === undefined);
    deepStrictEqual(await out.lines(), ["up", "hook", "told"]);
    const pods = await agent.until(
      "post backs off",
      (pods) => {
        const status = containerOf(find(pods, "post"), "main");
        return status?.state?.waiting?.reason === "CrashLoopBackOff" ||
          status?.state?.waiting?.reason === "PostStartHookError";
      },
    );
    strictEqual(runningContainers(find(pods, "post")), 0);
  });
});

/** Looks from inside the container "main". */
async function inside(
  runtime: TestRuntime,
  pod: Pod,
  script: string,
): Promise<string> {
  return await execIn(runtime, idOf(pod, "main"), script);
}
