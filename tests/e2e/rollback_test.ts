/**
 * An update that does not become ready, on a real runtime and through a reboot.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { untilPodReady } from "../support/e2e/probed_pods.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

/** Time enough to see a version that does not become ready. */
const SHORT = "10s";

/** A version of the pod, with time enough to become ready. */
function version(
  label: string,
  fields: Readonly<Record<string, unknown>> = {},
  rollbackAfter = "10m",
): Record<string, unknown> {
  const pod = podManifest("web", {
    containers: [{
      name: "server",
      command: ["sleep", "1d"],
      imagePullPolicy: "Never",
      ...fields,
    }],
  });
  return {
    ...pod,
    metadata: {
      name: "web",
      labels: { version: label },
      annotations: { "skerry.dev/rollback-after": rollbackAfter },
    },
  };
}

function versionOf(pod: Pod | undefined): string | undefined {
  return pod?.metadata.labels?.["version"];
}

function isRolledBack(pod: Pod | undefined): boolean {
  return pod?.status?.conditions?.some(({ type, status }) =>
    type === "skerry.dev/RolledBack" && status === "True"
  ) ?? false;
}

function runsAlone(pods: readonly Pod[], label: string): boolean {
  const pod = find(pods, "web");
  return pods.length === 1 && versionOf(pod) === label &&
    runningContainers(pod) === 1;
}

withRuntime("rollback", (test) => {
  test("an update without its image is rolled back and not tried again after a reboot", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("web.json", version("one"));
    await agent.until("version one", (pods) => runsAlone(pods, "one"));
    await untilPodReady(agent, "web");

    const noImage = { image: "localhost/no:1" };
    await agent.apply("web.json", version("two", noImage, SHORT));
    await agent.until(
      "version two",
      (pods) => versionOf(find(pods, "web")) === "two",
    );
    const back = await agent.until(
      "the way back",
      (pods) => runsAlone(pods, "one") && isRolledBack(find(pods, "web")),
    );
    const list = await agent.get("/sources");
    strictEqual(list.status, 200);
    const { items: [source] } = JSON.parse(list.text);
    deepStrictEqual([source.name, source.ready, source.pods], [
      "file",
      true,
      1,
    ]);

    // All that ran is gone when the agent starts again.
    await agent.kill();
    await runtime.rig.removeAllPods();
    await agent.start();
    const again = await agent.until(
      "version one after the reboot",
      (pods) => runsAlone(pods, "one"),
    );
    ok(isRolledBack(find(again, "web")));
    strictEqual(
      find(again, "web")?.metadata.uid,
      find(back, "web")?.metadata.uid,
    );

    await agent.apply("web.json", version("three"));
    const third = await agent.until(
      "version three",
      (pods) => runsAlone(pods, "three"),
    );
    ok(!isRolledBack(find(third, "web")));
    await agent.removeManifest("web.json");
    await runtime.untilGone(find(third, "web")?.metadata.uid ?? "", agent);
    const metrics = (await agent.get("/metrics")).text;
    match(metrics, /^skerry_rolled_back_pods 0$/m);
  });
});
