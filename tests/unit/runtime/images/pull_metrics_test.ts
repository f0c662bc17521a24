/**
 * How long pulls take, in numbers.
 *
 * @module
 */

import { match, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../../mod/base/telemetry/mod.ts";
import { sizeLabel } from "../../../../mod/runtime/images/pull_metrics.ts";
import { NO_RECORDS, pullerRig } from "../../../support/runtime/images_rig.ts";

const MB = 1_048_576;
const GB = 1_073_741_824;

for (
  const [bytes, label] of [
    [0, "N/A"],
    [1, "0-10MB"],
    [10 * MB - 1, "0-10MB"],
    [10 * MB, "10MB-100MB"],
    [100 * MB - 1, "10MB-100MB"],
    [100 * MB, "100MB-500MB"],
    [500 * MB, "500MB-1GB"],
    [GB - 1, "500MB-1GB"],
    [GB, "1GB-5GB"],
    [5 * GB, "5GB-10GB"],
    [10 * GB, "10GB-20GB"],
    [20 * GB, "20GB-30GB"],
    [30 * GB, "30GB-40GB"],
    [40 * GB, "40GB-60GB"],
    [60 * GB, "60GB-100GB"],
    [100 * GB - 1, "60GB-100GB"],
    [100 * GB, "GT100GB"],
    [10_000 * GB, "GT100GB"],
  ] as const
) {
  Deno.test(`sizeLabel() says "${label}" of ${bytes} bytes`, () => {
    strictEqual(sizeLabel(BigInt(bytes)), label);
  });
}

Deno.test("ImagePuller counts a pull once for all its pods, and none that failed", async () => {
  const metrics = new MetricsRegistry();
  const rig = pullerRig({ metrics, records: NO_RECORDS });
  rig.store.pullMs = 7_000;
  rig.store.registry.add("x:1");
  const asked = [rig.ensure({ image: "x:1" }), rig.ensure({ image: "y:1" })];
  await rig.clock.advance(7_000);
  await Promise.all(asked);
  const text = metrics.render();
  const of = (rest: string) =>
    new RegExp(`^kubelet_image_pull_duration_seconds_${rest}$`, "m");
  const small = 'image_size_in_bytes="0-10MB"';
  match(text, of(`count\\{${small}\\} 1`));
  match(text, of(`sum\\{${small}\\} 7`));
  match(text, of(`bucket\\{${small},le="5"\\} 0`));
  match(text, of(`bucket\\{${small},le="10"\\} 1`));
  match(text, of(`bucket\\{${small},le="3600"\\} 1`));
  strictEqual(/N\/A/.test(text), false);
});

Deno.test("ImagePuller refuses a pull that comes too soon, in upstream's words, and tries it again", async () => {
  const limits = { perSecond: 1, burst: 1 };
  const rig = pullerRig({ limits });
  rig.store.registry.add("x:1").add("y:1");
  const first = await rig.ensure({ image: "x:1" });
  const second = await rig.ensure({ image: "y:1" });
  strictEqual(first.kind, "present");
  strictEqual(
    second.kind === "failed" && `${second.reason}: ${second.message}`,
    "ErrImagePull: pull QPS exceeded",
  );
  match(
    rig.events.texts.join("\n"),
    /Failed to pull image "y:1": pull QPS exceeded/,
  );
  strictEqual(rig.store.calls.includes("pull y:1"), false);
  await rig.clock.advance(10_000);
  strictEqual((await rig.ensure({ image: "y:1" })).kind, "present");
});
