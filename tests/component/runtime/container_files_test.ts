/**
 * The files of containers, on a real disk.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { systemClock } from "../../../mod/base/mod.ts";
import { ContainerFiles } from "../../../mod/runtime/observe/mod.ts";
import { diskFiles } from "../../../mod/host/files/mod.ts";
import { readLog } from "../../../mod/server/mod.ts";
import { canMountMemory, MemoryDisk } from "../../support/e2e/memory_disk.ts";
import { pod } from "../../support/pods.ts";
import { TempDir } from "../../support/temp_dir.ts";

async function withFiles(
  work: (files: ContainerFiles, directory: string) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "skerry-files-" });
  try {
    const paths = {
      podsDir: `${directory}/pods`,
      podLogsDir: `${directory}/logs`,
    };
    const files = new ContainerFiles({ files: diskFiles }, paths);
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

Deno.test("ContainerFiles lets everyone read logs, and only the agent's group what else a container has", async () => {
  await withFiles(async (files, directory) => {
    const subject = pod();
    await files.prepareLogs(subject, ["c"]);
    await files.makeTerminationLog(subject, { name: "c", restartCount: 0 });
    const modes = ["logs/shop_web_u-1/c", "pods/u-1/containers/c"]
      .map(async (path) => (await Deno.stat(`${directory}/${path}`)).mode ?? 0);
    const allowed = ~Deno.umask();
    deepStrictEqual(
      (await Promise.all(modes)).map((mode) => mode & 0o777),
      [0o755 & allowed, 0o750 & allowed],
    );
  });
});

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

Deno.test("ContainerFiles.removeTerminationLog() removes the file of one run and no other", async () => {
  await withFiles(async (files, directory) => {
    const subject = pod();
    const run = (restartCount: number) => ({ name: "c", restartCount });
    for (const restartCount of [0, 1, 26]) {
      await files.makeTerminationLog(subject, run(restartCount));
    }
    await files.removeTerminationLog("u-1", run(1));
    await files.removeTerminationLog("u-1", run(1));
    const parent = `${directory}/pods/u-1/containers/c`;
    const left = await Array.fromAsync(
      Deno.readDir(parent),
      ({ name }) => name,
    );
    deepStrictEqual(left.sort(), ["00000000", "0000001a"]);
  });
});

Deno.test("ContainerFiles.removeTerminationLog() follows no name that a runtime made up", async () => {
  await withFiles(async (files, directory) => {
    await Deno.mkdir(`${directory}/pods/u-1/containers`, { recursive: true });
    await Deno.writeTextFile(`${directory}/pods/u-1/00000000`, "");
    await files.removeTerminationLog("u-1", { name: "..", restartCount: 0 });
    await Deno.stat(`${directory}/pods/u-1/00000000`);
  });
});

Deno.test("diskFiles.write() gives every file the mode that is asked for, whatever the umask", async () => {
  await withFiles(async (_, directory) => {
    for (const mode of [0o666, 0o644, 0o666, 0o600, 0o777]) {
      const path = `${directory}/${crypto.randomUUID()}`;
      await diskFiles.write(path, "", mode);
      strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, mode);
    }
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

Deno.test("diskFiles.readTailBelow() follows no link, be it the file or a directory above it", async () => {
  await withFiles(async (_files, directory) => {
    const own = "u/containers/c";
    await Deno.mkdir(`${directory}/pods/${own}`, { recursive: true });
    await Deno.writeTextFile(`${directory}/pods/${own}/f`, "0123456789");
    await Deno.mkdir(`${directory}/secret/c`, { recursive: true });
    await Deno.writeTextFile(`${directory}/secret/c/f`, "password");
    await Deno.symlink(`${directory}/secret/c/f`, `${directory}/pods/u/link`);
    await Deno.symlink(`${directory}/secret`, `${directory}/pods/u/dir`);
    // The operator may have put the root directory elsewhere.
    await Deno.symlink(`${directory}/pods`, `${directory}/root`);
    const read = (path: string, max: number) =>
      diskFiles.readTailBelow(`${directory}/root`, path, max);
    strictEqual(new TextDecoder().decode(await read(`${own}/f`, 4)), "6789");
    strictEqual(await read(`${own}/none`, 4), undefined);
    await rejects(read("u/link", 4), /"link" is a link/);
    await rejects(read("u/dir/c/f", 4), /"dir" is a link/);
    await rejects(read("u/containers", 4), /"containers" is no file/);
    await rejects(read("../secret/c/f", 4), /within the volume/);
  });
});

// `/var/log -> /data/log`, as on devices whose root file system is small.
const node = await Deno.makeTempDir({ prefix: "skerry-linked-" });
globalThis.addEventListener(
  "unload",
  () => Deno.removeSync(node, { recursive: true }),
);
await Deno.mkdir(`${node}/data/log/pods/p/c`, { recursive: true });
await Deno.mkdir(`${node}/var`);
await Deno.symlink(`${node}/data/log`, `${node}/var/log`);
const LOG = `${node}/var/log/pods/p/c/0.log`;
await Deno.writeTextFile(LOG, "2026-01-01T00:00:00Z stdout F hello\n");

Deno.test({
  name:
    "logs and last words are read through a linked directory that is granted by its name",
  permissions: { read: [`${node}/var/log/pods`] },
  fn: async () => {
    const tail = await diskFiles.readTail(LOG, 6);
    strictEqual(new TextDecoder().decode(tail), "hello\n");
    const options = { path: LOG, follow: false, timestamps: false };
    const pieces: string[] = [];
    for await (
      const piece of readLog(
        { ...options, tailLines: 1, isRunning: () => false },
        { clock: systemClock },
        new AbortController().signal,
      )
    ) pieces.push(new TextDecoder().decode(piece));
    deepStrictEqual(pieces, ["hello\n"]);
  },
});

for (const link of ["shop_web_u-1", "shop_web_u-1/c"]) {
  Deno.test(`ContainerFiles.removeLog() removes nothing behind a link at "${link}"`, async () => {
    await withFiles(async (files, directory) => {
      const subject = pod();
      await files.prepareLogs(subject, ["c"]);
      const path = `${directory}/logs/${link}`;
      await Deno.rename(path, `${directory}/elsewhere`);
      await Deno.symlink(`${directory}/elsewhere`, path);
      await Deno.writeTextFile(`${directory}/logs/shop_web_u-1/c/0.log`, "");
      const { name, namespace, uid } = subject.metadata;
      await files.removeLog({ name, namespace, uid }, { logPath: "c/0.log" });
      await Deno.stat(`${directory}/logs/shop_web_u-1/c/0.log`);
    });
  });
}

Deno.test("ContainerFiles.removeLog() removes nothing behind a link that comes while it removes", async () => {
  await using dir = await TempDir.make();
  const { path } = dir;
  const [own, other] = [`${path}/logs/shop_web_u-1/c`, `${path}/other`];
  await Deno.mkdir(own, { recursive: true });
  await Deno.mkdir(other);
  for (const name of ["0.log", "0.log.1", "0.log.2"]) {
    await Deno.writeTextFile(`${own}/${name}`, "");
    await Deno.writeTextFile(`${other}/${name}`, "");
  }
  let removed = 0;
  const files = new ContainerFiles({
    files: {
      ...diskFiles,
      remove: async (file) => {
        await diskFiles.remove(file);
        if (++removed > 1) return;
        await Deno.rename(own, `${path}/aside`);
        await Deno.symlink(other, own);
      },
    },
  }, { podsDir: `${path}/pods`, podLogsDir: `${path}/logs` });
  const { name, namespace, uid } = pod().metadata;
  await files.removeLog({ name, namespace, uid }, { logPath: "c/0.log" });
  strictEqual((await Array.fromAsync(Deno.readDir(other))).length, 3);
  strictEqual(removed, 1);
});

Deno.test({
  name: "ContainerFiles.removePodLogs() leaves what is mounted among the logs",
  ignore: !await canMountMemory(),
  fn: async () => {
    await withFiles(async (files, directory) => {
      const subject = pod();
      await files.prepareLogs(subject, ["c", "d"]);
      const path = `${directory}/logs/shop_web_u-1`;
      await using _disk = await MemoryDisk.mount(`${path}/c`);
      await Deno.writeTextFile(`${path}/c/precious`, "");
      await Deno.writeTextFile(`${path}/d/0.log`, "");
      await rejects(files.removePodLogs("u-1"), /still mounted at .*\/c"/);
      await Deno.stat(`${path}/c/precious`);
      await rejects(Deno.stat(`${path}/d`), Deno.errors.NotFound);
    });
  },
});
