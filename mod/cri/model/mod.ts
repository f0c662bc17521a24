/**
 * What a runtime answers, in the agent's own types, and the two services that it offers. Nanosecond times stay `bigint`: they exceed what a number holds exactly.
 *
 * @module
 */

export { CriError, type CriErrorKind, unlessGone } from "./error.ts";
export type { CallOptions, ImageService, RuntimeService } from "./service.ts";
export {
  isStopSignal,
  stopSignalFromWire,
  stopSignalToWire,
} from "./signal_names.ts";
export type {
  Container,
  ContainerFilter,
  ContainerState,
  ContainerStats,
  ContainerStatus,
  ExecResult,
  Image,
  RuntimeHandler,
  RuntimeStatus,
  RuntimeVersion,
  Sandbox,
  SandboxFilter,
  SandboxState,
  SandboxStatus,
} from "./runtime_answers.ts";
