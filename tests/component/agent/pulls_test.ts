/**
 * Pulls that take long or never end, and all that does not wait for them.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { PullImageRequest } from "../../../proto/gen/runtime/v1/api.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, untilGone, WEB, web } from "../../support/agent/manifests.ts";
import { untilPhase, untilRunning } from "../../support/agent/phases.ts";

const FAR = "localhost/far:1";
const OTHER = "localhost/other:1";
const UID = "0badc0de-0000-4000-8000-000000000021";

/** The pull of one image never ends; every other has it at once. */
function hang(rig: CoreRig, image = FAR): void {
  rig.fake.fault("PullImage", { kind: "hang" }, {
    when: (request) => imageOf(request) === image,
  });
}

function has(rig: CoreRig, image: string): void {
  rig.fake.setRegistry(image, { kind: "image", image: { ref: image } });
}

function pulls(rig: CoreRig, image: string): number {
  return rig.fake.callsOf("PullImage")
    .filter(({ request }) => imageOf(request) === image).length;
}

/** The fake decodes each request by its method. */
function imageOf(request: unknown): string | undefined {
  return (request as PullImageRequest).image?.image;
}

function waiting(rig: CoreRig, name: string, pod = "web"): string | undefined {
  return rig.status(pod)?.containerStatuses
    ?.find((each) => each.name === name)?.state?.waiting?.reason;
}

/** A pod of a container whose image is never there, and others. */
function withFar(...others: readonly Record<string, unknown>[]) {
  const far = busybox("far", { image: FAR });
  return web({ uid: UID, spec: { containers: [far, ...others] } });
}

Deno.test("Agent restarts a crashed container while the pull of its sibling's image hangs", async () => {
  await using rig = await CoreRig.start({ prepare: (rig) => hang(rig) });
  await rig.apply("web", withFar(busybox(WEB)));
  await rig.until(() => rig.fake.running(WEB).length === 1, "the sibling");
  strictEqual(waiting(rig, "far"), "ContainerCreating");
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  await rig.until(
    () => rig.status("web")?.containerStatuses?.[1]?.restartCount === 1,
    "the restart",
  );
  await rig.pass(600_000, 5_000);
  strictEqual(pulls(rig, FAR), 1);
  strictEqual(rig.fake.running(WEB).length, 1);
});

Deno.test("Agent pulls the image of a corrected manifest while the pull of the wrong one hangs", async () => {
  await using rig = await CoreRig.start({
    // One place: the new pull can only begin when the old one was given up.
    kubelet: ["serializeImagePulls: true"],
    prepare: (rig) => {
      hang(rig);
      has(rig, OTHER);
    },
  });
  await rig.apply("web", withFar());
  await rig.until(() => pulls(rig, FAR) === 1, "the pull");
  await rig.pass(10_000);
  const spec = { containers: [busybox("far", { image: OTHER })] };
  await rig.apply("web", web({ uid: UID, spec }));
  await rig.until(() => rig.fake.running("far").length === 1, "the container");
  strictEqual(pulls(rig, FAR), 1);
});

Deno.test("Agent gives up a pull of a pod that is removed", async () => {
  await using rig = await CoreRig.start({
    kubelet: ["serializeImagePulls: true"],
  });
  hang(rig);
  has(rig, OTHER);
  await rig.apply("wrong", withFar());
  await rig.until(() => pulls(rig, FAR) === 1, "the pull");
  await rig.pass(5_000);
  const spec = { containers: [busybox("next", { image: OTHER })] };
  await rig.apply("next", web({ name: "next", spec }));
  await rig.pass(5_000);
  strictEqual(rig.fake.running("next").length, 0);
  await rig.remove("wrong");
  await rig.until(() => rig.fake.running("next").length === 1, "its place");
});

