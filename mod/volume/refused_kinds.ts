/**
 * Kinds of volumes that are not had here, and why.
 *
 * @module
 */

import type { Volume } from "../api/types/mod.ts";

/** Kinds that another program has to attach or mount; skerry cannot do either. */
const HELPED: ReadonlySet<string> = new Set(
  `
  awsElasticBlockStore azureDisk azureFile cephfs cinder csi fc flexVolume
  flocker gcePersistentDisk glusterfs iscsi nfs photonPersistentDisk
  portworxVolume quobyte rbd scaleIO storageos vsphereVolume
`.trim().split(/\s+/),
);

/** The field that says what a volume is made of; `none` when it has none. */
export function volumeKind(volume: Volume): string {
  return Object.entries(volume).find(([key, value]) =>
    key !== "name" && value !== undefined
  )?.[0] ?? "none";
}

/**
 * Why there can be no volume of a kind, without a subject.
 *
 * A kind that is not known is refused like any other: it never becomes an emptyDir.
 */
export function refusedKind(kind: string): string {
  if (HELPED.has(kind)) {
    return `volume plugin "${kind}" needs a mount helper, which skerry has not`;
  }
  switch (kind) {
    case "gitRepo":
      return "gitRepo is not supported: it runs git with what the manifest says";
    case "ephemeral":
      return "an ephemeral volume needs a provisioner of claims, which skerry has not";
    case "none":
      return "it does not say what it is made of";
    default:
      return `volumes of kind "${kind}" are not supported`;
  }
}
