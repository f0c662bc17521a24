/**
 * The end of pods that an API server has deleted.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { ApiFailure, type FailureReason } from "../../../mod/api/access/mod.ts";
import { PodDeletions } from "../../../mod/cluster/mod.ts";
import { LogRecorder } from "../../support/agent/recorders.ts";
import {
  linkedPod as pod,
  LinkedPodsRig,
} from "../../support/cluster/linked_pods_rig.ts";

class DeletionRig extends LinkedPodsRig {
  readonly log = new LogRecorder();
  readonly gone = new Set<string>();
  /** What comes of telling that a pod is over, as long as that is not known. */
  readonly closings: (FailureReason | "done")[] = [];
  readonly deletions = new PodDeletions({
    clock: this.clock,
    log: this.log.logger,
    client: this.client,
    ending: () => [...this.pods.values()],
    isGone: ({ metadata }) => this.gone.has(metadata.uid),
    close: ({ metadata }) => {
      const reason = this.closings.shift();
      if (reason === undefined) return Promise.resolve();
      this.calls.push(`close ${metadata.name}`);
      return reason === "done"
        ? Promise.resolve()
        : Promise.reject(new ApiFailure(reason, `is ${reason}`));
    },
  });

  async wake(): Promise<void> {
    this.deletions.wake();
    await this.clock.advance(0);
  }
}

