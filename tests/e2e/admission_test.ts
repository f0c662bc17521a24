/**
 * Pods that the node does not take, and pods that take too much of it.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { getCpuCount } from "../../mod/host/machine/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { untilPodRuns } from "../support/e2e/inside.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

const SLEEP = ["sleep", "100000"];

function pod(
  name: string,
  container: Readonly<Record<string, unknown>>,
  spec: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return podManifest(name, {
    ...spec,
    containers: [{ name: "main", command: SLEEP, ...container }],
  });
}

async function failed(agent: AgentProcess, name: string): Promise<Pod> {
  const pods = await agent.until(
    `${name} Failed`,
    (pods) => find(pods, name)?.status?.phase === "Failed",
  );
  const found = find(pods, name);
  ok(found);
  return found;
}

withRuntime("pods that the node does not take", (test) => {
  test("are refused, and run when the cause is gone (RT-29)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const port = { ports: [{ containerPort: 80, hostPort: 18080 }] };
    const cpus = getCpuCount();
    const cpu = (count: number) => ({
      resources: { requests: { cpu: String(count) } },
    });
    await agent.apply("port-a.json", pod("port-a", port));
    await agent.apply("cpu-a.json", pod("cpu-a", cpu(cpus)));
    const first = await untilPodRuns(agent, "port-a");
    await untilPodRuns(agent, "cpu-a");
    await agent.apply("port-b.json", pod("port-b", port));
    await agent.apply("cpu-b.json", pod("cpu-b", cpu(1)));
    await agent.apply(
      "label.json",
      pod("label", {}, { nodeSelector: { disk: "ssd" } }),
    );
    const reasons = [
      ["port-b", "NodePorts"],
      ["cpu-b", "OutOfcpu"],
      ["label", "NodeAffinity"],
    ] as const;
    for (const [name, reason] of reasons) {
      const { status } = await failed(agent, name);
      strictEqual(status?.reason, reason);
      match(status?.message ?? "", /^Pod was rejected: /);
    }
    // What runs does so still after the agent was killed.
    await agent.kill();
    await agent.start();
    const after = await untilPodRuns(agent, "port-a");
    strictEqual(
      after.status?.containerStatuses?.[0]?.containerID,
      first.status?.containerStatuses?.[0]?.containerID,
    );
    strictEqual((await failed(agent, "port-b")).status?.reason, "NodePorts");
    await agent.removeManifest("port-a.json");
    await agent.removeManifest("cpu-a.json");
    await untilPodRuns(agent, "port-b");
    await untilPodRuns(agent, "cpu-b");
  });

  test("are evicted for what they store, and stay so (PW-19, VO-01, SE-08)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const write = (path: string) => ({
      command: [
        "sh",
        "-c",
        `dd if=/dev/zero of=${path} bs=1M count=3; exec sleep 100000`,
      ],
    });
    const volume = (medium: string) => ({
      volumes: [{ name: "data", emptyDir: { medium, sizeLimit: "1Mi" } }],
    });
    const mounts = { volumeMounts: [{ name: "data", mountPath: "/data" }] };
    const limits = { resources: { limits: { "ephemeral-storage": "1Mi" } } };
    await agent.apply(
      "disk.json",
      pod("disk", { ...write("/data/x"), ...mounts }, volume("")),
    );
    await agent.apply(
      "memory.json",
      pod("memory", { ...write("/data/x"), ...mounts }, volume("Memory")),
    );
    await agent.apply(
      "hosts.json",
      pod("hosts", { ...write("/etc/hosts"), ...limits }),
    );
    await agent.apply(
      "layer.json",
      pod("layer", { ...write("/x"), ...limits }),
    );
    const calm = pod("calm", { ...mounts, ...limits }, volume(""));
    await agent.apply("calm.json", calm);
    for (const name of ["disk", "memory", "hosts", "layer"]) {
      const { status } = await failed(agent, name);
      strictEqual(status?.reason, "Evicted", name);
      match(
        status?.message ?? "",
        name === "disk" || name === "memory"
          ? /^Usage of EmptyDir volume "data" exceeds the limit "1Mi"\. $/
          : /^Pod ephemeral local storage usage exceeds the total limit of containers 1Mi\. $/,
      );
    }
    await untilPodRuns(agent, "calm");
    await agent.kill();
    await agent.start();
    await untilPodRuns(agent, "calm");
    const pods = await agent.until(
      "disk Failed",
      (pods) => find(pods, "disk")?.status?.phase === "Failed",
    );
    const disk = find(pods, "disk");
    strictEqual(disk?.status?.reason, "Evicted");
    await agent.removeManifest("disk.json");
    await runtime.untilGone(disk?.metadata.uid ?? "", agent);
  });
});
