/**
 * What is wrong with a document, and where. A fault has a field path and a message in the
 * API server's words. A list of faults is bounded, and a fault beside a Secret never
 * shows a value.
 *
 * @example A required field
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { FaultList, rootPlace } from "./mod.ts";
 *
 * const list = new FaultList();
 * rootPlace(list).child("spec").child("containers").index(0).child("image").required();
 * deepStrictEqual(list.faults, [
 *   { field: "spec.containers[0].image", message: "Required value" },
 * ]);
 * ```
 *
 * @module
 */

export {
  clipText,
  closingLine,
  type Fault,
  FaultBudget,
  FaultList,
  formatFault,
  MAX_FAULTS,
  type UnknownFields,
} from "./fault_list.ts";
export { Place, rootPlace, showValue } from "./place.ts";
