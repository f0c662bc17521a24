/**
 * Tests of claims and of giving volumes to a pod's group.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import type { Pod, PodSpec, Volume } from "../../../mod/api/types/mod.ts";
import {
  canBindMount,
  contentOf,
  exists,
  failureOf,
  modeOf,
  podWith,
  Root,
  sourceOf,
  UID,
} from "../../support/volume/volume_rig.ts";
import { succeeds } from "../../support/succeeds.ts";
import { makeFifo } from "../../support/fifo.ts";

const AS_ROOT = { ignore: Deno.uid() !== 0 };
const CLAIM: Volume = {
  name: "v",
  persistentVolumeClaim: { claimName: "data" },
};

/** A pod of another UID with the same claim. */
function podOf(uid: string, securityContext?: PodSpec["securityContext"]): Pod {
  return podWith(
    CLAIM,
    securityContext === undefined ? {} : { securityContext },
    uid,
  );
}

async function ownersOf(
  paths: readonly string[],
): Promise<readonly (readonly [gid: number | null, mode: string])[]> {
  return await Promise.all(paths.map(async (path) => {
    const { gid } = await Deno.lstat(path);
    return [gid, ((await modeOf(path)) ?? 0).toString(8)] as const;
  }));
}

Deno.test("setUp() waits for the claim, gives it a directory and keeps the data", async () => {
  await using root = await Root.make();
  match(
    await failureOf(root, podOf("a")),
    /"v": persistentvolumeclaim "data" not found$/,
  );
  strictEqual(await exists(`${root.path}/root/claims`), false);
  root.objects.setClaim("data");
  const path = await sourceOf(root, podOf("a"));
  strictEqual(path, `${root.path}/root/claims/shop/data`);
  strictEqual(await modeOf(path), 0o777);
  strictEqual(await modeOf(`${root.path}/root/claims`), 0o750);
  await Deno.writeTextFile(`${path}/kept`, "x");
  // The manifest of the claim goes, and the pod is started again.
  root.objects.unsetClaim("data");
  strictEqual(await sourceOf(root, podOf("a")), path);
  await root.remove("a");
  match(await failureOf(root, podOf("b")), /not found/);
  root.objects.setClaim("data");
  strictEqual(await sourceOf(root, podOf("b")), path);
  deepStrictEqual(await contentOf(path), { kept: "x" });
});

Deno.test("setUp() mounts a claim read-only when the volume says so", async () => {
  await using root = await Root.make();
  root.objects.setClaim("data");
  const pod = podWith({
    name: "v",
    persistentVolumeClaim: { claimName: "data", readOnly: true },
  });
  await root.directories.prepare(pod);
  const result = await root.volumes.setUp(pod);
  strictEqual(result.kind === "ok" && result.sources.get("v")?.readOnly, true);
});

Deno.test("setUp() refuses a claim of a block device", async () => {
  await using root = await Root.make();
  root.objects.setClaim("data", { volumeMode: "Block" });
  match(await failureOf(root, podOf("a")), /asks for volumeMode "Block"/);
});

Deno.test("setUp() refuses a claim of files as a device", async () => {
  await using root = await Root.make();
  root.objects.setClaim("data");
  const pod = podWith(CLAIM, {
    containers: [{
      name: "c",
      volumeDevices: [{ name: "v", devicePath: "/dev/x" }],
    }],
  });
  match(await failureOf(root, pod), /but is specified in volumeDevices/);
});

for (const claimName of ["", "..", "../x", "a/b", "A", ".hidden", "a\0"]) {
  Deno.test(`setUp() refuses the claim name ${JSON.stringify(claimName)}`, async () => {
    await using root = await Root.make();
    root.objects.setClaim(claimName);
    const pod = podWith({ name: "v", persistentVolumeClaim: { claimName } });
    match(await failureOf(root, pod), /is no name of a claim/);
    strictEqual(await exists(`${root.path}/root/claims`), false);
  });
}

