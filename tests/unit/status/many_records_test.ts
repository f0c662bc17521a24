/**
 * The records of a thousand pods (N09).
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import { Sessions } from "../../../mod/base/mod.ts";
import { PodRecords } from "../../../mod/host/files/mod.ts";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { StatusManager } from "../../../mod/status/status_manager.ts";
import { StatusRecords } from "../../../mod/status/status_records.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { phaseStatus, statusPod } from "../../support/status/builders.ts";

const UIDS = Array.from({ length: 1000 }, (_, at) => `u${at}`);

Deno.test("StatusRecords has few files open at the same time, however many pods there are (N09)", async () => {
  let open = 0;
  let most = 0;
  let mostRun = 0;
  let count = 0;
  const opened = async <T>(value: T): Promise<T> => {
    most = Math.max(most, ++open);
    count++;
    await Promise.resolve();
    open--;
    return value;
  };
  const clock = new FakeClock();
  const log = silentLogger;
  const statuses = new StatusManager({ clock, log });
  const podRecords = new PodRecords({
    files: {
      list: () => opened(["record.json"]),
      readTail: () => opened(undefined),
      makeDirectory: () => opened(undefined),
      replace: () => opened(undefined),
      remove: () => opened(undefined),
    },
    log,
    clock,
    sessions: new Sessions(),
  }, { podsDir: "/pods" });
  const records = new StatusRecords({
    statuses,
    podRecords,
    runFiles: {
      list: () => Promise.resolve(UIDS),
      read: async () => {
        const read = opened(undefined);
        mostRun = Math.max(mostRun, open);
        return await read;
      },
      write: () => opened(undefined),
      remove: () => opened(undefined),
    },
    log,
    clock,
  });
  await podRecords.load(UIDS);
  await records.load(UIDS);
  strictEqual(count, 3 * UIDS.length);
  for (const uid of UIDS) {
    statuses.setPodStatus(statusPod(uid), phaseStatus("Running"));
  }
  await Promise.all(UIDS.map((uid) => records.keep(uid)));
  strictEqual(count, 4 * UIDS.length);
  strictEqual(open, 0);
  ok(most > 1 && most <= 32, `${most} files`);
  strictEqual(mostRun, 16);
});
