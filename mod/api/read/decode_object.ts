/**
 * From raw documents to the objects beside pods.
 *
 * @module
 */

import { readClaim } from "./decode_claim.ts";
import { readConfigMap, readSecret } from "./decode_keyed.ts";
import { readRuntimeClass } from "./decode_runtime_class.ts";
import type { ObjectReading } from "./object_reading.ts";
import type { LocalObject } from "../objects/mod.ts";
import type { RawObject } from "../text/mod.ts";

/**
 * Reads and checks an object as the API server checks one that is created.
 *
 * What is wrong is reported; the result counts only if nothing is.
 */
export function readLocalObject(
  kind: LocalObject["kind"],
  value: RawObject,
  reading: ObjectReading,
): LocalObject {
  switch (kind) {
    case "ConfigMap":
      return readConfigMap(value, reading);
    case "Secret":
      return readSecret(value, reading);
    case "PersistentVolumeClaim":
      return readClaim(value, reading);
    case "RuntimeClass":
      return readRuntimeClass(value, reading);
  }
}
