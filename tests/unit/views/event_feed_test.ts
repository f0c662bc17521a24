/**
 * Events in the form of the control server.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { EventChange, RecordedEvent } from "../../../mod/events/mod.ts";
import { eventFeed } from "../../../mod/views/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { recorderOn } from "../../support/views/viewed_core.ts";

const NODE = { nodeName: "edge1" };

Deno.test("eventFeed() lists what is recorded, with the number of the newest", () => {
  const recorder = recorderOn(new FakeClock());
  for (const reason of ["Pulled", "Started"]) {
    recorder.record({ name: "web", namespace: "shop", uid: "u-1" }, {
      type: "Normal",
      reason,
      message: "m",
    });
  }
  const { items, resourceVersion } = eventFeed(recorder, NODE).list();
  deepStrictEqual(items.map(({ reason }) => reason), ["Pulled", "Started"]);
  strictEqual(resourceVersion, items[1]?.metadata.resourceVersion);
  strictEqual(items[0]?.reportingInstance, "edge1");
});

Deno.test("eventFeed() watches from a number, or from the first, until something is lost", async () => {
  const recorder = recorderOn(new FakeClock());
  recorder.record({ name: "web", namespace: "shop", uid: "u-1" }, {
    type: "Normal",
    reason: "Pulled",
    message: "m",
  });
  const [event] = recorder.list();
  const asked: unknown[] = [];
  async function* watch(
    signal: AbortSignal,
    options: { readonly after?: number } = {},
  ): AsyncGenerator<EventChange, void, undefined> {
    asked.push({ ...options, aborted: signal.aborted });
    await Promise.resolve();
    if (event === undefined) return;
    yield { kind: "added", event };
    yield { kind: "modified", event };
    yield { kind: "lost" };
  }
  const feed = eventFeed(
    { list: (): readonly RecordedEvent[] => [], latest: 0, watch },
    NODE,
  );
  const seen = async (options: { readonly after?: string }) => {
    const { signal } = new AbortController();
    return await Array.fromAsync(feed.watch(signal, options));
  };
  const [added, modified, lost] = await seen({});
  const [item] = eventFeed(recorder, NODE).list().items;
  deepStrictEqual(added, { kind: "added", event: item });
  deepStrictEqual(modified, { kind: "modified", event: item });
  deepStrictEqual(lost, { kind: "lost" });
  await seen({ after: "17" });
  deepStrictEqual(asked, [
    { aborted: false },
    { after: 17, aborted: false },
  ]);
});
