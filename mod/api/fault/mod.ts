/**
 * What is wrong with a document, and where: faults with field paths, a list that is bounded, and the place in a document that a check works on.
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
