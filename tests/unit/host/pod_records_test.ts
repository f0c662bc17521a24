/**
 * The record of a pod, whose parts have writers of their own, and what older versions left.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { Sessions } from "../../../mod/base/mod.ts";
import { type PodRecords, sealRecord } from "../../../mod/host/files/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { RecordDisk } from "../../support/record_disk.ts";
import { messagesTo } from "../../support/log_lines.ts";

const STATUS = { restartCounts: { web: 3 }, startTime: "2026-01-02T03:04:05Z" };
const CONTAINERS = { containers: { "c-0": { name: "web" } } };
const RESOURCES = { containers: {}, qosClass: "Burstable" };
const USERNS = { uidMappings: [{ hostId: 65_536 }] };

/** What earlier versions wrote, by file. */
const OLD: Readonly<Record<string, string>> = {
  "status.json": sealRecord(STATUS).text,
  "containers.json": sealRecord(CONTAINERS).text,
  "resources.json": JSON.stringify(RESOURCES),
  userns: JSON.stringify(USERNS),
};
const ALL = {
  status: STATUS,
  containers: CONTAINERS,
  resources: RESOURCES,
  userns: USERNS,
};

/** The parts as their writers have them. */
function sections(records: PodRecords) {
  return {
    status: records.section("status", (value) => "ended" in Object(value)),
    containers: records.section("containers", () => false),
    resources: records.section("resources", () => false),
    userns: records.section("userns", () => false),
  };
}

/** A logger, and the messages it was given. */
function messages() {
  const told: string[] = [];
  const log = messagesTo(told);
  return { log, told };
}

/** What the next agent reads, and what it logs. */
async function next(disk: RecordDisk) {
  const { log, told } = messages();
  const records = disk.records({ log });
  const parts = sections(records);
  const lost = await records.load(["u"]);
  const read = {
    status: await parts.status.read("u"),
    containers: await parts.containers.read("u"),
    resources: await parts.resources.read("u"),
    userns: await parts.userns.read("u"),
  };
  const known = Object.entries(read).filter(([, each]) => each !== undefined);
  return { parts, lost, known: Object.fromEntries(known), told };
}

Deno.test("PodRecords gives the next agent what each part wrote, in one file", async () => {
  const disk = new RecordDisk();
  const parts = sections(disk.records());
  await parts.status.write("u", STATUS);
  await parts.containers.write("u", CONTAINERS);
  await parts.userns.write("u", USERNS);
  const { known, told } = await next(disk);
  const { resources: _none, ...written } = ALL;
  deepStrictEqual(known, written);
  deepStrictEqual([...disk.texts.keys()], ["u/record.json"]);
  deepStrictEqual(told, []);
});

Deno.test("PodRecords writes once for parts that change at the same time, and not what is there", async () => {
  const disk = new RecordDisk();
  const parts = sections(disk.records());
  await Promise.all([
    parts.status.write("u", STATUS),
    parts.resources.write("u", RESOURCES),
  ]);
  await parts.status.write("u", { ...STATUS });
  deepStrictEqual(disk.writes, [false]);
  const again = await next(disk);
  await again.parts.status.write("u", STATUS);
  deepStrictEqual(disk.writes, [false]);
});

Deno.test("PodRecords has what must last survive a power cut, whichever part changes after it", async () => {
  const disk = new RecordDisk();
  const parts = sections(disk.records());
  await parts.containers.write("u", CONTAINERS);
  await parts.status.write("u", { ...STATUS, ended: {} });
  await parts.resources.write("u", RESOURCES);
  const again = await next(disk);
  await again.parts.userns.write("u", USERNS);
  deepStrictEqual(disk.writes, [false, true, true, true]);
  await again.parts.status.write("u", STATUS);
  deepStrictEqual(disk.writes.at(-1), false);
});

Deno.test("PodRecords makes no directory for a part that may have none", async () => {
  const disk = new RecordDisk();
  const { status, userns } = sections(disk.records());
  strictEqual(await status.writeIfThere("u", STATUS), false);
  strictEqual(disk.directories.has("u"), false);
  await userns.write("u", USERNS);
  strictEqual(await status.writeIfThere("u", STATUS), true);
  deepStrictEqual(disk.record("u"), { status: STATUS, userns: USERNS });
});

Deno.test("PodRecords knows what the disk refused, and writes it with the next part", async () => {
  const disk = new RecordDisk();
  const { status, userns } = sections(disk.records());
  disk.isFull = true;
  await rejects(status.write("u", STATUS), /No space left/);
  deepStrictEqual(await status.read("u"), STATUS);
  disk.isFull = false;
  await userns.write("u", USERNS);
  deepStrictEqual(disk.record("u"), { status: STATUS, userns: USERNS });
});

Deno.test("PodRecords does not know what the disk has after a write that failed", async () => {
  const disk = new RecordDisk();
  const { status } = sections(disk.records());
  disk.put("u");
  await status.write("u", STATUS);
  const { replace } = disk;
  // The file was exchanged, then the fsync of its directory failed.
  disk.replace = async (...file) => {
    await replace.apply(disk, file);
    throw new Error("EIO");
  };
  await rejects(status.write("u", { restartCounts: { a: 2 } }), /EIO/);
  disk.replace = replace;
  await status.write("u", STATUS);
  deepStrictEqual(disk.record("u"), { status: STATUS });
});

