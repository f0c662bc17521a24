/**
 * Tests of counting what volumes take, of emptyDirs in memory and of links below
 * hostPath roots.
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
import { directoryUsage, mountFailure } from "../../../mod/volume/mod.ts";
import {
  canBindMount,
  contentOf,
  exists,
  failureOf,
  modeOf,
  podWith,
  Root,
  sourceOf,
} from "../../support/volume/volume_rig.ts";
import { succeeds } from "../../support/succeeds.ts";

const MIB = 1024 * 1024;

async function blocksOf(...paths: readonly string[]): Promise<number> {
  const infos = await Promise.all(paths.map((path) => Deno.lstat(path)));
  return infos.reduce((sum, { blocks }) => sum + (blocks ?? 0) * 512, 0);
}

Deno.test("setUp() makes an emptyDir in memory below the run directory (VO-01)", async () => {
  await using root = await Root.make();
  const pod = podWith({
    name: "v",
    emptyDir: { medium: "Memory", sizeLimit: "8Mi" },
  });
  const path = await sourceOf(root, pod);
  strictEqual(path, `${root.runDirectory}/volumes/kubernetes.io~empty-dir/v`);
  strictEqual(await modeOf(path), 0o777);
  await Deno.writeTextFile(`${path}/data`, "kept");
  strictEqual(await sourceOf(root, pod), path);
  deepStrictEqual(await contentOf(path), { data: "kept" });
});

Deno.test("usage() counts what each emptyDir of a pod has allocated (SE-08)", async () => {
  await using root = await Root.make();
  const pod: Pod = podWith({ name: "disk", emptyDir: {} }, {
    volumes: [
      { name: "disk", emptyDir: {} },
      { name: "memory", emptyDir: { medium: "Memory" } },
      { name: "later", emptyDir: {} },
      { name: "host", hostPath: { path: "/" } },
    ],
    containers: [{
      name: "c",
      volumeMounts: ["disk", "memory"].map((name) => ({
        name,
        mountPath: `/${name}`,
      })),
    }],
  });
  await root.directories.prepare(pod);
  const result = await root.volumes.setUp(pod);
  if (result.kind === "failed") {
    throw new Error(mountFailure(result.failures.values()).message);
  }
  const at = (name: string) => result.sources.get(name)?.hostPath ?? "";
  await Deno.mkdir(`${at("disk")}/d`);
  await Deno.writeFile(`${at("disk")}/d/f`, new Uint8Array(MIB));
  await Deno.link(`${at("disk")}/d/f`, `${at("disk")}/again`);
  await Deno.writeFile(`${at("memory")}/f`, new Uint8Array(3 * MIB));
  const usage = await root.volumes.usage(pod);
  deepStrictEqual([...usage.keys()], ["disk", "memory", "later"]);
  strictEqual(
    usage.get("disk")?.bytes,
    await blocksOf(at("disk"), `${at("disk")}/d`, `${at("disk")}/d/f`),
  );
  strictEqual((usage.get("disk")?.bytes ?? 0) >= MIB, true);
  // The volume, the directory in it, and the file once for its two names.
  strictEqual(usage.get("disk")?.inodes, 3);
  strictEqual((usage.get("memory")?.bytes ?? 0) >= 3 * MIB, true);
  deepStrictEqual(usage.get("later"), { bytes: 0, inodes: 0 });
});

Deno.test("directoryUsage() follows no link, counts no hole and takes a file for itself", async () => {
  await using root = await Root.make();
  const path = `${root.path}/d`;
  await Deno.mkdir(path);
  await Deno.writeFile(`${root.path}/big`, new Uint8Array(MIB));
  await Deno.symlink(`${root.path}/big`, `${path}/link`);
  await Deno.symlink(root.path, `${path}/up`);
  await Deno.writeFile(`${path}/sparse`, new Uint8Array());
  await Deno.truncate(`${path}/sparse`, 1024 * MIB);
  const { bytes, inodes } = await directoryUsage(path);
  strictEqual(bytes < MIB, true);
  strictEqual(inodes, 4);
  deepStrictEqual(await directoryUsage(`${root.path}/big`), {
    bytes: await blocksOf(`${root.path}/big`),
    inodes: 1,
  });
  deepStrictEqual(await directoryUsage(`${root.path}/none`), {
    bytes: 0,
    inodes: 0,
  });
});

Deno.test("directoryUsage() does not enter mounts", {
  // Mounts need root and CAP_SYS_ADMIN.
  ignore: !await canBindMount(),
}, async () => {
  await using root = await Root.make();
  const at = `${root.path}/d/mounted`;
  await Deno.mkdir(at, { recursive: true });
  strictEqual(await succeeds("mount", "-t", "tmpfs", "none", at), true);
  try {
    await Deno.writeFile(`${at}/big`, new Uint8Array(MIB));
    strictEqual((await directoryUsage(`${root.path}/d`)).bytes < MIB, true);
  } finally {
    strictEqual(await succeeds("umount", at), true);
  }
});

Deno.test("directoryUsage() ends when it is told to", async () => {
  await using root = await Root.make();
  await Deno.mkdir(`${root.path}/d/e`, { recursive: true });
  const signal = AbortSignal.abort(new Error("enough"));
  await rejects(directoryUsage(`${root.path}/d`, signal), /enough/);
});

Deno.test("directoryUsage() counts on while files come and go", async () => {
  await using root = await Root.make();
  const path = `${root.path}/d`;
  await Deno.mkdir(path);
  const churn = async () => {
    for (let file = 0; file < 200; file++) {
      await Deno.mkdir(`${path}/${file}`);
      await Deno.writeTextFile(`${path}/${file}/f`, "x");
      if (file > 2) {
        await Deno.remove(`${path}/${file - 2}`, { recursive: true });
      }
    }
  };
  const count = async () => {
    for (let turn = 0; turn < 20; turn++) await directoryUsage(path);
  };
  await Promise.all([churn(), count()]);
});

Deno.test("a hostPath is made through links that stay in its root (VO-08)", async () => {
  await using root = await Root.make();
  const host = `${root.path}/host`;
  await Deno.mkdir(`${host}/real`, { recursive: true });
  await Deno.symlink("real", `${host}/link`);
  const path = `${host}/link/new/deep`;
  strictEqual(
    await sourceOf(
      root,
      podWith({ name: "v", hostPath: { path, type: "DirectoryOrCreate" } }),
    ),
    path,
  );
  strictEqual(await modeOf(`${host}/real/new/deep`), 0o755);
});

for (const type of ["DirectoryOrCreate", "FileOrCreate"]) {
  Deno.test(`a hostPath of type ${type} is not made through a link out of its root (VO-08)`, async () => {
    await using root = await Root.make();
    const host = `${root.path}/host`;
    const outside = `${root.path}/outside`;
    await Deno.mkdir(host);
    await Deno.mkdir(outside);
    await Deno.symlink(outside, `${host}/link`);
    const pod = podWith({
      name: "v",
      hostPath: { path: `${host}/link/new`, type },
    });
    match(
      await failureOf(root, pod),
      /hostPath type check failed: .*\/link\/new cannot be made: a link on its way leads out of/,
    );
    deepStrictEqual(await contentOf(outside), {});
  });
}

Deno.test("a hostPath of type FileOrCreate is not made through a last link, nor are directories above it (VO-08)", async () => {
  await using root = await Root.make();
  const host = `${root.path}/host`;
  await Deno.mkdir(host);
  await Deno.symlink(`${root.path}/target`, `${host}/link`);
  for (const path of [`${host}/link`, `${host}/no/file`]) {
    const pod = podWith({
      name: "v",
      hostPath: { path, type: "FileOrCreate" },
    });
    match(
      await failureOf(root, pod),
      /hostPath type check failed: .* is not a file$/,
    );
  }
  strictEqual(await exists(`${root.path}/target`), false);
  strictEqual(await exists(`${host}/no`), false);
});

Deno.test("a hostPath root that is a link itself is the operator's choice (VO-08)", async () => {
  await using root = await Root.make();
  await Deno.mkdir(`${root.path}/elsewhere`);
  await Deno.symlink("elsewhere", `${root.path}/host`);
  await sourceOf(
    root,
    podWith({
      name: "v",
      hostPath: { path: `${root.path}/host/new`, type: "DirectoryOrCreate" },
    }),
  );
  strictEqual(await exists(`${root.path}/elsewhere/new`), true);
});
