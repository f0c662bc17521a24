/**
 * The edge to a container runtime: ports, types, errors and the gRPC client.
 *
 * Importing it loads nothing heavy: the client arrives with `connectCri`.
 *
 * @example Only a unix socket is an endpoint
 * ```ts
 * import { throws } from "node:assert/strict";
 * import { systemClock } from "../base/mod.ts";
 * import { MetricsRegistry, silentLogger } from "../base/telemetry/mod.ts";
 * import { connectCri } from "./mod.ts";
 *
 * const deps = {
 *   clock: systemClock,
 *   log: silentLogger,
 *   metrics: new MetricsRegistry(),
 * };
 * throws(() => connectCri({ endpoint: "tcp://runtime:1234" }, deps), TypeError);
 * ```
 *
 * @module
 */

export { connectCri, type CriConnection } from "./connection.ts";
