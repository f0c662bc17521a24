/**
 * What of a status outlives the agent (I4, PW-08, PW-15).
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { ContainerStatus, PodStatus } from "../../../mod/api/mod.ts";
import { seededRandom, silentLogger } from "../../../mod/base/mod.ts";
import {
  type RecordFiles,
  type RunRecordFiles,
  StatusManager,
  StatusRecords,
} from "../../../mod/status/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { container, podOf } from "./builders.ts";

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

/** A run directory in memory. */
class MemoryRunFiles implements RunRecordFiles {
  readonly texts = new Map<string, string>();
  writes = 0;

  list(): Promise<readonly string[]> {
    return Promise.resolve([...this.texts.keys()]);
  }

  read(uid: string): Promise<string | undefined> {
    return Promise.resolve(this.texts.get(uid));
  }

  write(uid: string, text: string): Promise<void> {
    this.writes++;
    this.texts.set(uid, text);
    return Promise.resolve();
  }

  remove(uid: string): Promise<void> {
    this.texts.delete(uid);
    return Promise.resolve();
  }
}

const START = "2026-01-02T03:04:05Z";
const POD = podOf("u");

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

function setUp(files = new MemoryFiles(), runFiles = new MemoryRunFiles()) {
  const clock = new FakeClock();
  const log = silentLogger;
  const statuses = new StatusManager({ clock, log });
  const random = seededRandom(1);
  const records = new StatusRecords({
    statuses,
    files,
    runFiles,
    log,
    clock,
    random,
  });
  return { statuses, records, files, runFiles, clock };
}

async function reload(files: MemoryFiles): Promise<StatusManager> {
  const { statuses, records } = setUp(files);
  await records.load(files.texts.keys());
  return statuses;
}

Deno.test("StatusRecords.keep() writes once for a pod that just runs", async () => {
  const { statuses, records, files } = setUp();
  for (const phase of ["Pending", "Running", "Running"]) {
    statuses.setPodStatus(POD, { ...status(phase), podIP: phase });
    await records.keep("u");
  }
  deepStrictEqual(files.writes, [false]);
  const again = await reload(files);
  deepStrictEqual(again.get("u"), { phase: "Pending", startTime: START });
});

Deno.test("StatusRecords.keep() remembers restarts, so that a count never falls (I4)", async () => {
  const { statuses, records, files } = setUp();
  for (const restartCount of [0, 3, 3]) {
    statuses.setPodStatus(POD, status("Running", restartCount));
    await records.keep("u");
  }
  strictEqual(files.writes.length, 2);
  const again = await reload(files);
  again.setPodStatus(POD, status("Running", 1));
  strictEqual(again.get("u")?.containerStatuses?.[0]?.restartCount, 3);
});

Deno.test("StatusRecords.keep() writes the end of a pod for good, with all of its status", async () => {
  const { statuses, records, files } = setUp();
  const ended = {
    ...status("Failed", 2),
    reason: "DeadlineExceeded",
    message: "too long",
  };
  statuses.setPodStatus(POD, ended);
  await records.keep("u");
  deepStrictEqual(files.writes, [true]);
  const again = await reload(files);
  deepStrictEqual(again.get("u"), ended);
});

Deno.test("StatusRecords.keep() writes nothing for a pod that never had containers", async () => {
  const { statuses, records, files } = setUp();
  await records.keep("u");
  statuses.setPodStatus(POD, {
    phase: "Failed",
    reason: "OutOfcpu",
    startTime: START,
  });
  await records.keep("u");
  deepStrictEqual(files.writes, []);
});

Deno.test("StatusRecords.keep() waits for the directory of a pod, and for room on the disk", async () => {
  const { statuses, records, files } = setUp();
  files.directories.clear();
  statuses.setPodStatus(POD, status("Running"));
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
  statuses.setPodStatus(POD, status("Succeeded"));
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
  statuses.setPodStatus(POD, status("Running"));
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
    statuses.setPodStatus(POD, status("Succeeded"));
    await records.keep("u");
    files.texts.set("u", damage(files.texts.get("u") ?? ""));
    const again = await reload(files);
    strictEqual(again.get("u"), undefined);
  });
}

