/**
 * Tests of volumes that are made of content: configMap, secret, downwardAPI and
 * projected.
 *
 * @module
 */

import { mountFailure } from "../../../mod/volume/mod.ts";
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { Pod, Volume } from "../../../mod/api/types/mod.ts";
import {
  contentOf,
  failureOf,
  modeOf,
  podWith,
  Root,
  sourceOf,
} from "../../support/volume/volume_rig.ts";

const AS_ROOT = { ignore: Deno.uid() !== 0 };

const CONFIG: Volume = { name: "v", configMap: { name: "settings" } };
const SECRET: Volume = { name: "v", secret: { secretName: "keys" } };

async function refresh(root: Root, pod: Pod): Promise<string> {
  const result = await root.volumes.refresh(pod);
  return result.kind === "ok"
    ? "ok"
    : mountFailure(result.failures.values()).message;
}

Deno.test("setUp() writes a configMap on disk, read-only", async () => {
  await using root = await Root.make();
  root.objects.set("ConfigMap", "settings", { color: "blue", size: "xl\n" });
  const pod = podWith(CONFIG);
  await root.directories.prepare(pod);
  const path = `${root.podDirectory}/volumes/kubernetes.io~configmap/v`;
  deepStrictEqual(await root.volumes.setUp(pod), {
    kind: "ok",
    sources: new Map([["v", { hostPath: path, readOnly: true }]]),
  });
  deepStrictEqual(await contentOf(path), { color: "blue", size: "xl\n" });
  strictEqual(await modeOf(`${path}/color`), 0o644);
  strictEqual(await modeOf(path), 0o777);
});

const IN_MEMORY: readonly (readonly [title: string, volume: Volume])[] = [
  ["a secret", SECRET],
  ["a downwardAPI", {
    name: "v",
    downwardAPI: {
      items: [{ path: "key", fieldRef: { fieldPath: "metadata.name" } }],
    },
  }],
  ["a projected secret", {
    name: "v",
    projected: { sources: [{ secret: { name: "keys" } }] },
  }],
];

for (const [title, volume] of IN_MEMORY) {
  Deno.test(`setUp() keeps ${title} off the disk`, async () => {
    await using root = await Root.make();
    root.objects.set("Secret", "keys", { key: "s3cret" });
    const path = await sourceOf(root, podWith(volume));
    strictEqual(path.startsWith(`${root.runDirectory}/volumes/`), true);
    deepStrictEqual(Object.keys(await contentOf(path)), ["key"]);
    strictEqual(await modeOf(root.runDirectory), 0o750);
    deepStrictEqual(await contentOf(root.podDirectory), {});
  });
}

Deno.test("setUp() picks items, at nested paths and with modes of their own", async () => {
  await using root = await Root.make();
  root.objects.set("Secret", "keys", { a: "1", b: "2", c: "3" });
  const pod = podWith({
    name: "v",
    secret: {
      secretName: "keys",
      defaultMode: 0o400,
      items: [
        { key: "a", path: "x/y/z" },
        { key: "b", path: "x/w", mode: 0o640 },
      ],
    },
  });
  const before = Deno.umask(0o077);
  try {
    const path = await sourceOf(root, pod);
    deepStrictEqual(await contentOf(path), {
      "x/": "",
      "x/w": "2",
      "x/y/": "",
      "x/y/z": "1",
    });
    strictEqual(await modeOf(`${path}/x/y/z`), 0o400);
    strictEqual(await modeOf(`${path}/x/w`), 0o640);
    strictEqual(await modeOf(`${path}/x/y`), 0o755);
  } finally {
    Deno.umask(before);
  }
});

Deno.test(
  "setUp() gives files of content to the pod's group, which may read them",
  AS_ROOT,
  async () => {
    await using root = await Root.make();
    root.objects.set("Secret", "keys", { a: "1" });
    const pod = podWith({
      name: "v",
      secret: {
        secretName: "keys",
        defaultMode: 0o400,
        items: [{ key: "a", path: "d/a" }],
      },
    }, { securityContext: { fsGroup: 1234 } });
    const path = await sourceOf(root, pod);
    strictEqual(await modeOf(path), 0o2777);
    strictEqual(await modeOf(`${path}/d`), 0o2755);
    strictEqual(await modeOf(`${path}/d/a`), 0o440);
    for (const each of [path, `${path}/d`, `${path}/d/a`]) {
      strictEqual((await Deno.lstat(each)).gid, 1234, each);
    }
  },
);

