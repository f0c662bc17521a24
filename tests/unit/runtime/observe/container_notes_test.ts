import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { Sessions } from "../../../../mod/base/mod.ts";
import type { PodEvent } from "../../../../mod/api/types/mod.ts";
import type { ObservedContainer } from "../../../../mod/pod/observed/mod.ts";
import { ContainerNotes } from "../../../../mod/runtime/observe/container_notes.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { RecordDisk } from "../../../support/record_disk.ts";
import {
  ended,
  NOW_MS,
  observed,
  seen,
} from "../../../support/observed_pods.ts";
import { pod } from "../../../support/pods.ts";
import { eventsTo } from "../../../support/event_list.ts";

/** The disk under the notes of one agent after another. */
class Disk extends RecordDisk {
  readonly sessions = new Sessions();
  readonly events: PodEvent[] = [];
  readonly clock = new FakeClock(NOW_MS);

  /** As an agent begins with it. */
  notes(): ContainerNotes {
    this.sessions.delete("u-1");
    return new ContainerNotes({
      records: this.records({ sessions: this.sessions }),
      clock: this.clock,
      events: eventsTo(this.events),
    });
  }
}

const subject = pod();

async function completed(
  notes: ContainerNotes,
  container: ObservedContainer,
): Promise<ObservedContainer | undefined> {
  return (await notes.complete(observed([container]))).containers[0];
}

function stop(containerName: string) {
  const containerId = `${containerName}-0`;
  return { containerId, containerName, stopped: "to_restart" } as const;
}

/** The end of container `a`, so many seconds after the moment of the tests. */
function endedAfter(seconds: number): ObservedContainer {
  const finishedAt = BigInt(NOW_MS + seconds * 1_000) * 1_000_000n;
  return ended("a", 0, { finishedAt });
}

Deno.test("ContainerNotes tells the next agent why a container was stopped", async () => {
  const disk = new Disk();
  await disk.notes().stopping(subject, [stop("a")], { graceSeconds: 5 });
  strictEqual(disk.writes.length, 1);
  const next = disk.notes();
  strictEqual((await completed(next, endedAfter(5)))?.stopped, "to_restart");
  strictEqual((await completed(next, seen("a")))?.stopped, undefined);
  const other = { ...endedAfter(5), id: "a-1" };
  strictEqual((await completed(next, other))?.stopped, undefined);
});

Deno.test("ContainerNotes takes no end for its own that came long after the grace", async () => {
  const notes = new Disk().notes();
  await notes.stopping(subject, [stop("a")], { graceSeconds: 5 });
  strictEqual((await completed(notes, endedAfter(65)))?.stopped, "to_restart");
  strictEqual((await completed(notes, endedAfter(66)))?.stopped, undefined);
});

Deno.test("ContainerNotes remembers a hook that is due until it has run", async () => {
  const disk = new Disk();
  const first = disk.notes();
  await first.starting(subject, "a", "a-0");
  strictEqual((await completed(first, seen("a")))?.postStartDue, true);
  const next = disk.notes();
  strictEqual((await completed(next, seen("a")))?.postStartDue, true);
  strictEqual((await completed(next, ended("a", 1)))?.postStartDue, undefined);
  await next.postStartEnded(subject, "a-0");
  strictEqual((await completed(next, seen("a")))?.postStartDue, undefined);
  strictEqual(
    (await completed(disk.notes(), seen("a")))?.postStartDue,
    undefined,
  );
  // Nothing new is nothing to write.
  const writes = disk.writes.length;
  await next.postStartEnded(subject, "a-0");
  strictEqual(disk.writes.length, writes);
});

Deno.test("ContainerNotes remembers a hook as due that failed in a container being stopped", async () => {
  const notes = new Disk().notes();
  await notes.starting(subject, "a", "a-0");
  await notes.stopping(subject, [stop("a")], { graceSeconds: 5 });
  strictEqual((await completed(notes, seen("a")))?.postStartDue, true);
  strictEqual((await completed(notes, endedAfter(1)))?.stopped, "to_restart");
  // A successor has nothing of it.
  await notes.stopping(subject, [{ ...stop("a"), containerId: "a-1" }], {
    graceSeconds: 5,
  });
  const successor = { ...seen("a"), id: "a-1" };
  strictEqual((await completed(notes, successor))?.postStartDue, undefined);
});

