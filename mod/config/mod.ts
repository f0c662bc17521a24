/**
 * Settings: flags over the file over defaults, read once, and the permissions
 * that follow from them.
 *
 * @module
 */

export { type AgentConfig, type ConfigIo, HOST_VIEW } from "./agent_config.ts";
export { checkGrants } from "./check_grants.ts";
export { absolutePath } from "./decoders.ts";
export {
  flagRefusal,
  flagValue,
  LOCATION_FLAG_NAMES,
  RUN_FLAG_NAMES,
  unknownFlag,
} from "./flags.ts";
export {
  deriveClientGrants,
  deriveGrants,
  deriveReadGrants,
  type Grants,
  mergeGrants,
  NO_GRANTS,
  type NodeFacts,
} from "./grants.ts";
export {
  COMPILED_FLAGS,
  grantsToFlags,
  V8_FLAGS,
  v8FlagsToFlags,
} from "./launch_flags.ts";
export { findControlSocket, parseRunArguments } from "./run_arguments.ts";
export { DEFAULT_CONFIG_PATH } from "./settings.ts";
export { VERSION } from "./version.ts";
