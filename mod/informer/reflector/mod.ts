/**
 * Keeps a store as a server has it. What is done next is a pure step, and the reflector does
 * it: lists in pages or as a stream, watches, and pauses between what fails. It ends when it
 * is stopped and by nothing else.
 *
 * @example After a list comes a watch from its version
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { beginReflecting, stepReflector } from "./mod.ts";
 *
 * const listing = beginReflecting({ streams: false });
 * const page = { kind: "page", version: "7", isWhole: true } as const;
 * const { act } = stepReflector(listing, page, { nowMs: 0, chance: 0 });
 * deepStrictEqual(act, { kind: "watch", version: "7", isWhole: true });
 * ```
 *
 * @module
 */

export {
  Reflector,
  type ReflectorDeps,
  type ReflectorOptions,
} from "./reflector.ts";
export {
  beginReflecting,
  type Reflection,
  type ReflectionOutcome,
  type ReflectorMemory,
  type ReflectorState,
  type StepMoment,
  stepReflector,
} from "./reflector_step.ts";
export { isOlderVersion } from "./object_version.ts";
