/**
 * Sets of pods of an API server: in their order, and as they are kept. Pure.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { isTerminalPhase } from "../../pod/status/mod.ts";

/** How a pod is kept: not with what changes while it runs, since flash wears out. */
export function kept(pod: Pod): Pod {
  const { status, ...rest } = pod;
  return isTerminalPhase(status?.phase) ? pod : rest;
}

/** Sets of one content are in one order. */
export function byName(
  { metadata: a }: Pick<Pod, "metadata">,
  { metadata: b }: Pick<Pod, "metadata">,
): number {
  return `${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1;
}
