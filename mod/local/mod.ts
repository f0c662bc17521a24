/**
 * The objects beside pods that this node keeps itself.
 *
 * @module
 */

export { type Heard, type ObjectChange, ObjectStore } from "./object_store.ts";
