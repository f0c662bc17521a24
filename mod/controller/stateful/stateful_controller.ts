/**
 * The controller of StatefulSets.
 *
 * @module
 */

import { type Controller, isOfKind } from "../run/mod.ts";
import { setsOfClaim } from "./stateful_claims.ts";
import {
  gatherStatefulSet,
  type SeenStatefulSet,
  stepStatefulSet,
} from "./stateful_step.ts";

/** Looks after StatefulSets. */
export const statefulSetController: Controller<"StatefulSet", SeenStatefulSet> =
  {
    kind: "StatefulSet",
    name: "statefulset-controller",
    owns: ["Pod", "ControllerRevision"],
    selector: ({ spec }) => spec.selector,
    alsoWakes: (changed, cache) =>
      isOfKind("PersistentVolumeClaim", changed)
        ? setsOfClaim(changed, cache)
        : [],
    gather: gatherStatefulSet,
    step: stepStatefulSet,
  };
