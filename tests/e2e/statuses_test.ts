/**
 * What is said of pods while they start, while their agent is away, and under load.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import {
  containerOf,
  idOf,
  untilPodRuns,
  waitingOf,
} from "../support/e2e/inside.ts";
import { outside, shell } from "../support/e2e/outside.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { pause } from "../../scripts/lib/wait_until.ts";
import {
  conditionOf,
  countOf,
  untilPodReady,
  untilPodReport,
} from "../support/e2e/probed_pods.ts";
import { BUSYBOX_IMAGE } from "../../scripts/lib/containerd_rig.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

const SLEEP = ["sleep", "100000"];

/** Says that it is asked, and answers by whether there is a file. */
function ask(name: string, file: string, periodSeconds: number) {
  const script = `echo ${name} >> /out/seen; test -e /out/${file}`;
  const exec = { command: shell(script) };
  // What counts is the answer, however long a busy machine takes to get it.
  return { exec, periodSeconds, timeoutSeconds: 10 };
}

withRuntime("statuses", (test) => {
  test("pods that are ready stay so while their agent ends, is killed, and returns (ST-04, PR-12)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const out = await outside(agent, "ready");
    await out.put("up");
    // Asked so seldom that nobody is called unready before the end of the story.
    const readinessProbe = { ...ask("ready", "up", 30), failureThreshold: 10 };
    const pods: Readonly<Record<string, object>> = {
      asked: { readinessProbe },
      begun: { startupProbe: ask("startup", "up", 2), readinessProbe },
      plain: {},
    };
    const names = Object.keys(pods);
    for (const [name, probes] of Object.entries(pods)) {
      await agent.apply(
        `${name}.json`,
        podManifest(name, {
          containers: [{ name: "c", command: SLEEP, ...probes, ...out.mount }],
          volumes: out.volumes,
        }),
      );
    }
    for (const name of names) await untilPodReady(agent, name);
    // Nobody would start anew now.
    await out.take("up");
    const asked = await startups();
    const stop = new AbortController();
    const watch = watchReady(agent, names, stop.signal);
    for (const end of ["terminate", "kill"] as const) {
      await agent[end]();
      await pause(3_000);
      const from = watch.polls();
      await agent.start();
      for (const name of names) await untilPodReady(agent, name);
      await pause(2_000);
      ok(watch.polls() > from);
    }
    stop.abort();
    deepStrictEqual(await watch.unready, []);
    strictEqual(await startups(), asked);

    // An agent that remembers nothing has to ask, and does so at once.
    await out.put("up");
    await agent.terminate();
    await Deno.remove(`${agent.runDir}/status`, { recursive: true });
    await agent.start();
    for (const name of names) {
      const pod = await untilPodReady(agent, name);
      strictEqual(containerOf(pod, "c")?.restartCount, 0);
    }

    async function startups(): Promise<number> {
      return (await out.lines()).filter((line) => line === "startup").length;
    }
  });

  test("conditions come in their order, and each at its own time (ST-07)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const out = await outside(agent, "steps");
    const { volumes, mount } = out;
    const app = {
      name: "app",
      command: SLEEP,
      readinessProbe: { ...ask("ready", "ready", 1), failureThreshold: 1 },
      ...mount,
    };
    const init = {
      name: "init",
      image: BUSYBOX_IMAGE,
      command: shell("until [ -e /out/init ]; do sleep 0.1; done"),
      ...mount,
    };
    const lacks = { name: "v", configMap: { name: "nobody" } };
    const drafts = {
      steps: { initContainers: [init], containers: [app], volumes },
      lacks: {
        containers: [{
          name: "c",
          volumeMounts: [{ name: "v", mountPath: "/v" }],
        }],
        volumes: [lacks],
      },
      pulls: {
        containers: [{ name: "c", image: "127.0.0.1:1/none:1" }],
      },
    };
    for (const [name, draft] of Object.entries(drafts)) {
      await agent.apply(`${name}.json`, podManifest(name, draft));
    }
    const until = async (name: string, expected: string): Promise<Pod> => {
      const seen = await agent.until(
        `${name}: ${expected}`,
        (pods) => trueOnes(find(pods, name)) === expected,
      );
      const pod = find(seen, name);
      ok(pod);
      return pod;
    };
    const first = await until(
      "steps",
      "PodScheduled PodReadyToStartContainers",
    );
    strictEqual(waitingOf(first, "app")?.reason, "PodInitializing");
    await until("lacks", "PodScheduled Initialized");
    await until("pulls", "PodScheduled PodReadyToStartContainers Initialized");

    // Times are told in whole seconds.
    await pause(1_100);
    await out.put("init");
    const second = await until(
      "steps",
      "PodScheduled PodReadyToStartContainers Initialized",
    );
    await pause(1_100);
    await out.put("ready");
    const third = await until("steps", ORDER.join(" "));
    const moved = (before: Pod, after: Pod): readonly string[] =>
      ORDER.filter((type) => timeOf(before, type) !== timeOf(after, type));
    deepStrictEqual(moved(first, second), ["Initialized"]);
    deepStrictEqual(moved(second, third), ["ContainersReady", "Ready"]);
  });

  test("twenty containers with probes each second live on while the machine is busy (PR-05)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const kinds = ["httpGet", "tcpSocket", "exec"] as const;
    const containers = Array.from({ length: 20 }, (_, index) => {
      const port = 8000 + index;
      const actions = {
        httpGet: { httpGet: { path: "/sh", port } },
        tcpSocket: { tcpSocket: { port } },
        exec: { exec: { command: ["true"] } },
      };
      // Commands cost the runtime far more than anything else.
      const kind = index % 10 === 0 ? "exec" : kinds[index % 2] ?? "exec";
      return {
        name: `c${index}`,
        command: ["httpd", "-f", "-p", `${port}`, "-h", "/bin"],
        livenessProbe: {
          ...actions[kind],
          periodSeconds: 1,
          timeoutSeconds: kind === "exec" ? 10 : 3,
        },
        readinessProbe: {
          tcpSocket: { port },
          periodSeconds: 1,
          timeoutSeconds: 3,
        },
      };
    });
    await agent.apply("many.json", podManifest("many", { containers }));
    const before = await untilPodRuns(agent, "many", containers.length);
    const busy = Array.from({ length: 2 }, () =>
      new Deno.Command("timeout", {
        args: ["8", "busybox", "sh", "-c", "while :; do :; done"],
      }).spawn());
    await Promise.all(busy.map(({ status }) => status));
    const report = await untilPodReport(
      agent,
      "many",
      ({ probes }) => probes.every(({ verdict }) => verdict === "success"),
    );
    for (const { name } of containers) {
      strictEqual(idOf(report.pod, name), idOf(before, name));
    }
    strictEqual(countOf(report, "Killing", /./), 0);
    strictEqual(conditionOf(report.pod, "Ready"), "True");
    strictEqual(report.probes.length, 2 * containers.length);
  });
});

/** As they come true. */
const ORDER = [
  "PodScheduled",
  "PodReadyToStartContainers",
  "Initialized",
  "ContainersReady",
  "Ready",
];

function trueOnes(pod: Pod | undefined): string {
  return ORDER.filter((type) => conditionOf(pod, type) === "True").join(" ");
}

function timeOf(pod: Pod, type: string): unknown {
  return pod.status?.conditions?.find((each) => each.type === type)
    ?.lastTransitionTime;
}

/** Looks ten times a second whether pods are called unready. */
function watchReady(
  agent: AgentProcess,
  names: readonly string[],
  signal: AbortSignal,
): { polls(): number; readonly unready: Promise<readonly string[]> } {
  let polls = 0;
  const unready = (async () => {
    const seen: string[] = [];
    while (!signal.aborted) {
      const pods = await agent.pods();
      if (pods !== undefined) polls++;
      for (const name of names) {
        const pod = find(pods ?? [], name);
        if (conditionOf(pod, "Ready") === "False") {
          seen.push(`${name}: ${JSON.stringify(pod?.status)}`);
        }
      }
      await pause(100);
    }
    return seen;
  })();
  return { polls: () => polls, unready };
}
