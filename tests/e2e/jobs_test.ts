/**
 * Jobs in the manifest folder, on a real runtime.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { jobManifest, phasesOf } from "../support/e2e/jobs.ts";
import { logsOf } from "../support/e2e/inside.ts";
import { outside } from "../support/e2e/outside.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

withRuntime("jobs", (test) => {
  test("an indexed Job does each of its parts once, also when the agent is killed", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const spec = { completions: 3, parallelism: 2, completionMode: "Indexed" };
    const command = ["sh", "-c", "sleep 1; echo part $JOB_COMPLETION_INDEX"];
    await agent.apply("sums.json", jobManifest("sums", command, { spec }));
    await agent.until("a pod at work", (pods) => phasesOf(pods) !== "");
    await agent.kill();
    await agent.start();
    const done = await agent.until(
      "three pods that are done",
      (pods) => phasesOf(pods) === "Succeeded,Succeeded,Succeeded",
    );
    const said: string[] = [];
    for (const { metadata: { name } } of done) {
      said.push(...await logsOf(agent, name));
    }
    deepStrictEqual(said.toSorted(), ["part 0", "part 1", "part 2"]);
    // It is done once and for all.
    await agent.kill();
    await agent.start();
    const after = await agent.until(
      "the same pods",
      (pods) => phasesOf(pods) === "Succeeded,Succeeded,Succeeded",
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
    const spec = { backoffLimit: 0 };
    await agent.apply("bad.json", jobManifest("bad", command, { spec }));
    await agent.until("a failed pod", (pods) => phasesOf(pods) === "Failed");
    await agent.untilAnswer(
      "/apis/batch/v1/namespaces/default/jobs",
      /BackoffLimitExceeded/,
    );
  });

  test("a Job with a time to live removes itself with its pods", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const out = await outside(agent, "brief");
    const brief = jobManifest("brief", ["sh", "-c", "echo done >> /out/seen"], {
      spec: { ttlSecondsAfterFinished: 1 },
      pod: { volumes: out.volumes },
      container: out.mount,
    });
    await agent.apply("brief.json", brief);
    await out.until("done");
    await agent.until("none left", (pods) => pods.length === 0);
    // Its manifest does not bring it back.
    await agent.kill();
    await agent.start();
    await agent.apply("other.json", jobManifest("other", ["true"]));
    await agent.until(
      "the other Job's pod",
      (pods) =>
        pods.length === 1 &&
        pods[0]?.metadata.name.startsWith("other-") === true,
    );
  });
});
