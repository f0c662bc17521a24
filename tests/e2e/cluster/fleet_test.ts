/**
 * Many nodes in one process against a real API server: what they ask for when they come, while
 * nothing happens, and when the server has been away.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import type { AuditedCall } from "../../support/cluster/audit_log.ts";
import type { Cluster } from "../../support/cluster/cluster.ts";
import { HollowNode } from "../../support/cluster/hollow_node.ts";
import {
  forbiddenCalls,
  foreignCalls,
} from "../../support/cluster/kubelet_calls.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";

const COUNT = 6;

/** Many looks in a short time, of which none should find anything to tell. */
const CONFIG = `nodeStatusUpdateFrequency: 1s
nodeStatusReportFrequency: 5m
nodeLeaseDurationSeconds: 8
`;

await withCluster("a small fleet", (test) => {
  test("comes with few calls, renews leases only while nothing happens, and comes back after the server", async (cluster) => {
    await using fleet = new AsyncDisposableStack();
    for (let at = 0; at < COUNT; at++) {
      const name = `hollow-${at}`;
      const kubeconfig = await cluster.nodeKubeconfig(name);
      const directory = `${cluster.directory}/${name}`;
      const hasImage = at % 2 === 0;
      const node = { name, kubeconfig, directory, config: CONFIG, hasImage };
      fleet.use(await HollowNode.start(node));
    }
    await untilAll(cluster, "Ready nodes", READY);
    await untilAll(cluster, "leases that are renewed", renewed(Date.now()));
    await untilAll(cluster, "leases that are renewed", renewed(Date.now()));
    const first = await callsOf(cluster);
    deepStrictEqual(foreignCalls(first), []);
    deepStrictEqual(forbiddenCalls(first), []);
    deepStrictEqual(verbsAtRest(first), []);
    await cluster.endPart("kube-apiserver", "SIGKILL");
    const awayMs = Date.now();
    await cluster.startPart("kube-apiserver");
    await untilAll(cluster, "leases after the return", renewed(awayMs));
    await untilWatches(cluster, awayMs);
    const later = (await callsOf(cluster)).filter(({ atMs }) => atMs >= awayMs);
    deepStrictEqual(foreignCalls(later), []);
    // What was known is taken up where it was left: nobody is registered anew.
    const anew = later.filter(({ verb, resource }) =>
      verb === "create" && resource !== "events"
    );
    strictEqual(anew.length, 0);
  });
});

async function callsOf(cluster: Cluster): Promise<readonly AuditedCall[]> {
  return (await cluster.calls()).filter(({ user }) =>
    user.startsWith("system:node:hollow-")
  );
}

interface Look {
  readonly args: readonly string[];
  /** Whether one line of the answer says so of its node. */
  readonly holds: (line: string) => boolean;
}

const READY: Look = {
  args: ["get", "nodes", "--no-headers"],
  holds: (line) => /^hollow-\d+\s+Ready\s/.test(line),
};

/** Whether a lease was renewed since then, as the nodes' own clocks have it. */
function renewed(sinceMs: number): Look {
  return {
    args: [
      ...["get", "leases", "-n", "kube-node-lease"],
      `-o=jsonpath={range .items[*]}{.spec.renewTime}{"\\n"}{end}`,
    ],
    holds: (line) => Date.parse(line) > sinceMs,
  };
}

async function untilAll(
  cluster: Cluster,
  what: string,
  { args, holds }: Look,
): Promise<void> {
  let seen = "";
  await waitUntil(what, async () => {
    seen = (await cluster.kubectl(args)).text;
    return seen.split("\n").filter(holds).length === COUNT;
  }, { saw: () => seen });
}

/** Each node follows its pods again. */
async function untilWatches(cluster: Cluster, sinceMs: number): Promise<void> {
  await waitUntil("a watch of pods of each node", async () => {
    const watching = (await callsOf(cluster)).filter((
      { verb, resource, atMs, code },
    ) =>
      verb === "watch" && resource === "pods" && atMs >= sinceMs && code === 200
    );
    return new Set(watching.map(({ user }) => user)).size === COUNT;
  });
}

/**
 * What a node still asks for that it asked for before, beside its lease: nothing does so
 * while it comes.
 */
function verbsAtRest(calls: readonly AuditedCall[]): readonly string[] {
  const most = { "create nodes": 1, "patch nodes/status": 3, "list pods": 2 };
  const counts = new Map<string, number>();
  for (const { user, verb, resource } of calls) {
    if (resource.startsWith("leases") || resource === "events") continue;
    const key = `${user} ${verb} ${resource}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  ok(counts.size > 0);
  return [...counts].filter(([key, count]) => {
    const [, ...words] = key.split(" ");
    const limit = Object.entries(most).find(([what]) =>
      what === words.join(" ")
    );
    return count > (limit?.[1] ?? 1);
  }).map(([key, count]) => `${key}: ${count}`);
}
