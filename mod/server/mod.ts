/**
 * What the agent answers: the control socket and the health endpoint.
 *
 * @module
 */

export {
  ControlServer,
  type ControlServerDeps,
  type ControlServerOptions,
} from "./control_server.ts";
export {
  HealthzServer,
  type HealthzServerDeps,
  type HealthzServerOptions,
} from "./healthz_server.ts";
export { readLog, type ReadLogOptions } from "./log_reader.ts";
export * from "./pod_report.ts";
export * from "./ports.ts";
export { UnixListenError } from "./unix_listener.ts";
