/**
 * Calls over gRPC: one channel, methods with deadlines, and failures as `CriError` with a
 * kind to branch on. Every call is measured and logged.
 *
 * @example Which containerd has the stream of events
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { judgeContainerEvents } from "./mod.ts";
 *
 * const containerd = (runtimeVersion: string) =>
 *   judgeContainerEvents({ runtimeName: "containerd", runtimeVersion });
 * strictEqual(containerd("v1.6.38"), "no");
 * strictEqual(containerd("v2.1.0"), "yes");
 * ```
 *
 * @module
 */

export {
  type ByteChannel,
  ChannelFailure,
  type UnaryOptions,
} from "./byte_channel.ts";
export { askCgroupDriver, driverOfStatus } from "./told_cgroup_driver.ts";
export { toldSandboxImage } from "./told_config.ts";
export {
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
  type RpcOptions,
} from "./rpc.ts";
export { RowDecoder } from "./row_decoder.ts";
