/**
 * Having the image of a container on the node.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { ImageOutcome } from "../../../../mod/runtime/images/pull_tasks.ts";
import { container, pod } from "../../../support/pods.ts";
import { pullerRig } from "../../../support/runtime/images_rig.ts";

const never = new AbortController().signal;

interface Row {
  readonly image: string;
  readonly policy?: string;
  readonly here?: boolean;
  readonly there?: boolean;
  readonly calls: readonly string[];
  /** A reason, or nothing when the image is present in the end. */
  readonly reason?: string;
}

const ROWS: readonly Row[] = [
  { image: "x:1", here: true, calls: ["status x:1"] },
  {
    image: "x:1",
    there: true,
    calls: ["status x:1", "pull x:1", "status sha256:x:1"],
  },
  {
    image: "x",
    here: true,
    there: true,
    calls: ["pull x:latest", "status sha256:x:latest"],
  },
  {
    image: "x:latest",
    policy: "IfNotPresent",
    here: true,
    calls: ["status x:latest"],
  },
  { image: "x:1", policy: "Never", here: true, calls: ["status x:1"] },
  {
    image: "x:1",
    policy: "Never",
    there: true,
    calls: ["status x:1"],
    reason: "ErrImageNeverPull",
  },
  {
    image: "x:1",
    policy: "Always",
    here: true,
    calls: ["pull x:1"],
    reason: "ErrImagePull",
  },
  { image: "Upper", there: true, calls: [], reason: "InvalidImageName" },
];

for (const { image, policy, here, there, calls, reason } of ROWS) {
  const where = here ? "present" : "absent";
  Deno.test(`ImagePuller.ensure() of "${image}", ${policy ?? "no policy"}, ${where}: ${reason ?? "present"}`, async () => {
    const { store, ensure } = pullerRig();
    const full = image.includes(":") ? image : `${image}:latest`;
    if (here) store.add(full);
    if (there) store.registry.add(full);
    const outcome = await ensure({
      image,
      ...policy === undefined ? {} : { imagePullPolicy: policy },
    });
    deepStrictEqual(store.calls, calls);
    if (reason === undefined) {
      deepStrictEqual(outcome, {
        kind: "present",
        imageRef: `sha256:${full}`,
        image: { uid: 7n, username: "" },
      });
    } else {
      strictEqual(outcome.kind === "failed" && outcome.reason, reason);
    }
  });
}

Deno.test("ImagePuller.ensure() tells of a pull in the kubelet's words", async () => {
  const { clock, store, events, puller } = pullerRig();
  store.registry.add("x:1");
  store.pullMs = 1_500;
  const work = puller.ensure(pod(), container("c", { image: "x:1" }), {
    signal: never,
  });
  await clock.advance(1_500);
  await work;
  deepStrictEqual(events.texts, [
    'Normal Pulling: Pulling image "x:1"',
    'Normal Pulled: Successfully pulled image "x:1" in 1.5s (1.5s including waiting). Image size: 1234 bytes.',
  ]);
});

