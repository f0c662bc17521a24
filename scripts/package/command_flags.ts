/**
 * The commands and their flags, as the help has them: for completions.
 *
 * @module
 */

import { COMMAND_NAMES, helpText } from "../../mod/cli/parse/mod.ts";
import { RUN_FLAGS } from "../../mod/config/mod.ts";

/** What a shell completes behind a flag. */
export type FlagValue = "none" | "file" | "directory" | "word";

/** One flag of a command. */
export interface CommandFlag {
  /** Without its hyphens. */
  readonly name: string;
  readonly letter?: string;
  readonly value: FlagValue;
  /** Words that it may be. */
  readonly choices: readonly string[];
  /** One line. */
  readonly help: string;
}

/** One command, and what may stand behind it. */
export interface CommandLine {
  readonly name: typeof COMMAND_NAMES[number];
  readonly help: string;
  readonly flags: readonly CommandFlag[];
  /** What it is about: `pods` are names of pods, the others are words. */
  readonly operands: "none" | "pods" | "files" | readonly string[];
}

/** Of the commands that are about something. */
const OPERANDS: ReadonlyMap<string, CommandLine["operands"]> = new Map<
  string,
  CommandLine["operands"]
>([
  ["get", ["pods", "events", "sources"]],
  ["describe", ["pod"]],
  ["explain", "pods"],
  ["logs", "pods"],
  ["validate", "files"],
]);

/** Lists every command. */
export function commandLines(): readonly CommandLine[] {
  const overview = helpText(undefined);
  return COMMAND_NAMES.map((name) => ({
    name,
    help: new RegExp(`^  ${name} +(.+)$`, "m").exec(overview)?.[1] ??
      // One that the overview leaves out.
      helpText(name).split("\n")[0] ?? "",
    flags: [
      ...parseFlags(helpText(name)),
      ...(name === "install" ? runFlags() : []),
    ],
    operands: OPERANDS.get(name) ?? "none",
  }));
}

function runFlags(): CommandFlag[] {
  return RUN_FLAGS.map(({ flag, help }) =>
    flagOf({ name: flag.name, argument: flag.argument, help })
  );
}

/** A flag stands at the beginning of its line, its help two blanks behind it. */
function parseFlags(help: string): CommandFlag[] {
  const names = new Map(RUN_FLAGS.map(({ flag }) => [flag.name, flag]));
  return help.split("\n").flatMap((line) => {
    const found = /^ +(?:-(\w), )?(?:--([\w-]+))(?: (.*))?$/.exec(line);
    const [, letter, name, rest = ""] = found ?? [];
    if (name === undefined) return [];
    const known = names.get(name);
    const [argument = "", ...words] = rest.startsWith(" ")
      ? ["", rest]
      : rest.split(/ {2,}/);
    const usage = known?.argument ?? argument;
    const text = known === undefined
      ? words.join(" ")
      : rest.slice(usage.length);
    return [flagOf({ name, letter, argument: usage, help: text })];
  });
}

function flagOf(
  { name, letter, argument, help }: {
    readonly name: string;
    readonly letter?: string | undefined;
    readonly argument: string;
    readonly help: string;
  },
): CommandFlag {
  return {
    name,
    ...(letter !== undefined && { letter }),
    value: valueOf(argument),
    choices: /^[a-z]+(\|[a-z]+)+$/.test(argument) ? argument.split("|") : [],
    help: (help.trim().split("\n")[0] ?? "").trim(),
  };
}

function valueOf(argument: string): FlagValue {
  if (argument === "") return "none";
  if (/^DIR/.test(argument)) return "directory";
  return /^(?:PATH|FILE)/.test(argument) ? "file" : "word";
}
