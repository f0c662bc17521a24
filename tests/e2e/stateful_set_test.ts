/**
 * StatefulSets and CronJobs in the manifest folder, on a real runtime.
 *
 * @module
 */

import { deepStrictEqual, match } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { runningContainers } from "../../scripts/lib/pod_views.ts";
import { runSkerry } from "../../scripts/lib/run_skerry.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

const IMAGE = "localhost/busybox:1.35";

/** A set whose pods note each of their starts in their claim, and show the notes. */
function store(replicas: number, version: string): Record<string, unknown> {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "store" },
    spec: {
      serviceName: "store",
      replicas,
      selector: { matchLabels: { app: "store" } },
      template: {
        metadata: { labels: { app: "store", version } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{
            name: "database",
            image: IMAGE,
            imagePullPolicy: "Never",
            command: [
              "sh",
              "-c",
              "echo $HOSTNAME >> /data/starts; cat /data/starts; exec sleep 1d",
            ],
            volumeMounts: [{ name: "data", mountPath: "/data" }],
          }],
        },
      },
      volumeClaimTemplates: [{
        metadata: { name: "data" },
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1Mi" } },
        },
      }],
    },
  };
}

function run(pods: readonly Pod[], version: string): string {
  return pods.filter((pod) =>
    runningContainers(pod) === 1 && pod.metadata.labels?.["version"] === version
  ).map(({ metadata }) => metadata.name).toSorted().join();
}

async function starts(agent: AgentProcess, pod: string): Promise<string[]> {
  const { stdout } = await runSkerry([
    "logs",
    pod,
    `--control-socket=${agent.socketPath}`,
  ]);
  return stdout.trim().split("\n");
}

withRuntime("stateful sets", (test) => {
  test("pods keep their names and their claims through updates, kills and scaling", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("store.json", store(2, "one"));
    await agent.until(
      "both pods",
      (pods) => run(pods, "one") === "store-0,store-1",
    );
    await agent.apply("store.json", store(2, "two"));
    await agent.kill();
    await agent.start();
    await agent.until(
      "both pods of the next version",
      (pods) => run(pods, "two") === "store-0,store-1" && pods.length === 2,
    );
    deepStrictEqual(await starts(agent, "store-0"), ["store-0", "store-0"]);
    await agent.apply("store.json", store(1, "two"));
    await agent.until("one pod", (pods) => pods.length === 1);
    await agent.apply("store.json", store(2, "two"));
    await agent.until(
      "the second again",
      (pods) => run(pods, "two") === "store-0,store-1",
    );
    // Its claim was kept while it was away.
    deepStrictEqual(
      await starts(agent, "store-1"),
      ["store-1", "store-1", "store-1"],
    );
  });

  test("a CronJob runs each minute", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("clock.json", {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "clock" },
      spec: {
        schedule: "* * * * *",
        jobTemplate: {
          spec: {
            template: {
              spec: {
                restartPolicy: "Never",
                containers: [{
                  name: "clock",
                  image: IMAGE,
                  imagePullPolicy: "Never",
                  command: ["date"],
                }],
              },
            },
          },
        },
      },
    });
    const [pod] = await agent.until(
      "a run",
      (pods) => pods.some(({ status }) => status?.phase === "Succeeded"),
    );
    match(pod?.metadata.name ?? "", /^clock-\d+-\w{5}$/);
    await agent.untilAnswer(
      "/apis/batch/v1/namespaces/default/cronjobs",
      /lastSuccessfulTime/,
    );
    await agent.removeManifest("clock.json");
    await agent.until("none left", (pods) => pods.length === 0);
  });
});
