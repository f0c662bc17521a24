/**
 * The kinds of objects that commands know: their words and their columns. Pure.
 *
 * @example A word for a kind
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { findKind } from "./mod.ts";
 *
 * strictEqual(findKind("deploy")?.kind, "Deployment");
 * strictEqual(findKind("deployments.v1.apps")?.kind, "Deployment");
 * strictEqual(findKind("ingress"), undefined);
 * ```
 *
 * @module
 */

export { allKinds, findKind, kindWord, prefixedName } from "./kind_words.ts";
export {
  accessModesText,
  fieldAt,
  hasShownCondition,
  isControlledBy,
  labelsText,
  listAt,
  mapAt,
  numberAt,
  selectorText,
  shownCondition,
  type ShownObject,
  templateOf,
  templatePath,
  textAt,
} from "./shown_object.ts";
