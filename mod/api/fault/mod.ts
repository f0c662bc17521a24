/**
 * What is wrong with a document, and where: faults with field paths, a list that is bounded, and the place in a document that a check works on.
 *
 * @module
 */

export { type Fault, formatFault } from "./fault.ts";
export {
  clipText,
  closingLine,
  FaultBudget,
  FaultList,
  MAX_FAULTS,
  type UnknownFields,
} from "./fault_list.ts";
export { Place, rootPlace, showValue } from "./place.ts";
