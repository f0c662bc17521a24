/**
 * That the node ended a pod is noted once each time, and outlives the pod's next lives.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { PodStatus } from "../../../mod/api/types/mod.ts";
import type { EvictionNote } from "../../../mod/pod/recovery/mod.ts";
import type { StatusManager } from "../../../mod/status/status_manager.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { NOW_MS } from "../../support/observed_pods.ts";
import {
  manager,
  phaseStatus,
  statusPod,
} from "../../support/status/builders.ts";
import { POD, recordsRig } from "../../support/status/records_rig.ts";

/** The status of a pod that ran for a moment before the node ended it. */
function evicted(message: string = "memory was short"): PodStatus {
  return {
    ...phaseStatus("Failed"),
    reason: "Evicted",
    message,
    startTime: new Date(NOW_MS - 60_000).toISOString(),
    conditions: [{
      type: "DisruptionTarget",
      status: "True",
      reason: "TerminationByKubelet",
    }],
  };
}

function note(times: number, rest: Partial<EvictionNote> = {}): EvictionNote {
  return { times, atMs: NOW_MS, message: "memory was short", ...rest };
}

interface Row {
  readonly name: string;
  readonly act: (statuses: StatusManager) => void;
  readonly noted: EvictionNote | undefined;
}

const ROWS: readonly Row[] = [
  {
    name: "notes nothing of a pod that failed by itself",
    act: (statuses) =>
      void statuses.setPodStatus(POD, { ...evicted(), reason: "Error" }),
    noted: undefined,
  },
  {
    name: "notes an eviction of a pod of which nothing was known",
    act: (statuses) => void statuses.setPodStatus(POD, evicted()),
    noted: note(1),
  },
  {
    name: "notes an eviction of a pod that ran",
    act: (statuses) => {
      statuses.setPodStatus(POD, phaseStatus("Running"));
      statuses.setPodStatus(POD, evicted());
    },
    noted: note(1),
  },
  {
    name: "notes one eviction once, whatever else its status says",
    act: (statuses) => {
      statuses.setPodStatus(POD, evicted());
      statuses.setPodStatus(POD, evicted("it has ended"));
    },
    noted: note(1),
  },
  {
    name: "counts the evictions of a pod that begins anew",
    act: (statuses) => {
      statuses.setPodStatus(POD, evicted());
      statuses.renew("u");
      statuses.setPodStatus(POD, evicted());
      statuses.renew("u");
      statuses.setPodStatus(POD, phaseStatus("Running"));
      statuses.setPodStatus(POD, evicted("the disk was full"));
    },
    noted: note(3, { message: "the disk was full" }),
  },
  {
    name: "takes over what an earlier agent noted, and notes it no second time",
    act: (statuses) => {
      const eviction = note(4, { atMs: 1 });
      const ended = evicted();
      statuses.restore("u", { restartCounts: {}, ended, eviction });
      statuses.setPodStatus(POD, evicted("it has ended"));
    },
    noted: note(4, { atMs: 1 }),
  },
  {
    name: "notes an eviction of which an earlier agent wrote the status alone",
    act: (statuses) => {
      statuses.restore("u", { restartCounts: {}, ended: evicted() });
      strictEqual(statuses.eviction("u"), undefined);
      statuses.setPodStatus(POD, evicted());
    },
    noted: note(1),
  },
  {
    name: "forgets the evictions of a pod that is gone",
    act: (statuses) => {
      statuses.setPodStatus(POD, evicted());
      statuses.remove("u");
    },
    noted: undefined,
  },
  {
    name: "forgets the evictions of a pod that nobody knows",
    act: (statuses) => {
      statuses.setPodStatus(POD, evicted());
      statuses.renew("u");
      statuses.removeOrphanedStatuses(new Set(["v"]));
    },
    noted: undefined,
  },
  {
    name: "keeps the evictions of a pod that is known and has no status",
    act: (statuses) => {
      statuses.setPodStatus(POD, evicted());
      statuses.renew("u");
      statuses.removeOrphanedStatuses(new Set(["u"]));
    },
    noted: note(1),
  },
];
for (const { name, act, noted } of ROWS) {
  Deno.test(`StatusManager ${name}`, () => {
    const statuses = manager(new FakeClock(NOW_MS));
    act(statuses);
    deepStrictEqual(statuses.eviction("u"), noted);
    strictEqual(statuses.eviction("v"), undefined);
  });
}

Deno.test("StatusRecords keeps it that the node ended a pod, also when that runs again", async () => {
  const { statuses, records, disk, clock } = recordsRig();
  statuses.setPodStatus(POD, evicted());
  await records.keep("u");
  const first = statuses.eviction("u");
  strictEqual(first?.message, "memory was short");
  strictEqual(first.atMs, clock.now());
  statuses.renew("u");
  statuses.setPodStatus(POD, phaseStatus("Running"));
  await records.keep("u");
  // Both have to survive a power cut.
  deepStrictEqual(disk.writes, [true, true]);
  const again = recordsRig(disk);
  await again.load(["u"]);
  deepStrictEqual(again.statuses.eviction("u"), first);
  strictEqual(again.statuses.get("u")?.phase, "Pending");
});

Deno.test("StatusManager.setPodStatus() lowers no restart count for a status that says nothing of containers", () => {
  const statuses = manager();
  const pod = statusPod("u");
  statuses.setPodStatus(pod, phaseStatus("Running", [7, 2]));
  statuses.setPodStatus(pod, { phase: "Pending" });
  statuses.setPodStatus(pod, { phase: "Pending", message: "still" });
  statuses.setPodStatus(pod, phaseStatus("Running", [0, 3]));
  deepStrictEqual(statuses.get("u"), phaseStatus("Running", [7, 3]));
});
