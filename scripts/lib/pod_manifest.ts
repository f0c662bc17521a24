/**
 * Builds manifests whose dull parts are filled in.
 *
 * @module
 */

import { BUSYBOX_IMAGE } from "./containerd_rig.ts";

/** A container that is written out only as far as the test cares. */
export interface ContainerDraft {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly [field: string]: unknown;
}

/** A pod spec that is written out only as far as the test cares. */
export interface PodDraft {
  readonly containers: readonly ContainerDraft[];
  readonly [field: string]: unknown;
}

/** A Pod manifest of busybox containers that end within a second when told to. */
export function podManifest(
  name: string,
  draft: PodDraft,
): Record<string, unknown> {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 1,
      ...draft,
      containers: draft.containers.map((container) => ({
        image: BUSYBOX_IMAGE,
        ...container,
      })),
    },
  };
}
