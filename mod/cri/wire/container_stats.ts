/**
 * The call that tells what containers use.
 *
 * @module
 */

import * as wire from "../../../proto/gen/runtime/v1/api.ts";
import { containerStatsFromWire } from "./from_wire.ts";
import { type Method, runtimeMethod } from "../rpc/mod.ts";
import type { ContainerStats } from "../model/mod.ts";

/** ListContainerStats, answered in the agent's types. */
export const LIST_CONTAINER_STATS: Method<
  wire.ListContainerStatsRequest,
  readonly ContainerStats[]
> = runtimeMethod("ListContainerStats", wire.ListContainerStatsRequest, {
  decode: (bytes) =>
    wire.ListContainerStatsResponse.decode(bytes).stats
      .map(containerStatsFromWire),
});
