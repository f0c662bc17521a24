/**
 * Why a volume could not be made ready.
 *
 * @module
 */

import { type Missing, missingText } from "../pod/lifecycle/mod.ts";

/**
 * What was found wrong with one volume; its message is the part behind
 * `Cannot set up volume "x": `.
 */
export class VolumeFailure extends Error {
  override readonly name = "VolumeFailure";
  /** The object that is missing, where that is what was found. */
  readonly missing: Missing | undefined;

  constructor(found: string | Missing) {
    super(typeof found === "string" ? found : missingText(found));
    this.missing = typeof found === "string" ? undefined : found;
  }
}
