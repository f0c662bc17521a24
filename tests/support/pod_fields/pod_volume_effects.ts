/**
 * The volumes of a pod on a real disk, as data that can be compared.
 *
 * @module
 */

import {
  type KeyedObject,
  type ObjectGetter,
  parseQuantity,
  type Quantity,
} from "../../../mod/api/objects/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { removeTree } from "../../../mod/host/files/mod.ts";
import type { PodObjects, VolumeSource } from "../../../mod/pod/inputs/mod.ts";
import {
  mountFailure,
  PodDirectories,
  PodVolumes,
} from "../../../mod/volume/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { claimOf, keyed } from "../keyed_objects.ts";

/** What the node can give. */
export const QUANTITIES: ReadonlyMap<string, Quantity> = new Map([
  ["cpu", parseQuantity("4")],
  ["memory", parseQuantity("15Gi")],
  ["ephemeral-storage", parseQuantity("50Gi")],
  ["pods", parseQuantity("110")],
]);

const twoKeys = (kind: KeyedObject["kind"], name: string): KeyedObject =>
  keyed(kind, name, { a: `${name} a`, b: `${name} b` });
const known = (name: string): boolean =>
  name === "settings" || name === "other";
/** Knows the ConfigMaps and Secrets `settings` and `other`, and every claim. */
export const OBJECTS: ObjectGetter & PodObjects & {
  isCertain(): boolean;
  isRenewed(): boolean;
} = {
  seenBy: () => OBJECTS,
  isCertain: () => true,
  isRenewed: () => false,
  configMap: ({ name }) => known(name) ? twoKeys("ConfigMap", name) : undefined,
  secret: ({ name }) => known(name) ? twoKeys("Secret", name) : undefined,
  claim: ({ name }) => claimOf(name),
  runtimeClass: () => undefined,
  withheld: () => undefined,
};

/** By volume name. */
export type Sources = ReadonlyMap<string, VolumeSource>;

/** Makes the volumes of a pod below `root`, and shows where they are and what is in them. */
export async function volumesSetUp(
  pod: Pod,
  root: string,
): Promise<{ readonly sources: Sources; readonly files: string }> {
  const files = { removeTree };
  const places = { rootDir: `${root}/root`, runDir: `${root}/run` };
  const collector = { add: () => {} };
  const directories = new PodDirectories(places, { files, collector });
  const volumes = new PodVolumes(
    { ...places, hostPathRoots: ["/srv"] },
    {
      clock: new FakeClock(),
      log: silentLogger,
      files,
      directories,
      objects: OBJECTS,
      allocatable: () => QUANTITIES,
    },
  );
  await directories.prepare(pod);
  const result = await volumes.setUp(pod);
  const found = await listing(root, "");
  return result.kind === "ok"
    ? {
      sources: result.sources,
      files: JSON.stringify([[...result.sources], found]),
    }
    : {
      sources: new Map(),
      files: JSON.stringify([
        mountFailure(result.failures.values()).message,
        found,
      ]),
    };
}

/** Every file below a directory with its mode, owner and content. */
async function listing(root: string, below: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${root}${below}`)) {
    const path = `${below}/${name}`;
    const { mode, gid } = await Deno.lstat(`${root}${path}`);
    const content = isDirectory
      ? ""
      : await Deno.readTextFile(`${root}${path}`);
    found.push(`${path} ${(mode ?? 0).toString(8)} ${gid} ${content}`);
    if (isDirectory) found.push(...await listing(root, path));
  }
  return found.sort();
}
