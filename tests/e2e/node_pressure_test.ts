/**
 * A node whose disk fills up.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { untilPodRuns } from "../support/e2e/inside.ts";
import { canMountMemory, MemoryDisk } from "../support/e2e/memory_disk.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

/** A pod that stores some mebibytes in a volume and stays. */
function storing(
  mebibytes: number,
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const write = `dd if=/dev/zero of=/data/x bs=1M count=${mebibytes}`;
  return podManifest(name, {
    ...spec,
    volumes: [{ name: "data", emptyDir: {} }],
    containers: [{
      name: "main",
      command: ["sh", "-c", `${write}; exec sleep 100000`],
      volumeMounts: [{ name: "data", mountPath: "/data" }],
    }],
  });
}

if (await canMountMemory()) {
  withRuntime("a disk that fills up", (test) => {
    test("costs the pod that filled it, and no other starts meanwhile (GC-07)", async (runtime) => {
      const directory = await Deno.makeTempDir({ prefix: "skerry-agent-" });
      const config = `${directory}/config.yaml`;
      await Deno.writeTextFile(
        config,
        [
          "apiVersion: kubelet.config.k8s.io/v1beta1",
          "kind: KubeletConfiguration",
          'evictionHard: {nodefs.available: "30%"}',
          "evictionPressureTransitionPeriod: 30s",
        ].join("\n"),
      );
      await using agent = await AgentProcess.create({
        ...runtime.agentOptions(),
        directory,
        args: [`--config=${config}`],
      });
      await using _disk = await MemoryDisk.mount(agent.rootDir, {
        mebibytes: 32,
      });
      await agent.start();
      await agent.apply("small.json", storing(1, "small"));
      const small = await untilPodRuns(agent, "small");
      const once = { restartPolicy: "Never" };
      await agent.apply("large.json", storing(26, "large", once));
      const evicted = find(
        await agent.until(
          "large Failed",
          (pods) => find(pods, "large")?.status?.phase === "Failed",
        ),
        "large",
      );
      strictEqual(evicted?.status?.reason, "Evicted");
      match(
        evicted.status.message ?? "",
        /^The node was low on resource: ephemeral-storage\. Threshold quantity: /,
      );
      await agent.apply("late.json", storing(1, "late"));
      await agent.until(
        "late refused",
        (pods) => find(pods, "late")?.status?.reason === "Evicted",
      );
      // Its volume is gone, and so after a while is the condition.
      await untilPodRuns(agent, "late");
      const pods = await agent.pods();
      strictEqual(find(pods ?? [], "large")?.status?.phase, "Failed");
      strictEqual(
        find(pods ?? [], "small")?.status?.containerStatuses?.[0]?.containerID,
        small.status?.containerStatuses?.[0]?.containerID,
      );
      ok(small.metadata.uid !== evicted.metadata.uid);
      // One of another policy comes back after the condition and a pause.
      await agent.apply("again.json", storing(26, "again"));
      const first = await untilPodRuns(agent, "again");
      await agent.until(
        "again evicted",
        (pods) => find(pods, "again")?.status?.reason === "Evicted",
      );
      await agent.until("again back", (pods) => {
        const { metadata, status } = find(pods, "again") ?? {};
        const [container] = status?.containerStatuses ?? [];
        return container?.state?.running !== undefined &&
          metadata?.uid === first.metadata.uid &&
          container.containerID !==
            first.status?.containerStatuses?.[0]?.containerID;
      });
    });
  });
}
