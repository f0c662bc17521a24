import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type Item, item } from "../../../support/informer/object_server.ts";
import {
  at,
  ReflectorRig,
  refusal,
  STAYS,
} from "../../../support/informer/reflector_rig.ts";
import {
  failing,
  listOf,
  type WatchAnswer,
} from "../../../support/informer/scripted_source.ts";

const ENDS_AT_12: WatchAnswer = {
  events: [{ type: "ADDED", object: at("12", "b") }],
  then: "end",
};

Deno.test("Reflector lists, watches from there, and puts all of it into the store", async () => {
  const watch: WatchAnswer = {
    events: [
      { type: "ADDED", object: at("11", "b", 1) },
      { type: "MODIFIED", object: at("12", "a", 2) },
      { type: "DELETED", object: at("13", "b", 1) },
      { type: "BOOKMARK", resourceVersion: "20" },
    ],
    then: "end",
  };
  await using rig = new ReflectorRig({
    lists: [listOf([at("9", "a")], "10")],
    watches: [watch, STAYS],
  }, { chance: .5 });
  await rig.clock.advance(0);
  strictEqual(rig.stored, "a=2");
  strictEqual(rig.store.version, "20");
  deepStrictEqual(rig.source.asked, [
    { act: "list", limit: 500, resourceVersion: "0" },
    {
      act: "watch",
      resourceVersion: "10",
      allowWatchBookmarks: true,
      timeoutSeconds: 450,
    },
    {
      act: "watch",
      resourceVersion: "20",
      allowWatchBookmarks: true,
      timeoutSeconds: 450,
    },
  ]);
  deepStrictEqual(rig.lines, []);
});

Deno.test("Reflector puts pages together and hands them on at once (TestReflectorWatchListPageSize)", async () => {
  await using rig = new ReflectorRig({
    lists: [
      { ...listOf([at("1", "a")], "10"), continue: "one" },
      { ...listOf([at("2", "b")], "10"), continue: "two" },
      { ...listOf([at("3", "c")], "10"), continue: "" },
    ],
    watches: [STAYS],
  }, { pageLimit: 1, selection: { namespace: "shop" } });
  await rig.clock.advance(0);
  strictEqual(rig.stored, "a=0 b=0 c=0");
  deepStrictEqual(rig.source.asked.slice(0, 3), [
    { act: "list", namespace: "shop", limit: 1, resourceVersion: "0" },
    { act: "list", namespace: "shop", limit: 1, continue: "one" },
    { act: "list", namespace: "shop", limit: 1, continue: "two" },
  ]);
});

Deno.test("Reflector begins a list anew when its pages have expired", async () => {
  await using rig = new ReflectorRig({
    lists: [
      { ...listOf([at("1", "a"), at("2", "gone")], "10"), continue: "one" },
      refusal("Expired"),
      listOf([at("1", "a")], "11"),
    ],
    watches: [STAYS],
  });
  await rig.clock.advance(0);
  strictEqual(rig.stored, "a=0");
  deepStrictEqual(rig.source.asked[2], { act: "list", resourceVersion: "0" });
});

Deno.test("Reflector keeps what it has when a list is older (IN-06)", async () => {
  await using rig = new ReflectorRig({
    lists: [
      listOf([at("9", "a", 1)], "10"),
      listOf([at("3", "a"), at("4", "old")], "8"),
      listOf([at("9", "a", 1)], "10"),
    ],
    watches: [refusal("Expired"), STAYS],
  });
  await rig.clock.advance(0);
  await rig.clock.advance(800);
  strictEqual(rig.stored, "a=1");
  await rig.clock.advance(1_600);
  deepStrictEqual(rig.source.asked.slice(2), [
    { act: "list", resourceVersion: "10" },
    { act: "list", limit: 500 },
    {
      act: "watch",
      resourceVersion: "10",
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
    },
  ]);
  strictEqual(rig.stored, "a=1");
});

Deno.test("Reflector asks less and less in a storm of 410 (IN-01)", async () => {
  await using rig = new ReflectorRig({
    lists: [listOf([at("9", "a", 1)], "10")],
    watches: [{ events: [failing(refusal("Expired"))], then: "end" }],
  });
  await rig.clock.advance(300_000);
  ok(rig.source.asked.length < 40, `${rig.source.asked.length}`);
  ok(rig.source.asked.length > 20);
  strictEqual(rig.stored, "a=1");
  ok(
    rig.metrics.render().includes(
      'skerry_reflector_failures_total{kind="Item",act="watch",reason="Expired"}',
    ),
  );
});