Deno.test("Agent has an image pulled once that five pods want, and each tells of it", async () => {
  const names = ["one", "two", "three", "four", "five"];
  await using rig = await CoreRig.start({
    // One place for pulls: another image has to wait until this pull has ended.
    kubelet: ["serializeImagePulls: true"],
    prepare: (rig) => has(rig, FAR),
  });
  rig.fake.settings.pullMs = 60_000;
  for (const name of names) {
    const spec = { containers: [busybox(name, { image: FAR })] };
    await rig.apply(name, web({ name, spec }));
  }
  await rig.until(
    () => names.every((name) => rig.events(name).includes("Normal Pulling")),
    "that all of them ask",
  );
  strictEqual(pulls(rig, FAR), 1);
  // The one that asked first goes, and takes nothing from the others.
  await rig.remove("one");
  await rig.until(
    () => names.slice(1).every((name) => rig.fake.running(name).length === 1),
    "the others",
  );
  strictEqual(pulls(rig, FAR), 1);
  strictEqual(rig.fake.running("one").length, 0);
  for (const name of names.slice(1)) {
    const told = rig.events(name).filter((each) => /Pull/.test(each));
    deepStrictEqual(told.slice(0, 2), ["Normal Pulling", "Normal Pulled"]);
  }
});

Deno.test("Agent pulls for each pod that always pulls, as the kubelet does", async () => {
  await using rig = await CoreRig.start({ prepare: (rig) => has(rig, FAR) });
  rig.fake.settings.pullMs = 60_000;
  for (const name of ["one", "two"]) {
    const wanting = { image: FAR, imagePullPolicy: "Always" };
    const spec = { containers: [busybox(name, wanting)] };
    await rig.apply(name, web({ name, spec }));
  }
  await rig.until(() => pulls(rig, FAR) === 2, "both pulls");
});

Deno.test("Agent lets a pull go on that another pod wants as well", async () => {
  await using rig = await CoreRig.start({
    kubelet: ["serializeImagePulls: false"],
    prepare: (rig) => has(rig, FAR),
  });
  rig.fake.settings.pullMs = 60_000;
  for (const name of ["one", "two"]) {
    const spec = { containers: [busybox(name, { image: FAR })] };
    await rig.apply(name, web({ name, spec }));
  }
  const asks = (name: string) => rig.events(name).includes("Normal Pulling");
  await rig.until(() => asks("one") && asks("two"), "both");
  await rig.pass(20_000);
  await rig.remove("one");
  await rig.until(() => rig.fake.running("two").length === 1, "the other");
  strictEqual(pulls(rig, FAR), 1);
  await rig.remove("two");
  await untilGone(rig);
});

Deno.test("Agent gives up a pull that does not end, says so, and tries again", async () => {
  await using rig = await CoreRig.start({ prepare: (rig) => hang(rig) });
  await rig.apply("web", withFar());
  await rig.until(() => pulls(rig, FAR) === 1, "the pull");
  await rig.until(() => waiting(rig, "far") === "ErrImagePull", "its end", {
    stepMs: 10_000,
    limitMs: 4_000_000,
  });
  const [status] = rig.status("web")?.containerStatuses ?? [];
  match(status?.state?.waiting?.message ?? "", /still pulling after 1h0m0s/);
  await rig.until(() => pulls(rig, FAR) === 2, "another try");
  const errors = rig.events("web").filter((each) => each === "Warning Failed");
  ok(errors.length >= 2, String(errors));
});

Deno.test("Agent starts the other containers of a pod while an image is being pulled, and then the rest", async () => {
  await using rig = await CoreRig.start({ prepare: (rig) => has(rig, FAR) });
  rig.fake.settings.pullMs = 30_000;
  await rig.apply("web", withFar(busybox(WEB)));
  await rig.until(() => rig.fake.running(WEB).length === 1, "the first");
  strictEqual(rig.fake.running("far").length, 0);
  const sinceMs = rig.clock.monotonic();
  await rig.until(() => rig.fake.running("far").length === 1, "the second");
  // Nobody has to look for it: the end of the pull is told.
  ok(rig.clock.monotonic() - sinceMs < 31_000);
  await untilRunning(rig);
  deepStrictEqual(rig.mutations(), [
    ...["RunPodSandbox", "CreateContainer", "StartContainer"],
    ...["CreateContainer", "StartContainer"],
  ]);
});

