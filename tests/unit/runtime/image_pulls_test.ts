/**
 * Pulls that go on by themselves, and those that are begun ahead.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { container, pod } from "../../support/pods.ts";
import { pullerRig } from "../../support/runtime/images_rig.ts";

const never = new AbortController().signal;

Deno.test("ImagePuller.ensure() leaves a pull that takes long, and has its end when it is asked again", async () => {
  const { clock, store, events, puller } = pullerRig();
  store.pullMs = 10_000;
  store.registry.add("x:1");
  const stop = new AbortController();
  const ended: string[] = [];
  const listening = (async () => {
    for await (const uid of puller.ends(stop.signal)) ended.push(uid);
  })();
  const ask = async (ms: number): Promise<string> => {
    const asked = puller.ensure(
      pod(),
      container("c", {
        image: "x:1",
        imagePullPolicy: "Always",
      }),
      { signal: never, untilMs: clock.monotonic() + 2_000 },
    );
    await clock.advance(ms);
    return (await asked).kind;
  };
  strictEqual(await ask(2_000), "pulling");
  // Who asks again need not wait.
  strictEqual(await ask(0), "pulling");
  deepStrictEqual(ended, []);
  await clock.advance(8_000);
  deepStrictEqual(ended, ["u-1"]);
  strictEqual(await ask(0), "present");
  deepStrictEqual(store.calls.filter((call) => call.startsWith("pull")), [
    "pull x:1",
  ]);
  strictEqual(events.texts.length, 2);
  // It counts until the container has been made: it may wait for other images.
  puller.settle("u-1", "other");
  strictEqual(await ask(0), "present");
  puller.settle("u-1", "c");
  // The next start pulls again.
  strictEqual(await ask(2_000), "pulling");
  stop.abort();
  await listening;
  await clock.advance(0);
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("ImagePuller.giveUp() ends pulls of images that are not wanted any more, and no others", async () => {
  const { clock, store, puller } = pullerRig();
  store.pullMs = 10_000;
  store.registry.add("x:1").add("y:1");
  const ask = (image: string) =>
    puller.ensure(pod(), container("c", { image }), {
      signal: never,
      untilMs: clock.monotonic(),
    });
  const asked = Promise.all([ask("x:1"), ask("y:1")]);
  await clock.advance(0);
  deepStrictEqual(await asked, [{ kind: "pulling" }, { kind: "pulling" }]);
  puller.giveUp("u-2");
  puller.giveUp("u-1", ["Not an image", "y:1"]);
  await clock.advance(10_000);
  deepStrictEqual([...store.present.keys()], ["y:1"]);
  puller.giveUp("u-1");
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("ImagePuller.ensure() has the end of a pull told to nobody else while somebody waits for it", async () => {
  const { clock, store, puller } = pullerRig();
  store.pullMs = 1_000;
  store.registry.add("x:1");
  const stop = new AbortController();
  const ended: string[] = [];
  const listening = (async () => {
    for await (const uid of puller.ends(stop.signal)) ended.push(uid);
  })();
  const asked = puller.ensure(pod(), container("c", { image: "x:1" }), {
    signal: never,
    untilMs: clock.monotonic() + 2_000,
  });
  await clock.advance(1_000);
  strictEqual((await asked).kind, "present");
  await clock.advance(0);
  deepStrictEqual(ended, []);
  stop.abort();
  await listening;
});

Deno.test("ImagePuller gives up the pulls of a pod whose session ends, and no others", async () => {
  const { clock, store, sessions, puller } = pullerRig();
  store.pullMs = 10_000;
  store.registry.add("x:1");
  const asked = puller.fetch(
    pod(),
    container("c", { image: "x:1" }),
    { signal: never },
  );
  await clock.advance(0);
  strictEqual(await asked, "pulling");
  sessions.delete("u-2");
  strictEqual(clock.pendingTimers > 0, true);
  sessions.delete("u-1");
  await clock.advance(10_000);
  deepStrictEqual([...store.present.keys()], []);
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("ImagePuller.fetch() has failed when the runtime does not say what it has", async () => {
  const { store, puller } = pullerRig();
  store.failure = "not now";
  const asked = puller.fetch(
    pod(),
    container("c", { image: "x:1" }),
    { signal: never },
  );
  strictEqual(await asked, "failed");
  deepStrictEqual(store.calls, ["status x:1"]);
});

interface Ahead {
  readonly name: string;
  readonly image?: string;
  readonly policy?: string;
  /** It is on the node. */
  readonly here?: boolean;
  /** The registry has it. */
  readonly there?: boolean;
  /** What is told while the pull goes on, and after it. */
  readonly told: readonly string[];
}

const AHEAD: readonly Ahead[] = [
  { name: "that is there", here: true, told: ["over", "over"] },
  { name: "that is not", there: true, told: ["pulling", "over"] },
  { name: "that no registry has", told: ["pulling", "failed"] },
  { name: "that may not be pulled", policy: "Never", told: ["over", "over"] },
  { name: "that is none", image: "Upper", told: ["failed", "failed"] },
  {
    name: "that is always pulled",
    policy: "Always",
    here: true,
    there: true,
    told: ["pulling", "over"],
  },
];

for (const { name, image = "x:1", policy, here, there, told } of AHEAD) {
  Deno.test(`ImagePuller.fetch() of an image ${name}: ${told.join(", ")}`, async () => {
    const { clock, store, puller } = pullerRig();
    store.pullMs = 10_000;
    if (here) store.add(image);
    if (there) store.registry.add(image);
    const container = {
      name: "c",
      image,
      ...policy !== undefined && { imagePullPolicy: policy },
    };
    const ask = () => puller.fetch(pod(), container, { signal: never });
    const before = await ask();
    await clock.advance(10_000);
    deepStrictEqual([before, await ask()], told);
    strictEqual(clock.pendingTimers, 0);
    // What came of it is there for the start, which does not pull again.
    const end = await puller.ensure(pod(), container, {
      signal: never,
      untilMs: clock.monotonic(),
    });
    const pulls = store.calls.filter((call) => call.startsWith("pull"));
    strictEqual(pulls.length, told[0] === "pulling" ? 1 : 0);
    strictEqual(end.kind, here || there ? "present" : "failed");
  });
}

Deno.test("ImagePuller.fetch() does not wait for a place longer than for a pull", async () => {
  const { clock, store, puller } = pullerRig({ places: 1 });
  store.pullMs = 10 * 3_600_000;
  const ask = (image: string) =>
    puller.fetch(pod(), container("c", { image }), { signal: never });
  const asked = ask("x:1");
  await clock.advance(0);
  strictEqual(await asked, "pulling");
  await clock.advance(1_800_000);
  strictEqual(await ask("y:1"), "pulling");
  await clock.advance(1_700_000);
  strictEqual(await ask("x:1"), "pulling");
  await clock.advance(100_000);
  strictEqual(await ask("x:1"), "failed");
  await clock.advance(1_800_000);
  strictEqual(await ask("y:1"), "failed");
  puller.giveUp("u-1");
  await clock.advance(0);
  strictEqual(clock.pendingTimers, 0);
});
