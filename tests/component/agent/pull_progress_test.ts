/**
 * Pulls whose progress the runtime shows, and those that make none.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { PullImageRequest } from "../../../proto/gen/runtime/v1/api.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, web } from "../../support/agent/manifests.ts";

const FAR = "localhost/far:1";

/** The pull of the image never ends, and these bytes of its layer are there. */
function hang(rig: CoreRig): { bytes: number } {
  const layer = { bytes: 0 };
  const begunS = BigInt(Math.floor(rig.clock.now() / 1_000)) + 1n;
  rig.fake.ingests = () => ({
    statuses: layer.bytes < 0 ? [] : [{
      ref: "layer-sha256:1f",
      offset: BigInt(layer.bytes),
      total: 100_000_000n,
      startedAt: { seconds: begunS, nanos: 0 },
    }],
  });
  rig.fake.fault("PullImage", { kind: "hang" }, {
    // The fake decodes each request by its method.
    when: (request) => (request as PullImageRequest).image?.image === FAR,
  });
  return layer;
}

const POD = web({ spec: { containers: [busybox("far", { image: FAR })] } });

function waiting(rig: CoreRig) {
  return rig.status("web")?.containerStatuses?.[0]?.state?.waiting;
}

function pulls(rig: CoreRig): number {
  return rig.fake.callsOf("PullImage").length;
}

async function untilPulling(rig: CoreRig): Promise<void> {
  await rig.apply("web", POD);
  await rig.until(() => pulls(rig) === 1, "the pull");
}

Deno.test("Agent ends a pull that stands still on a runtime that shows it, and tries again", async () => {
  await using rig = await CoreRig.start({
    flags: ["--image-pull-progress-deadline=1m"],
  });
  const layer = hang(rig);
  await untilPulling(rig);
  await rig.pass(30_000);
  layer.bytes = 2_097_152;
  await rig.pass(50_000);
  strictEqual(waiting(rig)?.reason, "ContainerCreating");
  await rig.until(
    () => waiting(rig)?.reason !== "ContainerCreating",
    "the end of the pull",
    { limitMs: 30_000 },
  );
  match(
    waiting(rig)?.message ?? "",
    /no progress for 1m\d*s \(imagePullProgressDeadline\); 2097152 bytes had come$/,
  );
  ok(rig.events("web").includes("Warning Failed"));
  await rig.until(() => pulls(rig) === 2, "the next try");
});

Deno.test("Agent says how many bytes have come, and lets a pull go on that gets some for hours", async () => {
  await using rig = await CoreRig.start();
  const layer = hang(rig);
  await untilPulling(rig);
  const pass = async (minutes: number): Promise<void> => {
    for (let each = 0; each < minutes; each++) {
      layer.bytes += 1_048_576;
      await rig.pass(60_000, 10_000);
    }
  };
  await pass(5);
  const said = rig.core.events.list().flatMap(({ message = "" }) =>
    /Still pulling image "[^"]*" after (.*)/.exec(message)?.[1] ?? []
  );
  deepStrictEqual(said, [
    "2m0s: 2097152 bytes have come",
    "4m0s: 4194304 bytes have come",
  ]);
  await pass(60);
  strictEqual(pulls(rig), 1);
  strictEqual(waiting(rig)?.reason, "ContainerCreating");
  const uid = rig.pod("web")?.metadata.uid ?? "";
  const [activity] = rig.core.activities.list(uid)
    .filter(({ kind }) => kind === "pulling_image");
  strictEqual(
    activity?.kind === "pulling_image" && activity.bytes,
    65 * 1_048_576,
  );
});

Deno.test("Agent lets a runtime unpack that writes nothing any more", async () => {
  await using rig = await CoreRig.start({
    flags: ["--image-pull-progress-deadline=1m"],
  });
  const layer = hang(rig);
  await untilPulling(rig);
  await rig.pass(30_000);
  layer.bytes = -1;
  await rig.pass(1_800_000, 10_000);
  strictEqual(pulls(rig), 1);
  strictEqual(waiting(rig)?.reason, "ContainerCreating");
});