Deno.test("Agent counts a crash once whose container waited for a pull", async () => {
  await using rig = await CoreRig.start({ prepare: (rig) => has(rig, FAR) });
  const always = busybox(WEB, { image: FAR, imagePullPolicy: "Always" });
  await rig.apply("web", web({ spec: { containers: [always] } }));
  await rig.until(() => rig.fake.running(WEB).length === 1, "the first run");
  rig.fake.settings.pullMs = 5_000;
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  const sinceMs = rig.clock.monotonic();
  await rig.until(() => rig.fake.running(WEB).length === 1, "the second run");
  // The first restart waits for nothing but its image.
  ok(rig.clock.monotonic() - sinceMs < 8_000);
  strictEqual(pulls(rig, FAR), 2);
});

Deno.test("Agent ends a pod at its deadline while a pull hangs", async () => {
  await using rig = await CoreRig.start({ prepare: (rig) => hang(rig) });
  const { spec, ...rest } = withFar(busybox(WEB));
  const limited = { ...spec as object, activeDeadlineSeconds: 60 };
  await rig.apply("web", { ...rest, spec: limited });
  await untilPhase(rig, "Failed");
  strictEqual(rig.status("web")?.reason, "DeadlineExceeded");
});

Deno.test("Agent ends while a pull hangs, and the next one pulls anew", async () => {
  await using rig = await CoreRig.start({ prepare: (rig) => hang(rig) });
  await rig.apply("web", withFar());
  await rig.until(() => pulls(rig, FAR) === 1, "the pull");
  await rig.pass(10_000);
  await rig.stopAgent();
  rig.fake.clearFaults();
  has(rig, FAR);
  await rig.startAgent();
  await rig.until(() => rig.fake.running("far").length === 1, "the container");
});

Deno.test("Agent does not look again and again at a pod that waits for an image and whose dead init container cannot be removed", async () => {
  await using rig = await CoreRig.start({
    prepare: (rig) => {
      // Else the next list, a second later, slows it down.
      rig.fake.containerdEventsEnabled = true;
      rig.fake.fault("RemoveContainer", {
        kind: "error",
        code: 13,
        details: "device or resource busy",
      });
      has(rig, FAR);
    },
  });
  rig.fake.behave("setup", { exit: { code: 1, afterMs: 100 } });
  const setup = busybox("setup", { image: FAR, imagePullPolicy: "Always" });
  const spec = { initContainers: [setup], containers: [busybox(WEB)] };
  await rig.apply("web", web({ uid: UID, spec }));
  const runs = () =>
    [...rig.fake.containers.values()].filter(({ name }) => name === "setup");
  await rig.until(() => runs().length === 2, "two runs");
  hang(rig);
  await rig.pass(30_000);
  const from = rig.fake.callsOf("RemoveContainer").length;
  await rig.pass(2_000, 20);
  const tries = rig.fake.callsOf("RemoveContainer").length - from;
  ok(tries <= 2, `${tries} tries in two seconds`);
});

Deno.test("Agent pulls each image of a container once, however many it mounts and however long that takes", async () => {
  const images = ["one", "two", "three", "four"].map((name) => ({
    name,
    image: { reference: `localhost/${name}:1`, pullPolicy: "Always" },
  }));
  await using rig = await CoreRig.start({
    prepare: (rig) => {
      rig.fake.settings.runtimeVersion = "2.2.0";
      rig.fake.settings.pullMs = 5_000;
      has(rig, FAR);
      for (const { image } of images) has(rig, image.reference);
    },
  });
  const volumeMounts = images.map(({ name }) => ({
    name,
    mountPath: `/${name}`,
  }));
  const fields = { image: FAR, imagePullPolicy: "Always", volumeMounts };
  const containers = [busybox(WEB, fields)];
  await rig.apply("web", web({ spec: { containers, volumes: images } }));
  await rig.until(() => rig.fake.running(WEB).length === 1, "the container");
  const all = [FAR, ...images.map(({ image }) => image.reference)];
  deepStrictEqual(all.map((image) => pulls(rig, image)), [1, 1, 1, 1, 1]);
  // At the next start they are pulled anew, as the policy says.
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  await rig.until(() => rig.fake.running(WEB).length === 1, "the next run");
  deepStrictEqual(all.map((image) => pulls(rig, image)), [2, 2, 2, 2, 2]);
});
