/**
 * The latest value, for many.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Topic } from "../../../mod/base/topic.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const settle = () => new FakeClock().advance(0);

async function collect<T>(
  values: AsyncIterable<T>,
  into: T[],
): Promise<void> {
  for await (const value of values) into.push(value);
}

Deno.test("Topic.latest is the value published last", () => {
  const topic = new Topic<number>();
  strictEqual(topic.latest, undefined);
  topic.publish(1);
  topic.publish(2);
  strictEqual(topic.latest, 2);
});

Deno.test("Topic.subscribe() starts with the present value and follows", async () => {
  const topic = new Topic<number>();
  const controller = new AbortController();
  const seen: number[] = [];
  topic.publish(1);
  const done = collect(topic.subscribe(controller.signal), seen);
  await settle();
  topic.publish(2);
  await settle();
  controller.abort();
  await done;
  topic.publish(3);
  deepStrictEqual(seen, [1, 2]);
});

Deno.test("Topic.subscribe() waits for the first value", async () => {
  const topic = new Topic<undefined>();
  const controller = new AbortController();
  const seen: undefined[] = [];
  const done = collect(topic.subscribe(controller.signal), seen);
  await settle();
  strictEqual(seen.length, 0);
  topic.publish(undefined);
  await settle();
  strictEqual(seen.length, 1);
  controller.abort();
  await done;
});

Deno.test("Topic.subscribe() may skip values but never the last", async () => {
  const topic = new Topic<number>();
  const controller = new AbortController();
  const seen: number[] = [];
  const done = (async () => {
    for await (const value of topic.subscribe(controller.signal)) {
      seen.push(value);
      await settle();
    }
  })();
  await settle();
  for (let value = 1; value <= 10; value++) topic.publish(value);
  for (let turn = 0; turn < 5; turn++) await settle();
  controller.abort();
  await done;
  deepStrictEqual(seen, [10]);
});

Deno.test("Topic.publish() tells equal values apart", async () => {
  const topic = new Topic<string>();
  const controller = new AbortController();
  const seen: string[] = [];
  const done = collect(topic.subscribe(controller.signal), seen);
  topic.publish("same");
  await settle();
  topic.publish("same");
  await settle();
  controller.abort();
  await done;
  deepStrictEqual(seen, ["same", "same"]);
});

Deno.test("Topic.subscribe() serves each subscriber", async () => {
  const topic = new Topic<number>();
  const controller = new AbortController();
  const seen: number[][] = [[], [], []];
  const done = seen.map((into) =>
    collect(topic.subscribe(controller.signal), into)
  );
  await settle();
  topic.publish(1);
  await settle();
  controller.abort();
  await Promise.all(done);
  deepStrictEqual(seen, [[1], [1], [1]]);
});

Deno.test("Topic.subscribe() gives nothing when aborted before", async () => {
  const topic = new Topic<number>();
  topic.publish(1);
  const seen: number[] = [];
  await collect(topic.subscribe(AbortSignal.abort()), seen);
  deepStrictEqual(seen, []);
});