function running(
  id: string,
  rest: Partial<ContainerStatus> = {},
): PodStatus {
  const at = container("c", {
    containerID: `containerd://${id}`,
    state: { running: {} },
    ...rest,
  });
  return { phase: "Running", startTime: START, containerStatuses: [at] };
}

Deno.test("StatusRecords.remembered() tells how containers were before the agent's restart (ST-04)", async () => {
  const { statuses, records, runFiles, files } = setUp();
  statuses.setPodStatus(POD, running("x", { started: true, ready: true }));
  await records.keep("u");
  // What it saw itself is in the status; it remembers what was before it.
  strictEqual(records.remembered("x"), undefined);
  const again = setUp(files, runFiles).records;
  await again.load(["u"]);
  deepStrictEqual(again.remembered("x"), { ready: true, started: true });
  strictEqual(again.remembered("y"), undefined);
  strictEqual(again.remembered("constructor"), undefined);
});

Deno.test("StatusRecords.keep() writes to the run directory what changes, and nothing to the disk for it", async () => {
  const { statuses, records, runFiles, files } = setUp();
  for (const ready of [false, true, true, false]) {
    statuses.setPodStatus(POD, running("x", { started: true, ready }));
    statuses.setPodStatus(POD, {
      ...running("x", { started: true, ready }),
      podIP: "10.0.0.1",
    });
    await records.keep("u");
  }
  strictEqual(runFiles.writes, 3);
  strictEqual(files.writes.length, 1);
});

Deno.test("StatusRecords.run() writes readiness as soon as it changes, nobody asking for it", async () => {
  const { statuses, records, runFiles, clock } = setUp();
  const stop = new AbortController();
  const run = records.run(stop.signal);
  statuses.setPodStatus(POD, running("x", { started: true }));
  await clock.advance(0);
  match(runFiles.texts.get("u") ?? "", /"ready":false/);
  statuses.setPodStatus(POD, running("x", { started: true, ready: true }));
  await clock.advance(0);
  match(runFiles.texts.get("u") ?? "", /"ready":true/);
  const { writes } = runFiles;
  await clock.advance(3_600_000);
  strictEqual(runFiles.writes, writes);
  strictEqual(clock.pendingTimers, 0);
  stop.abort();
  await run;
});

const EARLIER = "2026-01-02T04:00:00Z";
const LATER = "2026-01-02T05:00:00Z";

function readySince(since: string, status = "True"): PodStatus {
  const ready = { type: "Ready", status, lastTransitionTime: since };
  return { ...running("x"), conditions: [ready] };
}

interface Recall {
  readonly name: string;
  /** What the earlier agent told; ready since {@linkcode EARLIER} by default. */
  readonly told?: PodStatus;
  readonly damage?: (files: MemoryFiles) => Promise<void> | void;
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
    damage: async (files) => {
      const other = setUp();
      other.statuses.setPodStatus(POD, {
        ...readySince(EARLIER),
        startTime: "2026-01-02T04:30:00Z",
      });
      await other.records.keep("u");
      files.texts.set("u", other.files.texts.get("u") ?? "");
    },
    since: LATER,
  },
  {
    name: "does not believe a run record beside which there is no other",
    damage: (files) => files.texts.clear(),
    since: LATER,
  },
];

