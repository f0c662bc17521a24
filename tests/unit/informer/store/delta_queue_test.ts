import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  type Delta,
  DeltaQueue,
  isSameLife,
} from "../../../../mod/informer/store/mod.ts";
import { type Item, item } from "../../../support/informer/object_server.ts";

const WHOLE = { version: "9", isWhole: true };

function line(delta: Delta<Item>): string {
  switch (delta.kind) {
    case "put":
    case "removed":
      return `${delta.kind} ${delta.key} ${delta.object.data}`;
    case "replaced":
      return `replaced ${delta.objects.length} at ${delta.facts.version}`;
    case "bookmark":
      return `bookmark ${delta.version}`;
    default:
      return delta.kind;
  }
}

function drain(queue: DeltaQueue<Item>): readonly string[] {
  const lines: string[] = [];
  for (let delta = queue.take(); delta; delta = queue.take()) {
    lines.push(line(delta));
  }
  strictEqual(queue.size, 0);
  return lines;
}

function a(data: number, uid = "uid-a"): Item {
  return item("a", { data, uid });
}

function b(data: number): Item {
  return item("b", { data });
}

type Fill = (queue: DeltaQueue<Item>) => void;

const CASES: readonly [string, Fill, readonly string[]][] = [
  ["gives nothing when it is empty", () => {}, []],
  ["keeps the order of keys", (queue) => {
    queue.put(b(1));
    queue.put(a(1));
    queue.remove(b(1));
  }, ["put shop/b 1", "put shop/a 1", "removed shop/b 1"]],
  [
    "leaves out what was superseded, and keeps the place of the newest",
    (queue) => {
      queue.put(a(1));
      queue.put(b(1));
      queue.put(a(2));
      queue.put(a(3));
    },
    ["put shop/b 1", "put shop/a 3"],
  ],
  ["keeps a put before a removal, and one after it", (queue) => {
    queue.put(a(1));
    queue.remove(a(1));
    queue.put(a(2, "other"));
    queue.put(a(3, "other"));
  }, ["put shop/a 1", "removed shop/a 1", "put shop/a 3"]],
  [
    "keeps the first of two removals (TestDeltaFIFO_compressorWorksDelete)",
    (queue) => {
      queue.remove(a(1));
      queue.remove(a(2));
    },
    ["removed shop/a 1"],
  ],
  ["shows both lives of an object that was made anew", (queue) => {
    queue.put(a(1));
    queue.put(a(2, "other"));
  }, ["put shop/a 1", "put shop/a 2"]],
  [
    "keeps what came before a list, and supersedes nothing through it",
    (queue) => {
      queue.put(a(1));
      queue.replace([a(2)], WHOLE);
      queue.put(a(3));
    },
    ["put shop/a 1", "replaced 1 at 9", "put shop/a 3"],
  ],
  ["supersedes a list by the next, if that is whole", (queue) => {
    queue.replace([a(1)], WHOLE);
    queue.replace([a(1), b(1)], { version: "10", isWhole: true });
    queue.replace([], { version: "11", isWhole: false });
  }, ["replaced 2 at 10", "replaced 0 at 11"]],
  ["keeps a list that something followed", (queue) => {
    queue.replace([a(1)], WHOLE);
    queue.put(b(1));
    queue.replace([], { version: "10", isWhole: true });
  }, ["replaced 1 at 9", "put shop/b 1", "replaced 0 at 10"]],
  ["asks once for a sync, and supersedes nothing through it", (queue) => {
    queue.put(a(1));
    queue.sync();
    queue.sync();
    queue.put(a(2));
    queue.sync();
  }, ["put shop/a 1", "sync", "put shop/a 2", "sync"]],
  ["keeps the last of several bookmarks, which part nothing", (queue) => {
    queue.put(a(1));
    queue.bookmark("5");
    queue.bookmark("6");
    queue.put(a(2));
  }, ["bookmark 6", "put shop/a 2"]],
];

for (const [name, fill, expected] of CASES) {
  Deno.test(`DeltaQueue ${name}`, () => {
    const queue = new DeltaQueue<Item>();
    fill(queue);
    strictEqual(queue.size, expected.length);
    deepStrictEqual(drain(queue), expected);
  });
}

Deno.test("DeltaQueue supersedes nothing that was taken", () => {
  const queue = new DeltaQueue<Item>();
  queue.put(a(1));
  queue.take();
  queue.put(a(2));
  queue.remove(a(2));
  queue.take();
  queue.take();
  queue.remove(a(3));
  deepStrictEqual(drain(queue), ["removed shop/a 3"]);
});

Deno.test("DeltaQueue wakes its reader at everything that comes", () => {
  let rings = 0;
  const queue = new DeltaQueue<Item>(() => rings++);
  queue.put(a(1));
  queue.remove(a(1));
  queue.remove(a(1));
  queue.replace([], WHOLE);
  queue.sync();
  queue.sync();
  queue.bookmark("10");
  strictEqual(rings, 5);
});

Deno.test("isSameLife() is so of one uid", () => {
  ok(isSameLife(a(1), a(2)));
  ok(!isSameLife(a(1), a(1, "other")));
});

Deno.test("DeltaQueue gives, for any input, what is left of it in order", () => {
  const step = fc.record({
    act: fc.constantFrom("put", "remove", "take", "sync", "bookmark"),
    name: fc.constantFrom("a", "b", "c"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const queue = new DeltaQueue<Item>();
      const put: string[] = [];
      const taken: string[] = [];
      const last = new Map<string, string>();
      const lastTaken = new Map<string, string>();
      steps.forEach(({ act, name }, data) => {
        if (act === "put" || act === "remove") {
          const object = item(name, { data });
          if (act === "put") queue.put(object);
          else queue.remove(object);
          const kind = act === "put" ? "put" : "removed";
          put.push(`${kind} shop/${name} ${data}`);
          last.set(name, kind);
        } else if (act === "sync") queue.sync();
        else if (act === "bookmark") queue.bookmark(`${data}`);
        else {taken.push(...[queue.take()].flatMap((delta) =>
            delta ? [line(delta)] : []
          ));}
      });
      taken.push(...drain(queue));
      const objects = taken.filter((each) => each.includes("/"));
      // In order: each is found behind the one before.
      let from = 0;
      for (const each of objects) {
        const at = put.indexOf(each, from);
        ok(at >= from, each);
        from = at + 1;
        const [kind = "", key = ""] = each.split(" ");
        lastTaken.set(key.slice("shop/".length), kind);
      }
      deepStrictEqual(lastTaken, last);
    }),
    { seed: 14, numRuns: 300 },
  );
});

Deno.test("DeltaQueue grows with the keys and not with their changes", () => {
  const queue = new DeltaQueue<Item>();
  let most = 0;
  for (let data = 0; data < 10_000; data++) {
    queue.put(a(data));
    queue.put(b(data));
    most = Math.max(most, queue.slots);
  }
  // Two that count, and holes: as many as those, and 64.
  strictEqual(most, 68);
  strictEqual(drain(queue).at(-1), "put shop/b 9999");
});

Deno.test("DeltaQueue is cheap to take from when it is long", () => {
  const queue = new DeltaQueue<Item>();
  for (let data = 0; data < 20_000; data++) {
    queue.put(item(`${data}`, { data }));
  }
  for (let data = 0; data < 15_000; data++) queue.take();
  ok(queue.slots < 12_000, `${queue.slots}`);
  queue.put(item("19999", { data: -1 }));
  const left = drain(queue);
  strictEqual(left.length, 5_000);
  strictEqual(left.at(-1), "put shop/19999 -1");
});
