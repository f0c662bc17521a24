/**
 * Edited pods: what runs is not stopped before the new image is there.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { PullImageRequest } from "../../../proto/gen/runtime/v1/api.ts";
import type { CoreRig, CoreRigOptions } from "../../support/agent/core_rig.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import { report } from "../../support/agent/told.ts";
import {
  runningVersion,
  shown,
  untilRuns,
  version,
  withGood,
} from "../../support/agent/versions.ts";
import { areFound } from "../../support/findings.ts";
import { until } from "../../support/until.ts";

const FAR = "localhost/far:1";
const FIXED = "0badc0de-0000-4000-8000-000000000019";

/** An edit in place, and one that makes another pod of the same name. */
const EDITS: readonly (readonly [string, string | undefined])[] = [
  ["in place", FIXED],
  ["that makes another pod", undefined],
];

function imageOf(request: unknown): string | undefined {
  // The fake decodes each request by its method.
  return (request as PullImageRequest).image?.image;
}

function hang(rig: CoreRig): void {
  rig.fake.fault("PullImage", { kind: "hang" });
}

function takes(rig: CoreRig, pullMs: number): void {
  rig.fake.setRegistry(FAR, { kind: "image", image: { ref: FAR } });
  rig.fake.settings.pullMs = pullMs;
}

/** As containerd says it of a disk that cannot hold the image beside what is there. */
function fillsDisk(rig: CoreRig): void {
  const details =
    `failed to pull and unpack image "${FAR}": failed to extract layer sha256:0a1b: write /var/lib/containerd/lib.so: no space left on device: unknown`;
  rig.fake.setRegistry(FAR, { kind: "error", code: 2, details });
}

function edited(uid: string | undefined, fields = {}): Record<string, unknown> {
  const spec = { containers: [busybox(WEB, { image: FAR, ...fields })] };
  return version("two", {
    ...uid === undefined ? {} : { uid },
    spec,
    after: undefined,
  });
}

async function withOne(
  uid: string | undefined,
  options: CoreRigOptions = {},
): Promise<CoreRig> {
  return await withGood({
    ...options,
    first: { ...uid === undefined ? {} : { uid }, after: undefined },
  });
}

