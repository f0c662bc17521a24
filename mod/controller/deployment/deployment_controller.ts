/**
 * The controller of Deployments.
 *
 * @module
 */

import { type Controller, isOfKind } from "../run/mod.ts";
import {
  deploymentOfPod,
  gatherDeployment,
  type SeenDeployment,
  stepDeployment,
} from "./deployment_step.ts";

/** Looks after Deployments. */
export const deploymentController: Controller<"Deployment", SeenDeployment> = {
  kind: "Deployment",
  name: "deployment-controller",
  owns: ["ReplicaSet"],
  selector: ({ spec }) => spec.selector,
  alsoWakes: (changed, cache) =>
    isOfKind("Pod", changed) ? deploymentOfPod(changed, cache) : [],
  gather: gatherDeployment,
  step: stepDeployment,
};
