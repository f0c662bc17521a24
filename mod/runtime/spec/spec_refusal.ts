/**
 * The one way a part of a specification says "this cannot be built".
 *
 * @module
 */

import type { RuntimeLack } from "../../pod/admission/mod.ts";

/**
 * What was found in a pod that no sandbox or container can be made of.
 *
 * `buildContainerConfig()` turns it into a `CreateContainerConfigError`;
 * `buildSandboxConfig()` lets it through, since the pod's sandbox then fails.
 */
export class SpecRefusal extends Error {
  override readonly name = "SpecRefusal";
  /** What the refusal is called in status and events. */
  readonly reason: "CreateContainerConfigError" | RuntimeLack["reason"];

  constructor(
    message: string,
    reason: SpecRefusal["reason"] = "CreateContainerConfigError",
  ) {
    super(message);
    this.reason = reason;
  }
}
