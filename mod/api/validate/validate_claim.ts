/**
 * Checks what a claim wants of the node's one class of storage.
 *
 * @module
 */

import type { Place } from "../fault/mod.ts";
import {
  type ClaimObject,
  type ObjectRef,
  parseQuantity,
} from "../objects/mod.ts";
import { checkFields, each, oneOf } from "./checks.ts";
import { subdomainProblem } from "./names.ts";

/** What a claim says, as far as the node looks at it. */
export interface WrittenClaim {
  readonly accessModes?: readonly string[];
  readonly volumeMode?: string;
  readonly storageClassName?: string;
  readonly resources?: {
    readonly limits?: Readonly<Record<string, string>>;
    readonly requests?: Readonly<Record<string, string>>;
  };
}

/**
 * Reports what is wrong with the spec of a claim.
 *
 * A node has one class of storage, a directory for each claim. It is called `local`,
 * and a claim that names none, or the empty one, gets it as well; so does one that
 * names another, with a warning. What chooses between volumes or fills them is
 * refused, since there is nothing to choose from.
 */
export function validateClaimSpec(spec: WrittenClaim, at: Place): void {
  checkFields(spec, at, {
    accessModes: validateModes,
    volumeMode: oneOf("Block", "Filesystem"),
    storageClassName: checkClass,
  });
  for (const [name, absent] of FOREIGN_FIELDS) {
    const found = Object.entries(spec).find(([key]) => key === name)?.[1];
    if (found === undefined || found === "") continue;
    at.child(name).forbidden(
      `a claim on this node gets a directory of its own; there ${absent}`,
    );
  }
  validateStorage(spec, at.child("resources"));
}

/** The claim that its valid spec means. */
export function claimObject(
  { namespace, name }: ObjectRef,
  { accessModes = [], volumeMode, resources }: WrittenClaim,
): ClaimObject {
  const { storage } = resources?.requests ?? {};
  return {
    kind: "PersistentVolumeClaim",
    namespace,
    name,
    accessModes,
    volumeMode: volumeMode === "Block" ? "Block" : "Filesystem",
    storage: storage === undefined ? undefined : parseQuantity(storage),
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

function validateModes(
  modes: readonly string[] | undefined,
  at: Place,
): void {
  if (!modes?.length) at.required("at least 1 access mode is required");
  each(oneOf(...ACCESS_MODES))(modes, at);
  if (modes?.includes("ReadWriteOncePod") && modes.length > 1) {
    at.forbidden("may not use ReadWriteOncePod with other access modes");
  }
}

function validateStorage(spec: WrittenClaim, at: Place): void {
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
  if (requests["storage"] === undefined) {
    at.child("requests").key("storage").required();
  }
}
