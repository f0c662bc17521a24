/**
 * Builds pods and objects whose dull parts are filled in.
 *
 * @module
 */

import type { KeyedObject } from "../../../mod/api/objects/mod.ts";
import type { ObjectMeta, Pod, PodStatus } from "../../../mod/api/types/mod.ts";

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

/** A ConfigMap `settings` with one entry, `key`. */
export function configMap(
  draft: { readonly namespace?: string; readonly value?: string } = {},
): KeyedObject {
  const { namespace = "default", value = "v" } = draft;
  return {
    kind: "ConfigMap",
    namespace,
    name: "settings",
    entries: new Map([["key", new TextEncoder().encode(value)]]),
    type: "",
    immutable: false,
  };
}
