/**
 * Whether a pod puts up with what keeps pods away from a node.
 *
 * @module
 */

import type { Taint } from "../../api/cluster/mod.ts";
import type { Pod, PodSpec } from "../../api/types/mod.ts";

type PodToleration = NonNullable<PodSpec["tolerations"]>[number];

/**
 * Whether one of the pod's tolerations is for this taint; how long it lasts is not judged.
 *
 * Upstream: Toleration.ToleratesTaint of k8s.io/api/core/v1, without the operators that
 * compare numbers, whose feature gate is off.
 */
export function isTolerated(
  taint: Taint,
  { spec }: Pick<Pod, "spec">,
): boolean {
  return (spec.tolerations ?? []).some((each) => tolerates(each, taint));
}

/** What a toleration leaves open fits every taint. */
function tolerates(
  { key = "", effect = "", operator = "", value = "" }: PodToleration,
  taint: Taint,
): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return (operator === "" || operator === "Equal") &&
    value === (taint.value ?? "");
}
