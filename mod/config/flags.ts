/**
 * The flags of `skerry run`, as the table of settings has them.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { NOT_SHOWN, suggest } from "../base/text/mod.ts";
import { ROWS } from "./complete_settings.ts";
import { givenPath, text } from "./decoders.ts";
import { type Flag, flag, helpOf } from "./setting.ts";

/** What the arguments say, and what is wrong with them. */
export interface FlagReading {
  /** Decoded values by the flag's name. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The value of `--config`, made absolute. */
  readonly configPath: string | undefined;
  readonly faults: readonly string[];
}

/** The flags of `skerry run`, in the order of the help. */
export const RUN_FLAGS: readonly {
  readonly flag: Flag<unknown>;
  readonly help: string;
}[] = [
  {
    flag: flag("config FILE", givenPath),
    help:
      "a KubeletConfiguration (kubelet.config.k8s.io/v1beta1),\nand a SkerryConfiguration (skerry.dev/v1alpha1) as second document",
  },
  ...ROWS.flatMap(({ setting }) =>
    setting.flag === undefined
      ? []
      : [{ flag: setting.flag, help: helpOf(setting) }]
  ),
];

/** Names of the flags with which every client finds its agent. */
export const LOCATION_FLAG_NAMES: readonly string[] = [
  "root-dir",
  "control-socket",
  "config",
];

/** Reads the arguments behind `run`; relative paths start at `cwd`. */
export function readRunFlags(
  args: readonly string[],
  cwd: () => string,
): FlagReading {
  const names = RUN_FLAGS.map(({ flag }) => flag.name);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      RUN_FLAGS.map(({ flag }) => [flag.name, { type: parsedType(flag) }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const faults: string[] = [];
  const values = new Map<string, unknown>();
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
    const flag = RUN_FLAGS.find(({ flag }) => flag.name === token.name)?.flag;
    if (flag === undefined || !token.rawName.startsWith("--")) {
      faults.push(unknownFlag(token.rawName, names));
      unknownAt = token.inlineValue === true ? undefined : token.index;
      continue;
    }
    const value = flag.argument === "" && token.value === undefined
      ? "true"
      : flagValue(token);
    const decoded = value === undefined
      ? undefined
      : flag.decoder.decode(value, baseDirOf(value, cwd));
    if (decoded === undefined) {
      const { wanted, isSecret = false } = flag.decoder;
      const shown = isSecret && value !== undefined ? NOT_SHOWN : value;
      faults.push(flagRefusal(flag.name, shown, wanted));
      continue;
    }
    const before = values.get(flag.name);
    const joined = before !== undefined && flag.more?.(before, decoded);
    // As with pflag, the last one counts.
    values.set(flag.name, joined || decoded);
  }
  const configPath = text.decode(values.get("config"), "/");
  return { values, configPath, faults };
}

/** A switch does not take what stands behind it for its value, unless by "=". */
function parsedType({ argument }: Flag<unknown>): "string" | "boolean" {
  return argument === "" ? "boolean" : "string";
}

/** Says that a flag is not known, and which one may be meant. */
export function unknownFlag(
  rawName: string,
  known: readonly string[],
): string {
  const meant = suggest(rawName.replace(/^-+/, ""), known);
  const hint = meant === undefined ? "" : `, did you mean --${meant}`;
  return `Cannot use ${rawName}: there is no such flag${hint}`;
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
