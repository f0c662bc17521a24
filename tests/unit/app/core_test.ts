/**
 * What a core makes of the runtime's last list, and of what pods store.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { listedPods, storageMeters } from "../../../mod/app/core.ts";
import type { RuntimeListing } from "../../../mod/runtime/observe/mod.ts";
import { pod } from "../../support/pods.ts";

function listing(...uids: readonly string[]): RuntimeListing {
  const parts = { alive: true, sandboxes: [], containers: [] };
  const pods = uids.map((uid) =>
    [uid, { ...parts, uid, name: uid, namespace: "n" }] as const
  );
  return { pods: new Map(pods) };
}

Deno.test("listedPods() has the same array as long as the list is the same", () => {
  const picture: { listing: RuntimeListing | undefined } = {
    listing: undefined,
  };
  const pods = listedPods(picture);
  strictEqual(pods(), undefined);
  strictEqual(pods(), undefined);
  picture.listing = listing("a", "b");
  const first = pods();
  deepStrictEqual(first?.map(({ uid }) => uid), ["a", "b"]);
  strictEqual(pods(), first);
  picture.listing = listing("c");
  deepStrictEqual(pods()?.map(({ uid }) => uid), ["c"]);
  picture.listing = undefined;
  strictEqual(pods(), undefined);
});

const never = new AbortController().signal;
const UID = "io.kubernetes.pod.uid";
const NAME = "io.kubernetes.container.name";

function stats(
  labels: Readonly<Record<string, string>>,
  writtenBytes: bigint | undefined,
) {
  const unknown = {
    writtenInodes: undefined,
    cpu: undefined,
    memory: undefined,
    swap: undefined,
  };
  return { ...unknown, labels, writtenBytes };
}

Deno.test("storageMeters() has the layers of pods' containers that the runtime has measured", async () => {
  const answers = [
    stats({ [UID]: "u-1", [NAME]: "a" }, 7n),
    stats({ [UID]: "u-1", [NAME]: "b" }, 0n),
    stats({ [UID]: "u-1", [NAME]: "c" }, undefined),
    stats({ [UID]: "u-1" }, 1n),
    stats({ [NAME]: "a" }, 2n),
    stats({}, 3n),
    stats({}, undefined),
  ];
  const meters = storageMeters({ usage: () => Promise.resolve(new Map()) }, {
    runtime: { listContainerStats: () => Promise.resolve(answers) },
  });
  deepStrictEqual(await meters.layers(never), [
    { podUid: "u-1", container: "a", usedBytes: 7 },
    { podUid: "u-1", container: "b", usedBytes: 0 },
  ]);
});

Deno.test("storageMeters() has the bytes of volumes", async () => {
  const usage = new Map([["data", { bytes: 5, inodes: 1 }]]);
  const meters = storageMeters({ usage: () => Promise.resolve(usage) }, {
    runtime: { listContainerStats: () => Promise.resolve([]) },
  });
  deepStrictEqual(await meters.volumes(pod(), never), new Map([["data", 5]]));
});
