/**
 * What the cluster said of the node last, on a disk that may refuse.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { KeptNode } from "../../../../mod/app/cluster/kept_node.ts";
import type { KnownNode } from "../../../../mod/node/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { messagesTo } from "../../../support/log_lines.ts";
import { FakeRecords } from "../../../support/source/fake_records.ts";

const DIRECTORY = "/root/checkpoints/node";

const node = (labels: Readonly<Record<string, string>>): KnownNode => ({
  uid: "u1",
  labels,
  taints: [{ key: "k", effect: "NoExecute" }],
});

class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly said: string[] = [];
  readonly kept: KeptNode;
  found = 0;
  readonly #stop = new AbortController();
  #running = Promise.resolve();

  constructor(files: FakeRecords, origin: string = "a kiosk") {
    const { clock } = this;
    this.kept = new KeptNode({ directory: DIRECTORY, origin }, {
      ...{ clock, files, log: messagesTo(this.said) },
    });
  }

  async run(): Promise<this> {
    this.#running = this.kept.run(() => this.found++, this.#stop.signal);
    await this.clock.advance(0);
    return this;
  }

  async save(labels: Readonly<Record<string, string>>): Promise<void> {
    this.kept.save(node(labels));
    await this.clock.advance(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }
}

/** A disk on which an agent before has kept something. */
async function keptBefore(): Promise<FakeRecords> {
  const files = new FakeRecords();
  await using rig = await new Rig(files).run();
  await rig.save({ disk: "ssd" });
  return files;
}

Deno.test("the next agent finds what was kept, and is told", async () => {
  await using rig = await new Rig(await keptBefore()).run();
  deepStrictEqual(rig.kept.current, node({ disk: "ssd" }));
  strictEqual(rig.found, 1);
});

Deno.test("where nothing was kept nothing is found, and nobody told", async () => {
  await using rig = await new Rig(new FakeRecords()).run();
  deepStrictEqual([rig.kept.current, rig.found], [undefined, 0]);
  deepStrictEqual(rig.said, []);
});

Deno.test("what another cluster said of the node is not found", async () => {
  await using rig = await new Rig(await keptBefore(), "b kiosk").run();
  deepStrictEqual([rig.kept.current, rig.found], [undefined, 0]);
});

Deno.test("it is written when it is another one, by this agent or the one before, and only then", async () => {
  const files = await keptBefore();
  strictEqual(files.writes, 1);
  await using rig = await new Rig(files).run();
  await rig.save({ disk: "ssd" });
  strictEqual(files.writes, 1);
  const { length } = files.calls;
  await rig.save({ disk: "ssd" });
  strictEqual(files.calls.length, length);
  await rig.save({ disk: "hdd" });
  await rig.save({ disk: "hdd" });
  strictEqual(files.writes, 2);
  deepStrictEqual(rig.kept.current, node({ disk: "hdd" }));
});

Deno.test("one that is damaged is set aside, said, and never found again", async () => {
  const files = await keptBefore();
  files.spoil(DIRECTORY, (text) => text.replace("ssd", "hdd"));
  await using rig = await new Rig(files).run();
  deepStrictEqual([rig.kept.current, rig.found], [undefined, 0]);
  deepStrictEqual(rig.said, ["checkpoint_corrupt"]);
  const [name = "", ...others] = files.namesIn(DIRECTORY);
  deepStrictEqual(others, []);
  match(name, /\.corrupt-1$/);
  await rig.save({ disk: "ssd" });
  strictEqual(files.namesIn(DIRECTORY).length, 2);
});

Deno.test("one that was damaged since is set aside before another is written", async () => {
  const files = new FakeRecords();
  await using rig = await new Rig(files).run();
  await rig.save({ disk: "ssd" });
  files.spoil(DIRECTORY, () => "garbage");
  await rig.save({ disk: "hdd" });
  deepStrictEqual(rig.said, ["checkpoint_corrupt"]);
  strictEqual(files.namesIn(DIRECTORY).length, 2);
});

Deno.test("one of another shape is damaged, whatever its checksum says", async () => {
  const files = new FakeRecords();
  {
    await using rig = await new Rig(files).run();
    await rig.save({ disk: "ssd" });
    rig.kept.save({ ...node({}), uid: JSON.parse("7") });
    await rig.clock.advance(0);
  }
  await using rig = await new Rig(files).run();
  strictEqual(rig.kept.current, undefined);
  deepStrictEqual(rig.said, ["checkpoint_corrupt"]);
});

Deno.test("a disk that refuses to read is asked again, after 1 s, then 2, until it gives", async () => {
  const files = await keptBefore();
  files.failing = (call) => call.startsWith("read") ? "worn out" : undefined;
  await using rig = await new Rig(files).run();
  const reads = () => files.calls.filter((each) => each.startsWith("read"));
  const { length } = reads();
  await rig.clock.advance(999);
  strictEqual(reads().length, length);
  await rig.clock.advance(1);
  strictEqual(reads().length, length + 1);
  deepStrictEqual([rig.kept.current, rig.found], [undefined, 0]);
  files.failing = () => undefined;
  await rig.clock.advance(2_000);
  deepStrictEqual(rig.kept.current, node({ disk: "ssd" }));
  strictEqual(rig.found, 1);
  deepStrictEqual(rig.said, ["checkpoint_unreadable", "checkpoint_unreadable"]);
});

Deno.test("what the cluster says counts before what the disk gives later", async () => {
  const files = await keptBefore();
  const disk = Promise.withResolvers<void>();
  files.hanging = (call) => call.startsWith("read") ? disk.promise : undefined;
  await using rig = await new Rig(files).run();
  rig.kept.save(node({ disk: "new" }));
  disk.resolve();
  await rig.clock.advance(0);
  deepStrictEqual(rig.kept.current, node({ disk: "new" }));
});

Deno.test("a disk that refuses to write is said once, and tried again with the newest", async () => {
  const files = new FakeRecords();
  files.failing = (call) => call.startsWith("write") ? "full" : undefined;
  await using rig = await new Rig(files).run();
  await rig.save({ disk: "ssd" });
  await rig.save({ disk: "hdd" });
  deepStrictEqual(rig.said, ["node_checkpoint_failed"]);
  files.failing = () => undefined;
  await rig.clock.advance(60_000);
  ok(rig.said.includes("node_checkpoint_recovered"));
  await using next = await new Rig(files).run();
  deepStrictEqual(next.kept.current, node({ disk: "hdd" }));
});
