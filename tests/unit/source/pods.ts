/**
 * Builds pods whose dull parts are filled in.
 *
 * @module
 */

import type { ObjectMeta, Pod, PodStatus } from "../../../mod/api/mod.ts";

/** What a test cares about. */
export interface PodDraft {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly image?: string;
  readonly metadata?: ObjectMeta;
  readonly status?: PodStatus;
}

/** A pod with one container; the UID is the name's unless one is given. */
export function pod(draft: PodDraft = {}): Pod {
  const { name = "web", namespace = "default", image = "busybox" } = draft;
  const { uid = `uid-${name}`, metadata, status } = draft;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, uid, ...metadata },
    spec: { containers: [{ name: "main", image }] },
    ...(status && { status }),
  };
}
