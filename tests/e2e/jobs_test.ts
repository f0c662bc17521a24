/**
 * Jobs in the manifest folder, on a real runtime.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { runSkerry } from "../../scripts/lib/run_skerry.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

function job(
  name: string,
  spec: Readonly<Record<string, unknown>>,
  command: readonly string[],
): Record<string, unknown> {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: {
      ...spec,
      template: {
        spec: {
          restartPolicy: "Never",
          terminationGracePeriodSeconds: 1,
          containers: [{
            name: "work",
            image: "localhost/busybox:1.35",
            imagePullPolicy: "Never",
            command,
          }],
        },
      },
    },
  };
}

function phases(pods: readonly Pod[]): string {
  return pods.map(({ status }) => status?.phase ?? "").toSorted().join();
}

withRuntime("jobs", (test) => {
  test("an indexed Job does each of its parts once, also when the agent is killed", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const spec = { completions: 3, parallelism: 2, completionMode: "Indexed" };
    const command = ["sh", "-c", "sleep 1; echo part $JOB_COMPLETION_INDEX"];
    await agent.apply("sums.json", job("sums", spec, command));
    await agent.until("a pod at work", (pods) => phases(pods) !== "");
    await agent.kill();
    await agent.start();
    const done = await agent.until(
      "three pods that are done",
      (pods) => phases(pods) === "Succeeded,Succeeded,Succeeded",
    );
    const said: string[] = [];
    for (const { metadata: { name } } of done) {
      const { code, stdout } = await runSkerry([
        "logs",
        name,
        `--control-socket=${agent.socketPath}`,
      ]);
      strictEqual(code, 0);
      said.push(stdout.trim());
    }
    deepStrictEqual(said.toSorted(), ["part 0", "part 1", "part 2"]);
    // It is done once and for all.
    await agent.kill();
    await agent.start();
    const after = await agent.until(
      "the same pods",
      (pods) => phases(pods) === "Succeeded,Succeeded,Succeeded",
    );
    const uids = (pods: readonly Pod[]) =>
      pods.map(({ metadata }) => metadata.uid).toSorted();
    deepStrictEqual(uids(after), uids(done));
    await agent.removeManifest("sums.json");
    await agent.until("none left", (pods) => pods.length === 0);
  });

  test("a Job whose pods fail is given up after its limit", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const command = ["sh", "-c", "exit 3"];
    await agent.apply("bad.json", job("bad", { backoffLimit: 0 }, command));
    await agent.until("a failed pod", (pods) => phases(pods) === "Failed");
    await agent.untilAnswer(
      "/apis/batch/v1/namespaces/default/jobs",
      /BackoffLimitExceeded/,
    );
  });

  test("a Job with a time to live removes itself with its pods", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const spec = { ttlSecondsAfterFinished: 1 };
    await agent.apply("brief.json", job("brief", spec, ["true"]));
    await agent.until("a pod that is done", (pods) => pods.length === 1);
    await agent.until("none left", (pods) => pods.length === 0);
    // Its manifest does not bring it back.
    await agent.kill();
    await agent.start();
    await agent.apply("other.json", job("other", {}, ["true"]));
    await agent.until(
      "the other Job's pod",
      (pods) =>
        pods.length === 1 &&
        pods[0]?.metadata.name.startsWith("other-") === true,
    );
  });
});
