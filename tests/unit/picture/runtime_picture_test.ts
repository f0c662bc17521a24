/**
 * What a picture knows of each pod, and waiting for something newer.
 *
 * @module
 */

import { rejects, strictEqual } from "node:assert/strict";
import type { RuntimePicture } from "../../../mod/picture/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { emptyPicture } from "../../support/picture/picture.ts";
import { observed, sandbox } from "../../support/observed_pods.ts";

function newPicture(): RuntimePicture {
  return emptyPicture({ clock: new FakeClock() }).picture;
}

const never = new AbortController().signal;
const POD = observed();
const NEWER = observed([], [sandbox({ ip: "10.88.0.8" })]);

Deno.test("RuntimePicture.latest() answers at once with a newer entry", async () => {
  const picture = newPicture();
  picture.record("u-1", POD, 10);
  strictEqual(
    await picture.latest("u-1", { newerThanMs: 9, signal: never }),
    POD,
  );
});

Deno.test("RuntimePicture.latest() answers at once when all was confirmed since", async () => {
  const picture = newPicture();
  picture.record("u-1", POD, 10);
  picture.confirmAll(20);
  strictEqual(
    await picture.latest("u-1", { newerThanMs: 15, signal: never }),
    POD,
  );
});

Deno.test("RuntimePicture.latest() answers with an empty pod when the runtime has none", async () => {
  const picture = newPicture();
  picture.confirmAll(20);
  const pod = await picture.latest("u-1", { newerThanMs: 15, signal: never });
  strictEqual(pod.uid, "u-1");
  strictEqual(pod.sandboxes.length + pod.containers.length, 0);
});

for (
  const [how, change] of [
    [
      "a newer look",
      (picture: RuntimePicture) => picture.record("u-1", NEWER, 11),
    ],
    ["a newer list", (picture: RuntimePicture) => {
      picture.record("u-1", NEWER, 10);
      picture.confirmAll(11);
    }],
    ["a confirmation", (picture: RuntimePicture) => {
      picture.record("u-1", NEWER, 10);
      picture.confirm("u-1", 11);
    }],
  ] as const
) {
  Deno.test(`RuntimePicture.latest() waits for ${how}`, async () => {
    const picture = newPicture();
    picture.record("u-1", POD, 10);
    let answered = false;
    const waiting = picture.latest("u-1", { newerThanMs: 10, signal: never })
      .then((pod) => {
        answered = true;
        return pod;
      });
    picture.record("u-1", POD, 10);
    picture.record("u-2", POD, 99);
    await Promise.resolve();
    await Promise.resolve();
    strictEqual(answered, false);
    change(picture);
    strictEqual(await waiting, NEWER);
  });
}

Deno.test("RuntimePicture.latest() throws why the look failed", async () => {
  const picture = newPicture();
  picture.record("u-1", POD, 10);
  picture.record("u-1", new Error("no answer"), 20);
  await rejects(
    picture.latest("u-1", { newerThanMs: 15, signal: never }),
    /no answer/,
  );
  strictEqual(picture.get("u-1"), POD);
});

Deno.test("RuntimePicture.latest() gives up with its signal", async () => {
  const picture = newPicture();
  const stop = new AbortController();
  const waiting = picture.latest("u-1", {
    newerThanMs: 1,
    signal: stop.signal,
  });
  stop.abort(new Error("deleted"));
  await rejects(waiting, /deleted/);
});

Deno.test("RuntimePicture.record() ignores a look older than what is known", () => {
  const picture = newPicture();
  strictEqual(picture.record("u-1", NEWER, 20), true);
  strictEqual(picture.record("u-1", POD, 10), false);
  strictEqual(picture.get("u-1"), NEWER);
});

Deno.test("RuntimePicture.step() leaves a pod that was seen since", () => {
  const picture = newPicture();
  picture.record("u-1", POD, 20);
  picture.step("u-1", { kind: "gone", atMs: 10 });
  strictEqual(picture.get("u-1"), POD);
  picture.forget("u-1");
  strictEqual(picture.get("u-1"), undefined);
});

Deno.test("RuntimePicture.latest() forgets nobody who begins to wait while others stop waiting", async () => {
  for (let turns = 0; turns < 8; turns++) {
    const picture = newPicture();
    const wait = (newerThanMs: number, signal: AbortSignal) =>
      picture.latest("u-1", { newerThanMs, signal });
    const begin = async () => {
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const pod = wait(11, never);
      for (let turn = 0; turn < 8; turn++) await Promise.resolve();
      strictEqual(picture.isAwaited("u-1"), true, `after ${turns} turns`);
      picture.record("u-1", NEWER, 12);
      return await pod;
    };
    const stop = new AbortController();
    const aborted = rejects(wait(10, stop.signal));
    const other = wait(10, never);
    stop.abort();
    const late = begin();
    picture.record("u-1", POD, 11);
    strictEqual(await late, NEWER);
    await Promise.all([aborted, other]);
    strictEqual(picture.isAwaited("u-1"), false);
  }
});
