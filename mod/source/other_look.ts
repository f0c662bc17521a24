/**
 * Manifests that are no file.
 *
 * @module
 */

import { describeError } from "../base/mod.ts";
import type { FileLook } from "../host/mod.ts";
import { describeNotRegular } from "./manifest_reader.ts";

/** That it cannot be told what there is. */
export interface Denied {
  readonly kind: "denied";
  readonly error: unknown;
}

/** What is there in place of a file. */
export type OtherLook =
  | Exclude<FileLook, { kind: "file" | "missing" }>
  | Denied;

/** Says why it is not read. */
export function describeOther(
  look: Exclude<OtherLook, { kind: "directory" }>,
): string {
  switch (look.kind) {
    case "denied":
      return describeError(look.error);
    case "dangling":
      return "Cannot be read: it is a link to nothing, wanted a file";
    case "special":
      return describeNotRegular(look.what);
  }
}
