/**
 * The resources that containers really have: the cgroups of pods, which are made before
 * their sandbox and removed with it, what containers were last given, which is remembered
 * over a restart of the agent, and the ids of user namespaces, which no two pods share.
 *
 * @example Two pods with ids of their own
 * ```ts
 * import { notDeepStrictEqual } from "node:assert/strict";
 * import { Sessions } from "../../base/mod.ts";
 * import { UserNamespaces } from "./mod.ts";
 *
 * const records = {
 *   section: () => ({
 *     read: async () => undefined,
 *     write: async () => {},
 *     writeIfThere: async () => true,
 *     hold: () => {},
 *   }),
 * };
 * const users = await UserNamespaces.load(
 *   { records, sessions: new Sessions() },
 *   { uids: [], lost: new Set() },
 * );
 * await users.reserve("pod-a");
 * await users.reserve("pod-b");
 * notDeepStrictEqual(users.mappingOf("pod-a"), users.mappingOf("pod-b"));
 * ```
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
