/**
 * Agent and runtime are killed in the middle of rollouts, again and again.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { waitUntil } from "../../scripts/lib/wait_until.ts";
import { versionsAre, webDeployment } from "../support/e2e/web_deployment.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";
import { seededRandom } from "../support/seeded_random.ts";

/** How often something is killed. */
const CUTS = 50;
/** So many kills come before it is looked at whether all has come right. */
const BETWEEN_LOOKS = 5;

withRuntime("rollouts that are cut", (test) => {
  test(`${CUTS} times a rollout is cut by kills of agent and runtime, and comes right`, async (runtime) => {
    const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
    // deno-lint-ignore no-console -- with it a failure can be repeated
    console.log(`seed ${seed}`);
    const random = seededRandom(seed);
    const pause = (mostMs: number): Promise<void> =>
      new Promise((resolve) => setTimeout(resolve, random.next() * mostMs));
    await using agent = await AgentProcess.start(runtime.agentOptions());
    for (let cut = 1; cut <= CUTS; cut++) {
      const version = `v${cut}`;
      const replicas = 1 + Math.floor(random.next() * 4);
      await agent.apply("web.json", webDeployment(version, replicas));
      await pause(700);
      await agent.kill();
      if (cut % 3 === 0) {
        await runtime.rig.killRuntime();
        await runtime.rig.startRuntime();
      }
      await agent.start();
      if (cut % BETWEEN_LOOKS > 0) continue;
      const wanted = Array.from({ length: replicas }, () => version);
      await agent.until(
        `${replicas} pods of ${version}`,
        versionsAre(...wanted),
      );
      // A task for each container and each sandbox, and none besides.
      let tasks = 0;
      await waitUntil("nothing left of other versions", async () => {
        tasks = (await runtime.rig.tools.tasks()).size;
        return tasks === 2 * replicas;
      }, { saw: () => Promise.resolve(`${tasks} tasks`) });
    }
    await agent.removeManifest("web.json");
    await agent.until("none left", versionsAre());
    strictEqual((await runtime.rig.tools.tasks()).size, 0);
  });
});