Deno.test("Reflector waits as long as a server wishes (TestBackoffOnTooManyRequests, IN-03)", async () => {
  await using rig = new ReflectorRig({
    lists: [refusal("TooManyRequests", 7_000), listOf([], "10")],
    watches: [
      refusal("TooManyRequests", 9_000),
      { events: [failing(refusal("TooManyRequests", 20_000))], then: "end" },
      STAYS,
    ],
  });
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.source.acts, ["list", "list", "watch", "watch", "watch"]);
  deepStrictEqual(rig.source.askedAtMs, [0, 7_000, 7_000, 16_000, 36_000]);
});

Deno.test("Reflector goes on after what is no failure of an API, and says so", async () => {
  await using rig = new ReflectorRig({
    lists: [new TypeError("a bug"), listOf([], "10")],
    watches: [
      { events: [], then: new TypeError("another") },
      STAYS,
    ],
  });
  await rig.clock.advance(0);
  deepStrictEqual(
    rig.lines.map((
      { message, act, reason, kind },
    ) => [message, act, reason, kind]),
    [["reflector_failed", "list", "InternalError", "Item"]],
  );
  await rig.clock.advance(10_000);
  deepStrictEqual(rig.source.acts, ["list", "list", "watch", "list", "watch"]);
  strictEqual(rig.lines[1]?.["act"], "watch");
});

Deno.test("Reflector gives up a list whose pages have no end, and begins anew after a pause", async () => {
  const pages = Array.from(
    { length: 250 },
    (_, i) => ({
      ...listOf([at(`${i + 1}`, `a${i}`)], "300"),
      continue: `p${i}`,
    }),
  );
  await using rig = new ReflectorRig({ lists: pages, watches: [STAYS] });
  await rig.clock.advance(0);
  strictEqual(rig.source.asked.length, 200);
  deepStrictEqual(
    rig.lines.map(({ act, reason }) => [act, reason]),
    [["list", "Garbage"]],
  );
  await rig.clock.advance(799);
  strictEqual(rig.source.asked.length, 200);
  await rig.clock.advance(1);
  ok(rig.source.asked.length > 200);
});

Deno.test("Reflector does not wait for ever for a list", async () => {
  await using rig = new ReflectorRig({
    lists: ["silence", listOf([at("1", "a")], "10")],
    watches: [STAYS],
  });
  await rig.clock.advance(119_999);
  strictEqual(rig.source.asked.length, 1);
  await rig.clock.advance(1);
  strictEqual(rig.lines[0]?.["reason"], "Timeout");
  await rig.clock.advance(800);
  strictEqual(rig.stored, "a=0");
});

Deno.test("Reflector opens another watch when one does not end in time", async () => {
  await using rig = new ReflectorRig({
    lists: [listOf([], "10")],
    watches: ["silence", STAYS, STAYS],
  });
  await rig.clock.advance(0);
  await rig.clock.advance(329_999);
  strictEqual(rig.source.asked.length, 2);
  await rig.clock.advance(1);
  // One that did not even open says nothing of the version.
  await rig.clock.advance(800);
  deepStrictEqual(rig.source.acts, ["list", "watch", "list", "watch"]);
  await rig.clock.advance(330_000);
  await rig.clock.advance(800);
  deepStrictEqual(rig.source.acts.slice(4), ["watch"]);
  // Said once: it has not worked meanwhile.
  deepStrictEqual(rig.lines.map(({ reason }) => reason), ["Timeout"]);
});

Deno.test("Reflector lists after a watch that is over at once (very short watch)", async () => {
  await using rig = new ReflectorRig({
    lists: [listOf([], "10")],
    watches: [{ events: [], then: "end" }, STAYS],
  });
  await rig.clock.advance(800);
  deepStrictEqual(rig.source.acts, ["list", "watch", "list", "watch"]);
});

