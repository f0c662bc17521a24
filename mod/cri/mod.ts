/**
 * The edge to a container runtime: ports, types, errors and the gRPC client.
 *
 * Importing it loads nothing heavy: the client arrives with `connectCri`.
 *
 * @module
 */

export * from "./types.ts";
export * from "./service.ts";
export * from "./error.ts";
export {
  connectCri,
  type CriConnection,
  type CriDeps,
  type CriOptions,
  socketPath,
} from "./connection.ts";
export type { ContainerExit } from "./container_exit.ts";
export type {
  Connected,
  HintStream,
  Missed,
  Moved,
  RuntimeHint,
} from "./hint.ts";
export { isStopSignal } from "./stop_signal.ts";
export type { CgroupDriver, RuntimeFeatures, Support } from "./features.ts";
