/**
 * Pods of an API server with what they refer to.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { keyed } from "../../../support/keyed_objects.ts";
import {
  apiPod as pod,
  ApiPodRig as Rig,
} from "../../../support/source/api_pod_rig.ts";

Deno.test("a new pod waits until it is known what it refers to; others do not", async () => {
  await using rig = new Rig();
  rig.unknown.add("b");
  await rig.start();
  await rig.show(pod("a"), pod("b"));
  deepStrictEqual(rig.wanted, ["a", "b"]);
  deepStrictEqual(rig.take(), ["set: a"]);
  rig.unknown.clear();
  await rig.give(keyed("ConfigMap", "x", { a: "1" }));
  strictEqual(rig.sets[0]?.objects.length, 1);
  deepStrictEqual(rig.take(), ["set: a b"]);
  // One that runs goes on when more of it is to be known.
  rig.unknown.add("b");
  await rig.show(pod("a"), pod("b", { version: "2", image: "b" }));
  strictEqual(rig.sets[0]?.objects.length, 1);
  deepStrictEqual(rig.take(), ["set: a b"]);
});

Deno.test("an object that changes is a set, and is kept; the same again is none", async () => {
  await using rig = await new Rig().start();
  await rig.show(pod("a"));
  await rig.give(keyed("ConfigMap", "x", { a: "1" }));
  rig.take();
  await rig.give(keyed("ConfigMap", "x", { a: "1" }));
  deepStrictEqual(rig.take(), []);
  await rig.give(keyed("ConfigMap", "x", { a: "2" }));
  deepStrictEqual(rig.take(), ["set: a"]);
  strictEqual(rig.saved.at(-1)?.objects.length, 1);
});

Deno.test("what pods refer to comes out of the checkpoint with them, and stays until it is known anew", async () => {
  await using rig = new Rig();
  const object = keyed("ConfigMap", "x", { a: "1" });
  rig.kept = {
    kind: "present",
    content: { pods: [pod("a")], objects: [object], workloads: [] },
  };
  rig.unknown.add("a");
  await rig.start();
  await rig.clock.advance(3_000);
  deepStrictEqual(rig.sets[0]?.objects, [object]);
  deepStrictEqual(rig.take(), ["restore: a"]);
  await rig.show(pod("a"));
  deepStrictEqual(rig.sets[0]?.objects, [object]);
  deepStrictEqual(rig.take(), ["set: a"]);
  rig.unknown.clear();
  await rig.give();
  deepStrictEqual(rig.sets[0]?.objects, []);
});

Deno.test("(IN-11) what a server refuses to say is told with the pod, and told anew when it says it", async () => {
  await using rig = new Rig();
  const withheld = {
    kind: "Secret",
    namespace: "shop",
    name: "keys",
    why: "no such right",
  } as const;
  rig.withheld = [withheld];
  await rig.start();
  await rig.show(pod("a"));
  deepStrictEqual(rig.sets[0]?.withheld, [withheld]);
  deepStrictEqual(rig.take(), ["set: a"]);
  deepStrictEqual(Object.keys(rig.saved[0] ?? {}).sort(), [
    "objects",
    "pods",
    "workloads",
  ]);
  await rig.give();
  deepStrictEqual(rig.take(), []);
  rig.withheld = [{ ...withheld, why: "still none" }];
  await rig.give();
  deepStrictEqual(rig.sets[0]?.withheld?.[0]?.why, "still none");
  deepStrictEqual(rig.take(), ["set: a"]);
  rig.withheld = [];
  await rig.give();
  deepStrictEqual(rig.sets[0]?.withheld, []);
  deepStrictEqual(rig.take(), ["set: a"]);
});

Deno.test("what pods refer to is in one order, whichever was there first", async () => {
  await using rig = await new Rig().start();
  await rig.show(pod("a"));
  const [x, y] = [keyed("ConfigMap", "x", {}), keyed("ConfigMap", "y", {})];
  await rig.give(y, x);
  deepStrictEqual(rig.sets.at(-1)?.objects, [x, y]);
  rig.take();
  await rig.give(x, y);
  deepStrictEqual(rig.take(), []);
});

Deno.test("the source has its checkpoint and its references work", async () => {
  await using rig = await new Rig().start();
  deepStrictEqual(rig.run.toSorted(), ["checkpoint", "references"]);
});
