/**
 * What answers are made of: documents, texts, refusals as Kubernetes' `Status`, streams,
 * and faults of a query.
 *
 * @example A refusal
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { failure } from "./mod.ts";
 *
 * const response = failure("NotFound", 'pods "web" not found');
 * strictEqual(response.status, 404);
 * strictEqual((await response.json()).reason, "NotFound");
 * ```
 *
 * @module
 */

export {
  failure,
  failureStatus,
  json,
  plain,
  type RefusalReason,
  refuseMethod,
} from "./bodies.ts";
export { badValue, QueryError, quoted, readSwitch } from "./query.ts";
export { type Pieces, stream } from "./stream.ts";