Deno.test("a pod is removed by its UID once nothing of it is left, and not before", async () => {
  await using rig = new DeletionRig();
  await rig.start(rig.deletions);
  strictEqual(rig.clock.pendingTimers, 0);
  rig.pods.set("a", pod("a"));
  await rig.wake();
  deepStrictEqual(rig.take(), []);
  rig.gone.add("uid-a");
  await rig.clock.advance(100);
  deepStrictEqual(rig.take(), ["remove a uid-a"]);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("the longer a pod takes to end, the less often it is asked for", async () => {
  await using rig = new DeletionRig();
  let looks = 0;
  rig.pods.set("a", pod("a"));
  rig.gone.has = () => {
    looks++;
    return false;
  };
  await rig.start(rig.deletions);
  await rig.clock.advance(60_000);
  // 0.1, 0.2, 0.4, 0.8, 1.6 s, and then every two seconds.
  strictEqual(looks, 1 + 5 + 28);
  await rig.wake();
  strictEqual(looks, 35);
});

Deno.test("a removal that the watch does not show yet is not asked for again", async () => {
  await using rig = new DeletionRig();
  rig.pods.set("a", pod("a"));
  rig.gone.add("uid-a");
  rig.refusals.push("NotFound");
  await rig.start(rig.deletions);
  await rig.wake();
  deepStrictEqual(rig.take(), ["remove a uid-a"]);
  // The name is another pod's, which is deleted as well.
  rig.pods.set("a", pod("a", { uid: "uid-2" }));
  rig.gone.add("uid-2");
  await rig.wake();
  deepStrictEqual(rig.take(), ["remove a uid-2"]);
});

for (const reason of ["NotFound", "Conflict", undefined] as const) {
  Deno.test(`a pod that is shown on after its removal is removed again, less and less often: ${reason ?? "a finalizer"}`, async () => {
    await using rig = new DeletionRig();
    const held = pod("a");
    rig.gone.add("uid-a");
    rig.pods.set("a", held);
    for (let tries = 0; tries < 4; tries++) rig.refusals.push(reason);
    rig.onCall = () => {
      // Only its UID is named, so that another pod of the name is left alone.
      rig.clock.after(1, () => rig.pods.set("a", held));
    };
    await rig.start(rig.deletions);
    deepStrictEqual(rig.take(), ["remove a uid-a"]);
    await rig.clock.advance(1);
    await rig.wake();
    for (const seconds of [30, 60, 120]) {
      await rig.clock.advance(seconds * 1_000 - 2);
      deepStrictEqual(rig.take(), []);
      await rig.clock.advance(1);
      deepStrictEqual(rig.take(), ["remove a uid-a"]);
      await rig.clock.advance(1);
      await rig.wake();
    }
    // Something of it is here again: it is asked for as one that ends, and no more often.
    rig.gone.clear();
    await rig.clock.advance(300_000);
    let looks = 0;
    rig.gone.has = () => ++looks < 0;
    await rig.clock.advance(60_000);
    strictEqual(looks, 30);
    rig.pods.delete("a");
    await rig.wake();
    strictEqual(rig.clock.pendingTimers, 0);
  });
}

Deno.test("a removal that fails is tried again at 1 s, 2 s, and 30 s at most", async () => {
  await using rig = new DeletionRig();
  rig.pods.set("a", pod("a"));
  rig.gone.add("uid-a");
  for (let tries = 0; tries < 8; tries++) rig.refusals.push("Unreachable");
  await rig.start(rig.deletions);
  deepStrictEqual(rig.take(), ["remove a uid-a"]);
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    await rig.clock.advance(seconds * 1_000 - 1);
    deepStrictEqual(rig.take(), []);
    await rig.clock.advance(1);
    deepStrictEqual(rig.take(), ["remove a uid-a"]);
  }
  strictEqual(rig.log.of("pod_not_removed").length, 1);
  await rig.clock.advance(30_000);
  deepStrictEqual(rig.take(), ["remove a uid-a"]);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("a pod that is deleted while another is being removed is looked at after it", async () => {
  await using rig = new DeletionRig();
  await rig.start(rig.deletions);
  rig.pods.set("a", pod("a"));
  for (const name of ["a", "b"]) rig.gone.add(`uid-${name}`);
  rig.onCall = () => {
    rig.onCall = () => {};
    rig.pods.set("b", pod("b"));
    rig.deletions.wake();
  };
  await rig.wake();
  deepStrictEqual(rig.take(), ["remove a uid-a", "remove b uid-b"]);
});

for (
  const [name, closing, calls] of [
    ["told at once", "done", ["close a", "remove a uid-a"]],
    ["not taken", "Invalid", ["close a", "remove a uid-a"]],
    ["gone", "NotFound", ["close a"]],
    ["told later", "Unreachable", ["close a"]],
  ] as const
) {
  Deno.test(`a pod is removed when the server knows that it is over: ${name}`, async () => {
    await using rig = new DeletionRig();
    rig.pods.set("a", pod("a"));
    rig.gone.add("uid-a");
    rig.closings.push(closing);
    await rig.start(rig.deletions);
    deepStrictEqual(rig.take(), calls);
    await rig.clock.advance(1_000);
    deepStrictEqual(
      rig.take(),
      closing === "Unreachable" ? ["remove a uid-a"] : [],
    );
  });
}

Deno.test("removals that fail are said once for all, and again after one that did not", async () => {
  await using rig = new DeletionRig();
  for (const name of ["a", "b"]) {
    rig.pods.set(name, pod(name));
    rig.gone.add(`uid-${name}`);
    rig.refusals.push("Forbidden");
  }
  await rig.start(rig.deletions);
  strictEqual(rig.log.of("pod_not_removed").length, 1);
  await rig.clock.advance(1_000);
  deepStrictEqual([...rig.pods], []);
  rig.pods.set("c", pod("c"));
  rig.gone.add("uid-c");
  rig.refusals.push("Forbidden");
  await rig.wake();
  strictEqual(rig.log.of("pod_not_removed").length, 2);
  await rig.clock.advance(1_000);
});

Deno.test("a removal that is under way when its maker ends is left as it is", async () => {
  await using rig = new DeletionRig();
  rig.hangs = true;
  rig.pods.set("a", pod("a"));
  rig.gone.add("uid-a");
  await rig.start(rig.deletions);
  deepStrictEqual(rig.take(), ["remove a uid-a"]);
});

Deno.test("a fault of the agent itself ends its removals", async () => {
  const fault = new RangeError("a fault");
  const rig = new DeletionRig();
  rig.pods.set("a", pod("a"));
  rig.gone.has = () => {
    throw fault;
  };
  await rejects(rig.deletions.run(new AbortController().signal), fault);
});