Deno.test("setUp() gives a ReadWriteOncePod claim to one pod at a time", async () => {
  await using root = await Root.make();
  root.objects.setClaim("data", { accessModes: ["ReadWriteOncePod"] });
  const path = await sourceOf(root, podOf("a"));
  match(
    await failureOf(root, podOf("b")),
    /ReadWriteOncePod access mode and is already in use by another pod/,
  );
  strictEqual(await sourceOf(root, podOf("a")), path);
  await root.remove("a");
  strictEqual(await sourceOf(root, podOf("b")), path);
});

Deno.test("setUp() gives a ReadWriteOncePod claim to one of two pods that come together", async () => {
  await using root = await Root.make();
  root.objects.setClaim("data", { accessModes: ["ReadWriteOncePod"] });
  const pods = [podOf("a"), podOf("b")];
  for (const pod of pods) await root.directories.prepare(pod);
  const results = await Promise.all(
    pods.map((pod) => root.volumes.setUp(pod)),
  );
  deepStrictEqual(results.map(({ kind }) => kind).sort(), ["failed", "ok"]);
});

Deno.test(
  "setUp() gives all of a claim to the pod's group and follows no link (VO-11)",
  AS_ROOT,
  async () => {
    await using root = await Root.make();
    root.objects.setClaim("data");
    const path = await sourceOf(root, podOf("a"));
    await root.remove("a");
    const outside = `${root.path}/outside`;
    await Deno.mkdir(outside);
    await Deno.writeTextFile(`${outside}/precious`, "x");
    await Deno.mkdir(`${path}/d/e`, { recursive: true, mode: 0o700 });
    await Deno.writeTextFile(`${path}/d/e/f`, "", { mode: 0o600 });
    await Deno.writeTextFile(`${path}/run`, "");
    await Deno.chmod(`${path}/run`, 0o4755);
    await Deno.symlink(outside, `${path}/link`);
    await Deno.symlink(`${outside}/precious`, `${path}/d/file-link`);
    await makeFifo(`${path}/fifo`);
    const before = await ownersOf([outside, `${outside}/precious`]);
    await sourceOf(root, podOf("b", { fsGroup: 4321 }));
    deepStrictEqual(
      await ownersOf(
        ["", "/d", "/d/e", "/d/e/f", "/run"].map((each) => path + each),
      ),
      [
        [4321, "2777"],
        [4321, "2770"],
        [4321, "2770"],
        [4321, "660"],
        [4321, "4775"],
      ],
    );
    for (const each of ["link", "d/file-link", "fifo"]) {
      strictEqual((await Deno.lstat(`${path}/${each}`)).gid, 4321, each);
    }
    deepStrictEqual(await ownersOf([outside, `${outside}/precious`]), before);
  },
);

Deno.test(
  "setUp() goes through a claim once for each pod (VO-11)",
  AS_ROOT,
  async () => {
    await using root = await Root.make();
    root.objects.setClaim("data");
    const pod = podOf("a", { fsGroup: 4321 });
    const path = await sourceOf(root, pod);
    await Deno.writeTextFile(`${path}/new`, "");
    await Deno.chown(`${path}/new`, 0, 0);
    await sourceOf(root, pod);
    strictEqual((await Deno.lstat(`${path}/new`)).gid, 0);
  },
);

for (const policy of ["Always", "OnRootMismatch"]) {
  Deno.test(
    `setUp() minds the fsGroupChangePolicy ${policy} (VO-11)`,
    AS_ROOT,
    async () => {
      await using root = await Root.make();
      root.objects.setClaim("data");
      const context = { fsGroup: 4321, fsGroupChangePolicy: policy };
      const path = await sourceOf(root, podOf("a", context));
      await Deno.writeTextFile(`${path}/new`, "");
      await Deno.chown(`${path}/new`, 0, 0);
      await root.remove("a");
      await sourceOf(root, podOf("b", context));
      const { gid } = await Deno.lstat(`${path}/new`);
      strictEqual(gid, policy === "Always" ? 4321 : 0);
      // Another group than the root's is reason enough under either policy.
      await root.remove("b");
      await sourceOf(root, podOf("c", { ...context, fsGroup: 99 }));
      strictEqual((await Deno.lstat(`${path}/new`)).gid, 99);
    },
  );
}

