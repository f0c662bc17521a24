/**
 * The four kinds of probes, asked of programs that run.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { freePort } from "../support/e2e/ask_port.ts";
import {
  type HealthReply,
  serveHealth,
} from "../support/peers/health_server.ts";
import {
  containerOf,
  idOf,
  processesOf,
  untilPodRuns,
} from "../support/e2e/inside.ts";
import { outside, shell } from "../support/e2e/outside.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import {
  countOf,
  untilPodReady,
  untilPodReport,
} from "../support/e2e/probed_pods.ts";
import { runSkerry } from "../../scripts/lib/run_skerry.ts";
import { pause } from "../../scripts/lib/wait_until.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";
import { isFound } from "../support/findings.ts";

const SLEEP = ["sleep", "100000"];

/** Asks each second, and believes the first answer, however long it takes. */
const EAGER = { periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 30 };

/** A time in which also a busy machine answers. */
const STRICT_SECONDS = 4;

withRuntime("kinds of probes", (test) => {
  test("a web server and a port make their pod ready, and unready (PR-03, PR-11)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const out = await outside(agent, "web");
    await agent.apply(
      "web.json",
      podManifest("web", {
        containers: [
          {
            name: "site",
            command: ["httpd", "-f", "-p", "8080", "-h", "/out"],
            ports: [{ name: "http", containerPort: 8080 }],
            readinessProbe: {
              httpGet: { path: "/health", port: "http" },
              ...EAGER,
            },
            ...out.mount,
          },
          {
            name: "port",
            command: shell(
              "until [ -e /out/open ]; do sleep 0.1; done; exec nc -ll -p 9090 -e true",
            ),
            readinessProbe: { tcpSocket: { port: 9090 }, ...EAGER },
            ...out.mount,
          },
        ],
        volumes: out.volumes,
      }),
    );
    const pod = await untilPodRuns(agent, "web", 2);
    const ip = pod.status?.podIP ?? "";
    await untilPodReport(agent, "web", (report) =>
      countOf(
          report,
          "Unhealthy",
          /^Readiness probe failed: HTTP probe failed with statuscode: 404$/,
        ) > 0 &&
      countOf(
          report,
          "Unhealthy",
          new RegExp(
            `^Readiness probe failed: dial tcp ${ip}:9090: connect: connection refused$`,
          ),
        ) > 0);
    strictEqual(await readyColumn(agent), "0/2");
    await out.put("health");
    await out.put("open");
    await untilPodReady(agent, "web");
    strictEqual(await readyColumn(agent), "2/2");
    await out.take("health");
    const unready = await untilPodReady(agent, "web", "False");
    strictEqual(await readyColumn(agent), "1/2");
    for (const type of ["Ready", "ContainersReady"]) {
      const condition = unready.status?.conditions
        ?.find((each) => each.type === type);
      strictEqual(condition?.reason, "ContainersNotReady");
      strictEqual(
        condition?.message,
        "containers with unready status: [site]",
      );
    }
    await out.put("health");
    const again = await untilPodReady(agent, "web");
    strictEqual(idOf(again, "site"), idOf(pod, "site"));
    strictEqual(idOf(again, "port"), idOf(pod, "port"));
  });

  test("a gRPC server on the node's network is asked for the health of a service (PR-06)", async (runtime) => {
    // The bridge, and the node's address on it, come with the first pod.
    const nodeIp = runtime.rig.podNetwork.replace(/0\/24$/, "1");
    await using agent = await AgentProcess.start({
      ...runtime.agentOptions(),
      args: [`--node-ip=${nodeIp}`],
    });
    const containers = [{ name: "c", command: SLEEP }];
    await agent.apply("first.json", podManifest("first", { containers }));
    await untilPodRuns(agent, "first");
    const answers = { SERVING: 1, NOT_SERVING: 2 } as const;
    let answer: HealthReply = Uint8Array.of(8, answers.NOT_SERVING);
    await using server = await serveHealth(() => answer, undefined, {
      hostname: nodeIp,
    });
    await agent.apply(
      "node.json",
      podManifest("node", {
        hostNetwork: true,
        containers: [{
          name: "c",
          command: SLEEP,
          readinessProbe: {
            grpc: { port: server.port, service: "shop" },
            ...EAGER,
          },
        }],
      }),
    );
    const untilTold = (text: RegExp) =>
      untilPodReport(
        agent,
        "node",
        (report) => countOf(report, "Unhealthy", text) > 0,
      );
    await untilTold(
      /^Readiness probe failed: service unhealthy \(responded with "NOT_SERVING"\)$/,
    );
    answer = Uint8Array.of(8, answers.SERVING);
    await untilPodReady(agent, "node");
    const [call] = server.calls;
    const asked = new TextDecoder().decode(call?.request.subarray(2));
    strictEqual(asked, "shop");
    match(call?.userAgent ?? "", /^kube-probe\//);
    answer = { code: 5, details: "no such service" };
    await untilPodReady(agent, "node", "False");
    await untilTold(/rpc error: code = NotFound desc = no such service$/);
  });

  test("commands that hang fail on time and do not pile up (PR-01)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const hanging = (command: readonly string[]) => ({
      exec: { command },
      ...EAGER,
      timeoutSeconds: 1,
    });
    const commands = {
      // The runtime ends the first process of a command, and waits for all that
      // hold its output.
      alone: ["sleep", "10000"],
      tree: shell("sleep 10000 & wait"),
      apart: shell("setsid sleep 10000 & wait"),
    };
    for (const [name, command] of Object.entries(commands)) {
      await agent.apply(
        `${name}.json`,
        podManifest(name, {
          containers: [{
            name: "c",
            command: SLEEP,
            readinessProbe: hanging(command),
          }],
        }),
      );
    }
    await agent.apply(
      "live.json",
      podManifest("live", {
        containers: [{
          name: "c",
          command: SLEEP,
          livenessProbe: {
            ...hanging(commands.tree),
            failureThreshold: 3,
          },
        }],
      }),
    );
    for (const name of Object.keys(commands)) {
      // As often as the ticks of the time that a call may take.
      const report = await untilPodReport(
        agent,
        name,
        (seen) => countOf(seen, "Unhealthy", /^Readiness probe failed: /) >= 12,
      );
      ok(
        countOf(
          report,
          "Unhealthy",
          /^Readiness probe failed: command timed out: ".*" timed out after 1s$/,
        ) > 0,
      );
      const left = (await processesOf(runtime, idOf(report.pod, "c")))
        .filter((line) =>
          line.includes("sleep 10000") && !line.endsWith("00000")
        );
      ok(left.length <= 3, `${name}: ${left.join(", ")}`);
    }
    const live = await untilPodReport(
      agent,
      "live",
      ({ pod }) => (containerOf(pod, "c")?.restartCount ?? 0) > 0,
    );
    ok(countOf(live, "Killing", /failed liveness probe/) > 0);
  });

  test("the node's loopback is asked where that is allowed, and refused in words where not (PR-11)", async (runtime) => {
    const port = await freePort();
    const probe = { ...EAGER, httpGet: { host: "127.0.0.1", port } };
    const manifest = podManifest("local", {
      hostNetwork: true,
      containers: [{
        name: "c",
        command: ["httpd", "-f", "-p", `127.0.0.1:${port}`, "-h", "/bin"],
        readinessProbe: {
          ...probe,
          httpGet: { ...probe.httpGet, path: "/sh" },
        },
        // What is asked for in words that the manifest explains.
        startupProbe: {
          ...EAGER,
          exec: { command: ["test", "$(WORD)$(PATH)", "=", "right$(PATH)"] },
        },
        env: [{ name: "WORD", value: "right" }],
      }],
    });
    {
      await using agent = await AgentProcess.start(runtime.agentOptions());
      await agent.apply("local.json", manifest);
      await untilPodReport(
        agent,
        "local",
        (report) =>
          isFound(
            { kind: "invalid", said: /"127.0.0.1".*--pod-network/ },
            report,
          ),
      );
    }
    await using agent = await AgentProcess.start({
      ...runtime.agentOptions(),
      args: ["--pod-network=127.0.0.1/32"],
    });
    await agent.apply("local.json", manifest);
    await untilPodReady(agent, "local");
  });

  test("a runtime that stands still costs no container its life (RT-08)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const command = ["httpd", "-f", "-p", "8080", "-h", "/bin"];
    const probes: Readonly<Record<string, object>> = {
      exec: { exec: { command: ["true"] } },
      http: { httpGet: { path: "/sh", port: 8080 } },
      tcp: { tcpSocket: { port: 8080 } },
    };
    const names = Object.keys(probes);
    for (const [name, probe] of Object.entries(probes)) {
      const livenessProbe = {
        ...probe,
        ...EAGER,
        timeoutSeconds: STRICT_SECONDS,
      };
      await agent.apply(
        `${name}.json`,
        podManifest(name, {
          containers: [{ name: "c", command, livenessProbe }],
        }),
      );
    }
    for (const name of names) await untilAsked(name, "");
    const { pid } = runtime.rig;
    ok(pid !== undefined);
    Deno.kill(pid, "SIGSTOP");
    await pause(3 * STRICT_SECONDS * 1000);
    const still = new Date().toISOString();
    Deno.kill(pid, "SIGCONT");
    for (const name of names) await untilAsked(name, still);
    for (const name of names) {
      const report = await untilPodReport(agent, name);
      strictEqual(countOf(report, "Killing", /./), 0);
      strictEqual(containerOf(report.pod, "c")?.restartCount, 0);
    }

    /** Waits for an answer that was given after a moment. */
    async function untilAsked(name: string, after: string): Promise<void> {
      await untilPodReport(
        agent,
        name,
        ({ probes: [{ last } = {}] }) =>
          last?.kind === "success" && last.time > after,
      );
    }
  });
});

/** The column READY of the only pod. */
async function readyColumn(agent: AgentProcess): Promise<string | undefined> {
  const { stdout } = await runSkerry([
    "get",
    "pods",
    `--root-dir=${agent.rootDir}`,
  ]);
  return stdout.split("\n")[1]?.split(/\s+/)[1];
}
