/**
 * The flags of `skerry run`, read into settings.
 *
 * @module
 */

import { suggest } from "../base/text/mod.ts";
import { parseArgs } from "node:util";
import type { ManifestFilesRule, UnknownFieldsRule } from "./agent_config.ts";
import {
  choice,
  commaList,
  type Decoder,
  durationMs,
  endpoint,
  givenPath,
  integer,
  ipAddresses,
  labels,
  nodeName,
  podNetworks,
  sysctlPattern,
  text,
} from "./decoders.ts";
import { Hidden, NOT_SHOWN } from "./hidden.ts";
import { givenManifestUrl, headerLine, headersOf } from "./manifest_url.ts";
import type { Settings } from "./settings.ts";

/** What the arguments say, and what is wrong with them. */
export interface FlagReading {
  readonly settings: Settings;
  /** The value of `--config`, made absolute. */
  readonly configPath: string | undefined;
  readonly faults: readonly string[];
}

interface Flag<T> {
  readonly decoder: Decoder<T>;
  /** What the values of all its occurrences, in order, say. */
  readonly settings: (values: readonly T[]) => Settings;
}

function flag<T>(
  decoder: Decoder<T>,
  settings: (value: T) => Settings,
): Flag<unknown> {
  return repeatable(decoder, (values) => {
    // As with pflag, the last one counts.
    const last = values.at(-1);
    return last === undefined ? {} : settings(last);
  });
}

function repeatable<T>(
  decoder: Decoder<T>,
  settings: (values: readonly T[]) => Settings,
): Flag<unknown> {
  // The values given to `settings` are those that `decoder` returned.
  return {
    decoder,
    settings: (values) => settings(values as readonly T[]),
  };
}

/** Flags that clients take too, since they say where the socket is. */
const LOCATION_FLAGS: Readonly<Record<string, Flag<unknown>>> = {
  "root-dir": flag(givenPath, (rootDir) => ({ rootDir })),
  "control-socket": flag(givenPath, (controlSocket) => ({ controlSocket })),
  "config": flag(givenPath, () => ({})),
};

const port: Decoder<number> = {
  ...integer(0, 65_535),
  decode: (value, baseDir) =>
    typeof value === "string" && /^\d+$/.test(value)
      ? integer(0, 65_535).decode(Number(value), baseDir)
      : undefined,
};

const RUN_FLAGS: Readonly<Record<string, Flag<unknown>>> = {
  ...LOCATION_FLAGS,
  "run-dir": flag(givenPath, (runDir) => ({ runDir })),
  "pod-manifest-path": flag(givenPath, (manifestPath) => ({ manifestPath })),
  "manifest-files": flag(
    choice<ManifestFilesRule>(["yaml", "kubelet"]),
    (manifestFiles) => ({ manifestFiles }),
  ),
  "container-runtime-endpoint": flag(
    givenEndpoint(),
    (socketPath) => ({ socketPath }),
  ),
  "pod-logs-dir": flag(givenPath, (podLogsDir) => ({ podLogsDir })),
  "hostname-override": flag(nodeName, (nodeName) => ({ nodeName })),
  "node-ip": flag(ipAddresses, (nodeIps) => ({ nodeIps })),
  "node-labels": repeatable(labels, (all) => ({
    nodeLabels: Object.assign({}, ...all),
  })),
  "pod-network": repeatable(podNetworks, (all) => ({
    podNetworks: all.flat(),
  })),
  "file-check-frequency": flag(
    durationMs,
    (fileCheckFrequencyMs) => ({ fileCheckFrequencyMs }),
  ),
  "healthz-port": flag(port, (healthzPort) => ({ healthzPort })),
  "host-path-roots": repeatable(commaList(givenPath), (all) => ({
    hostPathRoots: all.flat(),
  })),
  "host-view": flag(givenPath, (hostView) => ({ hostView })),
  "unknown-fields": flag(
    choice<UnknownFieldsRule>(["refuse", "warn"]),
    (unknownFields) => ({ unknownFields }),
  ),
  "allowed-unsafe-sysctls": repeatable(commaList(sysctlPattern), (all) => ({
    allowedUnsafeSysctls: all.flat(),
  })),
  "manifest-url": flag(givenManifestUrl, (url) => ({
    manifestUrl: new Hidden(url),
  })),
  "manifest-url-header": repeatable(headerLine, (lines) => ({
    manifestUrlHeaders: new Hidden(headersOf(lines)),
  })),
  "manifest-url-ca-file": flag(givenPath, (manifestUrlCaFile) => ({
    manifestUrlCaFile,
  })),
  "manifest-url-cert-file": flag(givenPath, (manifestUrlCertFile) => ({
    manifestUrlCertFile,
  })),
  "manifest-url-key-file": flag(givenPath, (manifestUrlKeyFile) => ({
    manifestUrlKeyFile,
  })),
  "manifest-url-public-key": repeatable(givenPath, (paths) => ({
    manifestUrlPublicKeyFiles: paths,
  })),
  "http-check-frequency": flag(
    durationMs,
    (httpCheckFrequencyMs) => ({ httpCheckFrequencyMs }),
  ),
};

