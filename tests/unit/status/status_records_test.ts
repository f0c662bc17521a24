/**
 * What of a status outlives the agent (I4, PW-08, PW-15).
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { StatusManager } from "../../../mod/status/status_manager.ts";
import { statusPod } from "../../support/status/builders.ts";
import { RecordDisk } from "../../support/record_disk.ts";
import {
  POD,
  recordedStatus,
  recordsRig,
  runningStatus,
  START,
} from "../../support/status/records_rig.ts";

async function reload(disk: RecordDisk): Promise<StatusManager> {
  const { statuses, load } = recordsRig(disk);
  await load(["u"]);
  return statuses;
}

Deno.test("StatusRecords.keep() writes once for a pod that just runs", async () => {
  const { statuses, records, disk } = recordsRig();
  for (const phase of ["Pending", "Running", "Running"]) {
    statuses.setPodStatus(POD, { ...recordedStatus(phase), podIP: phase });
    await records.keep("u");
  }
  deepStrictEqual(disk.writes, [false]);
  const again = await reload(disk);
  deepStrictEqual(again.get("u"), { phase: "Pending", startTime: START });
});

Deno.test("StatusRecords.keep() remembers restarts, so that a count never falls (I4)", async () => {
  const { statuses, records, disk } = recordsRig();
  for (const restartCount of [0, 3, 3]) {
    statuses.setPodStatus(POD, recordedStatus("Running", restartCount));
    await records.keep("u");
  }
  strictEqual(disk.writes.length, 2);
  const again = await reload(disk);
  again.setPodStatus(POD, recordedStatus("Running", 1));
  strictEqual(again.get("u")?.containerStatuses?.[0]?.restartCount, 3);
});

Deno.test("StatusRecords.keep() writes the end of a pod for good, with all of its status", async () => {
  const { statuses, records, disk } = recordsRig();
  const ended = {
    ...recordedStatus("Failed", 2),
    reason: "DeadlineExceeded",
    message: "too long",
  };
  statuses.setPodStatus(POD, ended);
  await records.keep("u");
  deepStrictEqual(disk.writes, [true]);
  const again = await reload(disk);
  deepStrictEqual(again.get("u"), ended);
});

Deno.test("StatusRecords.load() does not take a pod for one that never ended because its record could not be read at once (I4)", async () => {
  const { statuses, records, disk } = recordsRig();
  const ended = { ...recordedStatus("Failed"), reason: "Evicted" };
  statuses.setPodStatus(POD, ended);
  await records.keep("u");
  disk.failingReads = 2;
  const next = recordsRig(disk);
  const loaded = next.load(["u"]);
  await next.clock.advance(3_000);
  await loaded;
  deepStrictEqual(next.statuses.get("u"), ended);
  // A disk that is broken for good holds up no agent.
  disk.failingReads = 3;
  const last = recordsRig(disk);
  const given = last.load(["u"]);
  await last.clock.advance(3_000);
  await given;
  strictEqual(last.statuses.get("u"), undefined);
});

Deno.test("StatusRecords.keep() writes nothing for a pod that never had containers", async () => {
  const { statuses, records, disk } = recordsRig();
  await records.keep("u");
  statuses.setPodStatus(POD, {
    phase: "Failed",
    reason: "OutOfcpu",
    startTime: START,
  });
  await records.keep("u");
  deepStrictEqual(disk.writes, []);
});

Deno.test("StatusRecords.keep() waits for the directory of a pod, and for room on the disk", async () => {
  const { statuses, records, disk } = recordsRig();
  disk.directories.clear();
  statuses.setPodStatus(POD, recordedStatus("Running"));
  await records.keep("u");
  disk.directories.add("u");
  disk.isFull = true;
  await records.keep("u");
  strictEqual(disk.texts.size, 0);
  disk.isFull = false;
  await records.keep("u");
  strictEqual(disk.texts.size, 1);
});

Deno.test("StatusRecords.run() writes the end of a pod once the disk takes it, though nobody syncs it any more", async () => {
  const { statuses, records, disk, clock } = recordsRig();
  const stop = new AbortController();
  const running = records.run(stop.signal);
  statuses.setPodStatus(POD, recordedStatus("Succeeded"));
  disk.isFull = true;
  await records.keep("u");
  await clock.advance(30_000);
  strictEqual(disk.texts.size, 0);
  disk.isFull = false;
  await clock.advance(10_000);
  deepStrictEqual(disk.writes, [true]);
  await clock.advance(60_000);
  strictEqual(disk.writes.length, 1);
  stop.abort();
  await running;
});

Deno.test("StatusRecords.forget() has a pod that begins anew written anew", async () => {
  const { statuses, records, disk, sessions } = recordsRig();
  statuses.setPodStatus(POD, recordedStatus("Running"));
  await records.keep("u");
  records.forget("u");
  sessions.delete("u");
  disk.texts.clear();
  await records.keep("u");
  deepStrictEqual(disk.record("u"), {
    status: { startTime: START, restartCounts: {} },
  });
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
    const { statuses, records, disk } = recordsRig();
    statuses.setPodStatus(POD, recordedStatus("Succeeded"));
    await records.keep("u");
    const text = disk.texts.get("u/record.json") ?? "";
    disk.put("u", { "record.json": damage(text) });
    const again = await reload(disk);
    strictEqual(again.get("u"), undefined);
  });
}

Deno.test("StatusRecords.remembered() tells how containers were before the agent's restart (ST-04)", async () => {
  const { statuses, records, runFiles, disk } = recordsRig();
  statuses.setPodStatus(
    POD,
    runningStatus("x", { started: true, ready: true }),
  );
  await records.keep("u");
  // What it saw itself is in the status; it remembers what was before it.
  strictEqual(records.remembered("x"), undefined);
  const { records: again, load } = recordsRig(disk, runFiles);
  await load(["u"]);
  deepStrictEqual(again.remembered("x"), { ready: true, started: true });
  strictEqual(again.remembered("y"), undefined);
  strictEqual(again.remembered("constructor"), undefined);
});

Deno.test("StatusRecords.keep() writes to the run directory what changes, and nothing to the disk for it", async () => {
  const { statuses, records, runFiles, disk } = recordsRig();
  for (const ready of [false, true, true, false]) {
    statuses.setPodStatus(POD, runningStatus("x", { started: true, ready }));
    statuses.setPodStatus(POD, {
      ...runningStatus("x", { started: true, ready }),
      podIP: "10.0.0.1",
    });
    await records.keep("u");
  }
  strictEqual(runFiles.writes, 3);
  strictEqual(disk.writes.length, 1);
});

Deno.test("StatusRecords.run() writes readiness as soon as it changes, nobody asking for it", async () => {
  const { statuses, records, runFiles, clock } = recordsRig();
  const stop = new AbortController();
  const run = records.run(stop.signal);
  statuses.setPodStatus(POD, runningStatus("x", { started: true }));
  await clock.advance(0);
  match(runFiles.texts.get("u") ?? "", /"ready":false/);
  statuses.setPodStatus(
    POD,
    runningStatus("x", { started: true, ready: true }),
  );
  await clock.advance(0);
  match(runFiles.texts.get("u") ?? "", /"ready":true/);
  const { writes } = runFiles;
  await clock.advance(3_600_000);
  strictEqual(runFiles.writes, writes);
  strictEqual(clock.pendingTimers, 0);
  stop.abort();
  await run;
});

const gone: readonly {
  readonly how: string;
  readonly end: (rig: ReturnType<typeof recordsRig>) => void;
}[] = [
  {
    how: "cleared away",
    end: ({ records, statuses }) => {
      records.forget("u");
      statuses.remove("u");
    },
  },
  { how: "removed", end: ({ statuses }) => statuses.remove("u") },
  {
    how: "orphaned",
    end: ({ statuses }) => statuses.removeOrphanedStatuses(new Set()),
  },
  {
    how: "over",
    end: ({ statuses }) =>
      void statuses.setPodStatus(POD, recordedStatus("Failed")),
  },
];
for (const { how, end } of gone) {
  Deno.test(`StatusRecords.run() removes the run record of a pod that is ${how}`, async () => {
    const rig = recordsRig();
    const stop = new AbortController();
    const run = rig.records.run(stop.signal);
    rig.statuses.setPodStatus(POD, runningStatus("x"));
    await rig.clock.advance(0);
    strictEqual(rig.runFiles.texts.size, 1);
    end(rig);
    await rig.clock.advance(0);
    strictEqual(rig.runFiles.texts.size, 0);
    stop.abort();
    await run;
  });
}

Deno.test("StatusRecords.run() writes how a pod ended before it forgets it, also on a disk that refuses for a while", async () => {
  const { statuses, records, disk, runFiles, clock } = recordsRig();
  const stop = new AbortController();
  const run = records.run(stop.signal);
  statuses.setPodStatus(POD, runningStatus("x"));
  await clock.advance(0);
  disk.isFull = true;
  // A release does all of this between two turns of the loop.
  statuses.setPodStatus(POD, recordedStatus("Failed"));
  statuses.remove("u");
  await clock.advance(0);
  strictEqual(runFiles.texts.size, 1);
  disk.isFull = false;
  await clock.advance(10_000);
  deepStrictEqual(disk.writes, [false, true]);
  strictEqual(runFiles.texts.size, 0);
  await clock.advance(60_000);
  strictEqual(disk.writes.length, 2);
  stop.abort();
  await run;
});

Deno.test("StatusRecords.forget() has nothing written of how a pod ended: its directory may be that of its next life", async () => {
  const { statuses, records, disk, sessions, runFiles, clock } = recordsRig();
  const stop = new AbortController();
  const run = records.run(stop.signal);
  statuses.setPodStatus(POD, runningStatus("x"));
  await clock.advance(0);
  statuses.setPodStatus(POD, recordedStatus("Failed"));
  sessions.delete("u");
  disk.texts.clear();
  records.forget("u");
  statuses.renew("u");
  await clock.advance(0);
  deepStrictEqual(disk.writes, [false]);
  strictEqual(runFiles.texts.size, 0);
  statuses.setPodStatus(POD, recordedStatus("Running"));
  await clock.advance(0);
  deepStrictEqual(disk.writes, [false, false]);
  stop.abort();
  await run;
});

Deno.test("StatusRecords.run() writes the end of a pod that an earlier agent told, once, and not again", async () => {
  const first = recordsRig();
  first.statuses.setPodStatus(POD, recordedStatus("Succeeded"));
  await first.records.keep("u");
  const { statuses, records, load, disk, clock } = recordsRig(first.disk);
  await load(["u"]);
  const stop = new AbortController();
  const run = records.run(stop.signal);
  statuses.setPodStatus(POD, recordedStatus("Succeeded"));
  await records.keep("u");
  await clock.advance(60_000);
  strictEqual(disk.writes.length, 1);
  stop.abort();
  await run;
});

Deno.test("StatusRecords.run() is held up by no pod whose disk is slow", async () => {
  const { statuses, records, disk, clock } = recordsRig();
  const stop = new AbortController();
  const run = records.run(stop.signal);
  const gate = Promise.withResolvers<void>();
  const replace = disk.replace.bind(disk);
  disk.put("v");
  disk.replace = async (path, text, options) => {
    if (path.includes("/u/")) await gate.promise;
    await replace(path, text, options);
  };
  statuses.setPodStatus(POD, recordedStatus("Running"));
  await clock.advance(0);
  statuses.setPodStatus(statusPod("v"), recordedStatus("Running"));
  await clock.advance(0);
  deepStrictEqual([...disk.texts.keys()], ["v/record.json"]);
  gate.resolve();
  await clock.advance(0);
  strictEqual(disk.texts.size, 2);
  stop.abort();
  await run;
});

Deno.test("StatusRecords.load() clears away run records of pods that are not there any more", async () => {
  const { statuses, records, runFiles } = recordsRig();
  statuses.setPodStatus(POD, runningStatus("x"));
  await records.keep("u");
  const again = recordsRig(new RecordDisk(), runFiles).records;
  await again.load(["v"]);
  strictEqual(runFiles.texts.size, 0);
  strictEqual(again.remembered("x"), undefined);
});

Deno.test("StatusRecords.keep() is held up by no run directory that is full", async () => {
  const { statuses, records, disk, runFiles, clock } = recordsRig();
  const { write } = runFiles;
  runFiles.write = () => {
    throw new Error("No space left");
  };
  const stop = new AbortController();
  const run = records.run(stop.signal);
  statuses.setPodStatus(POD, runningStatus("x", { ready: true }));
  await records.keep("u");
  deepStrictEqual(disk.writes, [false]);
  runFiles.write = write;
  await clock.advance(10_000);
  strictEqual(runFiles.texts.size, 1);
  stop.abort();
  await run;
});

Deno.test("StatusRecords.load() waits for all run records, also when one cannot be cleared away", async () => {
  const { statuses, records, runFiles } = recordsRig();
  statuses.setPodStatus(POD, runningStatus("x", { ready: true }));
  await records.keep("u");
  const text = runFiles.texts.get("u");
  runFiles.texts.set("unmanaged", "");
  runFiles.remove = () => {
    throw new Error("Not permitted");
  };
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  runFiles.read = () => promise;
  const again = recordsRig(new RecordDisk(), runFiles);
  const loaded = again.records.load(["u"]);
  await again.clock.advance(0);
  resolve(text);
  await loaded;
  strictEqual(again.records.remembered("x")?.ready, true);
});

for (const [what, damage] of Object.entries(BROKEN)) {
  Deno.test(`StatusRecords.load() remembers nothing by a run record that is ${what}`, async () => {
    const { statuses, records, runFiles } = recordsRig();
    statuses.setPodStatus(POD, runningStatus("Succeeded", { ready: true }));
    await records.keep("u");
    runFiles.texts.set("u", damage(runFiles.texts.get("u") ?? ""));
    const again = recordsRig(new RecordDisk(), runFiles).records;
    await again.load(["u"]);
    strictEqual(again.remembered("Succeeded"), undefined);
    strictEqual(again.remembered("Failed"), undefined);
  });
}
