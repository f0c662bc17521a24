/**
 * The way to one API server: calls with a time and a bound, streams whose death is noticed,
 * credentials that are read again, failures in one form. Whatever a server does, no call
 * waits for ever, no answer fills the memory, and no secret is in a message.
 *
 * @example A call that the server refuses
 * ```ts
 * import { rejects } from "node:assert/strict";
 * import { systemClock, systemRandom } from "../../base/mod.ts";
 * import { MetricsRegistry, silentLogger } from "../../base/telemetry/mod.ts";
 * import { KubeTransport } from "./mod.ts";
 *
 * await using transport = new KubeTransport({
 *   source: { load: () => Promise.resolve({ server: "https://example" }) },
 *   clock: systemClock,
 *   random: systemRandom,
 *   log: silentLogger,
 *   metrics: new MetricsRegistry(),
 *   open: () => ({
 *     fetch: () => Promise.resolve(new Response("no", { status: 403 })),
 *     [Symbol.dispose]: () => {},
 *   }),
 * }, { userAgent: "example" });
 * const version = {
 *   what: "get the version",
 *   method: "GET",
 *   path: "/version",
 *   timeoutMs: 10_000,
 *   maxBytes: 4096,
 * } as const;
 * await rejects(
 *   transport.call(version, new AbortController().signal),
 *   { reason: "Forbidden", message: /Cannot get the version: .* 403/ },
 * );
 * ```
 *
 * @module
 */

export {
  type ApiCaller,
  type ApiRequest,
  KubeTransport,
  type KubeTransportDeps,
} from "./kube_transport.ts";
export {
  ApiReach,
  type ApiReachDeps,
  type ApiReachState,
  type ApiTrouble,
} from "./api_reach.ts";
export type {
  ApiConnection,
  IdentitySource,
  OpenConnection,
  SentRequest,
} from "./ports.ts";
export { RatedCaller, type RequestLimits } from "./request_rate.ts";
export { decodeJson } from "./answer_body.ts";
export { statusFailure } from "./status_failure.ts";