Deno.test("PodRecords.hold() needs no disk, and goes to it with the next write", async () => {
  const disk = new RecordDisk();
  disk.put("u");
  const { status, userns } = sections(disk.records());
  disk.failingReads = 1;
  status.hold("u", STATUS);
  deepStrictEqual(await status.read("u"), STATUS);
  disk.failingReads = 0;
  await userns.write("u", USERNS);
  deepStrictEqual(disk.record("u"), { status: STATUS, userns: USERNS });
});

Deno.test("PodRecords forgets with the session of a pod what its record said", async () => {
  const disk = new RecordDisk();
  const sessions = new Sessions();
  const { status } = sections(disk.records({ sessions }));
  await status.write("u", STATUS);
  deepStrictEqual([...sessions.keys()], ["u"]);
  disk.texts.clear();
  sessions.delete("u");
  strictEqual(await status.read("u"), undefined);
});

Deno.test("PodRecords keeps parts that it does not know", async () => {
  const disk = new RecordDisk();
  disk.putRecord("u", { status: STATUS, later: { a: 1 } });
  const { parts } = await next(disk);
  await parts.userns.write("u", USERNS);
  deepStrictEqual(disk.record("u"), {
    status: STATUS,
    userns: USERNS,
    later: { a: 1 },
  });
});

Deno.test("PodRecords writes nothing over what cannot be read just now", async () => {
  const disk = new RecordDisk();
  disk.putRecord("u", ALL);
  const { userns, status } = sections(disk.records());
  disk.failingReads = 2;
  await rejects(userns.write("u", {}), /open files/);
  await rejects(status.read("u"), /open files/);
  deepStrictEqual(disk.record("u"), ALL);
  await userns.write("u", {});
  deepStrictEqual(disk.record("u"), { ...ALL, userns: {} });
});

Deno.test("PodRecords.load() says of which pods the record is lost", async () => {
  const disk = new RecordDisk();
  disk.putRecord("u", ALL);
  disk.put("v");
  const clock = new FakeClock();
  const { log, told } = messages();
  const records = disk.records({ clock, log });
  const { status } = sections(records);
  const { list } = disk;
  disk.list = (path) =>
    path.endsWith("u")
      ? Promise.reject(new Error("EIO"))
      : list.call(disk, path);
  const loading = records.load(["u", "v"]);
  await clock.advance(3_000);
  deepStrictEqual([...await loading], ["u"]);
  deepStrictEqual(told, ["pod_record_unreadable"]);
  // What has been answered is not asked for again.
  deepStrictEqual([...await records.load(["u", "v"])], ["u"]);
  strictEqual(await status.read("u"), undefined);
  // A disk that is broken for good holds up no pod.
  await status.write("u", STATUS);
  deepStrictEqual(disk.record("u"), { status: STATUS });
});

Deno.test("PodRecords writes nothing over a lost record that can be read again", async () => {
  const disk = new RecordDisk();
  disk.putRecord("u", ALL);
  const clock = new FakeClock();
  const records = disk.records({ clock });
  const { status } = sections(records);
  // Until then there were no descriptors.
  disk.failingReads = 3;
  const loading = records.load(["u"]);
  await clock.advance(3_000);
  deepStrictEqual([...await loading], ["u"]);
  await status.write("u", { restartCounts: { a: 2 } });
  // Another pod would be given the same ids.
  deepStrictEqual(disk.record("u"), {
    ...ALL,
    status: { restartCounts: { a: 2 } },
  });
});

Deno.test("PodRecords asks for a lost record until it has it, whatever becomes of its writes", async () => {
  const disk = new RecordDisk();
  disk.putRecord("u", ALL);
  const clock = new FakeClock();
  const records = disk.records({ clock });
  const { status } = sections(records);
  disk.failingReads = 4;
  const loading = records.load(["u"]);
  await clock.advance(3_000);
  await loading;
  disk.isFull = true;
  await rejects(status.write("u", { restartCounts: {} }), /No space left/);
  strictEqual(disk.failingReads, 0);
  disk.isFull = false;
  await status.write("u", { restartCounts: { a: 2 } });
  const kept = { ...ALL, status: { restartCounts: { a: 2 } } };
  deepStrictEqual(disk.record("u"), kept);
  // What has been read is known.
  disk.failingReads = 1;
  await status.write("u", STATUS);
  strictEqual(disk.failingReads, 1);
  deepStrictEqual(disk.record("u"), ALL);
});

Deno.test("PodRecords names no path by a UID that could lead elsewhere", async () => {
  const { status } = sections(new RecordDisk().records());
  await rejects(status.write("../etc", STATUS), RangeError);
  await rejects(status.read("a/b"), RangeError);
});

const DAMAGED: Readonly<Record<string, (text: string) => string>> = {
  "an empty file": () => "",
  "half a file": (text) => text.slice(0, text.length / 2),
  "a changed count": (text) => text.replace('"web":3', '"web":4'),
  "another version": (text) => text.replace('"version":1', '"version":2'),
  "no record": () => "null",
  "bytes that are no text": () => "\0\0\0",
};