function givenEndpoint(): Decoder<string> {
  return {
    wanted: endpoint.wanted,
    decode: (value, baseDir) => endpoint.decode(value, baseDir) || undefined,
  };
}

/** Names of the flags of `skerry run`, without their hyphens. */
export const RUN_FLAG_NAMES: readonly string[] = Object.keys(RUN_FLAGS);

/** Names of the flags with which every client finds its agent. */
export const LOCATION_FLAG_NAMES: readonly string[] = Object.keys(
  LOCATION_FLAGS,
);

/** Reads the arguments behind `run`; relative paths start at `cwd`. */
export function readRunFlags(
  args: readonly string[],
  cwd: () => string,
): FlagReading {
  const options = Object.fromEntries(
    RUN_FLAG_NAMES.map((name) => [name, { type: "string" as const }]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const faults: string[] = [];
  const given = new Map<string, unknown[]>();
  let unknownAt: number | undefined;
  for (const token of tokens) {
    if (token.kind === "positional") {
      // Behind a flag that is not known it is most likely its value.
      if (unknownAt === token.index - 1) continue;
      faults.push(
        `Cannot use the argument "${token.value}": wanted flags only`,
      );
    }
    if (token.kind !== "option") continue;
    const flag = RUN_FLAGS[token.name];
    if (flag === undefined || !token.rawName.startsWith("--")) {
      faults.push(unknownFlag(token.rawName, RUN_FLAG_NAMES));
      unknownAt = token.inlineValue === true ? undefined : token.index;
      continue;
    }
    const value = flagValue(token);
    const decoded = value === undefined
      ? undefined
      : flag.decoder.decode(value, baseDirOf(value, cwd));
    if (decoded === undefined) {
      const { wanted, isSecret = false } = flag.decoder;
      const shown = isSecret && value !== undefined ? NOT_SHOWN : value;
      faults.push(flagRefusal(token.name, shown, wanted));
    } else {
      given.set(token.name, [...given.get(token.name) ?? [], decoded]);
    }
  }
  return { ...settingsOf(given), faults };
}

/** Says that a flag is not known, and which one may be meant. */
export function unknownFlag(
  rawName: string,
  known: readonly string[],
): string {
  const meant = suggest(rawName.replace(/^-+/, ""), known);
  return meant === undefined
    ? `Cannot use ${rawName}: there is no such flag`
    : `Cannot use ${rawName}: there is no such flag, did you mean --${meant}`;
}

/** Says that a flag has no value, or one that it cannot have. */
export function flagRefusal(
  name: string,
  value: string | undefined,
  wanted: string,
): string {
  const found = value === undefined ? "no value" : JSON.stringify(value);
  return `Cannot use --${name}: found ${found}, wanted ${wanted}`;
}

/**
 * The value of an option token; `undefined` when another flag follows where the
 * value should stand.
 */
export function flagValue(token: {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}): string | undefined {
  const { value, inlineValue, rawName } = token;
  if (value === undefined) return undefined;
  // As with pflag, `-o=json` is `-o json`.
  const isLetter = !rawName.startsWith("--");
  if (isLetter && inlineValue === true) return value.replace(/^=/, "");
  const isFlag = inlineValue !== true && /^-(?!\d|$)/.test(value);
  return isFlag ? undefined : value;
}

/** Asks for the current directory only if a relative path needs it. */
function baseDirOf(value: string, cwd: () => string): string {
  const isAbsolute = value.split(",").every((part) =>
    /^\s*(?:\/|$)/.test(part)
  );
  return isAbsolute ? "/" : cwd();
}

function settingsOf(
  given: ReadonlyMap<string, readonly unknown[]>,
): Pick<FlagReading, "settings" | "configPath"> {
  const parts = [...given].map(([name, values]) =>
    RUN_FLAGS[name]?.settings(values) ?? {}
  );
  const configPath = given.get("config")?.at(-1);
  return {
    settings: Object.assign({}, ...parts),
    configPath: text.decode(configPath, "/"),
  };
}
