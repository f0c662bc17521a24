/**
 * The objects beside pods that a manifest may hold (ConfigMap, Secret, claim,
 * RuntimeClass), their ids, quantities, and stable hashes. Equal values have equal
 * hashes, whatever the order of their fields.
 *
 * @example Quantities and stable text
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { parseQuantity, stableJson, toBytes, toMilli } from "./mod.ts";
 *
 * strictEqual(toMilli(parseQuantity("1.5")), 1500n);
 * strictEqual(toBytes(parseQuantity("64Mi")), 67108864n);
 * strictEqual(stableJson({ b: 1, a: [true] }), '{"a":[true],"b":1}');
 * ```
 *
 * @module
 */

export { containerHash, fnv1a128Hex, fnv1a64Hex, stableJson } from "./hash.ts";
export {
  type ClaimObject,
  formatContainerId,
  formatObjectId,
  isPodUid,
  type KeyedObject,
  type LocalObject,
  nodeRef,
  type ObjectGetter,
  type ObjectId,
  objectId,
  type ObjectRef,
  parseContainerId,
  podKey,
  podRef,
  type RuntimeClassObject,
  sameObject,
} from "./objects.ts";
export {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isWhole,
  parseQuantity,
  type Quantity,
  toBytes,
  toMilli,
  ZERO_QUANTITY,
} from "./quantity.ts";
export { shareOf } from "./share.ts";
