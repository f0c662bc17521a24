/**
 * What of a status outlives the agent (I4, PW-08, PW-15).
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { PodStatus } from "../../../mod/api/mod.ts";
import { silentLogger } from "../../../mod/base/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import {
  type RecordFiles,
  StatusRecords,
  StatusStore,
} from "../../../mod/status/mod.ts";

/** A disk in memory that counts what is written to it. */
class MemoryFiles implements RecordFiles {
  readonly texts = new Map<string, string>();
  readonly writes: boolean[] = [];
  /** Without one, the pod has no directory. */
  directories = new Set(["u"]);
  isFull = false;

  read(uid: string): Promise<string | undefined> {
    return Promise.resolve(this.texts.get(uid));
  }

  write(
    uid: string,
    text: string,
    { durable }: { readonly durable: boolean },
  ): Promise<boolean> {
    if (this.isFull) return Promise.reject(new Error("No space left"));
    if (!this.directories.has(uid)) return Promise.resolve(false);
    this.writes.push(durable);
    this.texts.set(uid, text);
    return Promise.resolve(true);
  }
}

const START = "2026-01-02T03:04:05Z";

function status(phase: string, restartCount = 0): PodStatus {
  return {
    phase,
    startTime: START,
    containerStatuses: [{
      name: "c",
      restartCount,
      ready: false,
      image: "",
      imageID: "",
    }],
  };
}

function setUp(files = new MemoryFiles()) {
  const statuses = new StatusStore();
  const clock = new FakeClock();
  const log = silentLogger;
  const records = new StatusRecords({ statuses, files, log, clock });
  return { statuses, records, files, clock };
}

async function reload(files: MemoryFiles): Promise<StatusStore> {
  const { statuses, records } = setUp(files);
  await records.load(files.texts.keys());
  return statuses;
}

Deno.test("StatusRecords.keep() writes once for a pod that just runs", async () => {
  const { statuses, records, files } = setUp();
  for (const phase of ["Pending", "Running", "Running"]) {
    statuses.set("u", { ...status(phase), podIP: phase });
    await records.keep("u");
  }
  deepStrictEqual(files.writes, [false]);
  const again = await reload(files);
  deepStrictEqual(again.get("u"), { phase: "Pending", startTime: START });
});

Deno.test("StatusRecords.keep() remembers restarts, so that a count never falls (I4)", async () => {
  const { statuses, records, files } = setUp();
  for (const restartCount of [0, 3, 3]) {
    statuses.set("u", status("Running", restartCount));
    await records.keep("u");
  }
  strictEqual(files.writes.length, 2);
  const again = await reload(files);
  again.set("u", status("Running", 1));
  strictEqual(again.get("u")?.containerStatuses?.[0]?.restartCount, 3);
});

Deno.test("StatusRecords.keep() writes the end of a pod for good, with all of its status", async () => {
  const { statuses, records, files } = setUp();
  const ended = {
    ...status("Failed", 2),
    reason: "DeadlineExceeded",
    message: "too long",
  };
  statuses.set("u", ended);
  await records.keep("u");
  deepStrictEqual(files.writes, [true]);
  const again = await reload(files);
  deepStrictEqual(again.get("u"), ended);
});

Deno.test("StatusRecords.keep() writes nothing for a pod that never had containers", async () => {
  const { statuses, records, files } = setUp();
  await records.keep("u");
  statuses.set("u", { phase: "Failed", reason: "OutOfcpu", startTime: START });
  await records.keep("u");
  deepStrictEqual(files.writes, []);
});

Deno.test("StatusRecords.keep() waits for the directory of a pod, and for room on the disk", async () => {
  const { statuses, records, files } = setUp();
  files.directories.clear();
  statuses.set("u", status("Running"));
  await records.keep("u");
  files.directories.add("u");
  files.isFull = true;
  await records.keep("u");
  strictEqual(files.texts.size, 0);
  files.isFull = false;
  await records.keep("u");
  strictEqual(files.texts.size, 1);
});

Deno.test("StatusRecords.run() writes the end of a pod once the disk takes it, though nobody syncs it any more", async () => {
  const { statuses, records, files, clock } = setUp();
  const stop = new AbortController();
  const running = records.run(stop.signal);
  statuses.set("u", status("Succeeded"));
  files.isFull = true;
  await records.keep("u");
  await clock.advance(30_000);
  strictEqual(files.texts.size, 0);
  files.isFull = false;
  await clock.advance(10_000);
  deepStrictEqual(files.writes, [true]);
  await clock.advance(60_000);
  strictEqual(files.writes.length, 1);
  stop.abort();
  await running;
});

Deno.test("StatusRecords.forget() has a pod that begins anew written anew", async () => {
  const { statuses, records, files } = setUp();
  statuses.set("u", status("Running"));
  await records.keep("u");
  records.forget("u");
  files.texts.clear();
  await records.keep("u");
  match(files.texts.get("u") ?? "", /"startTime"/);
});

const BROKEN: Readonly<Record<string, (text: string) => string>> = {
  "an empty file": () => "",
  "half a file": (text) => text.slice(0, text.length / 2),
  "a changed phase": (text) => text.replace("Succeeded", "Failed"),
  "another version": (text) => text.replace('"version":1', '"version":2'),
  "no record": () => "null",
};

for (const [what, damage] of Object.entries(BROKEN)) {
  Deno.test(`StatusRecords.load() believes nothing of ${what}`, async () => {
    const { statuses, records, files } = setUp();
    statuses.set("u", status("Succeeded"));
    await records.keep("u");
    files.texts.set("u", damage(files.texts.get("u") ?? ""));
    const again = await reload(files);
    strictEqual(again.get("u"), undefined);
  });
}