for (
  const [what, event] of [
    ["of another kind", { ...at("11", "x"), kind: "Other" }],
    ["of another version of the kind", { ...at("11", "x"), apiVersion: "v2" }],
    ["without a name", at("11", "")],
    ["without a uid", item("x", { uid: "" })],
    ["without a version", item("x")],
    ["that is older than what was seen", at("9", "x")],
  ] satisfies readonly (readonly [string, Item])[]
) {
  Deno.test(`Reflector lists after an event ${what} (TestReflectorSetExpectedType, IN-09)`, async () => {
    const watch: WatchAnswer = {
      events: [
        { type: "ADDED", object: at("11", "good") },
        { type: "MODIFIED", object: event },
        { type: "ADDED", object: at("12", "unseen") },
      ],
      then: "stays",
    };
    await using rig = new ReflectorRig({
      lists: [listOf([], "10"), listOf([at("11", "good", 2)], "12")],
      watches: [watch, STAYS],
    });
    await rig.clock.advance(0);
    strictEqual(rig.stored, "good=0");
    await rig.clock.advance(800);
    strictEqual(rig.stored, "good=2");
    deepStrictEqual(rig.source.asked[2], {
      act: "list",
      resourceVersion: "11",
    });
    strictEqual(rig.lines.at(-1)?.["reason"], "Garbage");
  });
}

Deno.test("Reflector takes an event twice, and one of the version that it has", async () => {
  const event = { type: "MODIFIED", object: at("11", "a", 1) } as const;
  await using rig = new ReflectorRig({
    lists: [listOf([], "11")],
    watches: [{ events: [event, event], then: "stays" }],
  });
  await rig.clock.advance(0);
  strictEqual(rig.stored, "a=1");
  deepStrictEqual(rig.lines, []);
});

Deno.test("Reflector ignores a bookmark of the past", async () => {
  await using rig = new ReflectorRig({
    lists: [listOf([], "11")],
    watches: [{
      events: [
        { type: "BOOKMARK", resourceVersion: "20" },
        { type: "BOOKMARK", resourceVersion: "7" },
      ],
      then: "stays",
    }],
  });
  await rig.clock.advance(0);
  strictEqual(rig.store.version, "20");
});

Deno.test("Reflector leaves out what it cannot read, removes nothing for it, and lists again soon (IN-09)", async () => {
  const broken: Item = { ...at("3", "x"), kind: "Other" };
  await using rig = new ReflectorRig({
    lists: [
      listOf([at("1", "a"), at("2", "b")], "10"),
      { ...listOf([at("1", "a", 1), broken], "11"), continue: "more" },
      listOf([], "11"),
      listOf([at("1", "a", 1)], "12"),
    ],
    watches: [refusal("Expired"), ENDS_AT_12, STAYS],
  }, { chance: 0 });
  await rig.clock.advance(0);
  strictEqual(rig.stored, "a=0 b=0");
  await rig.clock.advance(800);
  // The watch after it ends, and so there is a list at once.
  deepStrictEqual(rig.source.acts, [
    "list",
    "watch",
    "list",
    "list",
    "watch",
    "list",
    "watch",
  ]);
  strictEqual(rig.source.asked[4]?.timeoutSeconds, 30);
  strictEqual(rig.source.asked[6]?.timeoutSeconds, 300);
  strictEqual(rig.stored, "a=1");
  const [line] = rig.lines.filter(({ message }) =>
    message === "object_is_unreadable"
  );
  deepStrictEqual([line?.["type"], line?.["name"]], ["v1 Other", "x"]);
  ok(
    rig.metrics.render().includes(
      'skerry_reflector_unreadable_objects_total{kind="Item"} 1',
    ),
  );
});

Deno.test("Reflector survives objects that are none", async () => {
  const wire: { readonly items: readonly Item[] } = JSON.parse(
    '{"items": [null, {}, {"kind": "Item", "apiVersion": "v1"}, 7]}',
  );
  await using rig = new ReflectorRig({
    lists: [listOf([...wire.items, at("1", "a")], "10")],
    watches: [STAYS],
  });
  await rig.clock.advance(0);
  strictEqual(rig.stored, "a=0");
});

Deno.test("Reflector stops at once, whatever it does", async () => {
  for (
    const script of [
      { lists: ["silence"] },
      { lists: [refusal("InternalError")] },
      { lists: [listOf([], "1")], watches: [STAYS] },
      { lists: [listOf([], "1")], watches: ["silence"] },
    ] satisfies readonly ConstructorParameters<typeof ReflectorRig>[0][]
  ) {
    const rig = new ReflectorRig(script);
    await rig.clock.advance(0);
    const { length } = rig.lines;
    await rig[Symbol.asyncDispose]();
    await rig.clock.advance(100_000);
    strictEqual(rig.lines.length, length);
  }
});
