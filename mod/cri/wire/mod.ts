/**
 * From the wire to the agent's types and back. No field is guessed: what the wire leaves
 * open is absent, and a number that is not known is the most careful answer there is.
 *
 * @example What is left out is zero on the wire
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { resourcesToWire } from "./mod.ts";
 *
 * const message = resourcesToWire({ cpuShares: 512n });
 * strictEqual(message.cpuShares, 512n);
 * strictEqual(message.memoryLimitInBytes, 0n);
 * ```
 *
 * @module
 */

export {
  containerFromWire,
  containerStatsFromWire,
  containerStatusFromWire,
  imageFileSystemsFromWire,
  imageFromWire,
  listedImageFromWire,
  networkStatsFromWire,
  sandboxFromWire,
  sandboxStatusFromWire,
  statusFromWire,
} from "./from_wire.ts";
export {
  authToWire,
  containerConfigToWire,
  containerFilterToWire,
  imageSpecToWire,
  resourcesToWire,
  sandboxConfigToWire,
  sandboxFilterToWire,
} from "./to_wire.ts";
