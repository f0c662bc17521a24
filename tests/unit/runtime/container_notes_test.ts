import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { PodEvent } from "../../../mod/api/mod.ts";
import type { ObservedContainer } from "../../../mod/pod/mod.ts";
import {
  ContainerNotes,
  type NoteFiles,
} from "../../../mod/runtime/container_notes.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { ended, NOW_MS, observed, pod, seen } from "../pod/builders.ts";

/** A disk of one file, and what went wrong with it. */
class Disk {
  text: string | undefined;
  writes = 0;
  isBroken = false;
  readonly events: PodEvent[] = [];
  readonly clock = new FakeClock(NOW_MS);

  readonly files: NoteFiles = {
    makeDirectory: () => Promise.resolve(),
    write: (path, text) => {
      strictEqual(path, "/pods/u1/containers.json");
      if (this.isBroken) return Promise.reject(new Error("read-only"));
      this.text = text;
      this.writes++;
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
  await next.postStartEnded(subject, "a");
  strictEqual((await completed(next, seen("a")))?.postStartDue, undefined);
  strictEqual(
    (await completed(disk.notes(), seen("a")))?.postStartDue,
    undefined,
  );
  // Nothing new is nothing to write.
  const { writes } = disk;
  await next.postStartEnded(subject, "a");
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
  strictEqual((await completed(notes, seen("a")))?.postStartDue, undefined);
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
  await notes.postStartEnded(subject, "a");
  strictEqual(disk.writes, 0);
});

Deno.test("ContainerNotes goes on with what it knows when the disk refuses, and says so", async () => {
  const disk = new Disk();
  disk.isBroken = true;
  const notes = disk.notes();
  strictEqual((await completed(notes, endedAfter(1)))?.stopped, undefined);
  await notes.stopping(subject, [stop("a")], { graceSeconds: 5 });
  strictEqual((await completed(notes, endedAfter(1)))?.stopped, "to_restart");
  strictEqual(disk.events[0]?.reason, "FailedCheckpoint");
  match(disk.events[0]?.message ?? "", /restart of the agent: read-only$/);
});

Deno.test("ContainerNotes takes a file that it did not write for none", async () => {
  for (
    const text of ["", "{", "null", '{"containers":{"a":{"id":"a-0"}}}']
  ) {
    const disk = new Disk();
    disk.text = text;
    deepStrictEqual(
      await completed(disk.notes(), endedAfter(1)),
      endedAfter(1),
    );
  }
});

Deno.test("ContainerNotes knows nothing of a pod that it forgot but what the disk has", async () => {
  const disk = new Disk();
  const notes = disk.notes();
  await notes.stopping(subject, [stop("a")], { graceSeconds: 5 });
  disk.text = undefined;
  notes.forget("u1");
  strictEqual((await completed(notes, endedAfter(1)))?.stopped, undefined);
});
