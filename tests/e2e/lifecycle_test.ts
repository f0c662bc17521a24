/**
 * The life of containers on a real runtime: order, hooks, last words, ends.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { ContainerStatus, Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { containerOf, untilPodRuns } from "../support/e2e/inside.ts";
import { outside, shell } from "../support/e2e/outside.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { BUSYBOX_IMAGE } from "../../scripts/lib/containerd_rig.ts";
import { type TestRuntime, withRuntime } from "../support/e2e/with_runtime.ts";

/** A script that says when it starts, and when it is told to end, and then takes a second. */
function witness(name: string): readonly string[] {
  const script = [
    `trap 'echo ${name} told >> /out/seen; sleep 1; echo ${name} ended >> /out/seen; exit 0' TERM`,
    `echo ${name} started >> /out/seen`,
    "sleep 100000 & wait",
  ];
  return shell(script.join("; "));
}

async function endAll(
  runtime: TestRuntime,
  agent: AgentProcess,
  pods: readonly (readonly [string, Pod])[],
): Promise<void> {
  for (const [name] of pods) await agent.removeManifest(`${name}.json`);
  for (const [, pod] of pods) {
    await runtime.untilGone(pod.metadata.uid, agent);
  }
}

withRuntime("lives of containers", (test) => {
  test("init containers, sidecars and app start and end in order (RT-13, RT-16, RT-17)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const out = await outside(agent, "order");
    const init = (name: string) => ({
      name,
      image: BUSYBOX_IMAGE,
      command: shell(
        `echo ${name} started >> /out/seen; sleep 1; echo ${name} ended >> /out/seen`,
      ),
      ...out.mount,
    });
    const sidecar = (name: string) => ({
      name,
      image: BUSYBOX_IMAGE,
      restartPolicy: "Always",
      command: witness(name),
      ...out.mount,
    });
    const draft = podManifest("order", {
      terminationGracePeriodSeconds: 120,
      initContainers: [
        init("first"),
        sidecar("side1"),
        init("second"),
        sidecar("side2"),
      ],
      containers: [{ name: "app", command: witness("app"), ...out.mount }],
      volumes: out.volumes,
    });
    await agent.apply("order.json", draft);
    const pod = await untilPodRuns(agent, "order");
    // The runtime says that a program runs before it has run its first line.
    await out.untilLines(7);
    const started = await out.lines();
    const at = (line: string): number => started.indexOf(line);
    deepStrictEqual(started.slice(0, 2), ["first started", "first ended"]);
    ok(at("first ended") < at("side1 started"));
    ok(at("second started") < at("second ended"));
    ok(at("second ended") < at("side2 started"));
    ok(at("second ended") < at("app started"));
    strictEqual(containerOf(pod, "first")?.state?.terminated?.exitCode, 0);
    strictEqual(containerOf(pod, "side1")?.started, true);

    await endAll(runtime, agent, [["order", pod]]);
    deepStrictEqual((await out.lines()).slice(started.length), [
      "app told",
      "app ended",
      "side2 told",
      "side2 ended",
      "side1 told",
      "side1 ended",
    ]);
  });

  test("hooks of each kind run after the start and before the end (RT-21)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const exec = await outside(agent, "exec");
    const http = await outside(agent, "http");
    const sleep = await outside(agent, "sleep");
    const fails = await outside(agent, "fails");
    const say = (word: string) => ({
      exec: { command: shell(`echo ${word} >> /out/seen`) },
    });
    // Answers anyone with the first line of what was asked left in the file.
    const serve =
      "trap 'exit 0' TERM; (while true; do printf 'HTTP/1.0 200 OK\\r\\n\\r\\nfine' | nc -l -p 8080 | head -n 1 >> /out/seen; done) & wait";
    const ask = (path: string) => ({ httpGet: { path, port: "http" } });
    const pods = {
      exec: podManifest("exec", {
        terminationGracePeriodSeconds: 120,
        containers: [
          {
            name: "c1",
            command: shell(
              "trap 'echo told >> /out/seen; exit 0' TERM; sleep 100000 & wait",
            ),
            lifecycle: {
              postStart: {
                exec: { command: shell("sleep 2; echo post >> /out/seen") },
              },
              preStop: say("pre"),
            },
            ...exec.mount,
          },
          {
            name: "c2",
            command: shell(
              "trap 'exit 0' TERM; echo next >> /out/seen; sleep 100000 & wait",
            ),
            ...exec.mount,
          },
        ],
        volumes: exec.volumes,
      }),
      http: podManifest("http", {
        terminationGracePeriodSeconds: 120,
        containers: [{
          name: "main",
          command: shell(serve),
          ports: [{ name: "http", containerPort: 8080 }],
          lifecycle: { preStop: ask("/bye?now=1") },
          ...http.mount,
        }],
        volumes: http.volumes,
      }),
      sleep: podManifest("sleep", {
        terminationGracePeriodSeconds: 120,
        containers: [{
          name: "main",
          command: shell(
            "trap 'date +%s >> /out/seen; exit 0' TERM; sleep 100000 & wait",
          ),
          lifecycle: { preStop: { sleep: { seconds: 2 } } },
          ...sleep.mount,
        }],
        volumes: sleep.volumes,
      }),
      fails: podManifest("fails", {
        containers: [{
          name: "main",
          command: shell("echo started >> /out/seen; exec sleep 100000"),
          lifecycle: {
            postStart: { exec: { command: shell("echo unlucky; exit 5") } },
          },
          ...fails.mount,
        }],
        volumes: fails.volumes,
      }),
    };
    for (const [name, manifest] of Object.entries(pods)) {
      await agent.apply(`${name}.json`, manifest);
    }
    const running2 = await untilPodRuns(agent, "exec", 2);
    const others: (readonly [string, Pod])[] = [];
    for (const name of ["http", "sleep"]) {
      others.push([name, await untilPodRuns(agent, name)]);
    }
    await exec.untilLines(2);
    deepStrictEqual(await exec.lines(), ["post", "next"]);
    const failed = find(
      await agent.until("the failing hook", (all) => {
        const { reason } = waiting(find(all, "fails"), "main");
        return reason === "CrashLoopBackOff" ||
          reason === "PostStartHookError";
      }),
      "fails",
    );
    ok(failed);
    ok((await fails.lines()).length >= 1);

    const removedS = Math.floor(Date.now() / 1000);
    await endAll(runtime, agent, [["exec", running2], ...others, [
      "fails",
      failed,
    ]]);
    deepStrictEqual(await exec.lines(), ["post", "next", "pre", "told"]);
    deepStrictEqual(
      (await http.lines()).map((line) => line.trim()),
      ["GET /bye?now=1 HTTP/1.1"],
    );
    const [toldS] = await sleep.lines();
    ok(Number(toldS) - removedS >= 2, `${toldS} - ${removedS}`);
  });

  test("what containers say at their end and why they ended (RT-24, RT-25, RT-28)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const once = (
      name: string,
      container: Readonly<Record<string, unknown>>,
      pod: Readonly<Record<string, unknown>> = {},
    ) =>
      agent.apply(
        `${name}.json`,
        podManifest(name, {
          restartPolicy: "Never",
          containers: [{ name: "main", ...container }],
          ...pod,
        }),
      );
    // It lives on for a moment: with cgroups v1 a busy shim may find the cgroup gone
    // before it has read of the kill, and then the runtime never hears of it.
    const hog = {
      command: shell("tail /dev/zero; code=$?; sleep 2; exit $code"),
      resources: { limits: { memory: "15Mi" } },
    };
    await once("file", {
      command: shell("printf 'the last words' > /dev/termination-log; exit 3"),
    });
    await once("path", {
      terminationMessagePath: "/tmp/last",
      command: shell("printf 'elsewhere' > /tmp/last"),
    });
    await once("logs", {
      terminationMessagePolicy: "FallbackToLogsOnError",
      command: shell("seq 1 1000; exit 1"),
    });
    await once("quiet", {
      terminationMessagePolicy: "FallbackToLogsOnError",
      command: shell("seq 1 1000"),
    });
    await once("huge", {
      command: shell(
        "head -c 1048576 /dev/zero | tr '\\0' '\\377' > /dev/termination-log",
      ),
    });
    await once("hog", hog);
    await once("hoginit", { command: shell("true") }, {
      initContainers: [{ name: "init", image: BUSYBOX_IMAGE, ...hog }],
    });
    await once("nope", { command: ["/nope"] });
    await once("noexec", { command: ["/etc/passwd"] });
    await once("nodir", { command: shell("true"), workingDir: "/bin/sh" });
    await once("noimage", {
      image: "localhost/not-here:1",
      imagePullPolicy: "Never",
      command: shell("true"),
    });
    const over = (all: readonly Pod[], name: string): boolean =>
      /Succeeded|Failed/.test(find(all, name)?.status?.phase ?? "");
    const names = [
      ...["file", "path", "logs", "quiet", "huge"],
      ...["hog", "hoginit", "nope", "noexec", "nodir"],
    ];
    const all = await agent.until(
      "all ends",
      (pods) =>
        names.every((name) => over(pods, name)) &&
        waiting(find(pods, "noimage"), "main").reason === "ErrImageNeverPull",
    );
    const phase = (name: string) => find(all, name)?.status?.phase;
    const end = (name: string, container = "main") =>
      ended(containerOf(find(all, name), container));

    deepStrictEqual(end("file"), [3, "Error", "the last words"]);
    deepStrictEqual(end("path"), [0, "Completed", "elsewhere"]);
    strictEqual(phase("path"), "Succeeded");
    const [code, why, text] = end("logs");
    deepStrictEqual([code, why], [1, "Error"]);
    const lines = text.trim().split("\n");
    deepStrictEqual([lines.length, lines[0], lines.at(-1)], [
      80,
      "921",
      "1000",
    ]);
    deepStrictEqual(end("quiet"), [0, "Completed", ""]);
    const [, , garbage] = end("huge");
    ok(new TextEncoder().encode(garbage).length <= 4096);
    match(garbage, /^\ufffd{1000,}$/);
    // With cgroups v1 a busy shim loses the event now and then, and the runtime then
    // never hears whose deed it was; `failures_test.ts` asks until it does.
    for (const [code, why] of [end("hog"), end("hoginit", "init")]) {
      strictEqual(code, 137);
      ok(why === "OOMKilled" || why === "Error", `${why}`);
    }
    strictEqual(phase("hoginit"), "Failed");
    for (const name of ["nope", "noexec", "nodir"]) {
      const [code, reason, message] = end(name);
      deepStrictEqual([name, code, reason], [name, 128, "StartError"]);
      match(message, /no such file|permission denied|not a directory/i);
      strictEqual(phase(name), "Failed");
    }
  });
});

function waiting(
  pod: Pod | undefined,
  name: string,
): { readonly reason?: string } {
  return containerOf(pod, name)?.state?.waiting ?? {};
}

/** Exit code, reason and message of a container that ended. */
function ended(
  status: ContainerStatus | undefined,
): [number | undefined, string | undefined, string] {
  const { exitCode, reason, message = "" } = status?.state?.terminated ?? {};
  return [exitCode, reason, message];
}
