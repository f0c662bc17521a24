/**
 * Tests of paths below volumes, with containers that lay traps in them.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  ok,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { SubPathResolver } from "../../../mod/volume/mod.ts";
import type { PinnedPath, SubPaths } from "../../../mod/runtime/spec/mod.ts";
import { Swapper } from "../../support/volume/swapper.ts";
import {
  canBindMount,
  exists,
  modeOf,
  UID,
} from "../../support/volume/volume_rig.ts";
import { succeeds } from "../../support/succeeds.ts";
import { makeFifo } from "../../support/fifo.ts";

/** A volume with a directory of the node beside it, removed afterwards. */
class Volume implements AsyncDisposable {
  readonly path: string;
  readonly root: string;
  readonly outside: string;
  // What the runtime asks for is what the volumes give.
  readonly resolver: SubPaths;

  constructor(path: string) {
    this.path = path;
    this.root = `${path}/volume`;
    this.outside = `${path}/outside`;
    this.resolver = new SubPathResolver();
  }

  static async make(): Promise<Volume> {
    const path = await Deno.makeTempDir({ prefix: "skerry-sub-path-" });
    const volume = new Volume(await Deno.realPath(path));
    await Deno.mkdir(volume.root);
    await Deno.chmod(volume.root, 0o777);
    await Deno.mkdir(`${volume.outside}/etc`, { recursive: true });
    await Deno.writeTextFile(`${volume.outside}/secret`, "x");
    return volume;
  }

  async resolve(subPath: string, options: { readOnly?: boolean } = {}) {
    return await this.resolver.resolve({
      podUid: UID,
      volumeRoot: this.root,
      subPath,
      readOnly: options.readOnly ?? false,
    });
  }

  /** The resolved path without the volume, or the reason that there is none. */
  async outcome(subPath: string): Promise<string> {
    const result = await this.resolve(subPath);
    return result.kind === "ok"
      ? result.pinned.path.replace(this.root, "")
      : result.message;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}

Deno.test("resolve() makes what is missing with the volume's mode (VO-03)", async () => {
  await using volume = await Volume.make();
  const before = Deno.umask(0o077);
  try {
    strictEqual(await volume.outcome("a/b/c"), "/a/b/c");
  } finally {
    Deno.umask(before);
  }
  strictEqual(await modeOf(`${volume.root}/a`), 0o777);
  strictEqual(await modeOf(`${volume.root}/a/b/c`), 0o777);
});

Deno.test("resolve() makes nothing in a volume whose content is not the pod's", async () => {
  await using volume = await Volume.make();
  const result = await volume.resolve("a", { readOnly: true });
  match(result.kind === "refused" ? result.message : "", /"a".*is not there/);
  strictEqual(await exists(`${volume.root}/a`), false);
});

Deno.test("resolve() takes directories, files, sockets and FIFOs without opening them (VO-03)", async () => {
  await using volume = await Volume.make();
  const { root } = volume;
  await Deno.mkdir(`${root}/dir/inner`, { recursive: true });
  await Deno.writeTextFile(`${root}/dir/file`, "");
  await makeFifo(`${root}/fifo`);
  using _listener = Deno.listen({ transport: "unix", path: `${root}/socket` });
  for (
    const path of ["dir", "dir/inner", "dir/file", "fifo", "socket", "./dir//"]
  ) {
    const result = await volume.resolve(path);
    strictEqual(result.kind, "ok", path);
    if (result.kind !== "ok") continue;
    const { ino, dev } = await Deno.lstat(`${root}/${path}`);
    deepStrictEqual(
      [result.pinned.device, result.pinned.inode],
      [dev, ino],
    );
    strictEqual(await volume.resolver.isUnchanged(result.pinned), true);
  }
  match(await volume.outcome("dir/file/x"), /is not a directory/);
});

const TRAPS: readonly {
  readonly title: string;
  /** The target of the link `evil`, from what the volume is and what lies beside it. */
  readonly target: (volume: Volume) => string;
  readonly subPath: string;
}[] = [
  { title: "to the root", target: () => "/", subPath: "evil" },
  { title: "to the root, further on", target: () => "/", subPath: "evil/etc" },
  { title: "up and up", target: () => "../../../../", subPath: "evil" },
  { title: "to a process", target: () => "/proc/1/root", subPath: "evil" },
  {
    title: "beside the volume",
    target: (volume) => volume.outside,
    subPath: "evil/etc",
  },
  {
    title: "to a file beside the volume",
    target: () => "../outside/secret",
    subPath: "evil",
  },
  {
    title: "to what does not exist beside the volume",
    target: (volume) => `${volume.outside}/new`,
    subPath: "evil/deep",
  },
  {
    title: "to a sibling whose name begins alike",
    target: (volume) => `${volume.root}2`,
    subPath: "evil",
  },
];

for (const { title, target, subPath } of TRAPS) {
  Deno.test(`resolve() refuses a link ${title} (VO-04)`, async () => {
    await using volume = await Volume.make();
    await Deno.mkdir(`${volume.root}2`);
    await Deno.symlink(target(volume), `${volume.root}/evil`);
    match(
      await volume.outcome(subPath),
      /^subPath "evil[^"]*" is not within the volume: /,
    );
    strictEqual(await exists(`${volume.outside}/new`), false);
  });
}

