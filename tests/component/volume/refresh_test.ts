/**
 * Tests of volumes of content that change, also under the hands of containers and
 * after crashes.
 *
 * @module
 */

import { mountFailure } from "../../../mod/volume/mod.ts";
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { Pod, Volume } from "../../../mod/api/types/mod.ts";
import { removeTree } from "../../../mod/host/files/mod.ts";
import {
  contentOf,
  exists,
  failureOf,
  modeOf,
  podWith,
  Root,
  sourceOf,
  UID,
} from "../../support/volume/volume_rig.ts";

const CONFIG: Volume = { name: "v", configMap: { name: "settings" } };
const SECRET: Volume = { name: "v", secret: { secretName: "keys" } };

/** What a volume looks like from the outside, time of change included. */
async function stampOf(path: string): Promise<readonly unknown[]> {
  const { ino, mtime, ctime } = await Deno.lstat(path);
  return [ino, mtime, ctime];
}

async function refresh(root: Root, pod: Pod): Promise<string> {
  const result = await root.volumes.refresh(pod);
  return result.kind === "ok"
    ? "ok"
    : mountFailure(result.failures.values()).message;
}

Deno.test("refresh() rewrites what has changed and nothing else (VO-06)", async () => {
  await using root = await Root.make();
  root.objects.set("ConfigMap", "settings", { a: "1", b: "1", gone: "1" });
  const pod = podWith(CONFIG);
  const path = await sourceOf(root, pod);
  const before = await stampOf(`${path}/b`);
  const old = await Deno.open(`${path}/a`);
  root.objects.set("ConfigMap", "settings", { a: "22", b: "1", c: "1" });
  strictEqual(await refresh(root, pod), "ok");
  deepStrictEqual(await contentOf(path), { a: "22", b: "1", c: "1" });
  deepStrictEqual(await stampOf(`${path}/b`), before);
  // Who had it open reads the old file to its end.
  strictEqual(await new Response(old.readable).text(), "1");
});

Deno.test("refresh() and setUp() touch nothing when nothing has changed", async () => {
  await using root = await Root.make();
  root.objects.set("ConfigMap", "settings", { a: "1", b: "" });
  const pod = podWith({
    name: "v",
    configMap: {
      name: "settings",
      items: [{ key: "a", path: "d/a" }, { key: "b", path: "b" }],
    },
  });
  const path = await sourceOf(root, pod);
  const paths = [path, `${path}/d`, `${path}/d/a`, `${path}/b`];
  const before = await Promise.all(paths.map(stampOf));
  strictEqual(await refresh(root, pod), "ok");
  strictEqual(await sourceOf(root, pod), path);
  deepStrictEqual(await Promise.all(paths.map(stampOf)), before);
});

Deno.test("refresh() moves a key between a file and a directory", async () => {
  await using root = await Root.make();
  root.objects.set("ConfigMap", "settings", { a: "1" });
  const at = (path: string): Pod =>
    podWith({
      name: "v",
      configMap: { name: "settings", items: [{ key: "a", path }] },
    });
  const path = await sourceOf(root, at("x"));
  strictEqual(await refresh(root, at("x/y")), "ok");
  deepStrictEqual(await contentOf(path), { "x/": "", "x/y": "1" });
  strictEqual(await refresh(root, at("x")), "ok");
  deepStrictEqual(await contentOf(path), { x: "1" });
});

Deno.test("refresh() leaves volumes of other kinds alone", async () => {
  await using root = await Root.make();
  const pod = podWith({ name: "v", emptyDir: {} });
  deepStrictEqual(await root.volumes.refresh(pod), {
    kind: "ok",
    sources: new Map(),
  });
  strictEqual(await exists(`${root.path}/root`), false);
});

Deno.test("a volume whose configMap has gone keeps its content, and it is told", async () => {
  await using root = await Root.make();
  root.objects.set("ConfigMap", "settings", { a: "1" });
  const pod = podWith(CONFIG);
  const path = await sourceOf(root, pod);
  root.objects.unset("ConfigMap", "settings");
  const message = 'Cannot set up volume "v": configmap "settings" not found';
  deepStrictEqual(await root.volumes.refresh(pod), {
    kind: "failed",
    failures: new Map([["v", {
      volume: "v",
      cause: { kind: "missing_object", object: "ConfigMap", name: "settings" },
      message,
    }]]),
    sources: new Map(),
  });
  deepStrictEqual(await root.volumes.setUp(pod), {
    kind: "ok",
    sources: new Map([["v", { hostPath: path, readOnly: true }]]),
    warnings: [{ reason: "FailedMount", message }],
  });
  deepStrictEqual(await contentOf(path), { a: "1" });
});

