/**
 * A single manifest instead of a folder of them, under the permissions of the agent.
 *
 * @module
 */

import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

withRuntime("single manifest", (test) => {
  test("a single manifest is replaced by renaming, removed and written anew (SRC-17)", async (runtime) => {
    const directory = await Deno.makeTempDir({ prefix: "skerry-single-" });
    const manifestPath = `${directory}/pod.yaml`;
    const write = async (name: string): Promise<void> => {
      await Deno.writeTextFile(
        `${directory}/new`,
        JSON.stringify(podManifest(name, {
          containers: [{ name: "main", command: ["sleep", "1000"] }],
        })),
      );
      await Deno.rename(`${directory}/new`, manifestPath);
    };
    {
      await using agent = await AgentProcess.start({
        ...runtime.agentOptions(),
        manifestPath,
      });
      for (const name of ["one", "two"]) {
        await write(name);
        await agent.until(
          `only "${name}" runs`,
          (pods) =>
            pods.length === 1 && runningContainers(find(pods, name)) > 0,
        );
      }
      await Deno.remove(manifestPath);
      await agent.until("no pod is left", (pods) => pods.length === 0);
      await write("three");
      await agent.until(
        `"three" runs`,
        (pods) => runningContainers(find(pods, "three")) > 0,
      );
    }
    await Deno.remove(directory, { recursive: true });
  });
});
