/**
 * Tests of pod directories and volumes on a real disk.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { untilLaterFileTime } from "../../support/file_times.ts";
import { HungStat } from "../../support/hung_stat.ts";
import {
  canBindMount,
  exists,
  failureOf,
  modeOf,
  podWith,
  Root,
  sourceOf,
  UID,
} from "../../support/volume/volume_rig.ts";
import { succeeds } from "../../support/succeeds.ts";

const EMPTY_DIR: Pod = podWith({ name: "v", emptyDir: {} });

Deno.test("prepare() makes the pod's directory, again and again", async () => {
  await using root = await Root.make();
  await root.directories.prepare(EMPTY_DIR);
  await Deno.writeTextFile(`${root.podDirectory}/etc-hosts`, "kept");
  await root.directories.prepare(EMPTY_DIR);
  strictEqual(await modeOf(root.podDirectory), 0o750);
  strictEqual(
    await Deno.readTextFile(`${root.podDirectory}/etc-hosts`),
    "kept",
  );
});

Deno.test("prepare() refuses a UID that leads elsewhere before it makes anything", async () => {
  await using root = await Root.make();
  const { metadata } = EMPTY_DIR;
  const pod: Pod = { ...EMPTY_DIR, metadata: { ...metadata, uid: "../x" } };
  await rejects(root.directories.prepare(pod), RangeError);
  deepStrictEqual(await exists(`${root.path}/root`), false);
});

Deno.test("setUp() makes an emptyDir that everyone may write, whatever the umask", async () => {
  await using root = await Root.make();
  const before = Deno.umask(0o077);
  try {
    await root.directories.prepare(EMPTY_DIR);
    const path = await sourceOf(root, EMPTY_DIR);
    strictEqual(
      path,
      `${root.podDirectory}/volumes/kubernetes.io~empty-dir/v`,
    );
    strictEqual(await modeOf(path), 0o777);
  } finally {
    Deno.umask(before);
  }
});

Deno.test("setUp() gives an emptyDir to the pod's group", {
  ignore: Deno.uid() !== 0,
}, async () => {
  await using root = await Root.make();
  const securityContext = { fsGroup: 1000 };
  const pod = podWith({ name: "v", emptyDir: {} }, { securityContext });
  await root.directories.prepare(pod);
  const path = await sourceOf(root, pod);
  strictEqual((await Deno.lstat(path)).gid, 1000);
  strictEqual(await modeOf(path), 0o2777);
});

Deno.test("setUp() leaves an emptyDir that is there as its containers left it", async () => {
  await using root = await Root.make();
  await root.directories.prepare(EMPTY_DIR);
  const path = await sourceOf(root, EMPTY_DIR);
  await Deno.writeTextFile(`${path}/data`, "kept");
  await Deno.chmod(path, 0o700);
  strictEqual(await sourceOf(root, EMPTY_DIR), path);
  strictEqual(await Deno.readTextFile(`${path}/data`), "kept");
  strictEqual(await modeOf(path), 0o700);
});

Deno.test("setUp() finishes an emptyDir that a crash left half made", async () => {
  await using root = await Root.make();
  await root.directories.prepare(EMPTY_DIR);
  const parent = `${root.podDirectory}/volumes/kubernetes.io~empty-dir`;
  await Deno.mkdir(`${parent}/.v`, { recursive: true, mode: 0o700 });
  const path = await sourceOf(root, EMPTY_DIR);
  strictEqual(await modeOf(path), 0o777);
  strictEqual(await exists(`${parent}/.v`), false);
});

/** What stands at a path: made before the check. */
type Standing = "nothing" | "directory" | "file" | "socket" | "dangling link";

async function stand(standing: Standing, path: string): Promise<Disposable> {
  const nothing = { [Symbol.dispose]: () => {} };
  switch (standing) {
    case "nothing":
      return nothing;
    case "directory":
      await Deno.mkdir(path);
      return nothing;
    case "file":
      await Deno.writeTextFile(path, "content");
      return nothing;
    case "socket": {
      const listener = Deno.listen({ transport: "unix", path });
      return { [Symbol.dispose]: () => listener.close() };
    }
    case "dangling link":
      await Deno.symlink(`${path}-target`, path);
      return nothing;
  }
}

const HOST_PATHS: readonly {
  readonly type: string;
  readonly standing: Standing;
  /** `undefined` when the volume is fine. */
  readonly failure?: RegExp;
  readonly mode?: number;
}[] = [
  { type: "Directory", standing: "directory" },
  { type: "Directory", standing: "file", failure: /is not a directory/ },
  { type: "Directory", standing: "nothing", failure: /is not a directory/ },
  {
    type: "Directory",
    standing: "dangling link",
    failure: /is not a directory/,
  },
  { type: "DirectoryOrCreate", standing: "directory" },
  { type: "DirectoryOrCreate", standing: "nothing", mode: 0o755 },
  { type: "DirectoryOrCreate", standing: "file", failure: /not a directory/ },
  {
    type: "DirectoryOrCreate",
    standing: "dangling link",
    failure: /is not a directory/,
  },
  { type: "File", standing: "file" },
  { type: "File", standing: "directory", failure: /is not a file/ },
  { type: "FileOrCreate", standing: "file" },
  { type: "FileOrCreate", standing: "nothing", mode: 0o644 },
  { type: "FileOrCreate", standing: "directory", failure: /is not a file/ },
  { type: "Socket", standing: "socket" },
  { type: "Socket", standing: "file", failure: /is not a socket/ },
  { type: "CharDevice", standing: "file", failure: /not a character device/ },
  { type: "BlockDevice", standing: "file", failure: /not a block device/ },
];

