/**
 * How objects are read and written, whoever keeps them: the ports that an API server and
 * this node's own store have in common, their one kind of failure, and selectors.
 *
 * @example What a selector means
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { matchesLabels } from "./mod.ts";
 *
 * const selector = { matchLabels: { app: "web" } };
 * strictEqual(matchesLabels(selector, { app: "web", tier: "front" }), true);
 * strictEqual(matchesLabels(selector, {}), false);
 * ```
 *
 * @module
 */

export {
  type AccessRef,
  ApiFailure,
  type DeleteOptions,
  type FailureReason,
  hasFailed,
  type KindRef,
  type ListerWatcher,
  type ListOptions,
  type NewObject,
  type ObjectClient,
  type ObjectList,
  type Propagation,
  type Selection,
  type WatchEvent,
  type WatchOptions,
} from "./access.ts";
export { parseFieldSelector } from "./field_query.ts";
export { parseLabelSelector } from "./label_query.ts";
export { mergePatch } from "./merge_patch.ts";
export {
  groupOf,
  groupResource,
  type Resource,
  resourcePath,
  RESOURCES,
} from "./resources.ts";
export { selectionFilter } from "./selection.ts";
export { matchesLabels } from "./selector.ts";
export { type StrategicPatch, strategicPatch } from "./strategic_patch.ts";
