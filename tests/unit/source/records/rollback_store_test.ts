/**
 * Versions of pods, kept on a disk that may refuse.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { sealRecord } from "../../../../mod/host/files/mod.ts";
import type { PodHistory } from "../../../../mod/pod/recovery/mod.ts";
import { DiskRollbackStore } from "../../../../mod/source/records/rollback_store.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { pod } from "../../../support/pods.ts";
import { FakeRecords } from "../../../support/source/fake_records.ts";
import { messagesTo } from "../../../support/log_lines.ts";

const HISTORY: PodHistory = {
  good: pod(),
  bad: { revision: "r", uid: "u2", atMs: 5, afterMs: 60_000 },
};
const OTHER: PodHistory = {
  good: pod({ metadata: { uid: "u3" } }),
  trial: { revision: "s", usedMs: 7, isPaused: true },
};

/** One agent after the other over the same disk. */
class Rig {
  readonly clock: FakeClock = new FakeClock();
  readonly files: FakeRecords = new FakeRecords();
  readonly log: string[] = [];

  open(): DiskRollbackStore {
    const { clock, files } = this;
    const log = messagesTo(this.log, { clock });
    return new DiskRollbackStore("/r", { clock, log, files });
  }

  /** Runs a store for a while, then ends it. */
  async run(store: DiskRollbackStore, ms = 0): Promise<void> {
    const stop = new AbortController();
    const done = store.run(stop.signal);
    await this.clock.advance(ms);
    stop.abort();
    await done;
  }
}

Deno.test("DiskRollbackStore gives back what was saved, and nothing of what was forgotten", async () => {
  const rig = new Rig();
  deepStrictEqual([...await rig.open().load()], []);
  const store = rig.open();
  store.save("file/default/web", HISTORY);
  store.save("http/default/web", OTHER);
  store.save("file/default/gone", OTHER);
  await rig.run(store);
  store.forget("file/default/gone");
  await rig.run(store);
  const loaded = await rig.open().load();
  deepStrictEqual(
    new Map([...loaded].sort(([a], [b]) => a < b ? -1 : 1)),
    new Map([["file/default/web", HISTORY], ["http/default/web", OTHER]]),
  );
  strictEqual(rig.files.namesIn("/r").length, 2);
});

Deno.test("DiskRollbackStore writes the newest only, and nothing while nothing is asked", async () => {
  const rig = new Rig();
  const store = rig.open();
  store.save("a", OTHER);
  store.save("a", HISTORY);
  await rig.run(store, 3_600_000);
  strictEqual(rig.files.writes, 1);
  deepStrictEqual((await rig.open().load()).get("a"), HISTORY);
});

for (
  const [what, history, waitMs] of [
    ["a version that is good", { good: pod() }, 10_000],
    ["a version that went wrong", HISTORY, 0],
    ["a version on trial", OTHER, 0],
  ] as const
) {
  Deno.test(`DiskRollbackStore writes ${what} after ${waitMs} ms`, async () => {
    const rig = new Rig();
    const store = rig.open();
    const stop = new AbortController();
    const done = store.run(stop.signal);
    await rig.clock.advance(0);
    store.save("a", history);
    if (waitMs > 0) {
      await rig.clock.advance(waitMs - 1);
      strictEqual(rig.files.writes, 0);
      await rig.clock.advance(1);
    } else await rig.clock.advance(0);
    strictEqual(rig.files.writes, 1);
    stop.abort();
    await done;
  });
}

Deno.test("DiskRollbackStore writes what was asked for last when it is told to end", async () => {
  const rig = new Rig();
  const store = rig.open();
  const stop = new AbortController();
  stop.abort();
  store.save("a", HISTORY);
  await store.run(stop.signal);
  strictEqual((await rig.open().load()).size, 1);
});

Deno.test("DiskRollbackStore tries again on a disk that refuses, and says so once", async () => {
  const rig = new Rig();
  rig.files.failing = (call) => call.startsWith("write") ? "full" : undefined;
  const store = rig.open();
  store.save("a", HISTORY);
  const stop = new AbortController();
  const done = store.run(stop.signal);
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.log, ["rollback_record_write_failed"]);
  rig.files.failing = () => undefined;
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.log.slice(1), ["rollback_record_write_recovered"]);
  stop.abort();
  await done;
  strictEqual((await rig.open().load()).size, 1);
});

Deno.test("DiskRollbackStore sets aside what is damaged, and leaves what cannot be read", async () => {
  const rig = new Rig();
  const store = rig.open();
  for (const key of ["a", "b", "c"]) store.save(key, HISTORY);
  await rig.run(store);
  const [first = "", second = ""] = rig.files.namesIn("/r");
  rig.files.files.set(`/r/${first}`, '{"version":1');
  rig.files.failing = (call) => call.includes(second) ? "bad block" : undefined;
  const loading = rig.open().load();
  await rig.clock.advance(10_000);
  strictEqual((await loading).size, 1);
  deepStrictEqual(rig.log, [
    "rollback_record_corrupt",
    "rollback_record_unreadable",
  ]);
  deepStrictEqual(
    rig.files.namesIn("/r").filter((name) => name.includes("corrupt")),
    [`${first}.corrupt-1`],
  );
});

Deno.test("DiskRollbackStore leaves alone a sound record of something else", async () => {
  const rig = new Rig();
  const store = rig.open();
  store.save("a", HISTORY);
  await rig.run(store);
  for (const [at, record] of [{ path: "b" }, { history: OTHER }].entries()) {
    rig.files.files.set(`/r/${at}.json`, sealRecord(record).text);
  }
  deepStrictEqual([...await rig.open().load()], [["a", HISTORY]]);
  deepStrictEqual(rig.log, []);
});

Deno.test("DiskRollbackStore has nothing on a disk that cannot be read", async () => {
  const rig = new Rig();
  rig.files.failing = () => "dead";
  const loading = rig.open().load();
  await rig.clock.advance(10_000);
  deepStrictEqual([...await loading], []);
  deepStrictEqual(rig.log, ["rollback_record_unreadable"]);
});

Deno.test("DiskRollbackStore asks again for what the disk did not give at once", async () => {
  const rig = new Rig();
  const store = rig.open();
  for (const key of ["a", "b"]) store.save(key, HISTORY);
  await rig.run(store);
  const [first = ""] = rig.files.namesIn("/r");
  let refusals = 2;
  rig.files.failing = (call) =>
    call.includes(first) && refusals-- > 0 ? "EMFILE" : undefined;
  const loading = rig.open().load();
  await rig.clock.advance(10_000);
  strictEqual((await loading).size, 2);
  deepStrictEqual(rig.log, []);
});

Deno.test("DiskRollbackStore removes the drafts of a crash once it could read all", async () => {
  const rig = new Rig();
  const store = rig.open();
  store.save("a", HISTORY);
  await rig.run(store);
  const [record = ""] = rig.files.namesIn("/r");
  const draft = `.${record}.1-1.tmp`;
  rig.files.files.set(`/r/${draft}`, "{");
  rig.files.failing = (call) =>
    call === `read /r/${record}` ? "EIO" : undefined;
  const loading = rig.open().load();
  await rig.clock.advance(10_000);
  await loading;
  deepStrictEqual(rig.files.namesIn("/r"), [draft, record]);
  rig.files.failing = () => undefined;
  await rig.open().load();
  deepStrictEqual(rig.files.namesIn("/r"), [record]);
});