for (const [how, uid] of EDITS) {
  Deno.test(`Agent keeps a pod running until the image of its edit is there (an edit ${how})`, async () => {
    await using rig = await withOne(uid);
    takes(rig, 120_000);
    const { id } = rig.only(WEB);
    await rig.apply("web", edited(uid));
    await rig.until(() => rig.fake.callsOf("PullImage").length === 1, "a pull");
    await rig.pass(100_000);
    strictEqual(rig.only(WEB).id, id);
    if (uid === undefined) {
      const found = report(rig);
      const kept = { kind: "namesake", reason: "kept" } as const;
      ok(found && areFound([kept, "pulling_image"], found));
    }
    await untilRuns(rig, "two");
    strictEqual(rig.fake.callsOf("PullImage").length, 1);
    strictEqual(imageOf(rig.fake.callsOf("PullImage")[0]?.request), FAR);
  });

  Deno.test(`Agent ends at once although the runtime does not say whether the image is there (an edit ${how})`, async () => {
    await using rig = await withOne(uid);
    const { id } = rig.only(WEB);
    const asked = rig.fake.callsOf("ImageStatus").length;
    rig.fake.fault("ImageStatus", { kind: "hang" });
    await rig.apply("web", edited(uid));
    await rig.until(
      () => rig.fake.callsOf("ImageStatus").length > asked,
      "the question",
    );
    let hasEnded = false;
    rig.stopAgent().then(() => hasEnded = true);
    await until(() => hasEnded);
    strictEqual(rig.only(WEB).id, id);
  });

  Deno.test(`Agent pulls once for an edit whose image is always pulled (an edit ${how})`, async () => {
    await using rig = await withOne(uid);
    takes(rig, 20_000);
    await rig.apply("web", edited(uid, { imagePullPolicy: "Always" }));
    await untilRuns(rig, "two");
    strictEqual(rig.fake.callsOf("PullImage").length, 1);
  });

  Deno.test(`Agent stops what runs when the image of its edit cannot be pulled (an edit ${how})`, async () => {
    await using rig = await withOne(uid);
    await rig.apply("web", edited(uid));
    await rig.until(
      () => ["ErrImagePull", "ImagePullBackOff"].includes(shown(rig) ?? ""),
      "the failure",
    );
    strictEqual(rig.fake.running(WEB).length, 0);
  });

  Deno.test(`Agent stops what runs when the disk has no space for the image of its edit, and runs the edit when it has (an edit ${how})`, async () => {
    await using rig = await withOne(uid);
    fillsDisk(rig);
    await rig.apply("web", edited(uid));
    await rig.until(() => shown(rig) === "ImagePullBackOff", "the failure");
    strictEqual(rig.fake.running(WEB).length, 0);
    const { explanation = [] } = report(rig) ?? {};
    match(explanation.join("\n"), /no space left on device/);
    takes(rig, 1_000);
    await untilRuns(rig, "two");
  });

  Deno.test(`Agent goes back from an edit whose image the disk has no space for (an edit ${how})`, async () => {
    await using rig = await withOne(uid);
    fillsDisk(rig);
    const spec = { containers: [busybox(WEB, { image: FAR })] };
    await rig.apply("web", version("two", { ...uid && { uid }, spec }));
    await rig.until(() => shown(rig) === "RolledBack", "the rollback");
    await untilRuns(rig, "one");
    strictEqual(rig.fake.callsOf("StopContainer").length, 1);
  });

  Deno.test(`Agent stops what runs at once when the image of its edit may not be pulled (an edit ${how})`, async () => {
    await using rig = await withOne(uid);
    hang(rig);
    await rig.apply("web", edited(uid, { imagePullPolicy: "Never" }));
    await rig.until(() => shown(rig) === "ErrImageNeverPull", "the failure");
    deepStrictEqual(rig.fake.callsOf("PullImage"), []);
  });

  Deno.test(`Agent restarts what crashes while the image of its edit is being pulled (an edit ${how})`, async () => {
    await using rig = await withOne(uid);
    hang(rig);
    const spec = {
      containers: [busybox(WEB, { image: FAR }), busybox("beside")],
    };
    await rig.apply("web", version("two", { ...uid && { uid }, spec }));
    await rig.until(() => rig.fake.callsOf("PullImage").length === 1, "a pull");
    const name = uid === undefined ? WEB : "beside";
    await rig.until(() => rig.fake.running(name).length === 1, name);
    const { id } = rig.only(name);
    rig.fake.exitContainer(id, 1);
    await rig.until(
      () => rig.fake.running(name).some((each) => each.id !== id),
      "the restart",
      { limitMs: 30_000 },
    );
  });

  Deno.test(`Agent goes back from an edit whose pull hangs (an edit ${how})`, async () => {
    await using rig = await withOne(uid);
    hang(rig);
    const spec = { containers: [busybox(WEB, { image: FAR })] };
    await rig.apply("web", version("two", { ...uid && { uid }, spec }));
    await rig.until(() => rig.fake.callsOf("PullImage").length === 1, "a pull");
    await rig.until(() => shown(rig) === "RolledBack", "the rollback");
    await untilRuns(rig, "one");
    ok(!report(rig)?.findings.some(({ reason }) => reason === "kept"));
    // What was good was never touched.
    deepStrictEqual(rig.fake.callsOf("StopContainer"), []);
  });
}

Deno.test("Agent stops what runs when the image of its edit is not there in the time of a pull", async () => {
  // An hour in which nothing is to be found.
  await using rig = await withOne(undefined, { relistPeriodMs: 10_000 });
  hang(rig);
  await rig.apply("web", edited(undefined));
  const sinceMs = rig.clock.monotonic();
  await rig.until(() => rig.fake.running(WEB).length === 0, "the stop", {
    stepMs: 10_000,
    limitMs: 4_000_000,
  });
  ok(rig.clock.monotonic() - sinceMs > 3_500_000);
});

Deno.test("Agent stops at once what is removed while the image of its edit is being pulled", async () => {
  await using rig = await withOne(undefined);
  hang(rig);
  await rig.apply("web", edited(undefined));
  await rig.until(() => rig.fake.callsOf("PullImage").length === 1, "a pull");
  await rig.pass(10_000);
  strictEqual(rig.fake.running(WEB).length, 1);
  await rig.remove("web");
  await rig.until(() => rig.pods().length === 0, "the end", {
    limitMs: 20_000,
  });
});

Deno.test("Agent runs the newest of several edits, whatever image the others wait for", async () => {
  await using rig = await withOne(undefined);
  hang(rig);
  await rig.apply("web", edited(undefined));
  await rig.until(() => rig.fake.callsOf("PullImage").length === 1, "a pull");
  await rig.apply("web", web({ labels: { version: "three" } }));
  await untilRuns(rig, "three");
  strictEqual(runningVersion(rig), "three");
});