for (const { name, told, damage, since } of RECALLS) {
  Deno.test(`StatusRecords.load() ${name}`, async () => {
    const { statuses, records, files, runFiles } = setUp();
    statuses.setPodStatus(POD, told ?? readySince(EARLIER));
    await records.keep("u");
    await damage?.(files);
    const again = setUp(files, runFiles);
    await again.records.load(["u"]);
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

Deno.test("StatusRecords.load() keeps the times of a pod whose containers wait to be restarted", async () => {
  const { statuses, records, files, runFiles } = setUp();
  const unready = (since: string): PodStatus => ({
    ...status("Running", 3),
    conditions: [{ type: "Ready", status: "False", lastTransitionTime: since }],
  });
  statuses.setPodStatus(POD, unready(EARLIER));
  await records.keep("u");
  const again = setUp(files, runFiles);
  await again.records.load(["u"]);
  again.statuses.setPodStatus(POD, unready(LATER));
  strictEqual(
    again.statuses.get("u")?.conditions?.[0]?.lastTransitionTime,
    EARLIER,
  );
});

const gone: readonly {
  readonly how: string;
  readonly end: (rig: ReturnType<typeof setUp>) => void;
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
    end: ({ statuses }) => void statuses.setPodStatus(POD, status("Failed")),
  },
];
for (const { how, end } of gone) {
  Deno.test(`StatusRecords.run() removes the run record of a pod that is ${how}`, async () => {
    const rig = setUp();
    const stop = new AbortController();
    const run = rig.records.run(stop.signal);
    rig.statuses.setPodStatus(POD, running("x"));
    await rig.clock.advance(0);
    strictEqual(rig.runFiles.texts.size, 1);
    end(rig);
    await rig.clock.advance(0);
    strictEqual(rig.runFiles.texts.size, 0);
    stop.abort();
    await run;
  });
}

Deno.test("StatusRecords.load() clears away run records of pods that are not there any more", async () => {
  const { statuses, records, runFiles } = setUp();
  statuses.setPodStatus(POD, running("x"));
  await records.keep("u");
  const again = setUp(new MemoryFiles(), runFiles).records;
  await again.load(["v"]);
  strictEqual(runFiles.texts.size, 0);
  strictEqual(again.remembered("x"), undefined);
});

Deno.test("StatusRecords.keep() is held up by no run directory that is full", async () => {
  const { statuses, records, files, runFiles, clock } = setUp();
  const { write } = runFiles;
  runFiles.write = () => Promise.reject(new Error("No space left"));
  const stop = new AbortController();
  const run = records.run(stop.signal);
  statuses.setPodStatus(POD, running("x", { ready: true }));
  await records.keep("u");
  deepStrictEqual(files.writes, [false]);
  runFiles.write = write;
  await clock.advance(10_000);
  strictEqual(runFiles.texts.size, 1);
  stop.abort();
  await run;
});

Deno.test("StatusRecords.load() waits for all run records, also when one cannot be cleared away", async () => {
  const { statuses, records, runFiles } = setUp();
  statuses.setPodStatus(POD, running("x", { ready: true }));
  await records.keep("u");
  const text = runFiles.texts.get("u");
  runFiles.texts.set("stranger", "");
  runFiles.remove = () => Promise.reject(new Error("Not permitted"));
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  runFiles.read = () => promise;
  const again = setUp(new MemoryFiles(), runFiles);
  const loaded = again.records.load(["u"]);
  await again.clock.advance(0);
  resolve(text);
  await loaded;
  strictEqual(again.records.remembered("x")?.ready, true);
});

for (const [what, damage] of Object.entries(BROKEN)) {
  Deno.test(`StatusRecords.load() remembers nothing by a run record that is ${what}`, async () => {
    const { statuses, records, runFiles } = setUp();
    statuses.setPodStatus(POD, running("Succeeded", { ready: true }));
    await records.keep("u");
    runFiles.texts.set("u", damage(runFiles.texts.get("u") ?? ""));
    const again = setUp(new MemoryFiles(), runFiles).records;
    await again.load(["u"]);
    strictEqual(again.remembered("Succeeded"), undefined);
    strictEqual(again.remembered("Failed"), undefined);
  });
}
