/**
 * What nodes ask of their API server while nothing happens, by the server's own log.
 *
 * @module
 */

import {
  type AuditedCall,
  countAudited,
} from "../../tests/support/cluster/audit_log.ts";
import { Cluster } from "../../tests/support/cluster/cluster.ts";
import { clusterProgram } from "../cluster_components.ts";
import { ContainerdRig } from "../lib/containerd_rig.ts";
import { pause, waitUntil } from "../lib/wait_until.ts";
import { Bench } from "./bench_runtime.ts";
import { boundPod, joinedKinds, PODS_PATH } from "./joined_kinds.ts";

/** Longer than the longest watch, which a client ends after ten minutes at the latest. */
const MEASURED_MS = 12 * 60_000;

/** What a start brings is over by then. */
const SETTLE_MS = 90_000;

/** Prints calls a minute of skerry and the kubelet in one cluster, with no pods and with ten. */
export async function measureCalls(bench: Bench): Promise<void> {
  const program = await clusterProgram();
  if ("missing" in program) {
    return bench.report("calls", `not measured: ${program.missing}`);
  }
  // The kubelet ends what it finds in its runtime.
  await using rig = await ContainerdRig.start();
  await using apart = await Bench.open(rig, () => {});
  await using cluster = await Cluster.start(program.path, {
    hasControllers: true,
  });
  await using nodes = new AsyncDisposableStack();
  const names: string[] = [];
  for (const kind of joinedKinds({ cluster, bench, apart })) {
    const node = nodes.use(await kind.create());
    await node.start();
    await node.untilAnswers();
    names.push(kind.nodeName);
  }
  for (const count of [0, 10]) {
    for (const name of names) await becomePods(cluster, { name, count });
    await pause(SETTLE_MS);
    const from = Date.now();
    await pause(MEASURED_MS);
    const calls = (await cluster.calls()).filter(({ atMs }) => atMs >= from);
    for (const name of names) {
      const own = calls.filter(({ user }) => user === `system:node:${name}`);
      reportCalls(bench, `${name}, calls with ${count} pods`, own);
    }
  }
}

function reportCalls(
  bench: Bench,
  what: string,
  calls: readonly AuditedCall[],
): void {
  const perMinute = (count: number): string =>
    `${(count / MEASURED_MS * 60_000).toFixed(2)} a minute`;
  for (const [call, count] of countAudited(calls)) {
    bench.report(`${what}: ${call}`, perMinute(count));
  }
  bench.report(`${what}: all`, perMinute(calls.length));
}

/** Makes pods as a controller would, and waits until they run. */
async function becomePods(
  cluster: Cluster,
  { name, count }: { readonly name: string; readonly count: number },
): Promise<void> {
  for (let at = 0; at < count; at++) {
    await cluster.api.create(PODS_PATH, boundPod(`${name}-idle-${at}`, name));
  }
  let seen = "";
  await waitUntil(`${count} running pods of ${name}`, async () => {
    const list = await cluster.kubectl([
      ...["get", "pods", `--field-selector=spec.nodeName=${name}`],
      ...["-o", "jsonpath={.items[*].status.phase}"],
    ]);
    seen = list.text;
    return seen.split(" ").filter((phase) => phase === "Running").length ===
      count;
  }, { saw: () => seen, everyMs: 1_000 });
}