for (const subPath of ["../x", "a/../../x", "/etc", ".."]) {
  Deno.test(`resolve() refuses the path "${subPath}" (VO-04)`, async () => {
    await using volume = await Volume.make();
    match(await volume.outcome(subPath), /is not within the volume/);
  });
}

Deno.test("resolve() follows links that stay in the volume", async () => {
  await using volume = await Volume.make();
  const { root } = volume;
  await Deno.mkdir(`${root}/releases/7`, { recursive: true });
  await Deno.symlink("releases/7", `${root}/current`);
  await Deno.symlink("../../current/./", `${root}/releases/7/again`);
  await Deno.symlink(`${root}/current`, `${root}/absolute`);
  strictEqual(await volume.outcome("current"), "/releases/7");
  strictEqual(await volume.outcome("current/again/new"), "/releases/7/new");
  strictEqual(await volume.outcome("absolute"), "/releases/7");
});

Deno.test("resolve() ends in a circle of links, and makes nothing where one points at nothing", async () => {
  await using volume = await Volume.make();
  const { root } = volume;
  await Deno.symlink("b", `${root}/a`);
  await Deno.symlink("a", `${root}/b`);
  await Deno.symlink("nowhere", `${root}/dangling`);
  match(await volume.outcome("a"), /more than 40 links/);
  match(await volume.outcome("dangling/x"), /nowhere" is not there/);
  strictEqual(await exists(`${root}/nowhere`), false);
});

Deno.test("isUnchanged() sees a directory that became a link or another directory (VO-04)", async () => {
  await using volume = await Volume.make();
  const { root } = volume;
  const result = await volume.resolve("a/b");
  if (result.kind !== "ok") throw new Error(result.message);
  const { pinned } = result;
  strictEqual(await volume.resolver.isUnchanged(pinned), true);
  await Deno.rename(`${root}/a`, `${root}/away`);
  strictEqual(await volume.resolver.isUnchanged(pinned), false);
  await Deno.symlink("away", `${root}/a`);
  strictEqual(await volume.resolver.isUnchanged(pinned), false);
  await Deno.remove(`${root}/a`);
  await Deno.mkdir(`${root}/a/b`, { recursive: true });
  strictEqual(await volume.resolver.isUnchanged(pinned), false);
  await Deno.remove(`${root}/a`, { recursive: true });
  await Deno.rename(`${root}/away`, `${root}/a`);
  strictEqual(await volume.resolver.isUnchanged(pinned), true);
});

Deno.test("isUnchanged() sees a directory that was made anew, whatever its inode (VO-04)", async () => {
  await using volume = await Volume.make();
  const result = await volume.resolve("a");
  if (result.kind !== "ok") throw new Error(result.message);
  // File systems such as ext4 give the number to the next one at once.
  await Deno.remove(`${volume.root}/a`);
  await Deno.symlink(volume.outside, `${volume.root}/a`);
  await Deno.remove(`${volume.root}/a`);
  await Deno.mkdir(`${volume.root}/a`);
  strictEqual(await volume.resolver.isUnchanged(result.pinned), false);
});

Deno.test("isUnchanged() says no when the volume is gone", async () => {
  await using volume = await Volume.make();
  const result = await volume.resolve("a");
  if (result.kind !== "ok") throw new Error(result.message);
  await Deno.remove(volume.root, { recursive: true });
  strictEqual(await volume.resolver.isUnchanged(result.pinned), false);
});

Deno.test("resolve() goes into what the node has mounted in a volume", {
  // Bind mounts need root and CAP_SYS_ADMIN.
  ignore: !await canBindMount(),
}, async () => {
  await using volume = await Volume.make();
  const at = `${volume.root}/mounted`;
  await Deno.mkdir(at);
  strictEqual(await succeeds("mount", "--bind", volume.outside, at), true);
  try {
    strictEqual(await volume.outcome("mounted/etc"), "/mounted/etc");
  } finally {
    strictEqual(await succeeds("umount", at), true);
  }
});

/** Resolves a path 1000 times while another process exchanges `a`. */
async function race(
  volume: Volume,
  options: { readonly subPath: string; readonly readOnly: boolean },
): Promise<readonly PinnedPath[]> {
  await using _swapper = await Swapper.start(volume.root);
  const accepted: PinnedPath[] = [];
  for (let turn = 0; turn < 1000; turn++) {
    const result = await volume.resolve(options.subPath, options);
    if (result.kind === "ok") accepted.push(result.pinned);
  }
  return accepted;
}

async function namesIn(path: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(path));
  return entries.map(({ name }) => name).sort();
}