Deno.test(
  "setUp() leaves the group of a claim that another pod uses, and says so",
  AS_ROOT,
  async () => {
    await using root = await Root.make();
    root.objects.setClaim("data");
    const path = await sourceOf(root, podOf("a", { fsGroup: 1 }));
    await root.directories.prepare(podOf("b"));
    const same = await root.volumes.setUp(podOf("b", { fsGroup: 1 }));
    strictEqual(same.kind === "ok" && same.warnings, undefined);
    await root.directories.prepare(podOf("c"));
    const other = await root.volumes.setUp(podOf("c", { fsGroup: 2 }));
    deepStrictEqual(other, {
      kind: "ok",
      sources: new Map([["v", { hostPath: path, readOnly: false }]]),
      warnings: [{
        reason: "AlreadyMountedVolume",
        message:
          "The requested fsGroup is 2, but the volume has GID 1 and is in use by another pod",
      }],
    });
    strictEqual((await Deno.lstat(path)).gid, 1);
  },
);

Deno.test(
  "setUp() can be stopped in a large claim and begins it anew (VO-11)",
  AS_ROOT,
  async () => {
    await using root = await Root.make();
    root.objects.setClaim("data");
    const path = await sourceOf(root, podOf("a"));
    await root.remove("a");
    for (let file = 0; file < 200; file++) {
      await Deno.writeTextFile(`${path}/${file}`, "");
    }
    const pod = podOf("b", {
      fsGroup: 5,
      fsGroupChangePolicy: "OnRootMismatch",
    });
    await root.directories.prepare(pod);
    const controller = new AbortController();
    const stopped = root.volumes.setUp(pod, {
      signal: controller.signal,
    });
    controller.abort(new Error("enough"));
    await rejects(stopped, /enough/);
    await sourceOf(root, pod);
    for (let file = 0; file < 200; file++) {
      strictEqual((await Deno.lstat(`${path}/${file}`)).gid, 5);
    }
  },
);

Deno.test(
  "setUp() gives nothing away that is mounted in a claim (VO-11)",
  {
    // Mounts need root and CAP_SYS_ADMIN.
    ignore: !await canBindMount(),
  },
  async () => {
    await using root = await Root.make();
    root.objects.setClaim("data");
    const path = await sourceOf(root, podOf("a"));
    await root.remove("a");
    const at = `${path}/mounted`;
    await Deno.mkdir(at);
    strictEqual(await succeeds("mount", "-t", "tmpfs", "none", at), true);
    try {
      await Deno.writeTextFile(`${at}/precious`, "");
      await sourceOf(root, podOf("b", { fsGroup: 4321 }));
      strictEqual((await Deno.lstat(at)).gid, 0);
      strictEqual((await Deno.lstat(`${at}/precious`)).gid, 0);
    } finally {
      strictEqual(await succeeds("umount", at), true);
    }
  },
);

Deno.test(
  "setUp() never gives a hostPath to the pod's group",
  AS_ROOT,
  async () => {
    await using root = await Root.make();
    const path = `${root.path}/host/data`;
    await sourceOf(
      root,
      podWith({ name: "v", hostPath: { path, type: "DirectoryOrCreate" } }, {
        securityContext: { fsGroup: 4321 },
      }),
    );
    deepStrictEqual(await ownersOf([path]), [[0, "755"]]);
  },
);

Deno.test("list() and remove() know pods that have a directory in memory only", async () => {
  await using root = await Root.make();
  await sourceOf(root, podWith({ name: "v", emptyDir: { medium: "Memory" } }));
  await Deno.remove(root.podDirectory, { recursive: true });
  deepStrictEqual(await root.directories.list(), [UID]);
  await root.remove(UID);
  deepStrictEqual(await root.directories.list(), []);
});
