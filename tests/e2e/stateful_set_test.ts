/**
 * StatefulSets and CronJobs in the manifest folder, on a real runtime.
 *
 * @module
 */

import { match } from "node:assert/strict";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { waitUntil } from "../../scripts/lib/wait_until.ts";
import { logsOf } from "../support/e2e/inside.ts";
import { cronJobManifest } from "../support/e2e/jobs.ts";
import { storeSet, storesOf } from "../support/e2e/store_set.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

/** Waits until a pod shows so many starts in its claim, and none of another. */
async function untilStarted(
  agent: AgentProcess,
  pod: string,
  count: number,
): Promise<void> {
  const wanted = Array(count).fill(pod).join();
  let seen = "";
  await waitUntil(`${count} starts of ${pod}`, async () => {
    seen = (await logsOf(agent, pod)).join();
    return seen === wanted;
  }, { saw: () => seen });
}

withRuntime("stateful sets", (test) => {
  test("pods keep their names and their claims through updates, kills and scaling", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("store.json", storeSet(2, "one"));
    await agent.until(
      "both pods",
      (pods) => storesOf(pods, "one") === "store-0,store-1",
    );
    await agent.apply("store.json", storeSet(2, "two"));
    await agent.kill();
    await agent.start();
    await agent.until(
      "both pods of the next version",
      (pods) =>
        storesOf(pods, "two") === "store-0,store-1" && pods.length === 2,
    );
    await untilStarted(agent, "store-0", 2);
    await agent.apply("store.json", storeSet(1, "two"));
    await agent.until("one pod", (pods) => pods.length === 1);
    await agent.apply("store.json", storeSet(2, "two"));
    await agent.until(
      "the second again",
      (pods) => storesOf(pods, "two") === "store-0,store-1",
    );
    // Its claim was kept while it was away.
    await untilStarted(agent, "store-1", 3);
  });

  test("a CronJob runs each minute", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const schedule = "* * * * *";
    await agent.apply(
      "clock.json",
      cronJobManifest("clock", { schedule, command: ["date"] }),
    );
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
