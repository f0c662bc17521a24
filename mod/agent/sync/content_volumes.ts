/**
 * Volumes whose files are made from what is said elsewhere.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";

/** Whether a volume of the pod is made from what other objects, or the pod itself, say. */
export function hasContent(pod: Pick<Pod, "spec">): boolean {
  return (pod.spec.volumes ?? []).some((volume) =>
    volume.configMap !== undefined || volume.secret !== undefined ||
    volume.downwardAPI !== undefined || volume.projected !== undefined
  );
}