Deno.test("ContainerNotes keeps why a container was stopped when its successor is about to start", async () => {
  const disk = new Disk();
  const notes = disk.notes();
  await notes.stopping(subject, [stop("a")], { graceSeconds: 5 });
  await notes.starting(subject, "a", "a-1");
  for (const each of [notes, disk.notes()]) {
    strictEqual((await completed(each, endedAfter(1)))?.stopped, "to_restart");
    const successor = { ...seen("a"), id: "a-1" };
    strictEqual((await completed(each, successor))?.postStartDue, true);
  }
  // That one runs: the one before it matters no more.
  await notes.postStartEnded(subject, "a-1");
  strictEqual((await completed(notes, endedAfter(1)))?.stopped, undefined);
});

Deno.test("ContainerNotes forgets with the next write why those were stopped whose successor was started", async () => {
  const disk = new Disk();
  const notes = disk.notes();
  await notes.stopping(subject, [stop("a"), stop("b")], { graceSeconds: 5 });
  await notes.starting(subject, "a", "a-1");
  const writes = disk.writes.length;
  await notes.started(subject, "a", "a-1");
  await notes.started(subject, "c", "c-1");
  strictEqual(disk.writes.length, writes);
  strictEqual((await completed(notes, endedAfter(1)))?.stopped, undefined);
  const successor = { ...seen("a"), id: "a-1" };
  strictEqual((await completed(notes, successor))?.postStartDue, true);
  const other = { ...endedAfter(1), id: "b-0" };
  strictEqual((await completed(notes, other))?.stopped, "to_restart");
  // Until then the next agent knows it.
  strictEqual(
    (await completed(disk.notes(), endedAfter(1)))?.stopped,
    "to_restart",
  );
});

Deno.test("ContainerNotes remembers two containers of one name that are stopped together", async () => {
  const notes = new Disk().notes();
  const older = { ...stop("a"), containerId: "a-old" };
  await notes.stopping(subject, [stop("a"), older], { graceSeconds: 5 });
  const stray = { ...endedAfter(1), id: "a-old" };
  strictEqual((await completed(notes, endedAfter(1)))?.stopped, "to_restart");
  strictEqual((await completed(notes, stray))?.stopped, "to_restart");
});

Deno.test("ContainerNotes remembers the newest three of a name", async () => {
  const disk = new Disk();
  const notes = disk.notes();
  for (const containerId of ["one", "two", "three", "four"]) {
    await notes.stopping(subject, [{ ...stop("a"), containerId }], {
      graceSeconds: 5,
    });
  }
  await notes.stopping(subject, [stop("b")], { graceSeconds: 5 });
  const told: string[] = [];
  for (const id of ["one", "two", "three", "four"]) {
    const { stopped } = await completed(notes, { ...endedAfter(1), id }) ?? {};
    if (stopped !== undefined) told.push(id);
  }
  deepStrictEqual(told, ["two", "three", "four"]);
});

Deno.test("ContainerNotes remembers the newest 300 of a pod", async () => {
  const names = Array.from({ length: 301 }, (_, number) => `c${number}`);
  const disk = new Disk();
  await disk.notes().stopping(subject, names.map(stop), { graceSeconds: 5 });
  const next = disk.notes();
  const { finishedAt } = endedAfter(1);
  const known = ["c0", "c1", "c300"].map(async (name) => {
    return (await completed(next, ended(name, 0, { finishedAt })))?.stopped;
  });
  deepStrictEqual(await Promise.all(known), [
    undefined,
    "to_restart",
    "to_restart",
  ]);
});

Deno.test("ContainerNotes takes an end for its own that came before it stopped anything", async () => {
  const notes = new Disk().notes();
  await notes.stopping(subject, [stop("a")], { graceSeconds: 5 });
  strictEqual((await completed(notes, endedAfter(-1)))?.stopped, undefined);
  strictEqual((await completed(notes, endedAfter(0)))?.stopped, "to_restart");
  // A runtime that lost the time says nothing about it.
  const timeless = ended("a", 0, { finishedAt: 0n });
  strictEqual((await completed(notes, timeless))?.stopped, "to_restart");
});