for (const { type, standing, failure, mode } of HOST_PATHS) {
  const verdict = failure === undefined ? "takes" : "refuses";
  Deno.test(`setUp() ${verdict} hostPath ${type} on ${standing} (VO-08)`, async () => {
    await using root = await Root.make();
    const path = `${root.path}/host/h`;
    await Deno.mkdir(`${root.path}/host`);
    using _standing = await stand(standing, path);
    const pod = podWith({ name: "v", hostPath: { path, type } });
    if (failure !== undefined) {
      match(await failureOf(root, pod), failure);
      return;
    }
    strictEqual(await sourceOf(root, pod), path);
    if (mode !== undefined) strictEqual(await modeOf(path), mode);
  });
}

Deno.test("setUp() takes a hostPath once the object has appeared", async () => {
  await using root = await Root.make();
  const path = `${root.path}/host/late`;
  await Deno.mkdir(`${root.path}/host`);
  const pod = podWith({ name: "v", hostPath: { path, type: "Directory" } });
  match(await failureOf(root, pod), /is not a directory/);
  await Deno.mkdir(path);
  strictEqual(await sourceOf(root, pod), path);
});

Deno.test("setUp() gives up on a hostPath that does not answer, and keeps one thread for it", async () => {
  await using root = await Root.make();
  const path = `${root.path}/host/nfs`;
  await Deno.mkdir(path, { recursive: true });
  using hung = new HungStat(path);
  const pod = podWith({ name: "v", hostPath: { path, type: "Directory" } });
  const failed = failureOf(root, pod);
  while (hung.asked === 0) await Deno.lstat(path);
  await root.clock.advance(3_000);
  match(await failed, /does not answer within 3000 ms/);
  for (let n = 0; n < 40; n++) {
    match(await failureOf(root, pod), /does not answer within 3000 ms/);
  }
  strictEqual(hung.asked, 1);
  await hung.answer(path);
  await root.clock.advance(0);
  strictEqual(await sourceOf(root, pod), path);
});

Deno.test("list() names the pods that have a directory", async () => {
  await using root = await Root.make();
  deepStrictEqual(await root.directories.list(), []);
  await root.directories.prepare(EMPTY_DIR);
  await Deno.writeTextFile(`${root.path}/root/pods/a-file`, "");
  await Deno.mkdir(`${root.path}/root/pods/.no-uid`);
  deepStrictEqual(await root.directories.list(), [UID]);
});

Deno.test("remove() takes the pod's directory away, and a second time does nothing", async () => {
  await using root = await Root.make();
  await root.directories.prepare(EMPTY_DIR);
  const path = await sourceOf(root, EMPTY_DIR);
  await Deno.mkdir(`${path}/a/b`, { recursive: true });
  await Deno.writeTextFile(`${path}/a/b/c`, "x");
  await root.remove(UID);
  strictEqual(await exists(root.podDirectory), false);
  await root.remove(UID);
});

Deno.test("remove() keeps one name where it is, and with it the pod's directory", async () => {
  await using root = await Root.make();
  await root.directories.prepare(EMPTY_DIR);
  const directory = root.podDirectory;
  await Deno.writeTextFile(`${directory}/status.json`, "{}");
  await Deno.writeTextFile(`${directory}/etc-hosts`, "much");
  await Deno.mkdir(`${directory}/volumes/a`, { recursive: true });
  await root.remove(UID, { keep: "status.json" });
  deepStrictEqual(
    (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name),
    ["status.json"],
  );
});

Deno.test("collectTrash() finds what a crash left of directories that were being removed (VO-09)", async () => {
  await using root = await Root.make();
  for (const parent of ["root", "run"]) {
    for (const name of [`.skerry-trash-${UID}.1`, `.skerry-removing-${UID}`]) {
      await Deno.mkdir(`${root.path}/${parent}/pods/${name}/a/b`, {
        recursive: true,
      });
    }
  }
  deepStrictEqual(await root.directories.list(), []);
  await root.directories.collectTrash();
  strictEqual(root.garbage.length, 4);
  await root.collect();
  for (const parent of ["root", "run"]) {
    const left = Deno.readDir(`${root.path}/${parent}/pods`);
    deepStrictEqual(await Array.fromAsync(left), []);
  }
});

