/**
 * Pods of an API server, and what is kept of them for times without it.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod, PodStatus } from "../../../../mod/api/types/mod.ts";
import type { SourceContent } from "../../../../mod/source/merge/mod.ts";
import type { Kept } from "../../../../mod/source/mod.ts";
import {
  apiPod as pod,
  ApiPodRig as Rig,
} from "../../../support/source/api_pod_rig.ts";

const present = (...pods: readonly Pod[]): Kept<SourceContent> => ({
  kind: "present",
  content: { pods, objects: [], workloads: [] },
});

Deno.test("the first list is a full set, in the order of names, and is kept", async () => {
  await using rig = await new Rig().start();
  deepStrictEqual(rig.take(), []);
  await rig.show(pod("b"), pod("a"));
  deepStrictEqual(rig.take(), ["set: a b"]);
  strictEqual(rig.saved.length, 1);
  deepStrictEqual(rig.saved[0]?.pods.map(({ metadata }) => metadata), [
    { name: "a", namespace: "shop", uid: "uid-a" },
    { name: "b", namespace: "shop", uid: "uid-b" },
  ]);
});

Deno.test("a server without pods makes the source ready", async () => {
  await using rig = await new Rig().start();
  await rig.show();
  deepStrictEqual(rig.take(), ["set: "]);
  strictEqual(rig.lists, 0);
});

Deno.test("a change of the spec is a set, the echo of a status is none", async () => {
  await using rig = await new Rig().start();
  await rig.show(pod("a"));
  rig.take();
  const status: PodStatus = {
    phase: "Running",
    conditions: [{ type: "Ready", status: "True" }],
  };
  await rig.show(pod("a", { version: "2", status }));
  deepStrictEqual(rig.take(), []);
  await rig.show(pod("a", { version: "3", status, image: "b" }));
  deepStrictEqual(rig.take(), ["set: a"]);
  strictEqual(rig.saved.length, 2);
});

Deno.test("what the server shows of containers that began counts of a pod as it is found, and not what follows", async () => {
  await using rig = await new Rig().start();
  const shown = (restartCount: number, containerID?: string): PodStatus => ({
    phase: "Running",
    containerStatuses: [{
      name: "c",
      restartCount,
      ready: false,
      image: "",
      imageID: "",
      ...(containerID !== undefined && { containerID }),
    }],
  });
  await rig.show(
    pod("a", { status: shown(3, "containerd://x") }),
    pod("b", { status: shown(0) }),
  );
  const statuses = () =>
    rig.sets.at(-1)?.pods.map(({ status }) =>
      status?.containerStatuses?.[0]?.restartCount
    );
  deepStrictEqual(statuses(), [3, undefined]);
  // This agent's own word.
  await rig.show(
    pod("a", { version: "2", status: shown(4, "containerd://y") }),
    pod("b", { version: "2", status: shown(0, "containerd://z") }),
  );
  strictEqual(rig.sets.length, 1);
  await rig.show(
    pod("a", { version: "3", status: shown(4), image: "b" }),
    pod("b", { version: "2", status: shown(0, "containerd://z") }),
  );
  deepStrictEqual(statuses(), [3, undefined]);
  // It is nothing for the disk, where it would be old soon.
  strictEqual(rig.saved.at(-1)?.pods[0]?.status, undefined);
});

Deno.test("each version of a pod is read once", async () => {
  await using rig = await new Rig().start();
  const [a, b] = [pod("a"), pod("b")];
  await rig.show(a);
  await rig.show(a, b);
  await rig.show(a, b);
  strictEqual(rig.reads, 2);
});

Deno.test("conditions of others, the begin and an end are part of a pod; what else it says is not", async () => {
  await using rig = await new Rig().start();
  await rig.show(pod("a", {
    status: {
      phase: "Running",
      startTime: "2026-01-01T00:00:00Z",
      podIP: "10.0.0.1",
      conditions: [
        { type: "Ready", status: "True" },
        { type: "example.com/gate", status: "False" },
      ],
    },
  }));
  deepStrictEqual(rig.sets[0]?.pods[0]?.status, {
    startTime: "2026-01-01T00:00:00Z",
    conditions: [{ type: "example.com/gate", status: "False" }],
  });
  strictEqual(rig.saved[0]?.pods[0]?.status, undefined);
  rig.take();
  const container = { name: "c", image: "a", imageID: "", ready: false };
  const ended: PodStatus = {
    phase: "Failed",
    reason: "Evicted",
    message: "disk",
    containerStatuses: [{ ...container, restartCount: 0 }],
  };
  await rig.show(pod("a", { version: "2", status: ended }));
  deepStrictEqual(rig.sets[0]?.pods[0]?.status, ended);
  deepStrictEqual(rig.saved[1]?.pods[0]?.status, ended);
});

Deno.test("a pod that the agent cannot read is left out, and the others are not", async () => {
  await using rig = new Rig();
  rig.refused.add("b");
  await rig.start();
  await rig.show(pod("a"), pod("b"));
  deepStrictEqual(rig.take(), ["set: a"]);
  strictEqual(rig.source.leavesOut(pod("a")), false);
  strictEqual(rig.source.leavesOut(pod("b")), true);
});

Deno.test("what the server had runs again after 3 s without it, and counts as old", async () => {
  await using rig = new Rig();
  rig.kept = present(pod("a"));
  await rig.start();
  strictEqual(rig.source.expected?.length, 1);
  await rig.clock.advance(2_999);
  deepStrictEqual(rig.take(), []);
  await rig.clock.advance(1);
  deepStrictEqual(rig.take(), ["restore: a"]);
  deepStrictEqual(rig.said, ["api_server_silent"]);
  await rig.show(pod("a"), pod("b"));
  deepStrictEqual(rig.take(), ["set: a b"]);
  deepStrictEqual(rig.source.expected, []);
});

Deno.test("a server that answers in time is believed before the checkpoint", async () => {
  await using rig = new Rig();
  rig.kept = present(pod("a"));
  await rig.start();
  await rig.clock.advance(2_000);
  await rig.show(pod("b"));
  await rig.clock.advance(10_000);
  deepStrictEqual(rig.take(), ["set: b"]);
});

Deno.test("without a server and a checkpoint nothing is said", async () => {
  await using rig = await new Rig().start();
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.take(), []);
  deepStrictEqual(rig.source.expected, []);
});

Deno.test("a checkpoint that cannot be read is read again, and delivered late", async () => {
  await using rig = new Rig();
  rig.kept = { kind: "unknown", reason: "the disk" };
  await rig.start();
  await rig.clock.advance(3_000);
  deepStrictEqual(rig.take(), []);
  rig.kept = present(pod("a"));
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.take(), ["restore: a"]);
  const { loads } = rig;
  await rig.clock.advance(600_000);
  strictEqual(rig.loads, loads);
});

Deno.test("a first list without pods ends none before the server has said it twice", async () => {
  await using rig = new Rig();
  rig.kept = present(pod("a"));
  await rig.start();
  await rig.show();
  deepStrictEqual(rig.take(), []);
  await rig.clock.advance(999);
  strictEqual(rig.lists, 0);
  rig.listed = new Error("away");
  await rig.clock.advance(1);
  strictEqual(rig.lists, 1);
  deepStrictEqual(rig.take(), []);
  rig.listed = [];
  await rig.clock.advance(2_000);
  deepStrictEqual(rig.take(), ["set: "]);
  deepStrictEqual(rig.said, ["api_server_without_pods"]);
});

Deno.test("a list that was empty by mistake ends nothing", async () => {
  await using rig = await new Rig().start();
  await rig.show(pod("a"));
  rig.take();
  rig.listed = [pod("a")];
  await rig.show();
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.take(), []);
  await rig.show(pod("a", { version: "9" }));
  await rig.clock.advance(30_000);
  deepStrictEqual(rig.take(), []);
  strictEqual(rig.lists, 1);
});

Deno.test("the last pod goes without a question if it was to end", async () => {
  await using rig = await new Rig().start();
  await rig.show(pod("a"));
  await rig.show(pod("a", { version: "2", ends: true }));
  rig.take();
  await rig.show();
  deepStrictEqual(rig.take(), ["set: "]);
  strictEqual(rig.lists, 0);
});

Deno.test("an agent that is not the node takes no pods until it is", async () => {
  await using rig = new Rig();
  rig.isNode = false;
  rig.kept = present(pod("old"));
  await rig.start();
  await rig.show(pod("a"));
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.take(), []);
  rig.isNode = true;
  rig.source.wake();
  await rig.clock.advance(0);
  deepStrictEqual(rig.take(), ["set: a"]);
  rig.isNode = false;
  await rig.show(pod("a"), pod("b"));
  deepStrictEqual(rig.take(), []);
});

Deno.test("mirrors of manifests are no pods of the cluster, and their being left is no answer", async () => {
  await using rig = await new Rig().start();
  const mirror = pod("m");
  const annotations = { "kubernetes.io/config.mirror": "hash" };
  const shown = { ...mirror, metadata: { ...mirror.metadata, annotations } };
  await rig.show(pod("a"), shown);
  deepStrictEqual(rig.take(), ["set: a"]);
  rig.listed = [shown];
  await rig.show(shown);
  deepStrictEqual(rig.take(), []);
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.take(), ["set: "]);
  strictEqual(rig.lists, 1);
});

Deno.test("a pod that was refused is over, and stays so", async () => {
  await using rig = await new Rig().start();
  await rig.show(pod("a"), pod("b"));
  rig.take();
  const status: PodStatus = { phase: "Failed", reason: "OutOfcpu" };
  const refused = pod("a", { version: "2", status });
  await rig.show(refused, pod("b"));
  deepStrictEqual(rig.take(), ["set: b"]);
  strictEqual(rig.source.leavesOut(refused), true);
});
