/**
 * What the node and its pods use, put together.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import type { CallOptions, NetworkStats } from "../../../mod/cri/model/mod.ts";
import type { NodeStats } from "../../../mod/server/mod.ts";
import type { PodUse } from "../../../mod/usage/mod.ts";
import { viewStats } from "../../../mod/views/view_stats.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { NOW_MS } from "../../support/observed_pods.ts";
import { podOf } from "../../support/pods.ts";
import { type CoreDraft, viewedCore } from "../../support/views/viewed_core.ts";

const USE: PodUse = {
  containers: [],
  processes: 3,
  volumes: [],
  inMemoryBytes: 0,
  files: { bytes: 0, inodes: 0 },
};

const PODS = [
  podOf("runs", { status: { phase: "Running" } }),
  podOf("over", { status: { phase: "Succeeded" } }),
  podOf("new"),
];

interface Asked {
  readonly stats: NodeStats;
  /** The pods that were measured, and how. */
  readonly measured: readonly string[];
}

/** A meter that knows of all pods but `new`. */
async function ask(
  what: "memory" | "all",
  draft: CoreDraft = {},
  clock: FakeClock = new FakeClock(NOW_MS),
): Promise<Asked> {
  const measured: string[] = [];
  const measure = (
    pods: readonly Pod[],
    options: { readonly what: string; readonly signal: AbortSignal },
  ) => {
    const uids = pods.map(({ metadata: { uid } }) => uid);
    measured.push(...uids.map((uid) => `${uid} ${options.what}`));
    strictEqual(options.signal.aborted, false);
    return Promise.resolve(
      new Map(
        uids.filter((uid) => uid !== "new").map((uid) => [uid, USE] as const),
      ),
    );
  };
  const core = viewedCore({ meters: { pods: { measure } }, ...draft });
  const deps = { core, pods: PODS, clock, nodeName: "edge1" };
  return { stats: await viewStats(what, deps), measured };
}

function network(podUid: string, atNanos: bigint): NetworkStats {
  return { podUid, atNanos, primary: undefined, others: [] };
}

Deno.test("viewStats() measures with all that they have also pods that have ended", async () => {
  const imageFs = { images: [], layers: [] };
  const { stats, measured } = await ask("all", {
    images: { imageFsInfo: () => Promise.resolve(imageFs) },
  });
  deepStrictEqual(measured, ["runs all", "over all", "new all"]);
  deepStrictEqual(stats.pods, [
    { pod: PODS[0], use: USE },
    { pod: PODS[1], use: USE },
  ]);
  deepStrictEqual(stats.images, imageFs);
  deepStrictEqual(stats.networks, new Map());
  deepStrictEqual([stats.nodeName, stats.atMs], ["edge1", NOW_MS]);
});

Deno.test("viewStats() measures the memory of what may run, and asks the runtime for nothing else", async () => {
  const fail = () => Promise.reject(new Error("asked"));
  const { stats, measured } = await ask("memory", {
    images: { imageFsInfo: fail },
    runtime: { listNetworkStats: fail },
  });
  deepStrictEqual(measured, ["runs memory", "new memory"]);
  deepStrictEqual(stats.pods, [{ pod: PODS[0], use: USE }]);
  deepStrictEqual([stats.images, stats.networks], [undefined, undefined]);
});

Deno.test("viewStats() tells what the node has left", async () => {
  const amount = { capacity: 8, available: 5 };
  const { meters: { node, pods } } = viewedCore();
  const figures = { ...await node.measure(), memory: amount };
  const { stats } = await ask("memory", {
    meters: { node: { measure: () => Promise.resolve(figures) }, pods },
  });
  deepStrictEqual(stats.node, figures);
});

Deno.test("viewStats() takes of several sandboxes of a pod what was measured last", async () => {
  const all = [network("u", 5n), network("u", 7n), network("u", 6n)];
  const listed = [...all, network("v", 0n)];
  const { stats } = await ask("all", {
    runtime: { listNetworkStats: () => Promise.resolve(listed) },
  });
  deepStrictEqual(stats.networks, new Map([["u", all[1]], ["v", listed[3]]]));
  const again = [all[1], { ...network("u", 7n), others: [] }];
  const { stats: { networks } } = await ask("all", {
    runtime: {
      listNetworkStats: () =>
        Promise.resolve(again.flatMap((each) => each ?? [])),
    },
  });
  strictEqual(networks?.get("u"), all[1]);
});

Deno.test("viewStats() does without images and networks where the runtime does not say", async () => {
  const fail = () => Promise.reject(new Error("unknown method"));
  const { stats } = await ask("all", {
    images: { imageFsInfo: fail },
    runtime: { listNetworkStats: fail },
  });
  deepStrictEqual([stats.images, stats.networks], [undefined, undefined]);
  strictEqual(stats.pods.length, 2);
});

Deno.test("viewStats() gives the runtime ten seconds for networks, and leaves no timer", async () => {
  const clock = new FakeClock(NOW_MS);
  const listNetworkStats = ({ signal }: CallOptions = {}) =>
    new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  let stats: NodeStats | undefined;
  const asked = ask("all", { runtime: { listNetworkStats } }, clock)
    .then((answer) => stats = answer.stats);
  await clock.advance(9_999);
  strictEqual(stats, undefined);
  await clock.advance(1);
  strictEqual((await asked).networks, undefined);
  await ask("all", {}, clock);
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("viewStats() says that nobody measures the pods", async () => {
  const fail = () => Promise.reject(new Error("no figures"));
  await rejects(ask("all", { meters: { pods: { measure: fail } } }), /figures/);
});
