/**
 * What the agent answers: the control socket and the health endpoint.
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
  LogLocation,
  LogRequest,
  SourceState,
  WireEventChange,
} from "./ports.ts";
export { UnixListenError } from "./unix_listener.ts";
