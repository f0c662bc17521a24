/**
 * The one way a part of a specification says "this cannot be built", and its answer.
 *
 * @module
 */

import type { RuntimeLack } from "../../pod/admission/mod.ts";
import {
  type FailureCause,
  type Missing,
  missingText,
} from "../../pod/lifecycle/mod.ts";
import type { SpecResult } from "./spec_input.ts";

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
  /** Absent where the message is all that is known. */
  override readonly cause: FailureCause | undefined;

  constructor(
    found: string | Missing,
    options: {
      readonly reason?: RuntimeLack["reason"];
      readonly cause?: FailureCause;
    } = {},
  ) {
    super(typeof found === "string" ? found : missingText(found));
    this.reason = options.reason ?? "CreateContainerConfigError";
    this.cause = typeof found === "string" ? options.cause : found;
  }
}

/** What `build` makes, or why it refuses to; whatever else it throws goes on. */
export function specResult<Config>(build: () => Config): SpecResult<Config> {
  try {
    return { kind: "ok", config: build() };
  } catch (error) {
    if (!(error instanceof SpecRefusal)) throw error;
    const { message, cause } = error;
    const reason = "CreateContainerConfigError";
    return { kind: "refused", reason, message, ...cause && { cause } };
  }
}
