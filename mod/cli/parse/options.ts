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
import type { Command } from "./command.ts";

/** The flags of a command, by their long names. */
export type FlagSpecs = Readonly<
  Record<string, { readonly type: "string" | "boolean"; short?: string }>
>;

/** A flag with a value and without a letter. */
export const TEXT = { type: "string" } as const;
/** The flags that say where the agent is. */
export const LOCATION: FlagSpecs = Object.fromEntries(
  LOCATION_FLAG_NAMES.map((name) => [name, TEXT]),
);
/** The flag for a namespace. */
export const NAMESPACE: FlagSpecs = {
  namespace: { type: "string", short: "n" },
};
/** The flag for a format. */
export const OUTPUT: FlagSpecs = { output: { type: "string", short: "o" } };

/** What the arguments say. */
export interface Options {
  readonly texts: ReadonlyMap<string, string>;
  /** Long names of the switches that are on. */
  readonly switches: ReadonlySet<string>;
  /** The flags that say where the agent is, each as one argument. */
  readonly location: readonly string[];
  readonly positionals: readonly string[];
  /** What is wrong; the parser of the command adds to it. */
  readonly faults: string[];
}

/** What a command line comes to: with any fault the command does not count. */
export interface Parsed {
  readonly command: Command | undefined;
  readonly faults: readonly string[];
}

/** Reads `args` and collects every fault; of a flag given twice the last counts. */
export function readOptions(
  args: readonly string[],
  specs: FlagSpecs,
): Options {
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

/** What `-n` says, or the namespace that everybody means without it. */
export function namespaceOf({ texts }: Options): string {
  return texts.get("namespace") ?? "default";
}

/** What `-o` says, if it is one of some formats; anything else is a fault. */
export function outputOf<Format extends string>(
  { texts, faults }: Options,
  formats: readonly Format[],
  wanted: string,
): Format | undefined {
  const given = texts.get("output");
  const output = formats.find((each) => each === given);
  if (given !== undefined && output === undefined) {
    faults.push(`Cannot use -o: found "${given}", wanted ${wanted}`);
  }
  return output;
}

/** One fault for every argument that has no place. */
export function superfluous(rest: readonly string[]): string[] {
  return rest.map((each) =>
    `Cannot use the argument "${each}": wanted no more arguments`
  );
}

/** An argument as faults show it. */
export function quote(word: string | undefined): string {
  return word === undefined ? "nothing" : `"${word}"`;
}