Deno.test("discard() takes a pod's directories away at once, however long their removal takes", async () => {
  await using root = await Root.make();
  for (let round = 1; round <= 3; round++) {
    const path = await sourceOf(root, EMPTY_DIR);
    await Deno.writeTextFile(`${path}/of`, String(round));
    root.directories.discard(UID);
    strictEqual(await exists(root.podDirectory), false);
    deepStrictEqual(await root.directories.list(), []);
  }
  // Nothing was removed yet, and nothing of the next pod of this UID is.
  strictEqual(root.garbage.length, 3);
  const path = await sourceOf(root, EMPTY_DIR);
  await root.collect();
  strictEqual(await exists(path), true);
  root.directories.discard(UID);
  await root.collect();
  const left = Deno.readDir(`${root.path}/root/pods`);
  deepStrictEqual(await Array.fromAsync(left), []);
});

Deno.test("endVolumes() takes emptyDirs, Secrets and the use of claims away and leaves the rest", async () => {
  await using root = await Root.make();
  root.objects.set("Secret", "s", { key: "secret" });
  root.objects.setClaim("data");
  const volumes = [
    { name: "disk", emptyDir: {} },
    { name: "memory", emptyDir: { medium: "Memory" } },
    { name: "secret", secret: { secretName: "s" } },
    { name: "claim", persistentVolumeClaim: { claimName: "data" } },
  ];
  const containers = [{
    name: "c",
    volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })),
  }];
  const pod = podWith({ name: "disk" }, { volumes, containers });
  await root.directories.prepare(pod);
  strictEqual((await root.volumes.setUp(pod)).kind, "ok");
  await Deno.writeTextFile(`${root.podDirectory}/status.json`, "{}");
  await Deno.mkdir(`${root.podDirectory}/containers/c`, { recursive: true });

  root.directories.endVolumes(UID);
  await root.collect();

  strictEqual(await exists(root.runDirectory), false);
  const names = (await Array.fromAsync(Deno.readDir(root.podDirectory)))
    .map(({ name }) => name).sort();
  deepStrictEqual(names, ["containers", "status.json"]);
  strictEqual(await exists(`${root.path}/root/claims/shop/data`), true);
  // A second time there is nothing to do.
  root.directories.endVolumes(UID);
  deepStrictEqual(root.garbage, []);
});

Deno.test("remove() does not follow a link that a container planted", async () => {
  await using root = await Root.make();
  await root.directories.prepare(EMPTY_DIR);
  const path = await sourceOf(root, EMPTY_DIR);
  const outside = `${root.path}/outside`;
  await Deno.mkdir(outside);
  await Deno.writeTextFile(`${outside}/precious`, "x");
  await Deno.symlink(outside, `${path}/link`);
  await Deno.symlink(`${outside}/precious`, `${path}/file-link`);
  await root.remove(UID);
  strictEqual(await Deno.readTextFile(`${outside}/precious`), "x");
});

Deno.test("remove() leaves a hostPath alone", async () => {
  await using root = await Root.make();
  const path = `${root.path}/host/data`;
  const pod = podWith({
    name: "v",
    hostPath: { path, type: "DirectoryOrCreate" },
  });
  await root.directories.prepare(pod);
  await sourceOf(root, pod);
  await root.remove(UID);
  strictEqual(await exists(path), true);
});

const MOUNTED = /something is still mounted at "(.*\/mounted)"; unmount it$/;

Deno.test("remove() deletes nothing behind a mount and names it (VO-09)", {
  // Bind mounts need root and CAP_SYS_ADMIN.
  ignore: !await canBindMount(),
}, async () => {
  await using root = await Root.make();
  await root.directories.prepare(EMPTY_DIR);
  const path = await sourceOf(root, EMPTY_DIR);
  const data = `${root.path}/data`;
  let moved = `${path}/mounted`;
  await Deno.mkdir(data);
  await Deno.writeTextFile(`${data}/precious`, "x");
  await Deno.mkdir(`${path}/mounted`);
  await Deno.writeTextFile(`${path}/own`, "x");
  strictEqual(
    await succeeds("mount", "--bind", data, `${path}/mounted`),
    true,
  );
  try {
    root.directories.discard(UID);
    const [trash] = root.garbage;
    await rejects(
      root.collect(),
      (error: Error) => {
        match(error.message, MOUNTED);
        moved = MOUNTED.exec(error.message)?.[1] ?? "";
        return true;
      },
    );
    strictEqual(await Deno.readTextFile(`${data}/precious`), "x");
    deepStrictEqual(await root.directories.list(), []);
    if (trash === undefined) return;
    // Later tries write nothing (I5).
    const pods = `${root.path}/root/pods`;
    const { mtime } = await Deno.stat(pods);
    await untilLaterFileTime();
    root.garbage.push(trash);
    await rejects(root.collect(), { message: MOUNTED });
    deepStrictEqual((await Deno.stat(pods)).mtime, mtime);
    root.garbage.push(trash);
  } finally {
    strictEqual(await succeeds("umount", moved), true);
  }
  // With the mount gone the directory goes too.
  await root.collect();
  const left = Deno.readDir(`${root.path}/root/pods`);
  deepStrictEqual(await Array.fromAsync(left), []);
  strictEqual(await Deno.readTextFile(`${data}/precious`), "x");
});
