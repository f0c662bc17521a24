/**
 * From the wire to the agent's types and back. No field is guessed: what the wire leaves open is absent.
 *
 * @module
 */

export { LIST_CONTAINER_STATS } from "./container_stats.ts";
export {
  containerFromWire,
  containerStatusFromWire,
  imageFromWire,
  sandboxFromWire,
  sandboxStatusFromWire,
  statusFromWire,
  usageFromWire,
  versionFromWire,
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
