/**
 * How long pulls take, in numbers.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../../mod/base/telemetry/mod.ts";
import { sizeLabel } from "../../../../mod/runtime/images/pull_metrics.ts";
import { container, pod } from "../../../support/pods.ts";
import { NO_RECORDS, pullerRig } from "../../../support/runtime/images_rig.ts";

const MB = 1_048_576;
const GB = 1_073_741_824;

for (
  const [bytes, label] of [
    [0, "N/A"],
    [1, "0-10MB"],
    [10 * MB, "0-10MB"],
    [10 * MB + 1, "10MB-100MB"],
    [100 * MB, "10MB-100MB"],
    [100 * MB + 1, "100MB-500MB"],
    [500 * MB + 1, "500MB-1GB"],
    [GB, "500MB-1GB"],
    [GB + 1, "1GB-5GB"],
    [5 * GB + 1, "5GB-10GB"],
    [10 * GB + 1, "10GB-20GB"],
    [20 * GB + 1, "20GB-30GB"],
    [30 * GB + 1, "30GB-40GB"],
    [40 * GB + 1, "40GB-60GB"],
    [60 * GB + 1, "60GB-100GB"],
    [100 * GB, "60GB-100GB"],
    [100 * GB + 1, "GT100GB"],
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
  deepStrictEqual(
    [...text.matchAll(/_pull_duration_seconds_bucket\{.*le="(.*)"\}/g)]
      .map(([, le]) => Number(le)),
    // As upstream has them: pkg/kubelet/metrics, and one without an end.
    [
      ...[1, 5, 10, 20, 30, 60, 120, 180, 240, 300, 360, 480, 600, 900],
      ...[1_200, 1_800, 2_700, 3_600, NaN],
    ],
  );
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
  const soon = await rig.ensure({ image: "y:1" });
  strictEqual(soon.kind === "failed" && soon.reason, "ImagePullBackOff");
  await rig.clock.advance(10_000);
  strictEqual((await rig.ensure({ image: "y:1" })).kind, "present");
});

/** What was counted of requests: policy, whether it is there, whether it is pulled, how often. */
function requests(metrics: MetricsRegistry): readonly string[] {
  return metrics.render().split("\n").flatMap((line) => {
    const [, labels = "", count] =
      /^kubelet_image_manager_ensure_image_requests_total\{(.*)\} (\d+)$/
        .exec(line) ?? [];
    const value = (name: string) =>
      new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1];
    return count === undefined ? [] : [
      [value("pull_policy"), value("present_locally"), value("pull_required")]
        .join(" ") + `: ${count}`,
    ];
  }).sort();
}

Deno.test("ImagePuller counts each request for an image once, and what it came to", async () => {
  const metrics = new MetricsRegistry();
  const rig = pullerRig({
    metrics,
    records: {
      ...NO_RECORDS,
      mayUse: ({ image }) => Promise.resolve(image !== "theirs:1"),
    },
  });
  const { store, clock } = rig;
  store.registry.add("x:1").add("theirs:1").add("y:1");
  store.add("theirs:1");
  for (
    const wanting of [
      { image: "x:1" },
      { image: "x:1" },
      { image: "theirs:1" },
      { image: "y:1", imagePullPolicy: "Always" },
      { image: "gone:1", imagePullPolicy: "Never" },
      { image: "theirs:1", imagePullPolicy: "Never" },
      { image: "Bad" },
    ]
  ) {
    await rig.ensure(wanting);
    rig.puller.settle(pod().metadata.uid, "c");
  }
  store.failure = "down";
  await clock.advance(10_000);
  await rig.ensure({ image: "z:1" });
  deepStrictEqual(requests(metrics), [
    "always unknown true: 1",
    "always unknown unknown: 1",
    "ifnotpresent false true: 1",
    "ifnotpresent true false: 1",
    "ifnotpresent true true: 1",
    "ifnotpresent unknown unknown: 1",
    "never false unknown: 1",
    "never true true: 1",
  ]);
});

Deno.test("ImagePuller counts a request that comes back for its pull no second time", async () => {
  for (const imagePullPolicy of ["Always", "IfNotPresent"] as const) {
    const metrics = new MetricsRegistry();
    const { puller, clock, store } = pullerRig({ metrics });
    store.registry.add("x:1");
    store.pullMs = 10_000;
    const wanting = container("c", { image: "x:1", imagePullPolicy });
    const { signal } = new AbortController();
    for (const atMs of [0, 5_000, 10_000]) {
      await clock.advance(atMs - clock.monotonic());
      const ensured = puller.ensure(pod(), wanting, {
        signal,
        untilMs: atMs,
      });
      await clock.advance(0);
      strictEqual(
        (await ensured).kind,
        atMs < 10_000 ? "pulling" : "present",
      );
    }
    strictEqual(requests(metrics).length, 1, imagePullPolicy);
    match(requests(metrics)[0] ?? "", / true: 1$/);
  }
});

Deno.test("ImagePuller has a pull that came too soon wait no longer each time", async () => {
  const rig = pullerRig({ limits: { perSecond: 1, burst: 1 } });
  const ends: string[] = [];
  const ensure = async (image: string): Promise<void> => {
    const end = await rig.ensure({ image });
    ends.push(end.kind === "failed" ? end.message : end.kind);
  };
  rig.store.registry.add("y:1");
  // Images that are nowhere take the place of "y:1" again and again.
  for (let n = 0; n < 4; n++) {
    await ensure(`x${n}:1`);
    await ensure("y:1");
    await rig.clock.advance(10_000);
  }
  await ensure("y:1");
  const [none, soon] = ["not found", "pull QPS exceeded"];
  const round = [none, soon];
  deepStrictEqual(ends, [...round, ...round, ...round, ...round, "present"]);
});

Deno.test("ImagePuller has a pull that failed wait ever longer, though one came too soon", async () => {
  const rig = pullerRig({ limits: { perSecond: 1, burst: 1 } });
  rig.store.registry.add("y:1");
  await rig.ensure({ image: "x:1" });
  await rig.clock.advance(10_000);
  await rig.ensure({ image: "y:1" });
  await rig.ensure({ image: "x:1" });
  await rig.clock.advance(10_000);
  await rig.ensure({ image: "x:1" });
  await rig.clock.advance(19_999);
  const pulls = () =>
    rig.store.calls.filter((call) => call === "pull x:1").length;
  strictEqual((await rig.ensure({ image: "x:1" })).kind, "failed");
  strictEqual(pulls(), 2);
  await rig.clock.advance(1);
  await rig.ensure({ image: "x:1" });
  strictEqual(pulls(), 3);
});

Deno.test("ImagePuller.fetch() waits where a pull comes too soon, so that what runs is not stopped for it", async () => {
  const rig = pullerRig({ limits: { perSecond: 1, burst: 1 } });
  rig.store.registry.add("x:1").add("y:1");
  await rig.ensure({ image: "x:1" });
  const { signal } = new AbortController();
  const wanted = container("c", { image: "y:1" });
  const fetch = async () => {
    const fetched = await rig.puller.fetch(pod(), wanted, { signal });
    await rig.clock.advance(0);
    return fetched;
  };
  deepStrictEqual([await fetch(), await fetch()], ["pulling", "pulling"]);
  await rig.clock.advance(999);
  strictEqual(rig.store.calls.includes("pull y:1"), false);
  await rig.clock.advance(1);
  strictEqual(await fetch(), "over");
  strictEqual(rig.clock.pendingTimers, 0);
});
