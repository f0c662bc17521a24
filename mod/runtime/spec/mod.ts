/**
 * The configurations of sandboxes and containers as a runtime is given them, built from a
 * pod. Pure builders: they equal what the kubelet sends for the same manifest, field by
 * field.
 *
 * @example Variables in a command
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { expandAll } from "./mod.ts";
 *
 * const values = new Map([["A", "1"]]);
 * deepStrictEqual(expandAll(["$(A) $(B) $$(A)"], values), ["1 $(B) $(A)"]);
 * ```
 *
 * @module
 */

export { parseResolvConf, type ResolverConfig } from "./dns.ts";
export { expandAll } from "./expansion.ts";
export { wantsHostsFile } from "./hosts_file.ts";
export {
  type KeyFile,
  keyFileName,
  MAX_KEY_FILE_BYTES,
  MAX_KEY_FILES,
  parseKeyFile,
  wantedKeyFiles,
} from "./key_file.ts";
export {
  terminationLogPath,
  type WantedImage,
  type WantedSubPath,
} from "./mount_spec.ts";
export type { PinnedPath, RuntimeFiles, SubPaths } from "./ports.ts";
export {
  cpuOptions,
  overheadResources,
  resizedResources,
  sandboxResources,
} from "./resource_spec.ts";
export { thermalThrottlePaths } from "./security_spec.ts";
export { SpecBuilder } from "./spec_builder.ts";
export type {
  ContainerSpecInput,
  NodeCgroups,
  NodeFacts,
  SpecNode,
  SpecResult,
} from "./spec_input.ts";
export { ignoresStopSignal } from "./container_spec.ts";
