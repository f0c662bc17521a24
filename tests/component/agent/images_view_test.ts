/**
 * The images as clients see them while an agent runs.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { NODE } from "../../support/agent/core_config.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";

const FAR = "localhost/far:1";
const DATA = "localhost/data:1";

/** The users of an image, by its tag, and in which state they are. */
async function usersOf(rig: CoreRig, tag: string): Promise<string[]> {
  const images = await rig.views.images();
  const found = images.find(({ names }) => names.includes(tag));
  ok(found, tag);
  return found.users.map(({ name, state }) => `${name} ${state}`);
}

Deno.test("AgentViews shows whose containers are of an image, those of others too", async () => {
  await using rig = await CoreRig.start();
  rig.fake.addImage({ ref: "localhost/idle:1", size: 77, pinned: true });
  await rig.apply("web", web());
  await untilRunning(rig);
  const { runtime } = rig.connection;
  const metadata = { name: "x", namespace: "b", uid: "f", attempt: 0 };
  const labels = {};
  const annotations = {};
  const sandboxConfig = { metadata, labels, annotations, logDirectory: "/l" };
  const sandboxId = await runtime.runPodSandbox(sandboxConfig);
  const image = { image: "localhost/busybox:1.35" };
  const config = {
    metadata: { name: "c", attempt: 0 },
    image,
    labels,
    annotations,
  };
  const id = await runtime.createContainer({
    sandboxId,
    config,
    sandboxConfig,
  });
  deepStrictEqual(await usersOf(rig, "localhost/busybox:1.35"), [
    `default/web-${NODE} running`,
    `${id} created`,
  ]);
  const idle = (await rig.views.images()).find(({ size }) => size === 77);
  deepStrictEqual([idle?.pinned, idle?.users], [true, []]);
});

Deno.test("AgentViews shows since when a container is about to be made of an image, and whose volume mounts one", async () => {
  await using rig = await CoreRig.start({
    prepare: (rig) => {
      rig.fake.addImage({ ref: FAR });
      rig.fake.addImage({ ref: DATA });
      rig.fake.fault("CreateContainer", { kind: "hang" });
    },
  });
  const volumes = [{ name: "v", image: { reference: DATA } }];
  const containers = [busybox(WEB, { image: FAR })];
  await rig.apply("web", web({ spec: { containers, volumes } }));
  await rig.until(() => rig.fake.callsOf("CreateContainer").length > 0, "it");
  await rig.pass(5_000);
  deepStrictEqual(await usersOf(rig, FAR), [`default/web-${NODE} starting`]);
  deepStrictEqual(await usersOf(rig, DATA), [`default/web-${NODE} mounted`]);
  const [image] = (await rig.views.images()).filter(({ names }) =>
    names.includes(FAR)
  );
  const since = Date.parse(image?.users[0]?.since ?? "");
  ok(rig.clock.now() - since >= 4_000 && rig.clock.now() - since < 60_000);
  rig.fake.clearFaults();
});

Deno.test("AgentViews says that the runtime does not name its images", async () => {
  await using rig = await CoreRig.start();
  rig.fake.fault("ListImages", { kind: "error", code: 2, details: "broken" });
  await rejects(rig.views.images(), /Cannot ListImages: broken/);
});
