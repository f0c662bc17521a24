/**
 * Settings: flags over the file over defaults, read once, and the permissions that follow
 * from them.
 *
 * The table in `settings.ts` has one row for each setting; flags, fields, help and
 * permissions are derived from it. A configuration is complete, frozen and checked as a
 * whole; every fault is named with its flag, or its file, line and field. What is secret is
 * `Hidden` and shows in no log.
 *
 * @example Settings of an agent
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { parseRunArguments } from "./mod.ts";
 *
 * const read = await parseRunArguments(["--root-dir=state"], {
 *   cwd: () => "/home/me",
 *   hostname: () => "edge1",
 *   readTextFile: () => Promise.reject(new Error("there is no file")),
 * });
 * strictEqual(
 *   read.kind === "ok" && read.config.paths.rootDir,
 *   "/home/me/state",
 * );
 * ```
 *
 * @module
 */

export {
  type AgentConfig,
  type ClusterConfig,
  type ConfigIo,
  HOST_VIEW,
} from "./agent_config.ts";
export { KUBELET_FIELDS } from "./config_file.ts";
export {
  flagRefusal,
  flagValue,
  LOCATION_FLAG_NAMES,
  RUN_FLAGS,
  unknownFlag,
} from "./flags.ts";
export {
  checkGrants,
  deriveGrants,
  type Grants,
  tidyGrants,
} from "./grants.ts";
export { KUBELET_FLAGS } from "./kubelet/mod.ts";
export { changesAtRestart, type LiveConfig, liveConfig } from "./reload.ts";
export {
  findControlSocket,
  parseKubeletArguments,
  parseRunArguments,
  type RunArguments,
} from "./run_arguments.ts";
export { DEFAULT_CONFIG_PATH } from "./settings.ts";
export { KUBELET_VERSION, VERSION } from "./version.ts";
