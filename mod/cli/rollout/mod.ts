/**
 * Rollouts as commands show them: how far one is, and to what it can be taken back. Pure.
 *
 * @example The revision before the newest
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { wantedRevision } from "./mod.ts";
 *
 * const revisions = [1, 4].map((number) => ({ number, cause: "", template: {} }));
 * strictEqual(wantedRevision(revisions, 0)?.number, 1);
 * ```
 *
 * @module
 */

export {
  newestSet,
  type Revision,
  revisionKind,
  rolledRevisions,
  wantedRevision,
} from "./kept_revisions.ts";
export { type RolloutStatus, rolloutStatus, unseen } from "./rollout_status.ts";