Deno.test("setUp() shows the pod to itself", async () => {
  await using root = await Root.make();
  const pod = podWith({
    name: "v",
    downwardAPI: {
      defaultMode: 0o400,
      items: [
        { path: "labels", fieldRef: { fieldPath: "metadata.labels" } },
        {
          path: "sub/name",
          fieldRef: { fieldPath: "metadata.name" },
          mode: 0o444,
        },
        {
          path: "cpu",
          resourceFieldRef: { containerName: "c", resource: "limits.cpu" },
        },
      ],
    },
  });
  const path = await sourceOf(root, pod);
  deepStrictEqual(await contentOf(path), {
    cpu: "4",
    labels: 'app="web"\ntier="front"',
    "sub/": "",
    "sub/name": "web",
  });
  strictEqual(await modeOf(`${path}/labels`), 0o400);
  strictEqual(await modeOf(`${path}/sub/name`), 0o444);
});

Deno.test("setUp() merges the sources of a projected volume, the later one wins", async () => {
  await using root = await Root.make();
  root.objects.set("ConfigMap", "settings", { both: "config", c: "1" });
  root.objects.set("Secret", "keys", { both: "secret", s: "2" });
  const pod = podWith({
    name: "v",
    projected: {
      defaultMode: 0o440,
      sources: [
        { configMap: { name: "settings" } },
        { secret: { name: "keys" } },
        { secret: { name: "not-there", optional: true } },
        {
          downwardAPI: {
            items: [{ path: "d/n", fieldRef: { fieldPath: "metadata.name" } }],
          },
        },
      ],
    },
  });
  const path = await sourceOf(root, pod);
  deepStrictEqual(await contentOf(path), {
    both: "secret",
    c: "1",
    "d/": "",
    "d/n": "web",
    s: "2",
  });
  strictEqual(await modeOf(`${path}/both`), 0o440);
});

Deno.test("setUp() makes the places of mounts inside a read-only volume", async () => {
  await using root = await Root.make();
  root.objects.set("ConfigMap", "settings", { file: "x" });
  const pod = podWith(CONFIG, {
    containers: [{
      name: "c",
      volumeMounts: [
        { name: "v", mountPath: "/etc/app" },
        { name: "w", mountPath: "/etc/app/cache/" },
        { name: "w", mountPath: "/etc/app/cache/deeper" },
        { name: "w", mountPath: "/etc/app/file" },
        { name: "w", mountPath: "/etc/application" },
      ],
    }],
  });
  const path = await sourceOf(root, pod);
  deepStrictEqual(await contentOf(path), { "cache/": "", file: "x" });
  strictEqual(await refresh(root, pod), "ok");
  deepStrictEqual(await contentOf(path), { "cache/": "", file: "x" });
});

Deno.test("setUp() fails for a required configMap that is not there, and recovers (VO-14)", async () => {
  await using root = await Root.make();
  const pod = podWith(CONFIG);
  match(
    await failureOf(root, pod),
    /^Cannot set up volume "v": configmap "settings" not found$/,
  );
  root.objects.set("ConfigMap", "settings", { a: "1" });
  deepStrictEqual(await contentOf(await sourceOf(root, pod)), { a: "1" });
});

Deno.test("setUp() starts with an empty optional volume, which is filled later (VO-14)", async () => {
  await using root = await Root.make();
  const pod = podWith({
    name: "v",
    secret: { secretName: "keys", optional: true },
  });
  const path = await sourceOf(root, pod);
  deepStrictEqual(await contentOf(path), {});
  root.objects.set("Secret", "keys", { a: "1" });
  strictEqual(await refresh(root, pod), "ok");
  deepStrictEqual(await contentOf(path), { a: "1" });
  root.objects.unset("Secret", "keys");
  strictEqual(await refresh(root, pod), "ok");
  deepStrictEqual(await contentOf(path), {});
});

Deno.test("what its sources have not confirmed leaves a volume alone, unless one of it is newer", async () => {
  await using root = await Root.make();
  root.objects.set("Secret", "keys", { token: "" });
  root.objects.set("ConfigMap", "settings", { color: "blue" });
  const secret = { name: "keys" };
  const configMap = { name: "settings" };
  const pod = podWith({
    name: "v",
    projected: { sources: [{ secret }, { configMap }] },
  });
  root.objects.haveSpoken = false;
  const path = await sourceOf(root, pod);
  deepStrictEqual(await contentOf(path), { token: "", color: "blue" });
  root.objects.set("Secret", "keys", { token: "late" });
  await refresh(root, pod);
  deepStrictEqual(await contentOf(path), { token: "", color: "blue" });
  root.objects.renewed.add("keys");
  await refresh(root, pod);
  deepStrictEqual(await contentOf(path), { token: "late", color: "blue" });
});
