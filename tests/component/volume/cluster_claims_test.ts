/**
 * Claims of a cluster in pods: directories of the node that are its PersistentVolumes.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { ClaimObject } from "../../../mod/api/objects/mod.ts";
import type { Pod, PodSpec, Volume } from "../../../mod/api/types/mod.ts";
import { ANNOTATION_CONFIG_SOURCE } from "../../../mod/api/vocabulary/mod.ts";
import {
  exists,
  failureOf,
  podWith,
  Root,
  sourceOf,
  UID,
} from "../../support/volume/volume_rig.ts";

type ClaimBinding = NonNullable<ClaimObject["binding"]>;

const AS_ROOT = { ignore: Deno.uid() !== 0 };
const CLAIM: Volume = {
  name: "v",
  persistentVolumeClaim: { claimName: "data" },
};
const EPHEMERAL: Volume = { name: "v", ephemeral: {} };

/** A pod of a cluster with a volume. */
function podOf(
  uid: string,
  volume: Volume = CLAIM,
  spec: Partial<PodSpec> = {},
): Pod {
  const pod = podWith(volume, spec, uid);
  const annotations = { [ANNOTATION_CONFIG_SOURCE]: "api" };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

/** A root with a claim that is bound to the directory `host/disk`, which is there. */
async function rootWith(
  kind: "hostPath" | "local" = "local",
): Promise<Root & { readonly disk: string }> {
  const root = await Root.make();
  const disk = `${root.path}/host/disk`;
  await Deno.mkdir(disk, { recursive: true });
  root.objects.setClaim("data", { binding: bound(kind, disk) });
  return Object.assign(root, { disk });
}

function bound(kind: "hostPath" | "local", path: string): ClaimBinding {
  return kind === "local"
    ? { kind, volume: "pv", path }
    : { kind, volume: "pv", path, type: "" };
}

for (const kind of ["hostPath", "local"] as const) {
  Deno.test(`a volume of kind ${kind} is what the claim is bound to, and stays when the pod goes`, async () => {
    await using root = await rootWith(kind);
    strictEqual(await sourceOf(root, podOf("a")), root.disk);
    await Deno.writeTextFile(`${root.disk}/kept`, "x");
    await root.remove("a");
    strictEqual(await Deno.readTextFile(`${root.disk}/kept`), "x");
    strictEqual(await sourceOf(root, podOf("b")), root.disk);
    // Nothing of the claims that this node has itself.
    strictEqual(await exists(`${root.path}/root/claims`), false);
  });
}

Deno.test("a pod keeps the volume that it has, whatever becomes of its claim", async () => {
  await using root = await rootWith();
  await sourceOf(root, podOf("a"));
  const why = "PVC is being deleted";
  root.objects.setClaim("data", { binding: { kind: "none", why } });
  strictEqual(await sourceOf(root, podOf("a")), root.disk);
  match(
    await failureOf(root, podOf("b")),
    /: error processing PVC shop\/data: PVC is being deleted$/,
  );
  root.objects.unsetClaim("data");
  strictEqual(await sourceOf(root, podOf("a")), root.disk);
});

Deno.test("a local volume whose disk is away is not taken for an empty one", async () => {
  await using root = await rootWith();
  await sourceOf(root, podOf("a"));
  await Deno.remove(root.disk);
  match(await failureOf(root, podOf("a")), /path ".*disk" does not exist$/);
  match(await failureOf(root, podOf("b")), /path ".*disk" does not exist$/);
  strictEqual(await exists(root.disk), false);
  await Deno.writeTextFile(root.disk, "");
  match(
    await failureOf(root, podOf("b")),
    /is no directory, and skerry mounts no devices$/,
  );
});

const REFUSED: readonly (readonly [
  what: string,
  claim: Parameters<Root["objects"]["setClaim"]>[1],
  words: RegExp,
])[] = [
  ["of no volume", {}, /error processing PVC shop\/data: PVC is not bound$/],
  [
    "of a kind that has to be mounted",
    { binding: { kind: "foreign", plugin: "nfs" } },
    /PVC shop\/data: volume plugin "nfs" needs a mount helper, which skerry has not$/,
  ],
  [
    "of a device",
    { binding: bound("local", "/x"), volumeMode: "Block" },
    /"data" asks for volumeMode "Block"/,
  ],
  [
    "of a directory that cannot be looked at",
    { binding: bound("local", "/srv/elsewhere") },
    /the local volume "\/srv\/elsewhere" can be looked at only below a directory given by --host-path-roots$/,
  ],
  [
    "of a path that leads elsewhere",
    { binding: bound("local", "/srv/../etc") },
    /wanted an absolute one without "\.\."$/,
  ],
];

for (const [what, claim, words] of REFUSED) {
  Deno.test(`a pod waits for a claim ${what}`, async () => {
    await using root = await Root.make();
    root.objects.setClaim("data", claim);
    match(await failureOf(root, podOf("a")), words);
    strictEqual(await exists(`${root.path}/root/claims`), false);
  });
}

Deno.test("a hostPath of a type is checked, and made if that says so", async () => {
  await using root = await rootWith();
  const path = `${root.path}/host/made`;
  const volume = { kind: "hostPath", volume: "pv", path } as const;
  root.objects.setClaim("data", { binding: { ...volume, type: "Directory" } });
  match(await failureOf(root, podOf("a")), /made is not a directory$/);
  root.objects.setClaim("data", {
    binding: { ...volume, type: "DirectoryOrCreate" },
  });
  strictEqual(await sourceOf(root, podOf("a")), path);
  strictEqual(await exists(path), true);
});

Deno.test("a claim that is not there, or that nobody says anything of, is waited for", async () => {
  await using root = await Root.make();
  match(
    await failureOf(root, podOf("a")),
    /persistentvolumeclaim "data" not found$/,
  );
  root.objects.absence = { secrets: "not kept", others: "nobody answers" };
  match(
    await failureOf(root, podOf("a")),
    /persistentvolumeclaim "data" not found: nobody answers$/,
  );
  root.objects.withhold("PersistentVolumeClaim", "data", "no such right");
  match(
    await failureOf(root, podOf("a")),
    /error processing PVC shop\/data: failed to fetch PVC from API server: no such right$/,
  );
  const volume = { name: "v", persistentVolumeClaim: { claimName: "../x" } };
  match(await failureOf(root, podOf("a", volume)), /is no name of a claim$/);
});

Deno.test("a claim for one pod only is for one pod only", async () => {
  await using root = await rootWith();
  const binding = bound("local", root.disk);
  const accessModes = ["ReadWriteOncePod"];
  root.objects.setClaim("data", { binding, accessModes });
  await sourceOf(root, podOf("a"));
  match(
    await failureOf(root, podOf("b")),
    /already in use by another pod$/,
  );
  await root.remove("a");
  strictEqual(await sourceOf(root, podOf("b")), root.disk);
});

Deno.test("of two pods that come at once one has a claim that is for one pod only", async () => {
  await using root = await rootWith();
  const binding = bound("local", root.disk);
  root.objects.setClaim("data", { binding, accessModes: ["ReadWriteOncePod"] });
  const pods = [podOf("a"), podOf("b")];
  for (const pod of pods) await root.directories.prepare(pod);
  const setups = await Promise.all(pods.map((pod) => root.volumes.setUp(pod)));
  // Whichever it is.
  const kinds = setups.map(({ kind }) => kind).toSorted();
  deepStrictEqual(kinds, ["failed", "ok"]);
});

Deno.test("claims of one name in a cluster and in the folder do not know each other", async () => {
  await using root = await rootWith();
  const binding = bound("local", root.disk);
  const accessModes = ["ReadWriteOncePod"];
  root.objects.setClaim("data", { binding, accessModes });
  strictEqual(
    await sourceOf(root, podWith(CLAIM, {}, "of-the-folder")),
    `${root.path}/root/claims/shop/data`,
  );
  strictEqual(await sourceOf(root, podOf("a")), root.disk);
});

Deno.test("a claim is mounted read-only when the volume says so", async () => {
  await using root = await rootWith();
  const persistentVolumeClaim = { claimName: "data", readOnly: true };
  for (
    const [volume, readOnly] of [
      [CLAIM, false],
      [{ name: "v", persistentVolumeClaim }, true],
    ] as const
  ) {
    const pod = podOf(UID, volume);
    await root.directories.prepare(pod);
    const { sources } = await root.volumes.setUp(pod);
    strictEqual(sources.get("v")?.readOnly, readOnly);
  }
});

Deno.test("an ephemeral volume is the claim of its pod's name, if the pod owns it", async () => {
  await using root = await rootWith();
  const pod = podOf("a", EPHEMERAL);
  const { name } = pod.metadata;
  match(
    await failureOf(root, pod),
    new RegExp(`persistentvolumeclaim "${name}-v" not found$`),
  );
  const binding = bound("local", root.disk);
  root.objects.setClaim(`${name}-v`, { binding, ownerUid: "b" });
  match(
    await failureOf(root, pod),
    new RegExp(
      `PVC shop/${name}-v: it was not created for pod shop/${name} \\(pod is not owner\\)$`,
    ),
  );
  root.objects.setClaim(`${name}-v`, { binding, ownerUid: "a" });
  strictEqual(await sourceOf(root, pod), root.disk);
  // Nobody makes claims for pods of the folder.
  match(
    await failureOf(root, podWith(EPHEMERAL, {}, "b")),
    /needs a provisioner of claims/,
  );
});

Deno.test(
  "a local volume is given to the group of its only pod, and a hostPath to none",
  AS_ROOT,
  async () => {
    await using root = await rootWith();
    const of = (group: number): Partial<PodSpec> => ({
      securityContext: { fsGroup: group },
    });
    const groupOf = async (path: string) => (await Deno.stat(path)).gid;
    await sourceOf(root, podOf("a", CLAIM, of(1234)));
    strictEqual(await groupOf(root.disk), 1234);
    const other = podOf("b", CLAIM, of(5678));
    await root.directories.prepare(other);
    const { warnings } = await root.volumes.setUp(other);
    deepStrictEqual(warnings, [{
      reason: "AlreadyMountedVolume",
      message:
        "The requested fsGroup is 5678, but the volume has GID 1234 and is in use by another pod",
    }]);
    strictEqual(await groupOf(root.disk), 1234);
    const path = `${root.path}/host/other`;
    await Deno.mkdir(path);
    root.objects.setClaim("data", { binding: bound("hostPath", path) });
    await sourceOf(root, podOf("c", CLAIM, of(1234)));
    strictEqual(await groupOf(path), Deno.gid());
  },
);