/** What a container with too many rights made of the volume, and what was beside it. */
const ATTACKS: readonly {
  readonly title: string;
  readonly attack: (path: string, outside: string) => Promise<void>;
}[] = [
  {
    title: "a file by a link",
    attack: async (path, outside) => {
      await Deno.remove(`${path}/a`);
      await Deno.symlink(`${outside}/precious`, `${path}/a`);
    },
  },
  {
    title: "a file by a link to the same content",
    attack: async (path, outside) => {
      await Deno.writeTextFile(`${outside}/same`, "1");
      await Deno.remove(`${path}/a`);
      await Deno.symlink(`${outside}/same`, `${path}/a`);
      await Deno.remove(`${outside}/same`);
    },
  },
  {
    title: "a directory by a link",
    attack: async (path, outside) => {
      await Deno.remove(`${path}/d`, { recursive: true });
      await Deno.symlink(outside, `${path}/d`);
    },
  },
  {
    title: "a file by a directory",
    attack: async (path) => {
      await Deno.remove(`${path}/a`);
      await Deno.mkdir(`${path}/a/full`, { recursive: true });
    },
  },
  {
    title: "a directory by a file",
    attack: async (path) => {
      await Deno.remove(`${path}/d`, { recursive: true });
      await Deno.writeTextFile(`${path}/d`, "");
    },
  },
  {
    title: "a draft by a link",
    attack: async (path, outside) => {
      await Deno.symlink(`${outside}/precious`, `${path}/..skerry-draft-0`);
      await Deno.symlink(`${outside}/precious`, `${path}/..skerry-draft-1`);
      await Deno.remove(`${path}/a`);
    },
  },
  {
    title: "nothing, and added links and files",
    attack: async (path, outside) => {
      await Deno.symlink(outside, `${path}/link`);
      await Deno.writeTextFile(`${path}/d/more`, "");
      await Deno.mkdir(`${path}/extra`);
      await Deno.symlink(outside, `${path}/extra/link`);
    },
  },
];

for (const { title, attack } of ATTACKS) {
  Deno.test(`refresh() puts a volume right in which a container replaced ${title}`, async () => {
    await using root = await Root.make();
    const outside = `${root.path}/outside`;
    await Deno.mkdir(outside);
    await Deno.writeTextFile(`${outside}/precious`, "x");
    await Deno.chmod(`${outside}/precious`, 0o600);
    root.objects.set("ConfigMap", "settings", { a: "1", b: "2" });
    const pod = podWith({
      name: "v",
      configMap: {
        name: "settings",
        items: [{ key: "a", path: "a" }, { key: "b", path: "d/b" }],
      },
    }, Deno.uid() === 0 ? { securityContext: { fsGroup: 77 } } : {});
    const path = await sourceOf(root, pod);
    const before = await Promise.all(
      [outside, `${outside}/precious`].map(modeOf),
    );
    await attack(path, outside);
    strictEqual(await refresh(root, pod), "ok");
    deepStrictEqual(await contentOf(path), { a: "1", "d/": "", "d/b": "2" });
    strictEqual((await Deno.lstat(`${path}/d`)).isDirectory, true);
    deepStrictEqual(await contentOf(outside), { precious: "x" });
    deepStrictEqual(
      await Promise.all([outside, `${outside}/precious`].map(modeOf)),
      before,
    );
  });
}

Deno.test("refresh() leaves an empty directory that something may be mounted on", async () => {
  await using root = await Root.make();
  root.objects.set("ConfigMap", "settings", { a: "1" });
  const pod = podWith(CONFIG);
  const path = await sourceOf(root, pod);
  await Deno.mkdir(`${path}/empty`);
  strictEqual(await refresh(root, pod), "ok");
  deepStrictEqual(await contentOf(path), { a: "1", "empty/": "" });
});

Deno.test("a crash while a volume is made leaves none, and the next try makes all of it (VO-06)", async () => {
  await using root = await Root.make();
  root.objects.set("ConfigMap", "settings", { a: "1" });
  const pod = podWith(CONFIG);
  const parent = `${root.podDirectory}/volumes/kubernetes.io~configmap`;
  await Deno.mkdir(`${parent}/.v`, { recursive: true });
  await Deno.writeTextFile(`${parent}/.v/..skerry-draft-0`, "half");
  await Deno.writeTextFile(`${parent}/.v/stale`, "old");
  const path = await sourceOf(root, pod);
  deepStrictEqual(await contentOf(path), { a: "1" });
  deepStrictEqual(await contentOf(parent), { "v/": "", "v/a": "1" });
});

