/**
 * The claims that volumes of pods stand for.
 *
 * @module
 */

import type { Pod, Volume } from "../../api/types/mod.ts";

/** The claim that a volume stands for. */
export interface VolumeClaim {
  readonly claimName: string;
  readonly readOnly: boolean;
  /** Whether a controller makes it for this one pod, which must own it. */
  readonly isEphemeral: boolean;
}

/**
 * The claim of a volume, if it is one of a claim.
 *
 * Upstream: the name of an ephemeral one is VolumeClaimName of
 * k8s.io/component-helpers/storage/ephemeral.
 */
export function claimOfVolume(
  { metadata }: Pick<Pod, "metadata">,
  { name, persistentVolumeClaim: named, ephemeral }: Volume,
): VolumeClaim | undefined {
  if (named !== undefined) {
    const { claimName, readOnly = false } = named;
    return { claimName, readOnly, isEphemeral: false };
  }
  if (ephemeral === undefined) return undefined;
  const claimName = `${metadata.name}-${name}`;
  return { claimName, readOnly: false, isEphemeral: true };
}
