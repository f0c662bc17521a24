/**
 * Pods of a node, for what clients show.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import { pod, type PodDraft } from "../pods.ts";

/** A pod of namespace `default` on node `n1`. */
export function shownPod(name: string, draft: PodDraft = {}): Pod {
  return pod({
    name,
    namespace: "default",
    uid: `uid-${name}`,
    nodeName: "n1",
    ...draft,
  });
}
