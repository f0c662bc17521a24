/**
 * What a runtime answers, in the agent's own types, and the two services that it offers.
 * Every call rejects with a `CriError`. Nanosecond times stay `bigint`: they exceed what
 * a number holds exactly.
 *
 * @example That a thing is gone already is no failure
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { CriError, unlessGone } from "./mod.ts";
 *
 * const gone = new CriError({
 *   ...{ kind: "not_found", method: "StopContainer", detail: "no such container" },
 * });
 * strictEqual(await unlessGone(Promise.reject(gone)), undefined);
 * ```
 *
 * @module
 */

export { CriError, type CriErrorKind, unlessGone } from "./error.ts";
export type {
  CallOptions,
  ImageService,
  RegistryAuth,
  RuntimeService,
} from "./service.ts";
export {
  isStopSignal,
  stopSignalFromWire,
  stopSignalToWire,
} from "./signal_names.ts";
export type {
  Container,
  ContainerFilter,
  ContainerStats,
  CpuFigures,
  ExecResult,
  Image,
  ImageFileSystems,
  Ingest,
  ListedImage,
  MemoryFigures,
  NetworkStats,
  RuntimeContainerState,
  RuntimeContainerStatus,
  RuntimeHandler,
  RuntimeStatus,
  RuntimeVersion,
  Sandbox,
  SandboxFilter,
  SandboxState,
  SandboxStatus,
} from "./runtime_answers.ts";
