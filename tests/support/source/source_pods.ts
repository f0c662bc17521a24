/**
 * Builds pods and objects whose dull parts are filled in.
 *
 * @module
 */

import type { KeyedObject } from "../../../mod/api/objects/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { container, IMAGE, pod, type PodDraft } from "../pods.ts";
import { keyed } from "../keyed_objects.ts";

/** What a test cares about. */
export type SourcePodDraft = PodDraft & { readonly image?: string };

/** A pod with one container; the UID is the name's unless one is given. */
export function sourcePod(draft: SourcePodDraft = {}): Pod {
  const { name = "web", image = IMAGE, ...rest } = draft;
  return pod({
    name,
    namespace: "default",
    uid: `uid-${name}`,
    containers: [container("main", { image })],
    ...rest,
  });
}

/** A ConfigMap `settings` with one entry, `key`. */
export function settingsMap(
  draft: { readonly namespace?: string; readonly value?: string } = {},
): KeyedObject {
  const { namespace = "default", value = "v" } = draft;
  return keyed("ConfigMap", "settings", { key: value }, { namespace });
}
