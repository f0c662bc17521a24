/**
 * A Deployment whose ConfigMap changes, on a real runtime.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { runSkerry } from "../../scripts/lib/run_skerry.ts";
import { waitUntil } from "../../scripts/lib/wait_until.ts";
import { execIn, firstProcessIn, idOf } from "../support/e2e/inside.ts";
import { versionsAre, webDeployment } from "../support/e2e/web_deployment.ts";
import { type TestRuntime, withRuntime } from "../support/e2e/with_runtime.ts";
import { configMap } from "../support/local_objects.ts";

/** A word that the Deployment's containers have as a variable and as a file. */
function settings(word: string): Record<string, unknown> {
  const metadata = { name: "settings", namespace: "shop" };
  return { ...configMap("settings", { word }), metadata };
}

const DEPLOYMENT = webDeployment("one", 2, {
  container: {
    env: [{
      name: "WORD",
      valueFrom: { configMapKeyRef: { name: "settings", key: "word" } },
    }],
    volumeMounts: [{ name: "settings", mountPath: "/settings" }],
  },
  pod: { volumes: [{ name: "settings", configMap: { name: "settings" } }] },
});

/** What each container of some pods has as its variable and in its file. */
async function wordsIn(
  runtime: TestRuntime,
  pods: readonly Pod[],
): Promise<readonly string[]> {
  return await Promise.all(pods.map(async (pod) => {
    const id = idOf(pod, "server");
    const { variables } = await firstProcessIn(runtime, id);
    const file = await execIn(runtime, id, "cat /settings/word");
    return `${variables.get("WORD")} ${file}`;
  }));
}

function uids(pods: readonly Pod[]): readonly string[] {
  return pods.map(({ metadata }) => metadata.uid).toSorted();
}

withRuntime("changed configuration", (test) => {
  test("a changed ConfigMap reaches files at once, and variables when the Deployment is restarted, also if the agent is killed meanwhile", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("settings.json", settings("old"));
    await agent.apply("web.json", DEPLOYMENT);
    const both = versionsAre("one", "one");
    const before = await agent.until("two pods", both);
    deepStrictEqual(await wordsIn(runtime, before), ["old old", "old old"]);

    await agent.apply("settings.json", settings("new"));
    let words: readonly string[] = [];
    await waitUntil("the new word in all files", async () => {
      words = await wordsIn(runtime, before);
      return words.every((each) => each === "old new");
    }, { saw: () => words });
    const same = await agent.pods() ?? [];
    deepStrictEqual(
      same.map((pod) => idOf(pod, "server")).toSorted(),
      before.map((pod) => idOf(pod, "server")).toSorted(),
    );

    const { code, stderr } = await runSkerry([
      "rollout",
      "restart",
      "deployment/web",
      "--namespace=shop",
      `--root-dir=${agent.rootDir}`,
      `--pod-manifest-path=${agent.manifestPath}`,
    ]);
    strictEqual(code, 0, stderr);
    const old = new Set(uids(before));
    const isNew = ({ metadata }: Pod): boolean => !old.has(metadata.uid);
    await agent.until("a pod that is new", (pods) => pods.some(isNew));
    await agent.kill();
    await agent.start();
    const after = await agent.until(
      "two new pods alone",
      (pods) => both(pods) && pods.every(isNew),
    );
    deepStrictEqual(await wordsIn(runtime, after), ["new new", "new new"]);
    // It is restarted once: the agent's next start is no reason for another.
    await agent.kill();
    await agent.start();
    deepStrictEqual(uids(await agent.until("both again", both)), uids(after));
    const { text } = await agent.get(
      "/apis/apps/v1/namespaces/shop/replicasets",
    );
    strictEqual(JSON.parse(text).items.length, 2, text);
    ok(
      after.every(({ status }) =>
        status?.containerStatuses?.[0]?.restartCount === 0
      ),
    );
  });
});
