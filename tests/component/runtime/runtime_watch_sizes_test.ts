/**
 * Watching a fake runtime whose answers are large, over its socket.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CriError } from "../../../mod/cri/model/mod.ts";
import { IMAGE, pod } from "../../support/pods.ts";
import {
  type FakeRig,
  fakeRig,
  unseen,
} from "../../support/runtime/runtime_rig.ts";

const BALLAST_BYTES = 40_000;

async function startPods(both: FakeRig, uids: readonly string[]) {
  for (const uid of uids) {
    const each = pod({ uid, name: `p-${uid}` });
    const { observed } = await both.rig.sync(each, { observed: unseen(each) });
    ok(observed !== undefined);
    both.rig.picture.record(uid, observed.pod, observed.atMs);
  }
}

/** Adds dead containers `c` to a pod, each of 40 kB. */
async function addDead(both: FakeRig, uid: string, count: number) {
  const { runtime } = both.rig;
  const { fake } = both;
  const sandbox = [...fake.sandboxes.values()]
    .find(({ config }) => config.metadata?.uid === uid);
  const sample = fake.running("c").find(({ sandboxId }) =>
    sandboxId === sandbox?.id
  );
  ok(sandbox !== undefined && sample !== undefined);
  for (let attempt = 1; attempt <= count; attempt++) {
    const id = await runtime.createContainer({
      sandboxId: sandbox.id,
      config: {
        metadata: { name: "c", attempt },
        image: { image: IMAGE },
        labels: sample.config.labels,
        annotations: {
          ...sample.config.annotations,
          ballast: "x".repeat(BALLAST_BYTES),
        },
      },
      sandboxConfig: {
        metadata: { name: "p", namespace: "shop", uid, attempt: 0 },
        labels: {},
        annotations: {},
      },
    });
    await runtime.startContainer(id);
    fake.exitContainer(id, 1);
  }
}

Deno.test("RuntimeWatch lists 6 MiB as a whole (PL-05, R19)", async () => {
  await using both = await fakeRig();
  await startPods(both, ["u-0"]);
  await addDead(both, "u-0", 150);
  const { watch, picture } = both.rig;
  both.fake.calls.length = 0;
  await watch.relist(both.rig.signal);
  strictEqual(watch.runtimeDown, undefined);
  strictEqual(picture.listing?.pods.get("u-0")?.containers.length, 151);
  strictEqual(both.fake.callsOf("ListContainers").length, 1);
});

Deno.test("RuntimeWatch lists more than 16 MiB in pieces, so that a pod's dead can be removed, and then as one (PL-05, R19)", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const uids = ["u-0", "u-1", "u-2"];
  await startPods(both, uids);
  for (const uid of uids) await addDead(both, uid, 150);
  await refused(rig.runtime.listContainers());
  await refused(rig.runtime.listContainers({ state: "exited" }));
  const { watch } = both.rig;
  // A list counts for what was recorded before it began.
  await rig.clock.advance(1);
  await watch.relist(rig.signal);
  strictEqual(watch.health().healthy, true);
  for (const uid of uids) {
    strictEqual(rig.picture.get(uid)?.containers.length, 151);
    const observed = rig.picture.get(uid);
    if (observed !== undefined) {
      await rig.prune(observed);
    }
  }
  ok(fake.containers.size <= 6, `${fake.containers.size} containers are left`);
  fake.calls.length = 0;
  await rig.clock.advance(1);
  await watch.relist(rig.signal);
  const sizes = uids.map((uid) => rig.picture.get(uid)?.containers.length);
  deepStrictEqual(sizes, [2, 2, 2]);
  strictEqual((await rig.runtime.listContainers()).length, 6);
});

async function refused(call: Promise<unknown>): Promise<void> {
  const error = await call.then(() => undefined, (error) => error);
  ok(error instanceof CriError, "the list was answered");
  strictEqual(error.kind, "resource_exhausted");
}
