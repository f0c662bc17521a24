/** A controller's word about its object is written when it is news, and over nobody else's. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import {
  NO_POD_SET as NONE,
  ONE_POD_SET as SET,
  RunnerRig as Rig,
} from "../../../support/controller/runner_rig.ts";

Deno.test("a status is written only when it is another one", async () => {
  await using rig = new Rig();
  rig.objects.put(SET);
  for (let turn = 0; turn < 5; turn++) await rig.look();
  deepStrictEqual(
    rig.objects.calls.filter((call) => call.startsWith("status")),
    ["status ReplicaSet web", "status ReplicaSet web"],
  );
});

Deno.test("the status is told what failed", async () => {
  await using rig = new Rig();
  rig.objects.put(SET);
  rig.objects.refuse = (verb) =>
    verb === "create" ? new ApiFailure("Forbidden", "no") : undefined;
  await rig.look();
  strictEqual(rig.objects.all("ReplicaSet")[0]?.status?.replicas, -1);
});

Deno.test("a status that somebody else wrote meanwhile is made anew", async () => {
  await using rig = new Rig();
  rig.objects.put(NONE);
  let isFirst = true;
  rig.objects.refuse = (verb) => {
    if (verb !== "status" || !isFirst) return undefined;
    isFirst = false;
    return new ApiFailure("Conflict", "changed");
  };
  await rig.look();
  await rig.clock.advance(5);
  strictEqual(rig.objects.all("ReplicaSet")[0]?.status?.replicas, 0);
  deepStrictEqual(rig.messages, []);
});

Deno.test("a status that is refused is logged, and tried again", async () => {
  await using rig = new Rig();
  rig.objects.put(NONE);
  rig.objects.refuse = () => new ApiFailure("Forbidden", "no");
  await rig.look();
  await rig.clock.advance(5);
  deepStrictEqual(rig.messages, ["key_failed", "key_failed"]);
});

Deno.test("an object that is gone before its status is written is let go", async () => {
  await using rig = new Rig();
  rig.objects.put(NONE);
  rig.objects.refuse = () => new ApiFailure("NotFound", "gone");
  await rig.look();
  rig.objects.drop("ReplicaSet", "shop", "web");
  await rig.clock.advance(2_000_000);
  strictEqual(rig.looks, 1);
});

Deno.test("a status goes on top of what its own changes made of the object", async () => {
  await using rig = new Rig();
  const set = rig.objects.put(NONE);
  rig.extra = () => ({
    changes: rig.looks > 1 ? [] : [{
      verb: "patch",
      ref: { ...set, ...set.metadata },
      patch: { metadata: { annotations: { revision: "1" } } },
    }],
  });
  await rig.look();
  deepStrictEqual(rig.objects.calls, [
    "patch ReplicaSet web",
    "status ReplicaSet web",
  ]);
  deepStrictEqual(rig.objects.all("ReplicaSet")[0]?.metadata.annotations, {
    revision: "1",
  });
  await rig.clock.advance(2_000_000);
  strictEqual(rig.looks, 1);
});
