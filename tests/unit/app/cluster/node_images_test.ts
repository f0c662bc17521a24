/**
 * The images of the node that a cluster is told.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { NodeImages } from "../../../../mod/app/cluster/node_images.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const SIGNAL = new AbortController().signal;
const DIGEST = `sha256:${"0".repeat(64)}`;

function rig() {
  const clock = new FakeClock();
  const counts = { asked: 0 };
  let failure: Error | undefined;
  const images = new NodeImages({
    clock,
    images: {
      listImages: () => {
        counts.asked++;
        if (failure !== undefined) return Promise.reject(failure);
        return Promise.resolve([{
          id: "i1",
          names: ["busybox:1", `busybox@${DIGEST}`],
          size: BigInt(counts.asked),
          pinned: false,
        }]);
      },
    },
  });
  const fail = (error: Error | undefined): void => {
    failure = error;
  };
  return { clock, counts, images, fail };
}

Deno.test("NodeImages has none before the runtime was asked, then its names by what they are", async () => {
  const { images } = rig();
  strictEqual(images.known, undefined);
  await images.refresh(SIGNAL);
  deepStrictEqual(images.known, [{
    digests: [`busybox@${DIGEST}`],
    tags: ["busybox:1"],
    sizeBytes: 1,
  }]);
});

Deno.test("NodeImages asks again when something was pulled or removed, and every five minutes", async () => {
  const { images, counts, clock } = rig();
  await images.refresh(SIGNAL);
  await clock.advance(299_999);
  await images.refresh(SIGNAL);
  strictEqual(counts.asked, 1);
  await clock.advance(1);
  await images.refresh(SIGNAL);
  strictEqual(counts.asked, 2);
  images.changed();
  await images.refresh(SIGNAL);
  await images.refresh(SIGNAL);
  strictEqual(counts.asked, 3);
  strictEqual(images.known?.[0]?.sizeBytes, 3);
});

Deno.test("NodeImages keeps what it knows while the runtime does not answer, and asks again", async () => {
  const { images, counts, fail } = rig();
  await images.refresh(SIGNAL);
  images.changed();
  fail(new Error("no socket"));
  await rejects(images.refresh(SIGNAL), /no socket/);
  strictEqual(images.known?.[0]?.sizeBytes, 1);
  fail(undefined);
  await images.refresh(SIGNAL);
  deepStrictEqual([counts.asked, images.known?.[0]?.sizeBytes], [3, 3]);
});

Deno.test("NodeImages asks again for what changed while the runtime answered", async () => {
  const { images, counts } = rig();
  const asking = images.refresh(SIGNAL);
  images.changed();
  await asking;
  await images.refresh(SIGNAL);
  strictEqual(counts.asked, 2);
});
