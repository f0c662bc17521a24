/**
 * What becomes of the records of images when an agent starts.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { pullEnds } from "../../../mod/app/image_records.ts";
import { unlessAborted } from "../../../mod/base/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { messagesTo } from "../../support/log_lines.ts";
import {
  loadPulled,
  MINE,
  pullAs,
  RecordMemory,
} from "../../support/runtime/pulled_images_rig.ts";

/** An agent that remembers one image, and a runtime that is ready when a test says so. */
async function rig(listImages: () => Promise<readonly []>) {
  const clock = new FakeClock();
  const disk = new RecordMemory();
  const pulledImages = await loadPulled(disk);
  await pullAs(pulledImages, MINE);
  const said: string[] = [];
  const ready = Promise.withResolvers<void>();
  const stop = new AbortController();
  const more = Promise.withResolvers<void>();
  let listed = 0;
  const ends: string[] = [];
  async function* moves(signal: AbortSignal): AsyncIterable<string> {
    yield "one";
    await unlessAborted(more.promise, signal);
    yield "two";
  }
  const images = {
    listImages: () => {
      listed++;
      return listImages();
    },
  };
  const reading = async (): Promise<void> => {
    for await (
      const end of pullEnds({ pullEnds: moves }, {
        log: messagesTo(said, { clock }),
        connection: { ready: () => ready.promise, images },
        pulledImages,
      }, stop.signal)
    ) ends.push(end);
  };
  const done = reading();
  await clock.advance(0);
  return {
    ...{ clock, disk, said, ready, stop, more, ends, done },
    listed: () => listed,
  };
}

Deno.test("pullEnds() drops records of images that are gone, once the runtime answers, and waits with no end for it", async () => {
  const { clock, disk, ready, more, ends, done, listed, said } = await rig(() =>
    Promise.resolve([])
  );
  deepStrictEqual([ends, listed(), disk.files.size], [["one"], 0, 1]);
  ready.resolve();
  await clock.advance(0);
  deepStrictEqual([listed(), disk.files.size], [1, 0]);
  more.resolve();
  await done;
  deepStrictEqual(ends, ["one", "two"]);
  deepStrictEqual(said, []);
});

Deno.test("pullEnds() keeps the records when the runtime cannot say what it has, and goes on", async () => {
  const { clock, disk, ready, more, ends, done, said } = await rig(() =>
    Promise.reject(new Error("no list"))
  );
  ready.resolve();
  await clock.advance(0);
  deepStrictEqual(said, ["image_records_not_compared"]);
  strictEqual(disk.files.size, 1);
  more.resolve();
  await done;
  deepStrictEqual(ends, ["one", "two"]);
});

Deno.test("pullEnds() that is to end warns of no list that it did not wait for", async () => {
  const list = Promise.withResolvers<readonly []>();
  const { clock, ready, stop, done, said, listed } = await rig(() =>
    list.promise
  );
  ready.resolve();
  await clock.advance(0);
  strictEqual(listed(), 1);
  const over = done.catch((error) => error);
  stop.abort(new Error("enough"));
  list.reject(new Error("the call was given up"));
  strictEqual((await over).message, "enough");
  deepStrictEqual(said, []);
});
