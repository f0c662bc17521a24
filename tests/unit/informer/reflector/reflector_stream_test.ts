import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { WatchEvent } from "../../../../mod/api/access/mod.ts";
import type { Item } from "../../../support/informer/object_server.ts";
import {
  at,
  ReflectorRig,
  refusal,
  STAYS,
} from "../../../support/informer/reflector_rig.ts";
import { failing, listOf } from "../../../support/informer/scripted_source.ts";

function added(object: Item): WatchEvent<Item> {
  return { type: "ADDED", object };
}

function initialEnd(resourceVersion: string): WatchEvent<Item> {
  return { type: "BOOKMARK", resourceVersion, isInitialEnd: true };
}

const STREAMS = { streams: true };

Deno.test("Reflector that streams lists by a watch, and goes on with it (TestWatchList)", async () => {
  await using rig = new ReflectorRig({
    watches: [{
      events: [
        added(at("7", "b", 1)),
        added(at("3", "a")),
        // Changes that come between are part of the list.
        { type: "MODIFIED", object: at("9", "b", 2) },
        added(at("4", "gone")),
        { type: "DELETED", object: at("10", "gone") },
        initialEnd("10"),
        { type: "MODIFIED", object: at("11", "a", 5) },
      ],
      then: "end",
    }, STAYS],
  }, STREAMS);
  await rig.clock.advance(0);
  strictEqual(rig.stored, "b=2 a=5");
  deepStrictEqual(rig.source.asked, [
    {
      act: "watch",
      sendInitialEvents: true,
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
    },
    {
      act: "watch",
      resourceVersion: "11",
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
    },
  ]);
});

Deno.test("Reflector that streams is not synced by any other bookmark (TestWatchList)", async () => {
  await using rig = new ReflectorRig({
    watches: [{
      events: [
        added(at("7", "b", 1)),
        { type: "BOOKMARK", resourceVersion: "9" },
      ],
      then: "stays",
    }],
  }, STREAMS);
  await rig.clock.advance(0);
  strictEqual(rig.store.size, 0);
  strictEqual(rig.store.version, "");
});

Deno.test("Reflector streams from what it has seen when it has to list again", async () => {
  const broken = {
    events: [failing(refusal("Expired"))],
    then: "end",
  } as const;
  await using rig = new ReflectorRig({
    watches: [
      { events: [added(at("7", "a")), initialEnd("10")], then: "end" },
      broken,
      { events: [added(at("8", "c")), initialEnd("12")], then: "stays" },
    ],
  }, STREAMS);
  await rig.clock.advance(800);
  strictEqual(rig.stored, "c=0");
  strictEqual(rig.source.asked[2]?.resourceVersion, "10");
  strictEqual(rig.source.asked[2]?.sendInitialEvents, true);
});

Deno.test("Reflector streams the newest when the version is refused", async () => {
  await using rig = new ReflectorRig({
    watches: [
      {
        events: [added(at("7", "a")), initialEnd("10")],
        then: refusal("Garbage"),
      },
      refusal("ResourceVersionTooLarge"),
      { events: [initialEnd("3")], then: "stays" },
    ],
  }, STREAMS);
  await rig.clock.advance(800);
  deepStrictEqual(
    rig.source.asked.map(({ resourceVersion }) => resourceVersion),
    [undefined, "10", undefined],
  );
  strictEqual(rig.store.version, "3");
  strictEqual(rig.store.size, 0);
});

Deno.test("Reflector lists by pages when a server knows no streams, and does not ask again (TestWatchList)", async () => {
  await using rig = new ReflectorRig({
    lists: [listOf([at("1", "a")], "10")],
    watches: [
      refusal("Invalid"),
      { events: [failing(refusal("Expired"))], then: "end" },
      STAYS,
    ],
  }, STREAMS);
  await rig.clock.advance(800);
  deepStrictEqual(rig.source.acts, ["watch", "list", "watch", "list", "watch"]);
  strictEqual(rig.stored, "a=0");
});

Deno.test("Reflector lists by pages when a stream breaks, and streams the next time", async () => {
  await using rig = new ReflectorRig({
    lists: [listOf([at("1", "a")], "10")],
    watches: [
      { events: [added(at("5", "lost"))], then: refusal("Unreachable") },
      { events: [failing(refusal("Expired"))], then: "end" },
      { events: [initialEnd("11")], then: "stays" },
    ],
  }, STREAMS);
  await rig.clock.advance(0);
  strictEqual(rig.stored, "a=0");
  await rig.clock.advance(800);
  deepStrictEqual(rig.source.acts, ["watch", "list", "watch", "watch"]);
  strictEqual(rig.store.size, 0);
});

Deno.test("Reflector lists by pages when a stream says nothing for 30 s", async () => {
  await using rig = new ReflectorRig({
    lists: [listOf([at("1", "a")], "10")],
    watches: [STAYS],
  }, STREAMS);
  await rig.clock.advance(29_999);
  deepStrictEqual(rig.source.acts, ["watch"]);
  await rig.clock.advance(1);
  deepStrictEqual(rig.source.acts, ["watch", "list", "watch"]);
  strictEqual(rig.stored, "a=0");
});

Deno.test("Reflector lets a stream go on that ends its list in time", async () => {
  await using rig = new ReflectorRig({
    watches: [{
      events: [added(at("7", "a")), initialEnd("10")],
      then: "stays",
    }],
  }, STREAMS);
  await rig.clock.advance(329_999);
  deepStrictEqual(rig.source.acts, ["watch"]);
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.source.acts, ["watch", "watch"]);
  strictEqual(rig.source.asked[1]?.sendInitialEvents, undefined);
});

Deno.test("Reflector streams again soon what it could not read, and removes nothing for it", async () => {
  const broken: Item = { ...at("5", "x"), kind: "Other" };
  await using rig = new ReflectorRig({
    watches: [
      {
        events: [added(at("1", "kept")), initialEnd("10")],
        then: refusal("Expired"),
      },
      {
        events: [added(broken), added(at("6", "b")), initialEnd("11")],
        then: "end",
      },
      { events: [added(at("6", "b")), initialEnd("11")], then: "stays" },
    ],
  }, STREAMS);
  await rig.clock.advance(0);
  strictEqual(rig.stored, "kept=0");
  await rig.clock.advance(800);
  deepStrictEqual(rig.source.acts, ["watch", "watch", "watch"]);
  strictEqual(rig.stored, "b=0");
  strictEqual(
    rig.lines.filter(({ message }) => message === "object_is_unreadable")
      .length,
    1,
  );
  ok(rig.metrics.render().includes("skerry_reflector_watches_total"));
});
