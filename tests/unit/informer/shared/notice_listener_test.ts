import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { systemClock } from "../../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../../mod/base/telemetry/mod.ts";
import { NoticeListener } from "../../../../mod/informer/shared/notice_listener.ts";
import { InformerRig } from "../../../support/informer/informer_rig.ts";
import { type Item, item } from "../../../support/informer/object_server.ts";
import { fieldsTo } from "../../../support/log_lines.ts";

type Lines = Record<string, unknown>[];

function all(lines: Lines, field: string): readonly unknown[] {
  return lines.map((line) => line[field]);
}

Deno.test("SharedInformer lets no handler wait for another, and keeps the order of each", async () => {
  await using rig = new InformerRig();
  const gate = Promise.withResolvers<void>();
  const slow: number[] = [];
  rig.informer.addHandler(async ({ object }) => {
    await gate.promise;
    slow.push(object.data);
  }, { name: "slow" });
  const quick = rig.listen("quick");
  await rig.start();
  for (let data = 0; data < 3_000; data++) {
    rig.server.put(item(`${data}`, { data }));
  }
  await rig.clock.advance(0);
  strictEqual(quick.lines.length, 3_000);
  deepStrictEqual(slow, []);
  ok(rig.metrics.render().includes('handler="slow"} 2049'));
  gate.resolve();
  await rig.clock.advance(0);
  deepStrictEqual(slow, Array.from({ length: 3_000 }, (_, at) => at));
  ok(rig.metrics.render().includes('handler="slow"} 0'));
});

Deno.test("SharedInformer tells in the log who falls behind and who has caught up", async () => {
  const lines: Lines = [];
  await using rig = new InformerRig({ log: fieldsTo(lines) });
  const gate = Promise.withResolvers<void>();
  rig.informer.addHandler(() => gate.promise, { name: "slow" });
  await rig.start();
  for (let data = 0; data < 1_025; data++) rig.server.put(item(`${data}`));
  await rig.clock.advance(0);
  deepStrictEqual(lines, []);
  for (let data = 0; data < 1_100; data++) rig.server.put(item(`more-${data}`));
  await rig.clock.advance(0);
  const behind = "handler_is_behind";
  deepStrictEqual(all(lines, "message"), [behind, behind]);
  deepStrictEqual(all(lines, "pending"), [1_025, 2_049]);
  strictEqual(lines[0]?.["handler"], "slow");
  gate.resolve();
  await rig.clock.advance(0);
  strictEqual(lines.at(-1)?.["message"], "handler_has_caught_up");
  strictEqual(lines.length, 3);
});

Deno.test("SharedInformer does not say of a handler that it is behind only because much came at once", async () => {
  const lines: Lines = [];
  await using rig = new InformerRig({ log: fieldsTo(lines) });
  for (let data = 0; data < 5_000; data++) rig.server.put(item(`${data}`));
  const told = rig.listen();
  const gate = Promise.withResolvers<void>();
  rig.informer.addHandler(() => gate.promise, { name: "slow" });
  await rig.start();
  strictEqual(told.lines.length, 5_000);
  deepStrictEqual(all(lines, "handler"), ["slow"]);
  // One is in its hands, and one more says that these were all.
  deepStrictEqual(all(lines, "pending"), [5_000]);
  gate.resolve();
});

for (const isAsync of [false, true]) {
  const what = isAsync ? "rejects" : "throws";
  Deno.test(`SharedInformer goes on a second after a handler ${what}`, async () => {
    const lines: Lines = [];
    await using rig = new InformerRig({ log: fieldsTo(lines) });
    const seen: string[] = [];
    const handle = ({ object: { metadata } }: { readonly object: Item }) => {
      seen.push(metadata.name);
      if (metadata.name === "bad") throw new Error("cannot look at this");
    };
    rig.informer.addHandler(
      isAsync
        ? (notice) => Promise.resolve().then(() => handle(notice))
        : handle,
      { name: "fragile" },
    );
    const other = rig.listen("other");
    rig.server.put(item("bad"));
    rig.server.put(item("good"));
    await rig.start();
    deepStrictEqual(seen, ["bad"]);
    strictEqual(other.lines.length, 2);
    deepStrictEqual(all(lines, "message"), ["handler_failed"]);
    strictEqual(lines[0]?.["handler"], "fragile");
    strictEqual(lines[0]?.["what"], "added");
    strictEqual(lines[0]?.["name"], "bad");
    await rig.clock.advance(999);
    deepStrictEqual(seen, ["bad"]);
    await rig.clock.advance(1);
    deepStrictEqual(seen, ["bad", "good"]);
  });
}

Deno.test("SharedInformer tells that a handler is behind while it pauses", async () => {
  const lines: Lines = [];
  await using rig = new InformerRig({ log: fieldsTo(lines) });
  rig.informer.addHandler(() => {
    throw new Error("always");
  }, { name: "fragile" });
  await rig.start();
  for (let data = 0; data < 1_026; data++) rig.server.put(item(`${data}`));
  await rig.clock.advance(0);
  deepStrictEqual(all(lines, "message"), [
    "handler_failed",
    "handler_is_behind",
  ]);
  for (let data = 0; data < 2_000; data++) rig.server.put(item(`more-${data}`));
  await rig.clock.advance(0);
  strictEqual(lines.length, 3);
});

Deno.test("SharedInformer stops while a handler pauses, and leaves no timer", async () => {
  const rig = new InformerRig();
  rig.informer.addHandler(() => {
    throw new Error("always");
  }, { name: "fragile", resyncMs: 5_000 });
  rig.server.put(item("web"));
  await rig.start();
  await rig[Symbol.asyncDispose]();
  strictEqual(rig.clock.pendingTimers, 0);
  strictEqual(rig.server.watches, 0);
});

Deno.test("NoticeListener makes of all that is there one notice at a time, in its place among others, and gives way", async () => {
  const objects = Array.from({ length: 1_000 }, (_, at) => item(`${at}`));
  let read = 0;
  const counted = new Proxy(objects, {
    get: (target, key) => {
      if (key !== "length") read++;
      return Reflect.get(target, key);
    },
  });
  const stop = new AbortController();
  const readAtTurns: number[] = [];
  const told: string[] = [];
  let elapsedMs = 0;
  const listener = new NoticeListener<Item>({
    clock: {
      ...systemClock,
      monotonic: () => elapsedMs += 10,
      sleep: () => {
        readAtTurns.push(read);
        return Promise.resolve();
      },
    },
    log: silentLogger,
    pending: new MetricsRegistry().gauge("pending", "", ["kind", "handler"]),
  }, ({ kind, object }) => {
    told.push(`${kind} ${object.metadata.name}`);
    if (object.metadata.name === "last") stop.abort();
  }, { name: "test", kind: "Item", resyncMs: Infinity });
  listener.tell({ kind: "added", object: item("first"), isInitial: true });
  listener.tellAll("all_updated", counted);
  listener.tellAll("all_added", []);
  listener.tell({ kind: "added", object: item("last"), isInitial: false });
  strictEqual(read, 0);
  strictEqual(listener.pending, 1_002);
  await listener.run(stop.signal);
  deepStrictEqual(readAtTurns, [127, 255, 383, 511, 639, 767, 895]);
  strictEqual(listener.pending, 0);
  deepStrictEqual(told, [
    "added first",
    ...objects.map(({ metadata }) => `updated ${metadata.name}`),
    "added last",
  ]);
});
