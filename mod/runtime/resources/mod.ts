/**
 * The resources that containers really have: the cgroups of pods, what was actuated and is remembered over a restart, and the ids of user namespaces.
 *
 * @module
 */

export {
  NO_POD_CGROUPS,
  NodePodCgroups,
  type PodCgroups,
} from "./pod_cgroups.ts";
export { PodResources } from "./pod_resources.ts";
export { UserNamespaces } from "./user_namespaces.ts";
