/**
 * Deployments in the manifest folder, on a real runtime.
 *
 * @module
 */

import { ok } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { runningContainers } from "../../scripts/lib/pod_views.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

/** A Deployment whose pods say their version by a label. */
function deployment(
  version: string,
  replicas: number,
): Record<string, unknown> {
  const labels = { app: "web", version };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{
            name: "server",
            image: "localhost/busybox:1.35",
            imagePullPolicy: "Never",
            command: ["sleep", "1d"],
          }],
        },
      },
    },
  };
}

/** The versions of the pods that run, if nothing else is there. */
function versions(pods: readonly Pod[]): readonly string[] {
  return pods.map((pod) =>
    runningContainers(pod) === 1
      ? pod.metadata.labels?.["version"] ?? ""
      : `${pod.metadata.name} is not running`
  ).toSorted();
}

function are(...wanted: readonly string[]) {
  return (pods: readonly Pod[]): boolean =>
    versions(pods).join() === wanted.join();
}

withRuntime("deployments", (test) => {
  test("a Deployment is run, scaled, rolled out and removed", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("web.json", deployment("one", 2));
    const first = await agent.until("two pods", are("one", "one"));
    ok(first.every(({ metadata }) => /^web-\w{10}-\w{5}$/.test(metadata.name)));
    await agent.apply("web.json", deployment("one", 3));
    const more = await agent.until("three pods", are("one", "one", "one"));
    const kept = new Set(more.map(({ metadata }) => metadata.uid));
    ok(first.every(({ metadata }) => kept.has(metadata.uid)));
    await agent.apply("web.json", deployment("two", 3));
    await agent.until("the new version", are("two", "two", "two"));
    await agent.apply("web.json", deployment("two", 0));
    await agent.until("no pod", are());
    await agent.apply("web.json", deployment("three", 1));
    await agent.until("one pod", are("three"));
    await agent.removeManifest("web.json");
    await agent.until("none left", are());
  });
});
