/**
 * An image that was pulled with the Secret of one pod, and other pods that want it.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CoreRig, type CoreRigOptions } from "../../support/agent/core_rig.ts";
import {
  PRIVATE_IMAGE,
  privatePod,
  pullSecret,
  triedLogins,
  waitingReason,
  wantLogin,
} from "../../support/agent/private_images.ts";

const NEVER = { imagePullPolicy: "Never" };

/** The registry takes the login of the Secret `good`, with which a pod has its image. */
async function withPulled(
  options: Omit<CoreRigOptions, "prepare"> = {},
): Promise<CoreRig> {
  const rig = await CoreRig.start({
    ...options,
    prepare: (rig) => wantLogin(rig, "me:good"),
  });
  await rig.apply("good", pullSecret("good", { "r.example": "me:good" }));
  await rig.apply("bad", pullSecret("bad", { "r.example": "me:bad" }));
  await rig.apply("owner", privatePod("owner", ["good"]));
  await untilRuns(rig, "owner");
  return rig;
}

async function untilRuns(rig: CoreRig, name: string): Promise<void> {
  await rig.until(() => rig.fake.running(name).length === 1, name);
}

async function untilWaits(rig: CoreRig, name: string, reason: string) {
  await rig.until(() => waitingReason(rig, name) === reason, reason);
}

/** The files in which it is remembered. */
function remembered(rig: CoreRig, folder: string): readonly string[] {
  return rig.list(`${rig.config.paths.rootDir}/image_manager/${folder}`);
}

for (const when of ["at once", "after a restart of the agent"]) {
  Deno.test(`Agent gives an image that was pulled with a Secret to no pod without it, ${when} (IM-07)`, async () => {
    await using rig = await withPulled();
    if (when !== "at once") await rig.restartAgent();
    await rig.apply("none", privatePod("none"));
    await rig.apply("wrong", privatePod("wrong", ["bad"]));
    await rig.apply("never", privatePod("never", [], NEVER));
    await rig.apply("same", privatePod("same", ["good"], NEVER));
    await untilRuns(rig, "same");
    await untilWaits(rig, "none", "ErrImagePull");
    await untilWaits(rig, "wrong", "ErrImagePull");
    await untilWaits(rig, "never", "ErrImageNeverPull");
    // As if it were not there: who may not have it must not learn that it is.
    match(
      rig.status("never")?.containerStatuses?.[0]?.state?.waiting?.message ??
        "",
      /is not present with pull policy of Never$/,
    );
    deepStrictEqual(triedLogins(rig).slice(0, 1), ["me:good"]);
    ok(triedLogins(rig).includes("me:bad"));
    ok(triedLogins(rig).includes(undefined));
    // Whoever shows it then has it.
    await rig.apply("none", privatePod("none", ["good"]));
    await untilRuns(rig, "none");
    strictEqual(remembered(rig, "pulled").length, 1);
    deepStrictEqual(remembered(rig, "pulling"), []);
  });
}

Deno.test("Agent restarts a container of a private image without a registry", async () => {
  await using rig = await withPulled();
  rig.fake.setRegistry(PRIVATE_IMAGE, {
    kind: "error",
    code: 14,
    details: "away",
  });
  await rig.restartAgent();
  await rig.until(() => rig.status("owner")?.phase === "Running", "its status");
  rig.fake.exitContainer(rig.only("owner").id, 1);
  await rig.until(
    () => rig.status("owner")?.containerStatuses?.[0]?.restartCount === 1,
    "the restart",
  );
  await untilRuns(rig, "owner");
  // Also when its login was changed meanwhile.
  await rig.apply("good", pullSecret("good", { "r.example": "me:better" }));
  rig.fake.exitContainer(rig.only("owner").id, 1);
  await rig.until(
    () => rig.status("owner")?.containerStatuses?.[0]?.restartCount === 2,
    "the restart",
  );
  await untilRuns(rig, "owner");
  strictEqual(triedLogins(rig).length, 1);
});

Deno.test("Agent gives images to all that were there before, that anyone may pull, or when told to", async () => {
  await using rig = await withPulled({
    kubelet: ["imagePullCredentialsVerificationPolicy: NeverVerify"],
  });
  await rig.apply("none", privatePod("none"));
  await untilRuns(rig, "none");
  strictEqual(triedLogins(rig).length, 1);
});

Deno.test("Agent asks a registry for images that were always there when told to", async () => {
  await using rig = await CoreRig.start({
    kubelet: ["imagePullCredentialsVerificationPolicy: AlwaysVerify"],
    prepare: (rig) => {
      wantLogin(rig, "me:good");
      rig.fake.addImage({ ref: PRIVATE_IMAGE });
    },
  });
  await rig.apply("none", privatePod("none"));
  await untilWaits(rig, "none", "ErrImagePull");
});

Deno.test("Agent does not take an image for free whose pull it saw no end of", async () => {
  await using rig = await CoreRig.start({
    prepare: (rig) => wantLogin(rig, "me:good"),
  });
  // The runtime has it, and the agent is told nothing.
  rig.fake.fault("PullImage", { kind: "drop_reply", reply: "never" });
  await rig.apply("good", pullSecret("good", { "r.example": "me:good" }));
  await rig.apply("owner", privatePod("owner", ["good"]));
  await rig.until(() => rig.fake.callsOf("PullImage").length === 1, "the pull");
  await rig.pass(1_000);
  await rig.stopAgent();
  rig.fake.clearFaults();
  strictEqual(remembered(rig, "pulling").length, 1);
  await rig.startAgent();
  await rig.apply("never", privatePod("never", [], NEVER));
  await untilWaits(rig, "never", "ErrImageNeverPull");
  await untilRuns(rig, "owner");
  deepStrictEqual(triedLogins(rig), ["me:good", "me:good"]);
  deepStrictEqual(remembered(rig, "pulling"), []);
});

Deno.test("Agent forgets an image that was removed: the next of that name is another", async () => {
  await using rig = await withPulled();
  await rig.remove("owner");
  await rig.until(() => rig.fake.running("owner").length === 0, "its end");
  const { images } = rig.connection;
  await images.removeImage({ image: PRIVATE_IMAGE });
  await rig.restartAgent();
  await rig.until(() => remembered(rig, "pulled").length === 0, "nothing left");
  rig.fake.addImage({ ref: PRIVATE_IMAGE });
  await rig.apply("never", privatePod("never", [], NEVER));
  await untilRuns(rig, "never");
});

Deno.test("Agent writes nothing of images while pods only run (I5)", async () => {
  await using rig = await withPulled();
  const path = `${rig.config.paths.rootDir}/image_manager/pulled`;
  const [name = ""] = remembered(rig, "pulled");
  const before = await Deno.stat(`${path}/${name}`);
  await rig.pass(300_000, 5_000);
  rig.fake.exitContainer(rig.only("owner").id, 1);
  await rig.until(
    () => rig.status("owner")?.containerStatuses?.[0]?.restartCount === 1,
    "the restart",
  );
  const after = await Deno.stat(`${path}/${name}`);
  deepStrictEqual([after.ino, after.mtime], [before.ino, before.mtime]);
  strictEqual((after.mode ?? 0) & 0o777, 0o600);
  strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o700);
});
