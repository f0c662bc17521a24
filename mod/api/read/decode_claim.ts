/**
 * Reads PersistentVolumeClaims, by the rules of upstream's
 * ValidatePersistentVolumeClaim and what a node without provisioners can give.
 *
 * @module
 */

import { checkEnum, subdomainProblem } from "../validate/mod.ts";
import { type ObjectReading, readRef } from "./object_reading.ts";
import {
  type ClaimObject,
  parseQuantity,
  type Quantity,
} from "../objects/mod.ts";
import type { Place } from "../fault/mod.ts";
import { readTyped } from "./schema.ts";
import type { RawObject } from "../text/mod.ts";
import type { ObjectMeta } from "../types/mod.ts";

interface ClaimSpec {
  readonly accessModes?: readonly string[];
  readonly volumeMode?: string;
  readonly storageClassName?: string;
  readonly resources?: {
    readonly limits?: Readonly<Record<string, string>>;
    readonly requests?: Readonly<Record<string, string>>;
  };
}

/**
 * Reads and checks a claim.
 *
 * A node has one class of storage, a directory for each claim. It is called `local`,
 * and a claim that names none, or the empty one, gets it as well; so does one that
 * names another, with a warning. What chooses between volumes or fills them is
 * refused, since there is nothing to choose from.
 */
export function readClaim(
  value: RawObject,
  { at, settle }: ObjectReading,
): ClaimObject {
  // The schema has checked every field; what was wrong is missing and reported.
  const typed = readTyped(value, "PersistentVolumeClaim", at) as {
    readonly metadata?: ObjectMeta;
    readonly spec?: ClaimSpec;
  };
  settle();
  const { metadata = {}, spec = {} } = typed;
  const ref = readRef(metadata, at);
  const specAt = at.child("spec");
  const { accessModes = [], volumeMode = "Filesystem" } = spec;
  validateModes(accessModes, specAt.child("accessModes"));
  checkEnum(volumeMode, ["Block", "Filesystem"], specAt.child("volumeMode"));
  checkClass(spec.storageClassName, specAt.child("storageClassName"));
  for (const [name, absent] of FOREIGN_FIELDS) {
    const found = Object.entries(spec).find(([key]) => key === name)?.[1];
    if (found === undefined || found === "") continue;
    specAt.child(name).forbidden(
      `a claim on this node gets a directory of its own; there ${absent}`,
    );
  }
  return {
    kind: "PersistentVolumeClaim",
    ...ref,
    accessModes,
    volumeMode: volumeMode === "Block" ? "Block" : "Filesystem",
    storage: readStorage(spec, specAt.child("resources")),
  };
}

function checkClass(name: string | undefined, at: Place): void {
  if (name === undefined || name === "" || name === "local") return;
  const problem = subdomainProblem(name);
  if (problem !== undefined) at.invalid(name, problem);
  else at.warn(`Has no effect: the node has one class of storage, "local"`);
}

const ACCESS_MODES = [
  "ReadWriteOnce",
  "ReadOnlyMany",
  "ReadWriteMany",
  "ReadWriteOncePod",
];

const FOREIGN_FIELDS: readonly (readonly [string, string])[] = [
  ["dataSource", "is nothing to fill it from"],
  ["dataSourceRef", "is nothing to fill it from"],
  ["selector", "are no volumes to choose from"],
  ["volumeAttributesClassName", "are no classes of attributes"],
  ["volumeName", "are no volumes to choose from"],
];

function validateModes(modes: readonly string[], at: Place): void {
  if (modes.length === 0) at.required("at least 1 access mode is required");
  for (const [i, mode] of modes.entries()) {
    checkEnum(mode, ACCESS_MODES, at.index(i));
  }
  if (modes.includes("ReadWriteOncePod") && modes.length > 1) {
    at.forbidden("may not use ReadWriteOncePod with other access modes");
  }
}

function readStorage(spec: ClaimSpec, at: Place): Quantity | undefined {
  const { requests = {}, limits = {} } = spec.resources ?? {};
  for (const [name, amounts] of Object.entries({ limits, requests })) {
    for (const [resource, amount] of Object.entries(amounts)) {
      const place = at.child(name).key(resource);
      if (resource !== "storage") {
        place.unsupported(resource, ["storage"]);
      } else if (parseQuantity(amount).nano <= 0n) {
        place.invalid(amount, "must be greater than zero");
      }
    }
  }
  const storage = Object.hasOwn(requests, "storage")
    ? requests["storage"]
    : undefined;
  if (storage === undefined) {
    at.child("requests").key("storage").required();
    return undefined;
  }
  return parseQuantity(storage);
}
