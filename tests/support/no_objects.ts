/**
 * A node that keeps no objects.
 *
 * @module
 */

import type { ObjectGetter } from "../../mod/api/objects/mod.ts";

/** Knows no object. */
export const NO_OBJECTS: ObjectGetter = {
  configMap: () => undefined,
  secret: () => undefined,
  claim: () => undefined,
  runtimeClass: () => undefined,
};
