/**
 * What pods use, measured by a real runtime.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { StatsSummary } from "../../mod/server/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { runSkerry } from "../../scripts/lib/run_skerry.ts";
import { PATIENCE_MS, waitUntil } from "../../scripts/lib/wait_until.ts";
import { untilPodRuns } from "../support/e2e/inside.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

const MI = 2 ** 20;

withRuntime("what pods use", (test) => {
  test("is measured, listed and shown", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const write = [
      "dd if=/dev/zero of=/data/x bs=1M count=4",
      "dd if=/dev/zero of=/layer bs=1M count=3",
      "echo said",
      "exec sleep 100000",
    ].join("; ");
    await agent.apply(
      "web.json",
      podManifest("web", {
        volumes: [{ name: "data", emptyDir: {} }],
        containers: [{
          name: "main",
          command: ["sh", "-c", write],
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        }],
      }),
    );
    await untilPodRuns(agent, "web");
    const found: { summary?: StatsSummary } = {};
    // The runtime measures layers now and then.
    await waitUntil("the size of the layer", async () => {
      const { status, text } = await agent.get("/stats/summary");
      strictEqual(status, 200, text);
      found.summary = JSON.parse(text);
      const [container] = found.summary?.pods[0]?.containers ?? [];
      return (container?.rootfs?.usedBytes ?? 0) >= 3 * MI &&
        (found.summary?.pods[0]?.volume?.[0]?.usedBytes ?? 0) >= 4 * MI;
    }, { timeoutMs: PATIENCE_MS, everyMs: 1_000 });
    const { node, pods = [] } = found.summary ?? {};
    const [pod] = pods;
    strictEqual(node?.nodeName, "edge1");
    ok((node.memory?.workingSetBytes ?? 0) > 0);
    ok((node.fs?.capacityBytes ?? 0) > 0);
    strictEqual(pod?.podRef.name, "web-edge1");
    ok((pod.memory?.workingSetBytes ?? 0) > 0);
    ok((pod.cpu?.usageCoreNanoSeconds ?? 0) > 0);
    ok((pod["ephemeral-storage"]?.usedBytes ?? 0) >= 7 * MI);
    // What the runtime counts itself; a new interface has sent something to be found.
    match(pod.network?.name ?? "", /^eth0$/);
    ok((pod.network?.txBytes ?? 0) + (pod.network?.rxBytes ?? 0) > 0);
    ok(Date.parse(pod.network?.time ?? "") > 0);
    deepStrictEqual(pod.volume?.map(({ name }) => name), ["data"]);

    const { text } = await agent.get("/metrics/resource");
    match(
      text,
      /^container_memory_working_set_bytes\{.*pod="web-edge1"\} \d+ /m,
    );
    match(text, /^resource_scrape_error 0$/m);
    const client = (...args: string[]) =>
      runSkerry([...args, `--root-dir=${agent.rootDir}`]);
    const top = await client("top", "pods");
    match(top.stdout, /^web-edge1 +\d+m +[\d.]+(?:Ki|Mi) *$/m);
    match(
      (await client("top", "node")).stdout,
      /^edge1 +\d+m +\d+% +\S+ +\d+% *$/m,
    );
    const disk = await client("df");
    match(disk.stdout, /^default +web-edge1 +\S+ +4Mi +3(?:\.\d)?Mi /m);
    match(disk.stdout, /^nodefs +/m);
  });
});
