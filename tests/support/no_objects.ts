/**
 * A node that keeps no objects.
 *
 * @module
 */

import type { ObjectGetter } from "../../mod/api/objects/mod.ts";
import type { PodObjects } from "../../mod/pod/inputs/mod.ts";

/** Knows no object. */
export const NO_OBJECTS: ObjectGetter & PodObjects = {
  seenBy: () => NO_OBJECTS,
  configMap: () => undefined,
  secret: () => undefined,
  claim: () => undefined,
  runtimeClass: () => undefined,
  withheld: () => undefined,
};
