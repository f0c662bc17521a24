/**
 * From the arguments of `skerry run` to a complete, checked configuration.
 *
 * @module
 */

import { posix } from "node:path";
import { defined, isRecord } from "../base/mod.ts";
import { describeError, Hidden } from "../base/text/mod.ts";
import type { AgentConfig, ConfigIo, Settings } from "./agent_config.ts";
import { buildAgentConfig, controlSocketOf } from "./build_agent_config.ts";
import { readCluster } from "./cluster_settings.ts";
import { completeSettings } from "./complete_settings.ts";
import {
  type ConfigFileReading,
  KUBELET_FIELDS,
  nothingRead,
  readConfigFile,
} from "./config_file.ts";
import { path as pathDecoder } from "./decoders.ts";
import { flagRefusal, readRunFlags, RUN_FLAGS, unknownFlag } from "./flags.ts";
import {
  KUBELET_FLAGS,
  type KubeletFlagFault,
  type KubeletFlagReading,
  readKubeletFlags,
} from "./kubelet/mod.ts";
import { DocumentReading } from "./read_document.ts";
import { KUBELET_ROOT_DIR } from "./settings.ts";

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
  return await completeArguments(await readSettings(args, io), io);
}

/** What places give, and what is wrong with them. */
interface GivenSettings {
  readonly settings: Settings;
  readonly configPath: string | undefined;
  readonly configDir?: string | undefined;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

async function completeArguments(
  given: GivenSettings,
  io: ConfigIo,
): Promise<RunArguments> {
  const named = await readCluster(
    given.settings,
    (path) => io.readTextFile(path),
  );
  const { cluster } = named;
  const built = buildAgentConfig(given.settings, {
    configPath: given.configPath,
    ...defined({ cluster, configDir: given.configDir }),
    hostname: () => io.hostname(),
  });
  const faults = [...given.faults, ...named.faults, ...built.faults];
  if (faults.length > 0) return { kind: "refused", faults };
  return {
    kind: "ok",
    config: deepFreeze(built.config),
    warnings: [...given.warnings, ...named.warnings, ...built.warnings],
  };
}

/**
 * Reads the kubelet's own flags over its configuration files over the defaults.
 *
 * What cannot be honoured is listed in one warning; what the kubelet would not take is
 * refused.
 */
export async function parseKubeletArguments(
  args: readonly string[],
  io: ConfigIo,
): Promise<RunArguments> {
  const own = new Map(
    RUN_FLAGS.map(({ flag }) => [flag.name, flag.argument === ""] as const),
  );
  const given = readKubeletFlags(args, own);
  const cwd = (): string => io.cwd();
  const flags = readRunFlags(given.runArguments, cwd);
  const files = await readKubeletFiles(given, io);
  const ofFlags = readFlagFields(given.fields, cwd);
  const readings = [...files.readings, ofFlags];
  // As upstream, a flag takes the place of all of a map.
  const kubelet = new Map([
    ...layered(files.readings.map((each) => each.kubelet)),
    ...ofFlags.kubelet,
  ]);
  if (given.hasCloud) addCloudTaint(kubelet);
  const skerry = layered(readings.map((each) => each.skerry));
  const settings = completeSettings(
    { flags: flags.values, skerry, kubelet },
    KUBELET_DEFAULTS,
  );
  const unhonoured = [
    ...given.inert,
    ...new Set(readings.flatMap((each) => each.unhonoured)),
  ];
  return await completeArguments({
    settings,
    configPath: files.configPath,
    configDir: files.configDir,
    faults: [
      ...given.faults.map(wordsOf),
      ...flags.faults,
      ...readings.flatMap((each) => each.faults),
    ],
    warnings: unhonoured.length === 0 ? [] : [
      `in the kubelet's place, these settings have no effect: ${
        unhonoured.join(", ")
      }`,
    ],
  }, io);
}

/** What differs from `skerry run`, so that what was the kubelet's is found. */
const KUBELET_DEFAULTS: ReadonlyMap<string, unknown> = new Map([
  ["paths.rootDir", KUBELET_ROOT_DIR],
  ["source.manifestFiles", "kubelet"],
]);

interface KubeletFiles {
  readonly configPath: string | undefined;
  readonly configDir: string | undefined;
  /** The later ones count. */
  readonly readings: readonly ConfigFileReading[];
}

async function readKubeletFiles(
  given: KubeletFlagReading,
  io: ConfigIo,
): Promise<KubeletFiles> {
  const absolute = (path: string | undefined) =>
    path === undefined
      ? undefined
      : posix.resolve(path.startsWith("/") ? "/" : io.cwd(), path);
  const configPath = absolute(given.configPath);
  const configDir = absolute(given.configDir);
  const readings: ConfigFileReading[] = [];
  const paths = configPath === undefined ? [] : [configPath];
  if (configDir !== undefined) {
    try {
      const found = await io.listFiles?.(configDir) ?? [];
      paths.push(...found.filter((path) => path.endsWith(".conf")));
    } catch (error) {
      const why = describeError(error);
      readings.push(
        nothingRead(`--config-dir: Cannot read "${configDir}": ${why}`),
      );
    }
  }
  for (const path of paths) {
    readings.push(await readConfigFile(path, io, { lists: true }));
  }
  return { configPath, configDir, readings };
}

const PATH_FIELDS: readonly string[] = KUBELET_FIELDS
  .filter(({ decoder }) => decoder === pathDecoder).map(({ path }) => path);

/** Reads values of flags as a file that has them. */
function readFlagFields(
  fields: KubeletFlagReading["fields"],
  cwd: () => string,
): ConfigFileReading {
  const document: Record<string, unknown> = {};
  for (const [path, { value }] of fields) document[path] = value;
  // The current directory is asked for only if a relative path needs it.
  const hasRelative = PATH_FIELDS.some((path) => {
    const value = fields.get(path)?.value;
    return typeof value === "string" && !/^(?:\/|$)/.test(value);
  });
  const reading = new DocumentReading(document, {
    fields: KUBELET_FIELDS,
    baseDir: hasRelative ? cwd() : "/",
    elsewhere: () => undefined,
    unhonoured: "listed",
  });
  const flagOf = (field: string) => `--${fields.get(field)?.flag ?? field}`;
  return {
    ...nothingRead(
      ...reading.faults.map(({ field, message }) =>
        `${flagOf(field)}: ${message}`
      ),
    ),
    kubelet: reading.values,
    unhonoured: [...reading.ignored, ...reading.listed],
  };
}

/** A later value takes the place of an earlier one; maps are put together. */
function layered(
  layers: readonly ReadonlyMap<string, unknown>[],
): Map<string, unknown> {
  const all = new Map<string, unknown>();
  for (const [path, value] of layers.flatMap((each) => [...each])) {
    const before = all.get(path);
    const isMap = isRecord(before) && isRecord(value) &&
      !(value instanceof Hidden);
    all.set(path, isMap ? { ...before, ...value } : value);
  }
  return all;
}

/** As upstream: pods wait until a controller of the cloud has looked at the node. */
function addCloudTaint(kubelet: Map<string, unknown>): void {
  const taints = kubelet.get(TAINTS);
  kubelet.set(TAINTS, [...Array.isArray(taints) ? taints : [], {
    key: "node.cloudprovider.kubernetes.io/uninitialized",
    effect: "NoSchedule",
    value: "true",
  }]);
}

const TAINTS = "registerWithTaints";

function wordsOf(fault: KubeletFlagFault): string {
  switch (fault.kind) {
    case "unknown":
      return unknownFlag(fault.rawName, [
        ...KUBELET_FLAGS.map(({ name }) => name),
        ...RUN_FLAGS.map(({ flag }) => flag.name),
      ]);
    case "argument":
      return `Cannot use the argument "${fault.text}": wanted flags only`;
    case "value":
      return flagRefusal(fault.name, fault.found, fault.wanted);
  }
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
