/**
 * Settings: flags over the file over defaults, read once, and the permissions
 * that follow from them.
 *
 * @module
 */

export * from "./agent_config.ts";
export * from "./check_grants.ts";
export * from "./grants.ts";
export * from "./launch_flags.ts";
export * from "./run_arguments.ts";
export {
  flagRefusal,
  flagValue,
  LOCATION_FLAG_NAMES,
  RUN_FLAG_NAMES,
  unknownFlag,
} from "./flags.ts";
export { Hidden } from "./hidden.ts";
export { absolutePath } from "./decoders.ts";
export { DEFAULT_CONFIG_PATH } from "./settings.ts";
export { VERSION } from "./version.ts";
