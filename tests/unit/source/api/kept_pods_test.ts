/**
 * Pods of an API server that run here already, and those that cannot be read.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { LocalObject } from "../../../../mod/api/objects/mod.ts";
import type { Pod, PodStatus } from "../../../../mod/api/types/mod.ts";
import type { SourceContent } from "../../../../mod/source/merge/mod.ts";
import type { Kept } from "../../../../mod/source/mod.ts";
import {
  apiPod as pod,
  ApiPodRig as Rig,
} from "../../../support/source/api_pod_rig.ts";

function present(
  pods: readonly Pod[],
  objects: readonly LocalObject[] = [],
): Kept<SourceContent> {
  return { kind: "present", content: { pods, objects, workloads: [] } };
}

const settings: LocalObject = {
  kind: "ConfigMap",
  namespace: "shop",
  name: "settings",
  type: "",
  immutable: false,
  entries: new Map(),
};

Deno.test("what an earlier agent ran is in the first set, whatever is not known yet of what it refers to", async () => {
  await using rig = new Rig();
  rig.kept = present([pod("a")], [settings]);
  for (const name of ["a", "b", "new"]) rig.unknown.add(name);
  // Of this one there is a directory, and no checkpoint.
  rig.here.add("uid-b");
  await rig.start();
  await rig.show(pod("a"), pod("b"), pod("new"));
  deepStrictEqual(rig.sets[0]?.objects, [settings]);
  deepStrictEqual(rig.take(), ["set: a b"]);
  rig.unknown.clear();
  await rig.give();
  deepStrictEqual(rig.sets[0]?.objects, []);
  deepStrictEqual(rig.take(), ["set: a b new"]);
});

Deno.test("the first set waits until it is known what an earlier agent ran", async () => {
  await using rig = new Rig();
  rig.kept = present([pod("a")]);
  rig.unknown.add("a");
  const disk = Promise.withResolvers<void>();
  rig.disk = disk.promise;
  await rig.start();
  await rig.show(pod("a"), pod("b"));
  deepStrictEqual(rig.take(), []);
  disk.resolve();
  await rig.clock.advance(0);
  deepStrictEqual(rig.take(), ["set: a b"]);
});

Deno.test("a checkpoint on a disk that hangs is waited for three seconds", async () => {
  await using rig = new Rig();
  const disk = Promise.withResolvers<void>();
  rig.disk = disk.promise;
  await rig.start();
  await rig.show(pod("a"));
  await rig.clock.advance(2_999);
  deepStrictEqual(rig.take(), []);
  await rig.clock.advance(1);
  deepStrictEqual(rig.take(), ["set: a"]);
  disk.resolve();
});

Deno.test("a checkpoint that cannot be read holds up no pod", async () => {
  await using rig = new Rig();
  rig.kept = { kind: "unknown", reason: "the disk" };
  await rig.start();
  await rig.show(pod("a"));
  deepStrictEqual(rig.take(), ["set: a"]);
  // What it says when the server has spoken is too late.
  rig.kept = present([pod("old")]);
  await rig.clock.advance(600_000);
  deepStrictEqual(rig.take(), []);
});

Deno.test("a pod that ends waits for nothing that it refers to", async () => {
  await using rig = await new Rig().start();
  rig.unknown.add("a");
  await rig.show(pod("a", { ends: true }));
  deepStrictEqual(rig.take(), ["set: a"]);
});

Deno.test("a pod that cannot be read any more runs on as it was, and is told of once", async () => {
  await using rig = await new Rig().start();
  await rig.show(pod("a", { image: "good" }), pod("b"));
  rig.refused.add("a");
  const garbage = pod("a", { version: "2", image: "bad" });
  await rig.show(garbage, pod("b"));
  await rig.show(garbage, pod("b", { version: "2", image: "b2" }));
  deepStrictEqual(rig.told, ["a runs on: is bad"]);
  deepStrictEqual(rig.source.refused, []);
  strictEqual(rig.source.leavesOut(garbage), false);
  strictEqual(rig.sets.at(-1)?.pods[0]?.spec.containers[0]?.image, "good");
  deepStrictEqual(rig.take(), ["set: a b", "set: a b"]);
  // Its end counts all the same.
  const ends = pod("a", { version: "3", image: "bad", ends: true });
  const metadata = { ...ends.metadata, deletionGracePeriodSeconds: 3 };
  await rig.show({ ...ends, metadata }, pod("b"));
  const [last] = rig.sets.at(-1)?.pods ?? [];
  strictEqual(last?.metadata.deletionTimestamp, "2026-01-01T00:00:00Z");
  strictEqual(last.metadata.deletionGracePeriodSeconds, 3);
  strictEqual(last.spec.containers[0]?.image, "good");
  deepStrictEqual(rig.told, ["a runs on: is bad"]);
  rig.take();
  rig.refused.clear();
  await rig.show(pod("a", { version: "4", image: "better" }));
  strictEqual(rig.sets[0]?.pods[0]?.spec.containers[0]?.image, "better");
});

Deno.test("a pod that cannot be read runs on as an earlier agent had it", async () => {
  await using rig = new Rig();
  rig.kept = present([pod("a")]);
  rig.refused.add("a");
  await rig.start();
  await rig.show(pod("a", { image: "bad" }));
  deepStrictEqual(rig.take(), ["set: a"]);
  deepStrictEqual(rig.told, ["a runs on: is bad"]);
});

Deno.test("a pod that could never be read is refused, until it is gone", async () => {
  await using rig = await new Rig().start();
  rig.refused.add("a");
  const garbage = pod("a");
  await rig.show(garbage, pod("b"));
  deepStrictEqual(rig.take(), ["set: b"]);
  deepStrictEqual(rig.told, ["a is refused: is bad"]);
  deepStrictEqual(rig.source.refused, [
    { pod: garbage, refusal: { reason: "Bad", message: "is bad" } },
  ]);
  strictEqual(rig.source.leavesOut(garbage), true);
  await rig.show(pod("b"));
  deepStrictEqual(rig.source.refused, []);
  // And another one of its name is told of as well.
  await rig.show(pod("a", { uid: "another" }));
  deepStrictEqual(rig.told, ["a is refused: is bad", "a is refused: is bad"]);
});

Deno.test("what is said of a pod that is refused makes it no other refusal", async () => {
  await using rig = await new Rig().start();
  rig.refused.add("a");
  await rig.show(pod("a"));
  const status: PodStatus = { phase: "Failed", reason: "Bad" };
  await rig.show(pod("a", { version: "2", status }));
  await rig.show(pod("a", { version: "3", status, ends: true }));
  deepStrictEqual(rig.told, ["a is refused: is bad"]);
});

Deno.test("a pod that was refused by an earlier agent is told of no more", async () => {
  await using rig = await new Rig().start();
  rig.refused.add("a");
  await rig.show(pod("a", { status: { phase: "Failed", reason: "Bad" } }));
  deepStrictEqual(rig.told, []);
});

Deno.test("as long as the node is not known only what is here comes back; the others when it is", async () => {
  await using rig = new Rig();
  rig.kept = present([pod("a"), pod("b")], [settings]);
  rig.here.add("uid-b");
  rig.isNodeKnown = false;
  await rig.start();
  await rig.clock.advance(3_000);
  deepStrictEqual(rig.sets[0]?.objects, [settings]);
  deepStrictEqual(rig.take(), ["restore: b"]);
  rig.source.wake();
  await rig.clock.advance(0);
  deepStrictEqual(rig.take(), []);
  rig.isNodeKnown = true;
  rig.source.wake();
  await rig.clock.advance(0);
  deepStrictEqual(rig.take(), ["restore: a b"]);
});

Deno.test("what was not judged before the server came back was there before all the same", async () => {
  await using rig = new Rig();
  rig.kept = present([pod("a"), pod("b")]);
  rig.here.add("uid-b");
  rig.isNodeKnown = false;
  for (const name of ["a", "new"]) rig.unknown.add(name);
  await rig.start();
  await rig.clock.advance(3_000);
  rig.take();
  rig.isNodeKnown = true;
  await rig.show(pod("a"), pod("b"), pod("new"));
  deepStrictEqual(rig.take(), ["set: a b"]);
});
