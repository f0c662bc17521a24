import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { Sessions } from "../../../../mod/base/mod.ts";
import type { PodEvent } from "../../../../mod/api/types/mod.ts";
import {
  type PodRecordDisk,
  sealRecord,
} from "../../../../mod/host/files/mod.ts";
import type { ObservedContainer } from "../../../../mod/pod/observed/mod.ts";
import { ContainerNotes } from "../../../../mod/runtime/observe/container_notes.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { ended, NOW_MS, observed, pod, seen } from "../../pod/builders.ts";

/** A disk of one file, and what went wrong with it. */
class Disk {
  readonly sessions = new Sessions();
  text: string | undefined;
  writes = 0;
  /** Whether each write was to survive a power cut. */
  readonly durable: boolean[] = [];
  isBroken = false;
  readonly events: PodEvent[] = [];
  readonly clock = new FakeClock(NOW_MS);

  readonly files: PodRecordDisk = {
    makeDirectory: () => Promise.resolve(),
    replace: (path, text, { durable }) => {
      strictEqual(path, "/pods/u1/containers.json");
      if (this.isBroken) return Promise.reject(new Error("read-only"));
      this.text = text;
      this.writes++;
      this.durable.push(durable);
      return Promise.resolve();
    },
    readTail: () =>
      this.isBroken ? Promise.reject(new Error("EIO")) : Promise.resolve(
        this.text === undefined
          ? undefined
          : new TextEncoder().encode(this.text),
      ),
  };

  /** As an agent begins with it. */
  notes(): ContainerNotes {
    return new ContainerNotes({
      files: this.files,
      clock: this.clock,
      sessions: this.sessions,
      events: { record: (_pod, event) => void this.events.push(event) },
    }, { podsDir: "/pods" });
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
  strictEqual(disk.writes, 1);
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
  const { writes } = disk;
  await next.postStartEnded(subject, "a-0");
  strictEqual(disk.writes, writes);
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
  strictEqual(disk.writes, 1);
  await notes.stopping(subject, [stop("a")], { graceSeconds: 5 });
  strictEqual(disk.writes, 2);
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
  deepStrictEqual(disk.durable, [false, true, true]);
});

Deno.test("ContainerNotes does not take what cannot be read for nothing at once", async () => {
  const disk = new Disk();
  await disk.notes().stopping(subject, [stop("a")], { graceSeconds: 5 });
  const next = disk.notes();
  disk.isBroken = true;
  await rejects(completed(next, endedAfter(1)), /EIO/);
  await rejects(completed(next, endedAfter(1)), /EIO/);
  disk.isBroken = false;
  strictEqual((await completed(next, endedAfter(1)))?.stopped, "to_restart");
  // A disk that is broken for good holds up no pod.
  const last = disk.notes();
  disk.isBroken = true;
  await rejects(completed(last, endedAfter(1)), /EIO/);
  await rejects(completed(last, endedAfter(1)), /EIO/);
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
  strictEqual(disk.writes, 0);
});

Deno.test("ContainerNotes goes on with what it knows when the disk refuses, and says so", async () => {
  const disk = new Disk();
  disk.isBroken = true;
  const notes = disk.notes();
  await rejects(completed(notes, endedAfter(1)), /EIO/);
  await notes.stopping(subject, [stop("a")], { graceSeconds: 5 });
  strictEqual((await completed(notes, endedAfter(1)))?.stopped, "to_restart");
  strictEqual(disk.events[0]?.reason, "FailedCheckpoint");
  match(disk.events[0]?.message ?? "", /restart of the agent: read-only$/);
});

Deno.test("ContainerNotes takes a file that it did not write for none", async () => {
  const halves = { as: "to_restart", sinceMs: 1.5, untilMs: 2 * NOW_MS };
  const { text: forged } = sealRecord({
    containers: { "a-0": { name: "a", stop: halves } },
  });
  for (
    const text of [
      "",
      "{",
      "null",
      '{"containers":{"a-0":{"name":"a"}}}',
      forged,
    ]
  ) {
    const disk = new Disk();
    disk.text = text;
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
  disk.text = undefined;
  disk.sessions.delete("u1");
  strictEqual((await completed(notes, endedAfter(1)))?.stopped, undefined);
});
