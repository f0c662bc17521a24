/**
 * Relisting a fake runtime over its socket.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import { pod } from "../../support/pods.ts";
import {
  type FakeRig,
  fakeRig,
  RELIST_PERIOD_MS,
  unseen,
} from "../../support/runtime/runtime_rig.ts";
import { until } from "../../support/until.ts";

async function startPods(both: FakeRig, count: number): Promise<void> {
  const { rig } = both;
  const pods = Array.from(
    { length: count },
    (_, n) => pod({ uid: `u-${n}`, name: `p${n}` }),
  );
  await Promise.all(pods.map(async (each) => {
    const { observed } = await rig.sync(each, { observed: unseen(each) });
    ok(observed !== undefined);
    rig.picture.record(each.metadata.uid, observed.pod, observed.atMs);
  }));
}

Deno.test("RuntimeWatch asks two things a list when the agent has seen all that it started", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await startPods(both, 3);
  fake.calls.length = 0;
  const { watch } = rig;
  await watch.relist(rig.signal);
  await watch.relist(rig.signal);
  const methods = fake.calls.map(({ method }) => method).sort();
  strictEqual(
    methods.join(),
    "ListContainers,ListContainers,ListPodSandbox,ListPodSandbox",
  );
});

Deno.test("RuntimeWatch hears of a death, and its picture knows how it came", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await startPods(both, 2);
  const stop = new AbortController();
  const { watch } = rig;
  for (const { id, config } of fake.running("c")) {
    if (config.labels["io.kubernetes.pod.uid"] === "u-1") {
      fake.exitContainer(id, 42);
    }
  }
  const events = watch.run(stop.signal)[Symbol.asyncIterator]();
  const first = events.next();
  let isTold = false;
  void first.finally(() => isTold = true);
  await until(async () => {
    await rig.clock.advance(RELIST_PERIOD_MS);
    return isTold;
  });
  const { value: event } = await first;
  strictEqual(event?.kind, "container_died");
  strictEqual("podUid" in event && event.podUid, "u-1");
  strictEqual(rig.picture.get("u-1")?.containers[0]?.exitCode, 42);
  stop.abort();
  await events.return?.();
});
