/**
 * What many manifests cost while one of them, or their directory, is restless; counted.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  manifest,
  move,
  OLD,
} from "../../../support/source/file_source_rig.ts";

/** Manifests that were read, and how often the name of the first pod was asked for since. */
async function rigOf(
  count: number,
): Promise<FileSourceRig & { readonly asked: () => number }> {
  let asked = 0;
  const rig = new FileSourceRig(undefined, (pod) => {
    const { name } = pod.metadata;
    if (name === "p0-n") {
      const get = (): string => {
        asked++;
        return name;
      };
      Object.defineProperty(pod.metadata, "name", { get });
    }
    return [];
  });
  for (let at = 0; at < count; at++) {
    rig.files.write(`p${at}.yaml`, manifest(`p${at}`), OLD);
  }
  await rig.pass(1000);
  strictEqual(rig.sets.length, 1);
  asked = 0;
  return Object.assign(rig, { asked: () => asked });
}

Deno.test("FileSource compares no manifests while one of them comes and goes and gives the same", async () => {
  await using rig = await rigOf(3);
  const look = rig.files.look.bind(rig.files);
  let looks = 0;
  rig.files.look = async (path) => {
    const isAway = path === "/m/p1.yaml" && looks++ % 2 === 0;
    return isAway ? { kind: "missing" } : await look(path);
  };
  for (let at = 0; at < 10; at++) {
    rig.files.hint("p1.yaml", "removed");
    await rig.pass(1000);
  }
  ok(looks > 10, `${looks} looks`);
  strictEqual(rig.asked(), 0);
  strictEqual(rig.sets.length, 1);
  rig.files.look = look;
  rig.files.write("p2.yaml", manifest("p2", "new"));
  rig.files.hint("p2.yaml", "arrived");
  await rig.pass(1000);
  ok(rig.asked() > 0);
  strictEqual(rig.images, "busybox,busybox,new");
});

Deno.test("FileSource delivers the changes of many manifests in sixteen sets at most, however slowly they are read", async () => {
  const count = 640;
  await using rig = await rigOf(count);
  const read = rig.files.read.bind(rig.files);
  const stop = new AbortController();
  using _waiting = { [Symbol.dispose]: () => stop.abort() };
  rig.files.read = async (path, maxBytes) => {
    await rig.clock.sleep(5, stop.signal);
    return await read(path, maxBytes);
  };
  for (let at = 0; at < count; at++) {
    rig.files.write(`p${at}.yaml`, manifest(`p${at}`, "new"), OLD);
    rig.files.hint(`p${at}.yaml`, "arrived");
  }
  await rig.pass(5);
  strictEqual(rig.sets.length, 1);
  await rig.pass(15);
  // The first do not wait for the last.
  strictEqual(rig.sets.length, 2);
  await rig.pass(1000);
  // Three times sixteen are read for each.
  strictEqual(rig.sets.length, 1 + Math.ceil(count / 48));
  strictEqual(new Set(rig.images.split(",")).size, 1);
});

Deno.test("FileSource looks at everything for a fifth of the time at most, however often it is asked to", async () => {
  await using rig = await rigOf(1);
  const list = rig.files.list.bind(rig.files);
  const stop = new AbortController();
  using _waiting = { [Symbol.dispose]: () => stop.abort() };
  let lists = 0;
  rig.files.list = async (path) => {
    lists++;
    await rig.clock.sleep(200, stop.signal);
    return await list(path);
  };
  for (let at = 0; at < 1000; at++) {
    rig.files.rescan();
    await rig.pass(10);
  }
  // At 0, 1, … and 10 s.
  strictEqual(lists, 11);
});

/**
 * Makes reading take 100 ms, and has hints of the names come more often than that, until
 * there is a new image.
 *
 * @returns after how long, or after ten seconds without one
 */