Deno.test("resolve() accepts no path outside in 1000 races (VO-04)", async () => {
  await using volume = await Volume.make();
  const { root, outside } = volume;
  await Deno.mkdir(`${root}/a/etc`, { recursive: true });
  await Deno.symlink(outside, `${root}/.link`);
  const { ino } = await Deno.lstat(`${root}/a/etc`);
  for (
    const { inode } of await race(volume, { subPath: "a/etc", readOnly: true })
  ) {
    strictEqual(inode, ino);
  }
});

Deno.test("resolve() makes nothing outside in 1000 races (VO-04)", async () => {
  await using volume = await Volume.make();
  const { root, outside } = volume;
  await Deno.mkdir(`${root}/a`);
  await Deno.symlink(outside, `${root}/.link`);
  await race(volume, { subPath: "a/new", readOnly: false });
  deepStrictEqual(await namesIn(outside), ["etc", "secret"]);
});

Deno.test("resolve() and isUnchanged() of a path of hundreds of parts end when nobody waits for it", async () => {
  await using volume = await Volume.make();
  const found = await volume.resolve("a/b");
  const stop = new AbortController();
  const options = {
    podUid: UID,
    volumeRoot: volume.root,
    subPath: "deep/".repeat(400),
    readOnly: false,
    signal: stop.signal,
  };
  const walk = volume.resolver.resolve(options);
  stop.abort(new DOMException("Over", "AbortError"));
  await rejects(walk, { name: "AbortError" });
  strictEqual(await exists(`${volume.root}/deep/deep/deep`), false);
  const pinned = found.kind === "ok" ? found.pinned : undefined;
  ok(pinned);
  await rejects(volume.resolver.isUnchanged(pinned, options), {
    name: "AbortError",
  });
});