Deno.test("ImagePuller.ensure() tells that a long pull still goes on, seldom, and no more when it has ended", async () => {
  const { clock, store, events, puller } = pullerRig();
  store.registry.add("x:1");
  store.pullMs = 500_000;
  const work = puller.ensure(pod(), container("c", { image: "x:1" }), {
    signal: never,
  });
  await clock.advance(500_000);
  await work;
  await clock.advance(3_600_000);
  deepStrictEqual(
    events.texts.flatMap((text) => /Still pulling.*/.exec(text)?.[0] ?? []),
    [
      'Still pulling image "x:1" after 2m0s',
      'Still pulling image "x:1" after 4m0s',
      'Still pulling image "x:1" after 8m0s',
    ],
  );
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("ImagePuller.ensure() pauses after a failed pull, then longer", async () => {
  const { clock, store, events, ensure } = pullerRig();
  const want = { image: "x:1" };
  const first = await ensure(want);
  deepStrictEqual(first, {
    kind: "failed",
    reason: "ErrImagePull",
    cause: { kind: "said", words: "not found" },
    message: "not found",
    retryAtMs: 1_000,
  });
  await clock.advance(1_000);
  deepStrictEqual(await ensure(want), {
    kind: "failed",
    reason: "ImagePullBackOff",
    message: 'Back-off pulling image "x:1": ErrImagePull: not found',
    cause: { kind: "said", words: "not found" },
    retryAtMs: 10_000,
  });
  await clock.advance(9_000);
  const second = await ensure(want);
  strictEqual(second.kind === "failed" && second.reason, "ErrImagePull");
  await clock.advance(1_000);
  const paused = await ensure(want);
  strictEqual(paused.kind === "failed" && paused.retryAtMs, 30_000);
  deepStrictEqual(events.texts.slice(0, 3), [
    'Normal Pulling: Pulling image "x:1"',
    'Warning Failed: Failed to pull image "x:1": not found',
    'Normal BackOff: Back-off pulling image "x:1"',
  ]);
  strictEqual(store.calls.filter((call) => call === "pull x:1").length, 2);
});

Deno.test("ImagePuller.ensure() tells when an image cannot be looked for", async () => {
  const { store, events, ensure } = pullerRig();
  store.failure = "disk is gone";
  const outcome = await ensure({ image: "x:1" });
  strictEqual(outcome.kind === "failed" && outcome.reason, "ImageInspectError");
  deepStrictEqual(events.texts, [
    'Warning InspectFailed: Failed to inspect image "x:1": disk is gone',
  ]);
});

Deno.test("ImagePuller.ensure() asks once for a burst of pods, and anew later", async () => {
  const { clock, store, ensure, puller } = pullerRig();
  store.add("x:1");
  const want = { image: "x:1" };
  strictEqual(puller.isKnown(want), false);
  puller.prefetch(want);
  await ensure(want);
  await ensure(want);
  strictEqual(puller.isKnown(want), true);
  strictEqual(store.calls.length, 1);
  await clock.advance(2_000);
  await ensure(want);
  strictEqual(store.calls.length, 2);
  puller.invalidate(want);
  strictEqual(puller.isKnown(want), false);
});

Deno.test("ImagePuller.ensure() lets a slow pull take one place only", async () => {
  const { clock, store, puller } = pullerRig({ places: 2 });
  store.pullMs = 60_000;
  store.add("here:1");
  const stop = new AbortController();
  const ensure = (image: string, signal = never): Promise<ImageOutcome> =>
    puller.ensure(pod(), container("c", { image }), { signal });
  const slow = ensure("slow:1", stop.signal);
  const gone = rejects(slow, /deleted/);
  await clock.advance(0);
  store.pullMs = 10;
  store.registry.add("a:1").add("b:1");
  const rest = Promise.all([ensure("a:1"), ensure("b:1"), ensure("here:1")]);
  await clock.advance(30);
  deepStrictEqual((await rest).map(({ kind }) => kind), [
    "present",
    "present",
    "present",
  ]);
  stop.abort(new Error("deleted"));
  await gone;
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("ImagePuller.ensure() pulls five images at once unless told otherwise", async () => {
  const { clock, store, ensure } = pullerRig();
  store.pullMs = 10;
  const images = ["a", "b", "c", "d", "e", "f"].map((name) => `${name}:1`);
  for (const image of images) store.registry.add(image);
  const pulls = () => store.calls.filter((each) => each.startsWith("pull"));
  const all = Promise.all(images.map((image) => ensure({ image })));
  await clock.advance(0);
  strictEqual(pulls().length, 5);
  await clock.advance(20);
  await all;
  strictEqual(pulls().length, 6);
});

Deno.test("ImagePuller.ensure() does not pull again what came while it waited", async () => {
  const { clock, store, puller } = pullerRig({ places: 1 });
  store.pullMs = 100;
  store.registry.add("x:1");
  const all = Promise.all(
    ["u-1", "u-2", "u-3"].map((uid) => {
      const wanting = container("c", { image: "x:1" });
      return puller.ensure(pod({ uid }), wanting, { signal: never });
    }),
  );
  await clock.advance(300);
  await all;
  strictEqual(store.calls.filter((call) => call === "pull x:1").length, 1);
});

Deno.test("ImagePuller.ensure() pulls again what came while it waited when it is always pulled, and tells how long that was", async () => {
  const { clock, store, events, puller } = pullerRig({ places: 1 });
  await clock.advance(1_000);
  store.pullMs = 1_500;
  store.registry.add("x:1");
  const all = Promise.all(
    ["u-1", "u-2"].map((uid) => {
      const wanting = { image: "x:1", imagePullPolicy: "Always" };
      return puller.ensure(pod({ uid }), container("c", wanting), {
        signal: never,
      });
    }),
  );
  await clock.advance(3_000);
  await all;
  strictEqual(store.calls.filter((call) => call === "pull x:1").length, 2);
  const pulled = events.texts.filter((text) => text.includes("Pulled:"));
  deepStrictEqual(
    pulled.map((text) => /in (.*)\. Image/.exec(text)?.[1]),
    ["1.5s (1.5s including waiting)", "1.5s (3s including waiting)"],
  );
});

Deno.test("ImagePuller.prefetch() and isKnown() ask nothing about what is always pulled, or has no name", async () => {
  const { store, puller } = pullerRig();
  store.add("x:1");
  const always = { image: "x:1", imagePullPolicy: "Always" };
  const invalid = { image: "Upper" };
  puller.prefetch(always);
  puller.prefetch(invalid);
  deepStrictEqual(store.calls, []);
  puller.prefetch({ image: "x:1" });
  await Promise.resolve();
  deepStrictEqual(
    [{ image: "x:1" }, always, invalid].map((each) => puller.isKnown(each)),
    [true, false, true],
  );
});

for (
  const [said, reason] of [
    ["RegistryUnavailable: try later", "RegistryUnavailable"],
    ["SignatureValidationFailed: not ours", "SignatureValidationFailed"],
    ["it was RegistryUnavailable", "ErrImagePull"],
  ] as const
) {
  Deno.test(`ImagePuller.ensure() fails with ${reason} when the runtime says "${said}"`, async () => {
    const { store, ensure } = pullerRig();
    store.failure = said;
    const end = await ensure({ image: "x:1", imagePullPolicy: "Always" });
    strictEqual(end.kind === "failed" && end.reason, reason);
  });
}

Deno.test("ImagePuller.ensure() has an image that the runtime does not describe after the pull", async () => {
  const { store, events, ensure } = pullerRig();
  store.registry.add("x:1");
  const describe = store.imageStatus.bind(store);
  store.imageStatus = (image) => {
    store.present.clear();
    return describe(image);
  };
  deepStrictEqual(await ensure({ image: "x:1" }), {
    kind: "present",
    imageRef: "sha256:x:1",
    image: { uid: undefined, username: "" },
  });
  strictEqual(events.texts.at(-1)?.endsWith("Image size: 0 bytes."), true);
});

Deno.test("ImagePuller lets a pod of the same UID start afresh in another session", async () => {
  const { ensure, sessions, store } = pullerRig();
  await ensure({ image: "x:1" });
  sessions.delete("u-1");
  store.registry.add("x:1");
  strictEqual((await ensure({ image: "x:1" })).kind, "present");
});

Deno.test("ImagePuller.ensure() fails with the reason of its signal while it looks for an image", async () => {
  const { store, events, ensure } = pullerRig();
  store.imageStatus = () => new Promise(() => {});
  const stop = new AbortController();
  const reason = new Error("deleted");
  const asked = rejects(
    ensure({ image: "x:1" }, stop.signal),
    (error) => error === reason,
  );
  stop.abort(reason);
  await asked;
  deepStrictEqual(events.texts, []);
});
