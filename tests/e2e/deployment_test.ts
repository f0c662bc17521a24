/**
 * Deployments in the manifest folder, on a real runtime.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { versionsAre, webDeployment } from "../support/e2e/web_deployment.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

function identities(pods: readonly Pod[]): readonly string[] {
  return pods.map(({ metadata, status }) =>
    `${metadata.uid} ${status?.containerStatuses?.[0]?.containerID}`
  ).toSorted();
}

withRuntime("deployments", (test) => {
  test("a Deployment is run, scaled, rolled out and removed", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("web.json", webDeployment("one", 2));
    const first = await agent.until("two pods", versionsAre("one", "one"));
    ok(first.every(({ metadata }) => /^web-\w{10}-\w{5}$/.test(metadata.name)));
    await agent.apply("web.json", webDeployment("one", 3));
    const more = await agent.until(
      "three pods",
      versionsAre("one", "one", "one"),
    );
    const kept = new Set(more.map(({ metadata }) => metadata.uid));
    ok(first.every(({ metadata }) => kept.has(metadata.uid)));
    await agent.apply("web.json", webDeployment("two", 3));
    await agent.until("the new version", versionsAre("two", "two", "two"));
    await agent.apply("web.json", webDeployment("two", 0));
    await agent.until("no pod", versionsAre());
    await agent.apply("web.json", webDeployment("three", 1));
    await agent.until("one pod", versionsAre("three"));
    await agent.removeManifest("web.json");
    await agent.until("none left", versionsAre());
  });

  test("what a Deployment runs outlives the agent and the runtime as it is", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("web.json", webDeployment("one", 3));
    const all = versionsAre("one", "one", "one");
    const before = await agent.until("three pods", all);
    await agent.kill();
    await agent.start();
    deepStrictEqual(
      identities(await agent.until("the same pods", all)),
      identities(before),
    );
    await agent.terminate();
    await runtime.rig.killRuntime();
    await runtime.rig.startRuntime();
    await agent.start();
    deepStrictEqual(
      identities(await agent.until("the same pods again", all)),
      identities(before),
    );
    // And it is still ruled by its manifest.
    await agent.apply("web.json", webDeployment("two", 1));
    await agent.until("the new version", versionsAre("two"));
  });

  test("a Deployment whose manifest went while no agent ran is removed", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("web.json", webDeployment("one", 2));
    await agent.until("two pods", versionsAre("one", "one"));
    await agent.kill();
    await agent.removeManifest("web.json");
    await agent.start();
    await agent.until("none left", versionsAre());
  });

  test("a version that is not there in time gives way to the last good one", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const annotations = { "skerry.dev/rollback-on-deadline": "true" };
    const spec = { progressDeadlineSeconds: 5 };
    const options = { annotations, spec };
    await agent.apply("web.json", webDeployment("one", 2, options));
    await agent.until("two pods", versionsAre("one", "one"));
    const container = { image: "localhost/no-such-image:1" };
    const bad = webDeployment("bad", 2, { ...options, container });
    await agent.apply("web.json", bad);
    await agent.until(
      "the bad version",
      (pods) => pods.some((pod) => pod.metadata.labels?.["version"] === "bad"),
    );
    await agent.until("the good version alone", versionsAre("one", "one"));
    // Also for an agent that was not there then.
    await agent.kill();
    await agent.start();
    await agent.until("the good version still", versionsAre("one", "one"));
    // It has as long as it takes: a slow machine needs more than those seconds.
    await agent.apply("web.json", webDeployment("two", 2, { annotations }));
    await agent.until("the next version", versionsAre("two", "two"));
  });
});
