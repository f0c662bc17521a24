/**
 * An agent that removes images nothing uses, on a fake runtime.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { containerConfig, sandboxConfig } from "../../support/cri/cri_rig.ts";
import { alone } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";
import { IMAGE } from "../../support/pods.ts";

const MIB = 2 ** 20;
/** Too little for images, enough for pods. */
const FULL = 35 * 2 ** 30;
const KUBELET = [
  "imageGCHighThresholdPercent: 60",
  "imageGCLowThresholdPercent: 50",
];
/** Longer than from one look to the next. */
const LOOK_MS = 310_000;

function tags(rig: CoreRig): string[] {
  return [...rig.fake.images.values()].flatMap(({ repoTags }) => repoTags)
    .sort();
}

function has(rig: CoreRig, ...refs: readonly string[]): void {
  for (const ref of refs) {
    rig.fake.addImage({ ref, size: 100 * MIB });
    rig.fake.setRegistry(ref, { kind: "image", image: { ref, size: MIB } });
  }
}

/** The disk has so much left until another word. */
function leave(rig: CoreRig, available: number): void {
  rig.machine.disk.available = available;
}

/** A pod of another agent, and its container. */
async function startForeign(rig: CoreRig, image: string): Promise<void> {
  const { runtime } = rig.connection;
  const config = sandboxConfig("foreign");
  const sandboxId = await runtime.runPodSandbox(config);
  await runtime.createContainer({
    sandboxId,
    sandboxConfig: config,
    config: containerConfig("foreign", { image: { image } }),
  });
}

Deno.test("Agent removes images nothing uses from a full disk, and tells of it at the node (GC-05)", async () => {
  const [used, foreign, free, pinned, pause] = [
    "localhost/used:1",
    "localhost/foreign:1",
    "localhost/free:1",
    "localhost/pinned:1",
    "registry.k8s.io/pause:3.6",
  ];
  await using rig = await CoreRig.start({
    kubelet: KUBELET,
    prepare: async (rig) => {
      has(rig, used, foreign, free, pause);
      rig.fake.addImage({ ref: pinned, size: 100 * MIB, pinned: true });
      await rig.apply("used", alone("used", { image: used }));
    },
  });
  await untilRunning(rig, "used");
  await startForeign(rig, foreign);
  leave(rig, FULL);
  await rig.pass(LOOK_MS);
  deepStrictEqual(tags(rig), [foreign, pinned, used, pause]);
  const [event, ...more] = rig.core.events.list()
    .filter(({ pod }) => pod.kind === "Node");
  deepStrictEqual(
    [event?.reason, more.map(({ reason }) => reason)],
    ["ImagesRemoved", ["FreeDiskSpaceFailed"]],
  );
  // Every look says once more that it was not enough, and nothing else.
  const from = rig.fake.calls.length;
  await rig.pass(LOOK_MS);
  strictEqual(
    rig.fake.calls.slice(from).some(({ method }) => method === "RemoveImage"),
    false,
  );
});

Deno.test("Agent keeps the image of a manifest whose pod has ended, and of the version it would go back to", async () => {
  const ended = "localhost/ended:1";
  const later = "localhost/later:1";
  await using rig = await CoreRig.start({
    kubelet: KUBELET,
    prepare: async (rig) => {
      has(rig, ended, later);
      rig.fake.behave("job", { exit: { code: 0, afterMs: 1_000 } });
      await rig.apply(
        "job",
        alone("job", { image: ended }, { spec: { restartPolicy: "Never" } }),
      );
      await rig.apply(
        "till",
        alone("till", { image: later }, {
          spec: { nodeSelector: { none: "such" } },
        }),
      );
    },
  });
  await rig.until(() => rig.status("job")?.phase === "Succeeded", "its end");
  leave(rig, FULL);
  for (const { id, state } of [...rig.fake.containers.values()]) {
    if (state === "exited") rig.fake.vanish(id);
  }
  await rig.pass(LOOK_MS);
  // The image that came with the rig is the free one.
  deepStrictEqual(tags(rig), [ended, later]);
  await rig.remove("job");
  await rig.until(() => rig.pod("job") === undefined, "its removal");
  await rig.pass(LOOK_MS);
  deepStrictEqual(tags(rig), [later]);
});

Deno.test("Agent removes no image while it is not known which manifests there are", async () => {
  await using rig = await CoreRig.start({
    kubelet: KUBELET,
    flags: ["--manifest-url=http://127.0.0.1:9/none"],
    prepare: (rig) => has(rig, "localhost/free:1"),
  });
  leave(rig, FULL);
  await rig.pass(LOOK_MS);
  deepStrictEqual(tags(rig), [IMAGE, "localhost/free:1"]);
});

Deno.test("Agent leaves the disk of images alone when it cannot see it", async () => {
  await using rig = await CoreRig.start({ kubelet: KUBELET });
  rig.machine.missing = rig.config.paths.rootDir;
  leave(rig, FULL);
  await rig.pass(LOOK_MS);
  deepStrictEqual(tags(rig), [IMAGE]);
  strictEqual(rig.logged("image_disk_not_seen").length, 1);
});

Deno.test("Agent that runs short of disk removes images one after the other before it ends a pod", async () => {
  const used = "localhost/used:1";
  const named = ["localhost/named:1", "localhost/named:2"];
  await using rig = await CoreRig.start({
    prepare: async (rig) => {
      has(rig, used, ...named, "localhost/free:1");
      await rig.apply("used", alone("used", { image: used }));
      for (const [at, image] of named.entries()) {
        const spec = { nodeSelector: { none: "such" } };
        await rig.apply(
          `till${at}`,
          alone(`till${at}`, { image }, { spec }),
        );
      }
    },
  });
  await untilRunning(rig, "used");
  await rig.pass(130_000);
  leave(rig, 5 * 2 ** 30);
  await rig.until(
    () => rig.logged("no_pod_frees_enough").length === 1,
    "the look at pods",
    { limitMs: 300_000 },
  );
  const node = rig.core.events.list().filter(({ pod }) => pod.kind === "Node");
  // The free ones at once, and then one at each look.
  const removed = node.filter(({ reason }) => reason === "ImagesRemoved")
    .map(({ message }) => message.replace(/.*: /, "").split(", ").sort());
  deepStrictEqual(removed[0], [IMAGE, "localhost/free:1"]);
  deepStrictEqual(removed.slice(1).flat().sort(), named);
  strictEqual(removed.length, 3);
  deepStrictEqual(tags(rig), [used]);
});
