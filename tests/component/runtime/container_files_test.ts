/**
 * The files of containers, on a real disk.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { seededRandom } from "../../../mod/base/mod.ts";
import { ContainerFiles, diskFiles } from "../../../mod/runtime/mod.ts";
import { pod } from "./rig.ts";

async function withFiles(
  work: (files: ContainerFiles, directory: string) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "skerry-files-" });
  try {
    const paths = {
      podsDir: `${directory}/pods`,
      podLogsDir: `${directory}/logs`,
    };
    const random = seededRandom(1);
    const files = new ContainerFiles({ files: diskFiles, random }, paths);
    await work(files, directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const LOGS: readonly (readonly [readonly string[], number])[] = [
  [[], 0],
  [["0.log"], 1],
  [["0.log", "12.log", "3.log"], 13],
  [["2.log.20260101-000000.gz"], 3],
  [["x.log", "5.txt", "log"], 0],
];

for (const [names, expected] of LOGS) {
  Deno.test(`ContainerFiles.restartCountFromLogs() is ${expected} with [${names.join(", ")}]`, async () => {
    await withFiles(async (files, directory) => {
      const subject = pod();
      await files.prepareLogs(subject, ["c"]);
      for (const name of names) {
        await Deno.writeTextFile(
          `${directory}/logs/shop_web_u-1/c/${name}`,
          "",
        );
      }
      strictEqual(await files.restartCountFromLogs(subject, "c"), expected);
    });
  });
}

Deno.test("ContainerFiles.restartCountFromLogs() is 0 without a directory", async () => {
  await withFiles(async (files) => {
    strictEqual(await files.restartCountFromLogs(pod(), "c"), 0);
  });
});

Deno.test("ContainerFiles.writeHostsFile() keeps the inode and writes only what changes", async () => {
  await withFiles(async (files) => {
    const subject = pod();
    const path = files.hostsFilePath(subject);
    await files.writeHostsFile(subject, "another\n");
    const before = await Deno.stat(path);
    strictEqual((before.mode ?? 0) & 0o777, 0o644);
    await files.writeHostsFile(subject, "one\n");
    const written = await Deno.stat(path);
    strictEqual(written.ino, before.ino);
    await Deno.utime(path, 0, 0);
    await files.writeHostsFile(subject, "one\n");
    const after = await Deno.stat(path);
    strictEqual(after.mtime?.getTime(), 0);
    strictEqual(await Deno.readTextFile(path), "one\n");
  });
});

Deno.test("ContainerFiles.pruneTerminationLogs() keeps the two newest", async () => {
  await withFiles(async (files, directory) => {
    const subject = pod();
    const made: string[] = [];
    for (let round = 0; round < 4; round++) {
      made.push(await files.makeTerminationLog(subject, "c"));
    }
    await files.pruneTerminationLogs("u-1", "c");
    const parent = `${directory}/pods/u-1/containers/c`;
    const left = await Array.fromAsync(
      Deno.readDir(parent),
      ({ name }) => `${parent}/${name}`,
    );
    deepStrictEqual(left.sort(), made.slice(-2).sort());
  });
});

for (const logPath of ["../../../etc/passwd", "..", "c/..", "", "c/"]) {
  Deno.test(`ContainerFiles.removeLog() does not follow "${logPath}"`, async () => {
    await withFiles(async (files, directory) => {
      const subject = pod();
      await files.prepareLogs(subject, ["c"]);
      await Deno.writeTextFile(`${directory}/logs/shop_web_u-1/c/0.log`, "");
      const { name, namespace, uid } = subject.metadata;
      await files.removeLog({ name, namespace, uid }, { logPath });
      await Deno.stat(`${directory}/logs/shop_web_u-1/c/0.log`);
    });
  });
}

Deno.test("diskFiles.readTail() reads the end, and nothing of what is no file", async () => {
  await withFiles(async (_files, directory) => {
    await Deno.writeTextFile(`${directory}/f`, "0123456789");
    const text = async (name: string, max: number) => {
      const bytes = await diskFiles.readTail(`${directory}/${name}`, max);
      return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
    };
    deepStrictEqual(
      [await text("f", 4), await text("f", 99), await text("none", 4)],
      ["6789", "0123456789", undefined],
    );
    strictEqual(await diskFiles.readTail(directory, 4), undefined);
  });
});
