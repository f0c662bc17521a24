/**
 * What the node keeps beside pods, read and watched as at an API server.
 *
 * @example What a path means
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { parseObjectPath } from "./mod.ts";
 *
 * const path = "apis/apps/v1/namespaces/shop/deployments/web".split("/");
 * strictEqual(parseObjectPath(path)?.resource.kind, "Deployment");
 * strictEqual(parseObjectPath(["healthz"]), undefined);
 * ```
 *
 * @module
 */

export {
  answerObjects,
  type NodeObjects,
  OPEN_OBJECT_WATCHES,
} from "./object_answers.ts";
export { type ObjectPath, parseObjectPath } from "./object_query.ts";