Deno.test("ContainerNotes writes a stop once that is tried again and again", async () => {
  const disk = new Disk();
  const notes = disk.notes();
  for (let times = 0; times < 7; times++) {
    await notes.stopping(subject, [stop("a")], { graceSeconds: 5 });
    await disk.clock.advance(10_000);
  }
  strictEqual(disk.writes.length, 1);
  await notes.stopping(subject, [stop("a")], { graceSeconds: 5 });
  strictEqual(disk.writes.length, 2);
  // Any of the attempts may be what ended it.
  strictEqual((await completed(notes, endedAfter(1)))?.stopped, "to_restart");
  strictEqual((await completed(notes, endedAfter(130)))?.stopped, "to_restart");
});

Deno.test("ContainerNotes has a stop survive a power cut, and a hook that is due only with one", async () => {
  const disk = new Disk();
  const notes = disk.notes();
  await notes.starting(subject, "b", "b-0");
  await notes.stopping(subject, [stop("a")], { graceSeconds: 5 });
  await notes.postStartEnded(subject, "b-0");
  deepStrictEqual(disk.writes, [false, true, true]);
});

Deno.test("ContainerNotes does not take what cannot be read for nothing at once", async () => {
  const disk = new Disk();
  await disk.notes().stopping(subject, [stop("a")], { graceSeconds: 5 });
  const next = disk.notes();
  disk.failingReads = 2;
  await rejects(completed(next, endedAfter(1)), /open files/);
  await rejects(completed(next, endedAfter(1)), /open files/);
  strictEqual((await completed(next, endedAfter(1)))?.stopped, "to_restart");
  // A disk that is broken for good holds up no pod.
  const last = disk.notes();
  disk.failingReads = Infinity;
  await rejects(completed(last, endedAfter(1)), /open files/);
  await rejects(completed(last, endedAfter(1)), /open files/);
  strictEqual((await completed(last, endedAfter(1)))?.stopped, undefined);
});

Deno.test("ContainerNotes forgets what it said of a container that is as it was", async () => {
  const notes = new Disk().notes();
  const stale = { ...endedAfter(1), stopped: "as_failed" } as const;
  deepStrictEqual(await completed(notes, stale), endedAfter(1));
});

Deno.test("ContainerNotes writes nothing when nothing is to be remembered", async () => {
  const disk = new Disk();
  const notes = disk.notes();
  await notes.stopping(subject, [], { graceSeconds: 5 });
  await notes.postStartEnded(subject, "a-0");
  strictEqual(disk.writes.length, 0);
});

Deno.test("ContainerNotes goes on with what it knows when the disk refuses, and says so", async () => {
  const disk = new Disk();
  disk.isFull = true;
  disk.failingReads = 1;
  const notes = disk.notes();
  await rejects(completed(notes, endedAfter(1)), /open files/);
  await notes.stopping(subject, [stop("a")], { graceSeconds: 5 });
  strictEqual((await completed(notes, endedAfter(1)))?.stopped, "to_restart");
  strictEqual(disk.events[0]?.reason, "FailedCheckpoint");
  match(disk.events[0]?.message ?? "", /restart of the agent: No space left$/);
});

Deno.test("ContainerNotes takes what it did not write for nothing", async () => {
  const halves = { as: "to_restart", sinceMs: 1.5, untilMs: 2 * NOW_MS };
  for (
    const containers of [
      null,
      "",
      [],
      { containers: { "a-0": 7 } },
      { containers: { "a-0": { name: "a" } } },
      { containers: { "a-0": { name: "a", stop: halves } } },
    ]
  ) {
    const disk = new Disk();
    disk.putRecord("u-1", { containers });
    deepStrictEqual(
      await completed(disk.notes(), endedAfter(1)),
      endedAfter(1),
    );
  }
});

Deno.test("ContainerNotes knows nothing of a pod whose session ended but what the disk has", async () => {
  const disk = new Disk();
  const notes = disk.notes();
  await notes.stopping(subject, [stop("a")], { graceSeconds: 5 });
  disk.texts.clear();
  disk.sessions.delete("u-1");
  strictEqual((await completed(notes, endedAfter(1)))?.stopped, undefined);
});
