/**
 * Since when conditions are as they are, over a restart of the agent.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import type { PodStatus } from "../../../mod/api/types/mod.ts";
import type { StatusManager } from "../../../mod/status/status_manager.ts";
import type { RecordDisk } from "../../support/record_disk.ts";
import { manager } from "../../support/status/builders.ts";
import {
  POD,
  recordedStatus,
  recordsRig,
  runningStatus,
} from "../../support/status/records_rig.ts";

const EARLIER = "2026-01-02T04:00:00Z";
const LATER = "2026-01-02T05:00:00Z";

function readySince(since: string, status = "True"): PodStatus {
  const ready = { type: "Ready", status, lastTransitionTime: since };
  return { ...runningStatus("x"), conditions: [ready] };
}

interface Recall {
  readonly name: string;
  /** What the earlier agent told; ready since {@linkcode EARLIER} by default. */
  readonly told?: PodStatus;
  readonly damage?: (disk: RecordDisk) => Promise<void> | void;
  readonly since: string;
}

const RECALLS: readonly Recall[] = [
  { name: "keeps the time of a condition that is as it was", since: EARLIER },
  {
    name: "gives a condition that changed meanwhile its own time",
    told: readySince(EARLIER, "False"),
    since: LATER,
  },
  {
    name: "does not believe a time that is ahead of the clock",
    told: readySince("2040-01-01T00:00:00Z"),
    since: LATER,
  },
  {
    name: "does not believe what is no time",
    told: readySince("yesterday"),
    since: LATER,
  },
  {
    name: "does not believe the run record of an earlier life of the UID",
    damage: async (disk) => {
      const other = recordsRig();
      other.statuses.setPodStatus(POD, {
        ...readySince(EARLIER),
        startTime: "2026-01-02T04:30:00Z",
      });
      await other.records.keep("u");
      disk.putRecord("u", other.disk.record("u") ?? {});
    },
    since: LATER,
  },
  {
    name: "does not believe a run record beside which there is no other",
    damage: (disk) => disk.texts.clear(),
    since: LATER,
  },
];

for (const { name, told, damage, since } of RECALLS) {
  Deno.test(`StatusRecords.load() ${name}`, async () => {
    const { statuses, records, disk, runFiles } = recordsRig();
    statuses.setPodStatus(POD, told ?? readySince(EARLIER));
    await records.keep("u");
    await damage?.(disk);
    const again = recordsRig(disk, runFiles);
    await again.load(["u"]);
    again.statuses.setPodStatus(POD, readySince(LATER));
    const [ready] = again.statuses.get("u")?.conditions ?? [];
    strictEqual(ready?.lastTransitionTime, since);
    // Only the first status is compared with what was before.
    again.statuses.setPodStatus(POD, readySince(LATER));
    strictEqual(
      again.statuses.get("u")?.conditions?.[0]?.lastTransitionTime,
      LATER,
    );
  });
}

Deno.test("StatusManager.recall() is not believed of a pod that is unknown, has ended, or begins anew", () => {
  const { startTime, ...rest } = readySince(EARLIER);
  const conditions = { Ready: { status: "True", since: EARLIER } };
  const since = (statuses: StatusManager): string | undefined => {
    statuses.setPodStatus(POD, { ...rest, ...readySince(LATER) });
    return statuses.get("u")?.conditions?.[0]?.lastTransitionTime;
  };
  const record = { ...startTime && { startTime }, restartCounts: {} };
  const unknown = manager();
  unknown.recall("u", { ...record, conditions });
  strictEqual(since(unknown), LATER);
  const over = manager();
  const ended = { ...readySince(EARLIER), phase: "Failed" };
  over.restore("u", { ...record, ended });
  over.recall("u", { ...record, conditions });
  strictEqual(since(over), LATER);
  const anew = manager();
  anew.restore("u", record);
  anew.recall("u", { ...record, conditions });
  anew.renew("u");
  strictEqual(since(anew), LATER);
  const same = manager();
  same.restore("u", record);
  same.recall("u", { ...record, conditions });
  strictEqual(since(same), EARLIER);
});

Deno.test("StatusRecords.load() keeps the times of a pod whose containers wait to be restarted", async () => {
  const { statuses, records, disk, runFiles } = recordsRig();
  const unready = (since: string): PodStatus => ({
    ...recordedStatus("Running", 3),
    conditions: [{ type: "Ready", status: "False", lastTransitionTime: since }],
  });
  statuses.setPodStatus(POD, unready(EARLIER));
  await records.keep("u");
  const again = recordsRig(disk, runFiles);
  await again.load(["u"]);
  again.statuses.setPodStatus(POD, unready(LATER));
  strictEqual(
    again.statuses.get("u")?.conditions?.[0]?.lastTransitionTime,
    EARLIER,
  );
});
