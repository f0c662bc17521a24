/**
 * What surrounds the processes of a pod: namespaces, the runtime's handler, and
 * what the runtime is told of the pod's annotations.
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
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import {
  execIn,
  idOf,
  sandboxesOf,
  untilLogged,
  untilPodRuns,
} from "../support/e2e/inside.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { type TestRuntime, withRuntime } from "../support/e2e/with_runtime.ts";

const SLEEP = ["sleep", "100000"];
const ONE = [{ name: "c", command: SLEEP }];

/** A handler that the runtime has besides its default. */
const HANDLER = "second";

withRuntime("sandboxes from inside", (test) => {
  test("the node's namespaces, the pod's and a container's own (RT-29)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const two = ["a", "b"].map((name) => ({ name, command: SLEEP }));
    const specs = {
      plain: { containers: two },
      shared: { shareProcessNamespace: true, containers: two },
      node: {
        hostNetwork: true,
        hostPID: true,
        hostIPC: true,
        containers: two,
      },
    };
    for (const [name, draft] of Object.entries(specs)) {
      await agent.apply(`${name}.json`, podManifest(name, draft));
    }
    const look = async (name: string) => {
      const pod = await untilPodRuns(agent, name, 2);
      const [a, b] = await Promise.all(
        ["a", "b"].map((container) => namespacesOf(runtime, pod, container)),
      );
      ok(a && b);
      return { a, b };
    };
    const host = await Promise.all(
      ["net", "pid", "ipc", "uts"].map((kind) =>
        Deno.readLink(`/proc/self/ns/${kind}`)
      ),
    );
    const { a, b } = await look("plain");
    ok(a.links.every((link, i) => link !== host[i]));
    deepStrictEqual([a.net, a.ipc, a.uts], [b.net, b.ipc, b.uts]);
    notStrictEqual(a.pid, b.pid);
    strictEqual(a.first, "sleep 100000");

    const shared = await look("shared");
    strictEqual(shared.a.pid, shared.b.pid);
    strictEqual(shared.a.first, "/pause");
    strictEqual(shared.a.sleepers, 2);

    const node = await look("node");
    deepStrictEqual(node.a.links, host);
    const first = await Deno.readTextFile("/proc/1/cmdline");
    strictEqual(node.a.first, first.replaceAll("\0", " ").trim());
  });

  test("runtimeClassName names a handler; one that nobody knows is told and tried again", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "good.json",
      podManifest("good", { runtimeClassName: HANDLER, containers: ONE }),
    );
    await agent.apply(
      "lost.json",
      podManifest("lost", { runtimeClassName: "nobody", containers: ONE }),
    );
    const pod = await untilPodRuns(agent, "good", 1);
    const [sandbox] = await sandboxesOf(runtime, pod.metadata.uid);
    strictEqual(sandbox?.runtimeHandler, HANDLER);
    await untilLogged(agent, /FailedCreatePodSandBox.*nobody/);
    const lost = find(await agent.pods() ?? [], "lost");
    strictEqual(lost?.status?.phase, "Pending");
    // It runs as soon as the name means something.
    await agent.apply("class.json", {
      apiVersion: "node.k8s.io/v1",
      kind: "RuntimeClass",
      metadata: { name: "nobody" },
      handler: HANDLER,
    });
    const found = await untilPodRuns(agent, "lost", 1);
    const [its] = await sandboxesOf(runtime, found.metadata.uid);
    strictEqual(its?.runtimeHandler, HANDLER);
  });

  test("annotations go to the sandbox and never stand for the agent's own (SE-05)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const hostile = {
      "org.systemd.property.ExecStartPre": "['/bin/sh', '-c', 'touch /x']",
      "io.containerd.runc.v2.group": "evil",
      "cdi.k8s.io/gpu": "vendor.com/gpu=all",
      "io.kubernetes.cri-o.Devices": "/dev/mem",
      "io.kubernetes.cri.container-type": "container",
      "io.kubernetes.pod.uid": "someone-else",
      "io.kubernetes.container.hash": "0",
      "example.com/team": "blue",
    };
    const labels = {
      "io.kubernetes.pod.uid": "someone-else",
      "io.kubernetes.pod.name": "someone-else",
    };
    await agent.apply("ann.json", {
      ...podManifest("ann", { containers: ONE }),
      metadata: { name: "ann", annotations: hostile, labels },
    });
    await agent.apply("forged.json", {
      ...podManifest("forged", { containers: ONE }),
      metadata: {
        name: "forged",
        annotations: {
          "kubernetes.io/config.source": "api",
          "kubernetes.io/config.hash": "someone-else",
        },
      },
    });
    const pod = await untilPodRuns(agent, "ann", 1);
    // Left out, as of a pod that was exported from a cluster.
    const { uid: forgedUid } =
      (await untilPodRuns(agent, "forged", 1)).metadata;
    const [forged] = await sandboxesOf(runtime, forgedUid);
    strictEqual(forged?.annotations["kubernetes.io/config.source"], "file");
    strictEqual(forged?.annotations["kubernetes.io/config.hash"], forgedUid);
    const { uid } = pod.metadata;
    const [sandbox] = await sandboxesOf(runtime, uid);
    strictEqual(sandbox?.annotations["example.com/team"], "blue");
    strictEqual(sandbox?.annotations["kubernetes.io/config.source"], "file");
    strictEqual(sandbox?.annotations["kubernetes.io/config.hash"], uid);
    strictEqual(sandbox?.labels["io.kubernetes.pod.uid"], uid);
    strictEqual(sandbox?.labels["io.kubernetes.pod.name"], "ann-edge1");
    for (const id of [sandbox?.id ?? "", idOf(pod, "c")]) {
      const { text } = await runtime.rig.tools.ctr(["containers", "info", id]);
      const { Spec } = JSON.parse(text);
      const known: Readonly<Record<string, string>> = Spec.annotations;
      for (const name of Object.keys(known)) {
        match(name, /^io\.kubernetes\.cri\./);
        notStrictEqual(known[name], "evil");
      }
      strictEqual(
        known["io.kubernetes.cri.container-type"],
        id === sandbox?.id ? "sandbox" : "container",
      );
      const devices: readonly { path: string }[] = Spec.linux.devices ?? [];
      deepStrictEqual(devices.filter(({ path }) => path === "/dev/mem"), []);
    }
  });
}, { handlers: [HANDLER] });

interface Namespaces {
  readonly links: readonly string[];
  readonly net: string | undefined;
  readonly pid: string | undefined;
  readonly ipc: string | undefined;
  readonly uts: string | undefined;
  /** The command line of process 1. */
  readonly first: string;
  /** How many processes sleep in the process namespace. */
  readonly sleepers: number;
}

async function namespacesOf(
  runtime: TestRuntime,
  pod: Pod,
  container: string,
): Promise<Namespaces> {
  const text = await execIn(
    runtime,
    idOf(pod, container),
    "for kind in net pid ipc uts; do readlink /proc/self/ns/$kind; done;" +
      " tr '\\0' ' ' < /proc/1/cmdline; echo;" +
      " ps -o args | grep -c '^sleep 100000$'",
  );
  const lines = text.trim().split("\n").map((line) => line.trim());
  const links = lines.slice(0, 4);
  const [net, pid, ipc, uts] = links;
  const [first = "", sleepers = "0"] = lines.slice(4);
  return { links, net, pid, ipc, uts, first, sleepers: Number(sleepers) };
}