async function whileRestless(
  rig: FileSourceRig,
  names: readonly string[],
): Promise<number> {
  const { clock, files } = rig;
  const stop = new AbortController();
  using _reading = { [Symbol.dispose]: () => stop.abort() };
  const read = files.read.bind(files);
  files.read = async (path, maxBytes) => {
    await clock.sleep(100, stop.signal);
    return await read(path, maxBytes);
  };
  let ms = 0;
  for (; ms < 10_000 && !rig.images.includes("new"); ms += 50) {
    for (const name of names) {
      files.touch(`${name}.yaml`);
      files.hint(`${name}.yaml`, "arrived");
    }
    await rig.pass(50);
  }
  files.read = read;
  return ms;
}

Deno.test("FileSource delivers a change in a second though another manifest is read slowly all the time", async () => {
  await using rig = await rigOf(1600);
  rig.files.write("p1.yaml", manifest("p1", "new"), OLD);
  rig.files.hint("p1.yaml", "arrived");
  const ms = await whileRestless(rig, ["p0"]);
  ok(ms <= 1_200, `after ${ms} ms`);
});

Deno.test("FileSource looks at a manifest though sixteen others are to be looked at all the time", async () => {
  await using rig = await rigOf(20);
  const names = Array.from({ length: 18 }, (_, at) => `p${at}`)
    .filter((name) => name !== "p9");
  rig.files.write("p9.yaml", manifest("p9", "new"), OLD);
  for (const name of [...names, "p9"]) {
    rig.files.hint(`${name}.yaml`, "arrived");
  }
  const ms = await whileRestless(rig, names);
  ok(ms <= 1_200, `after ${ms} ms`);
});

Deno.test("FileSource compares no manifests while two of them change places all the time", async () => {
  await using rig = await rigOf(3);
  const { clock, files } = rig;
  const look = files.look.bind(files);
  const stop = new AbortController();
  using _looking = { [Symbol.dispose]: () => stop.abort() };
  files.look = async (path) => {
    await clock.sleep(1, stop.signal);
    return await look(path);
  };
  for (let at = 0; at < 200; at++) {
    const [from, to] = at % 2 === 0 ? ["p1", "q"] : ["q", "p1"];
    move(rig, from, to);
    await rig.pass(2);
  }
  strictEqual(rig.asked(), 0);
});

Deno.test("FileSource looks at everything twenty seconds after a look that took long", async () => {
  await using rig = await rigOf(1);
  const list = rig.files.list.bind(rig.files);
  const stop = new AbortController();
  using _waiting = { [Symbol.dispose]: () => stop.abort() };
  let hungMs = 100_000;
  rig.files.list = async (path) => {
    await rig.clock.sleep(hungMs, stop.signal);
    hungMs = 0;
    return await list(path);
  };
  rig.files.rescan();
  await rig.pass(100_000);
  rig.files.write("p0.yaml", manifest("p0", "new"), OLD);
  rig.files.rescan();
  await rig.pass(19_900);
  strictEqual(rig.images, "busybox");
  await rig.pass(200);
  strictEqual(rig.images, "new");
});

for (
  const [what, mostReads, to] of [
    ["moved", 1.2, (at: number) => `q${at}.yaml`],
    ["moved aside", 0, (at: number) => `p${at}.bak`],
  ] as const
) {
  Deno.test(`FileSource looks at each of many manifests a few times when all are ${what}`, async () => {
    const count = 640;
    await using rig = await rigOf(count);
    const { files } = rig;
    const look = files.look.bind(files);
    let looks = 0;
    files.look = (path) => {
      looks++;
      return look(path);
    };
    files.reads.clear();
    for (let at = 0; at < count; at++) {
      const [from, name] = [`p${at}.yaml`, to(at)];
      files.rename(from, name);
      files.hint(from, "removed", name);
      files.hint(name, "arrived");
      // As many hints as wait at a time.
      if (at % 320 === 319) await rig.pass(1);
    }
    await rig.pass(5_000);
    const reads = files.reads.values().reduce((all, one) => all + one, 0);
    ok(looks <= 9 * count, `${looks} looks`);
    ok(reads <= mostReads * count, `${reads} reads`);
    ok(rig.sets.length <= 17, `${rig.sets.length} sets`);
    strictEqual(rig.sets.at(-1)?.pods.length, mostReads > 0 ? count : 0);
  });
}
