/**
 * What the readers of all objects beside pods share.
 *
 * @module
 */

import type { ObjectRef } from "../objects/mod.ts";
import type { Place } from "../fault/mod.ts";
import type { ObjectMeta } from "../types/mod.ts";
import { validateMetadata } from "../validate/mod.ts";

/** Where an object is read, and how its reading goes on. */
export interface ObjectReading {
  readonly at: Place;
  /**
   * To be called between the reading of types and the checks of values: what has the
   * wrong type is not missing besides.
   */
  readonly settle: () => void;
}

/** Checks what names an object of a namespace, and says what it is called. */
export function readRef(metadata: ObjectMeta, at: Place): ObjectRef {
  validateMetadata(metadata, at.child("metadata"));
  // Empty is the same as absent and means the default namespace.
  return {
    namespace: metadata.namespace || "default",
    name: metadata.name ?? "",
  };
}
