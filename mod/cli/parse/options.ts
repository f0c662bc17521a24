/**
 * Reads the flags of a client command.
 *
 * @module
 */

import { parseArgs } from "node:util";
import {
  flagRefusal,
  flagValue,
  LOCATION_FLAG_NAMES,
  unknownFlag,
} from "../../config/mod.ts";

/** Which flags a command has; long names, each with its letter if it has one. */
export interface OptionNames {
  /** Whether the command takes the flags that say where the agent is. */
  readonly location: boolean;
  readonly texts?: Readonly<Record<string, string | undefined>>;
  readonly switches?: Readonly<Record<string, string | undefined>>;
}

/** What the arguments say. */
export interface Options {
  readonly texts: ReadonlyMap<string, string>;
  /** Long names of the switches that are on. */
  readonly switches: ReadonlySet<string>;
  /** The flags that say where the agent is, each as one argument. */
  readonly location: readonly string[];
  readonly positionals: readonly string[];
  readonly faults: readonly string[];
}

interface OptionSpec {
  readonly type: "string" | "boolean";
  readonly short?: string;
}

/** Reads `args` and collects every fault; of a flag given twice the last counts. */
export function readOptions(
  args: readonly string[],
  names: OptionNames,
): Options {
  const specs = specify(names);
  const { tokens } = parseArgs({
    args: [...args],
    options: specs,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const texts = new Map<string, string>();
  const switches = new Set<string>();
  const location: string[] = [];
  const positionals: string[] = [];
  const faults: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const { name } = token;
    switch (specs[name]?.type) {
      case "string": {
        const value = flagValue(token);
        if (value === undefined) {
          faults.push(flagRefusal(name, undefined, "one"));
        } else if (LOCATION_FLAG_NAMES.includes(name)) {
          location.push(`--${name}=${value}`);
        } else texts.set(name, value);
        break;
      }
      case "boolean":
        if (token.value === undefined || token.value === "true") {
          switches.add(name);
        } else if (token.value === "false") switches.delete(name);
        else faults.push(flagRefusal(name, token.value, "true or false"));
        break;
      case undefined:
        faults.push(unknownFlag(token.rawName, Object.keys(specs)));
    }
  }
  return { texts, switches, location, positionals, faults };
}

function specify(names: OptionNames): Record<string, OptionSpec> {
  const specs: Record<string, OptionSpec> = {};
  for (const [name, short] of Object.entries(names.texts ?? {})) {
    specs[name] = { type: "string", ...(short === undefined ? {} : { short }) };
  }
  for (const [name, short] of Object.entries(names.switches ?? {})) {
    specs[name] = {
      type: "boolean",
      ...(short === undefined ? {} : { short }),
    };
  }
  if (names.location) {
    for (const name of LOCATION_FLAG_NAMES) specs[name] = { type: "string" };
  }
  return specs;
}
