/**
 * Calls over gRPC: one channel, methods with deadlines, and failures as `CriError` with a
 * kind to branch on. Every call is measured and logged.
 *
 * @module
 */

export {
  type ByteChannel,
  ChannelFailure,
  type UnaryOptions,
} from "./byte_channel.ts";
export {
  askCgroupDriver,
  judgeContainerEvents,
  type RuntimeFeatures,
  type Support,
} from "./features.ts";
export {
  type Call,
  callsWithin,
  type Method,
  methodOf,
  Rpc,
  type RpcDeps,
} from "./rpc.ts";
export { RowDecoder } from "./row_decoder.ts";
