/**
 * From the arguments of `skerry run` to a complete, checked configuration.
 *
 * @module
 */

import type { AgentConfig, ConfigIo } from "./agent_config.ts";
import { buildAgentConfig, controlSocketOf } from "./build_agent_config.ts";
import { completeSettings } from "./complete_settings.ts";
import { nothingRead, readConfigFile } from "./config_file.ts";
import { readRunFlags } from "./flags.ts";

/** The configuration of an agent, or every reason why there is none. */
export type RunArguments =
  | {
    readonly kind: "ok";
    readonly config: AgentConfig;
    readonly warnings: readonly string[];
  }
  | { readonly kind: "refused"; readonly faults: readonly string[] };

/**
 * Reads flags over the file over the defaults and collects every fault.
 *
 * The configuration is complete and frozen, all its paths are absolute.
 */
export async function parseRunArguments(
  args: readonly string[],
  io: ConfigIo,
): Promise<RunArguments> {
  const given = await readSettings(args, io);
  const built = buildAgentConfig(given.settings, {
    configPath: given.configPath,
    hostname: () => io.hostname(),
  });
  const faults = [...given.faults, ...built.faults];
  if (faults.length > 0) return { kind: "refused", faults };
  return {
    kind: "ok",
    config: deepFreeze(built.config),
    warnings: [...given.warnings, ...built.warnings],
  };
}

/** Where a client finds its agent, or why that is not known. */
export type ControlSocketResult =
  | {
    readonly kind: "ok";
    readonly path: string;
    /** Where an agent with the same flags has its manifests. */
    readonly manifestPath: string;
    /** The configuration file that was read, absolute. */
    readonly configPath: string | undefined;
  }
  | { readonly kind: "refused"; readonly faults: readonly string[] };

/**
 * Finds the control socket that an agent with the same flags has.
 *
 * @param args Any of `--control-socket`, `--root-dir` and `--config`.
 */
export async function findControlSocket(
  args: readonly string[],
  io: Omit<ConfigIo, "hostname">,
): Promise<ControlSocketResult> {
  const { settings, configPath, faults } = await readSettings(args, io);
  if (faults.length > 0) return { kind: "refused", faults };
  const { manifestPath } = settings.source;
  const path = controlSocketOf(settings.paths);
  return { kind: "ok", path, manifestPath, configPath };
}

async function readSettings(
  args: readonly string[],
  io: Omit<ConfigIo, "hostname">,
) {
  const flags = readRunFlags(args, () => io.cwd());
  const { configPath } = flags;
  const file = configPath === undefined
    ? nothingRead()
    : await readConfigFile(configPath, io);
  return {
    settings: completeSettings({ ...file, flags: flags.values }),
    configPath,
    faults: [...flags.faults, ...file.faults],
    warnings: file.warnings,
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