Deno.test("a crash in the middle of a rewrite leaves whole files, and the next one ends it (VO-06)", async () => {
  await using root = await Root.make();
  root.objects.set("ConfigMap", "settings", { a: "1", b: "1" });
  const pod = podWith(CONFIG);
  const path = await sourceOf(root, pod);
  // As after a kill between the two renames: one file new, one draft left.
  await Deno.writeTextFile(`${path}/a`, "2");
  await Deno.writeTextFile(`${path}/..skerry-draft-1`, "2");
  await Deno.writeTextFile(`${path}/..skerry-draft-9`, "ha");
  root.objects.set("ConfigMap", "settings", { a: "2", b: "2" });
  strictEqual(await refresh(root, pod), "ok");
  deepStrictEqual(await contentOf(path), { a: "2", b: "2" });
});

Deno.test("a rewrite that fails leaves the old files and no drafts (VO-06)", async () => {
  await using root = await Root.make();
  // Removal goes wrong as it would for something mounted.
  const broken = new Root(root.path, {
    removeTree: (path) =>
      path.endsWith("/v/b")
        ? Promise.resolve({ kind: "left", mounts: [path] })
        : removeTree(path),
  });
  broken.objects.set("ConfigMap", "settings", { a: "1", b: "1" });
  const pod = podWith(CONFIG);
  const path = await sourceOf(broken, pod);
  await Deno.remove(`${path}/b`);
  await Deno.mkdir(`${path}/b/mounted`, { recursive: true });
  broken.objects.set("ConfigMap", "settings", { a: "2", b: "2" });
  match(await refresh(broken, pod), /"b" cannot be removed: .* is mounted/);
  deepStrictEqual(await contentOf(path), {
    a: "1",
    "b/": "",
    "b/mounted/": "",
  });
});

Deno.test("a rewrite whose second rename fails leaves whole files and no drafts (VO-06)", async () => {
  await using root = await Root.make();
  root.objects.set("ConfigMap", "settings", { a: "1", b: "1" });
  const pod = (path: string): Pod =>
    podWith({
      name: "v",
      configMap: {
        name: "settings",
        items: [{ key: "a", path: "a" }, { key: "b", path }],
      },
    });
  const path = await sourceOf(root, pod("b"));
  root.objects.set("ConfigMap", "settings", { a: "2", b: "2" });
  // Allowed as a path in the volume, and too long below its directory for the
  // file's name; that of its draft is shorter.
  const long = `${"d".repeat(255)}/`.repeat(15) + "e".repeat(250);
  match(await refresh(root, pod(long)), /too long/i);
  const { a, b, ...rest } = await contentOf(path);
  deepStrictEqual([a, b], ["2", "1"]);
  deepStrictEqual(
    Object.keys(rest).filter((name) => !name.endsWith("/")),
    [],
  );
  strictEqual(await refresh(root, pod("b")), "ok");
  const { a: newA, b: newB } = await contentOf(path);
  deepStrictEqual([newA, newB], ["2", "2"]);
});

Deno.test("remove() takes content in memory away with the pod (VO-02)", async () => {
  await using root = await Root.make();
  root.objects.set("Secret", "keys", { a: "1" });
  await sourceOf(root, podWith(SECRET));
  await root.remove(UID);
  strictEqual(await exists(root.runDirectory), false);
  strictEqual(await exists(root.podDirectory), false);
});

Deno.test("(IN-11) refresh() brings a token that was renewed, and keeps the one that there is when another is refused", async () => {
  await using root = await Root.make();
  const pod = podWith({
    name: "v",
    projected: { sources: [{ serviceAccountToken: { path: "token" } }] },
  });
  const name = `token/${UID}/3600/`;
  root.objects.withhold("Secret", name, "no such account");
  match(
    await failureOf(root, pod),
    /"v": failed to fetch token: no such account$/,
  );
  root.objects.set("Secret", name, { token: "one" });
  const path = await sourceOf(root, pod);
  deepStrictEqual(await contentOf(path), { token: "one" });
  root.objects.set("Secret", name, { token: "two" });
  strictEqual(await refresh(root, pod), "ok");
  deepStrictEqual(await contentOf(path), { token: "two" });
  root.objects.unset("Secret", name);
  root.objects.withhold("Secret", name, "no such account");
  strictEqual(await refresh(root, pod), "ok");
  strictEqual(await sourceOf(root, pod), path);
  deepStrictEqual(await contentOf(path), { token: "two" });
});

Deno.test("(IN-11) an optional Secret that nobody may say anything of any more keeps its files", async () => {
  await using root = await Root.make();
  const pod = podWith({
    name: "v",
    secret: { secretName: "keys", optional: true },
  });
  root.objects.set("Secret", "keys", { a: "1" });
  const path = await sourceOf(root, pod);
  root.objects.unset("Secret", "keys");
  root.objects.withhold("Secret", "keys", "no such right");
  strictEqual(await refresh(root, pod), "ok");
  strictEqual(await sourceOf(root, pod), path);
  deepStrictEqual(await contentOf(path), { a: "1" });
});