for (const [what, damage] of Object.entries(DAMAGED)) {
  Deno.test(`PodRecords takes ${what} for no record, and says so`, async () => {
    const disk = new RecordDisk();
    disk.put("u", { "record.json": damage(sealRecord(ALL).text) });
    const { known, told, parts, lost } = await next(disk);
    deepStrictEqual([known, [...lost]], [{}, []]);
    deepStrictEqual(told, ["pod_record_broken"]);
    await parts.status.write("u", STATUS);
    deepStrictEqual(disk.record("u"), { status: STATUS });
  });
}

const LEFT: readonly (readonly string[])[] = [
  ...Object.keys(OLD).map((name) => [name]),
  Object.keys(OLD),
];

for (const names of LEFT) {
  const left = Object.fromEntries(names.map((name) => [name, OLD[name] ?? ""]));
  const parts = names.map((name) => name.replace(".json", ""));
  const wanted = Object.fromEntries(
    Object.entries(ALL).filter(([part]) => parts.includes(part)),
  );

  Deno.test(`PodRecords makes one record of ${names.join(", ")}`, async () => {
    const disk = new RecordDisk();
    disk.put("u", left);
    const { known, told } = await next(disk);
    deepStrictEqual([known, told], [wanted, []]);
    deepStrictEqual(disk.record("u"), wanted);
    deepStrictEqual([...disk.texts.keys()], ["u/record.json"]);
    deepStrictEqual(disk.writes, [true]);
    deepStrictEqual((await next(disk)).known, wanted);
    deepStrictEqual(disk.writes, [true]);
  });

  Deno.test(`PodRecords loses nothing of ${names.join(", ")} when it ends between two steps`, async () => {
    for (let changesLeft = 0; changesLeft <= names.length; changesLeft++) {
      const disk = new RecordDisk();
      disk.put("u", left);
      disk.changesLeft = changesLeft;
      const ended = disk.records();
      sections(ended);
      void ended.load(["u"]);
      await new FakeClock().advance(0);
      disk.changesLeft = Infinity;
      const { known } = await next(disk);
      deepStrictEqual(known, wanted, `after ${changesLeft} changes`);
      deepStrictEqual([...disk.texts.keys()], ["u/record.json"]);
    }
  });
}

Deno.test("PodRecords keeps the old files until their record is on the disk", async () => {
  const disk = new RecordDisk();
  disk.put("u", OLD);
  disk.isFull = true;
  const { known, told, parts } = await next(disk);
  deepStrictEqual(known, ALL);
  deepStrictEqual(told, ["pod_record_not_upgraded"]);
  strictEqual(disk.texts.size, 4);
  disk.isFull = false;
  await parts.userns.write("u", {});
  deepStrictEqual([...disk.texts.keys()], ["u/record.json"]);
  deepStrictEqual(disk.record("u"), { ...ALL, userns: {} });
});

Deno.test("PodRecords leaves to the next agent an old file that cannot be removed, and says so", async () => {
  const disk = new RecordDisk();
  disk.put("u", OLD);
  const { remove } = disk;
  disk.remove = () => Promise.reject(new Error("EIO"));
  const { known, told } = await next(disk);
  deepStrictEqual([known, told], [ALL, ["old_pod_record_left"]]);
  strictEqual(disk.texts.size, 5);
  disk.remove = remove;
  deepStrictEqual((await next(disk)).known, ALL);
  deepStrictEqual([...disk.texts.keys()], ["u/record.json"]);
});

Deno.test("PodRecords makes no directory again that goes while its old files are read", async () => {
  const disk = new RecordDisk();
  disk.put("u", OLD);
  const { readTail } = disk;
  disk.readTail = (path) => {
    disk.directories.delete("u");
    return readTail.call(disk, path);
  };
  deepStrictEqual((await next(disk)).known, ALL);
  deepStrictEqual([...disk.directories], []);
});

Deno.test("PodRecords believes no old file beside a record that is whole", async () => {
  const disk = new RecordDisk();
  disk.put("u", OLD);
  disk.putRecord("u", { status: { restartCounts: { web: 5 } } });
  const { known } = await next(disk);
  deepStrictEqual(known, { status: { restartCounts: { web: 5 } } });
  deepStrictEqual(
    disk.changes,
    Object.keys(OLD).map((each) => `remove u/${each}`),
  );
});

Deno.test("PodRecords takes what is whole of the old files, and says which are not", async () => {
  const disk = new RecordDisk();
  disk.put("u", {
    ...OLD,
    // Without its checksum a status is believed no more than a damaged one.
    "status.json": JSON.stringify(STATUS),
    "containers.json": OLD["containers.json"]?.replace("web", "wet") ?? "",
    userns: "{",
  });
  const { known, told } = await next(disk);
  deepStrictEqual(known, { resources: RESOURCES });
  deepStrictEqual(told, Array.from({ length: 3 }, () => "pod_record_broken"));
  deepStrictEqual([...disk.texts.keys()], ["u/record.json"]);
});
