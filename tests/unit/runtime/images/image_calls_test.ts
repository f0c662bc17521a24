/**
 * What is asked of the runtime about images, and for how long an answer holds.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { ImageCalls } from "../../../../mod/runtime/images/image_calls.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { PullProgress } from "../../../../mod/runtime/images/pull_progress.ts";
import {
  NO_INGESTS,
  PULL_OPTIONS,
  SmallStore,
} from "../../../support/runtime/images_rig.ts";

function setUp() {
  const clock = new FakeClock();
  const images = new SmallStore(clock);
  const progress = new PullProgress(
    { clock, ingests: NO_INGESTS },
    PULL_OPTIONS,
  );
  const calls = new ImageCalls({ images, clock, progress });
  return { clock, images, calls };
}

Deno.test("ImageCalls.ask() remembers what 256 images are, then begins anew", async () => {
  const { images, calls } = setUp();
  const names = Array.from({ length: 257 }, (_, at) => `x:${at}`);
  for (const name of names) images.add(name);
  for (const name of names.slice(0, 256)) await calls.ask(name);
  await calls.ask("x:0");
  strictEqual(images.calls.length, 256);
  await calls.ask("x:256");
  await calls.ask("x:0");
  deepStrictEqual(images.calls.slice(256), ["status x:256", "status x:0"]);
});

Deno.test("ImageCalls.ask() asks anew for what was absent, or could not be looked for", async () => {
  const { images, calls } = setUp();
  strictEqual(await calls.ask("x:1"), undefined);
  strictEqual(calls.isPresent("x:1"), false);
  images.failure = "busy";
  await rejects(calls.ask("x:1"));
  images.failure = undefined;
  images.add("x:1");
  strictEqual((await calls.ask("x:1"))?.id, "sha256:x:1");
  strictEqual(calls.isPresent("x:1"), true);
  strictEqual(images.calls.length, 3);
});

Deno.test("ImageCalls.ask() lets no old answer take the place of a newer one", async () => {
  const { images, calls } = setUp();
  const absent = calls.ask("x:1");
  calls.forget("x:1");
  images.add("x:1");
  const present = calls.ask("x:1");
  await Promise.all([absent, present]);
  await calls.ask("x:1");
  strictEqual(images.calls.length, 2);
});

Deno.test("ImageCalls.ask() asks anew what an image is after a pull of it", async () => {
  const { clock, images, calls } = setUp();
  images.add("x:1");
  images.registry.add("x:1");
  await calls.ask("x:1");
  const { signal } = new AbortController();
  const options = { sandboxConfig: undefined, credentials: [], signal };
  const pulled = calls.pull("x:1", options);
  await clock.advance(0);
  await pulled;
  await calls.ask("x:1");
  deepStrictEqual(images.calls, ["status x:1", "pull x:1", "status x:1"]);
});

Deno.test("ImageCalls.pull() gives a pull an hour, and says so", async () => {
  const { clock, images, calls } = setUp();
  images.pullMs = Infinity;
  const { signal } = new AbortController();
  let isOver = false;
  const options = { sandboxConfig: undefined, credentials: [], signal };
  const pulled = rejects(calls.pull("x:1", options), {
    message:
      'Cannot pull image "x:1": the runtime was still pulling after 1h0m0s, the longest time that a pull has',
  }).then(() => isOver = true);
  await clock.advance(3_599_999);
  strictEqual(isOver, false);
  await clock.advance(1);
  strictEqual(isOver, true);
  await pulled;
});

Deno.test("ImageCalls.pull() fails with the caller's reason, or that of the runtime, before the hour is over", async () => {
  const { clock, images, calls } = setUp();
  images.pullMs = 10;
  const stop = new AbortController();
  const { signal } = stop;
  const refused = rejects(
    calls.pull("x:1", { sandboxConfig: undefined, credentials: [], signal }),
    /not found/,
  );
  await clock.advance(10);
  await refused;
  const stopped = rejects(
    calls.pull("x:1", { sandboxConfig: undefined, credentials: [], signal }),
    /deleted/,
  );
  stop.abort(new Error("deleted"));
  await stopped;
  strictEqual(clock.pendingTimers, 0);
});
