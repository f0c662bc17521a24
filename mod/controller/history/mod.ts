/**
 * ControllerRevisions: each template that a StatefulSet or DaemonSet had, by number.
 *
 * @example What a template is kept as, and how it is read again
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { revisionData, revisionTemplate } from "./mod.ts";
 *
 * const template = { spec: { containers: [{ name: "web", image: "v1" }] } };
 * const revision = {
 *   apiVersion: "apps/v1",
 *   kind: "ControllerRevision",
 *   metadata: { name: "web-5c8d9f6b7g", namespace: "shop", uid: "u1" },
 *   spec: undefined,
 *   revision: 1,
 *   data: revisionData(template),
 * } as const;
 * deepStrictEqual(revisionTemplate(revision), template);
 * ```
 *
 * @module
 */

export {
  planHistory,
  type RevisionHistory,
  type RevisionOwner,
} from "./revision_history.ts";
export { revisionData, revisionTemplate } from "./revision_data.ts";
export { safeHash } from "./safe_hash.ts";
