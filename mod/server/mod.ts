/**
 * The HTTP server on the control socket, and the health endpoint on loopback.
 *
 * Only the owner of the socket can connect, at no moment others. A connection asks one
 * question; what a client sends, holds open or does not read costs the agent a bounded
 * amount of memory and time. Answers come from an `AgentView`, so but for that of images they
 * do not wait for the runtime. Lists, `Status` objects, watches and selectors are those of
 * Kubernetes' API as far as they go; objects are read here and never changed.
 *
 * @example The query of a request for events
 * ```ts
 * import { strictEqual, throws } from "node:assert/strict";
 * import { parseEventQuery, QueryError } from "./mod.ts";
 *
 * const query = new URLSearchParams({ watch: "1", fieldSelector: "reason=Killing" });
 * strictEqual(parseEventQuery(query, "shop").watch, true);
 * throws(() => parseEventQuery(new URLSearchParams("watch=x"), ""), QueryError);
 * ```
 *
 * @module
 */

export { ControlServer, type ControlServerDeps } from "./control_server.ts";
export { CriLogParser } from "./cri_log.ts";
export { parseEventQuery } from "./event_query.ts";
export { HealthzServer, type HealthzServerDeps } from "./healthz_server.ts";
export { parseLogQuery } from "./log_query.ts";
export { readLog, type ReadLogOptions } from "./log_reader.ts";
export { findTailStart } from "./log_tail.ts";
export type {
  PodOrigin,
  PodReport,
  ReportedActivity,
  ReportedDecision,
  ReportedProbe,
} from "./pod_report.ts";
export type {
  AgentView,
  EventFeed,
  HealthProblem,
  HealthSource,
  ImageState,
  LogLocation,
  LogRequest,
  NodeStats,
  SourceState,
  WireEventChange,
} from "./ports.ts";
export { QueryError } from "./answer/mod.ts";
export type { FsSummary, PodSummary, StatsSummary } from "./stats_summary.ts";
export { UnixListenError } from "./unix_listener.ts";
