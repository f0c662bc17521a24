/**
 * What one place (the flags, or the file) says of the settings, and the
 * defaults below both.
 *
 * @module
 */

import type { CgroupDriver } from "../api/types/mod.ts";
import type {
  LogConfig,
  ManifestFilesRule,
  ReservedResources,
  UnknownFieldsRule,
} from "./agent_config.ts";
import type { Hidden } from "./hidden.ts";

/** Settings that somebody gave; what is absent was not given. */
export interface Settings {
  readonly rootDir?: string | undefined;
  readonly runDir?: string | undefined;
  readonly controlSocket?: string | undefined;
  readonly manifestPath?: string | undefined;
  readonly podLogsDir?: string | undefined;
  readonly socketPath?: string | undefined;
  readonly imageSocketPath?: string | undefined;
  readonly nodeName?: string | undefined;
  readonly nodeIps?: readonly string[] | undefined;
  readonly nodeLabels?: Readonly<Record<string, string>> | undefined;
  readonly podNetworks?: readonly string[] | undefined;
  readonly podCidrs?: readonly string[] | undefined;
  readonly fileCheckFrequencyMs?: number | undefined;
  /** With user and password, if it has them. */
  readonly manifestUrl?: Hidden<string> | undefined;
  readonly manifestUrlHeaders?:
    | Hidden<Readonly<Record<string, readonly string[]>>>
    | undefined;
  readonly manifestUrlCaFile?: string | undefined;
  readonly manifestUrlCertFile?: string | undefined;
  readonly manifestUrlKeyFile?: string | undefined;
  readonly manifestUrlPublicKeyFiles?: readonly string[] | undefined;
  readonly httpCheckFrequencyMs?: number | undefined;
  readonly syncFrequencyMs?: number | undefined;
  readonly relistPeriodMs?: number | undefined;
  readonly requestTimeoutMs?: number | undefined;
  readonly maxRestartPeriodMs?: number | undefined;
  readonly maxParallelSandboxStarts?: number | undefined;
  readonly serializeImagePulls?: boolean | undefined;
  readonly maxParallelImagePulls?: number | undefined;
  readonly maxPods?: number | undefined;
  /** Empty when the operator wants no resolver file. */
  readonly resolvConf?: string | undefined;
  readonly clusterDns?: readonly string[] | undefined;
  readonly clusterDomain?: string | undefined;
  readonly cgroupDriver?: CgroupDriver | undefined;
  readonly cgroupRoot?: string | undefined;
  readonly cgroupsPerQos?: boolean | undefined;
  readonly cpuCfsQuota?: boolean | undefined;
  readonly cpuCfsPeriodMs?: number | undefined;
  readonly podPidsLimit?: number | undefined;
  readonly singleProcessOomKill?: boolean | undefined;
  readonly enforceNodeAllocatable?: readonly string[] | undefined;
  readonly systemReserved?: ReservedResources | undefined;
  readonly kubeReserved?: ReservedResources | undefined;
  readonly hugePageSizes?: readonly string[] | undefined;
  readonly hostPathRoots?: readonly string[] | undefined;
  readonly hostView?: string | undefined;
  readonly allowedUnsafeSysctls?: readonly string[] | undefined;
  readonly seccompDefault?: boolean | undefined;
  readonly manifestFiles?: ManifestFilesRule | undefined;
  readonly unknownFields?: UnknownFieldsRule | undefined;
  readonly healthzPort?: number | undefined;
  readonly healthzAddress?: string | undefined;
  readonly logFormat?: LogConfig["format"] | undefined;
  readonly logLevel?: LogConfig["level"] | undefined;
}

/** Where the agent keeps its state when nobody says otherwise. */
export const DEFAULT_ROOT_DIR = "/var/lib/skerry";
/** The volatile directory that belongs to {@link DEFAULT_ROOT_DIR}. */
export const DEFAULT_RUN_DIR = "/run/skerry";
/** Where manifests are looked for when nobody says otherwise. */
export const DEFAULT_MANIFEST_PATH = "/etc/skerry/manifests";
/** Where operators keep the configuration file; read only if it is named. */
export const DEFAULT_CONFIG_PATH = "/etc/skerry/config.yaml";

/** Lays the settings of `upper` over those of `lower`. */
export function layer(upper: Settings, lower: Settings): Settings {
  const given = Object.entries(upper).filter(([, value]) =>
    value !== undefined
  );
  return { ...lower, ...Object.fromEntries(given) };
}

/** The volatile directory: a second agent's lies in its own root directory. */
export function runDirOf(settings: Settings): string {
  if (settings.runDir !== undefined) return settings.runDir;
  const rootDir = settings.rootDir ?? DEFAULT_ROOT_DIR;
  return rootDir === DEFAULT_ROOT_DIR ? DEFAULT_RUN_DIR : `${rootDir}/run`;
}

/** The control socket that belongs to these settings. */
export function controlSocketOf(settings: Settings): string {
  return settings.controlSocket ?? `${runDirOf(settings)}/skerry.sock`;
}
