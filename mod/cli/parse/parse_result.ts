/**
 * What the parsers of all commands have in common.
 *
 * @module
 */

import type { Command, CommandName, CommandResult } from "./command.ts";
import type { Options } from "./options.ts";

const DEFAULT_NAMESPACE = "default";

/** What `-n` says, or the namespace that everybody means without it. */
export function namespaceOf(options: Options): string {
  return options.texts.get("namespace") ?? DEFAULT_NAMESPACE;
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

/** A command line that says something. */
export function ok(command: Command): CommandResult {
  return { kind: "ok", command };
}

/** The command, unless something is wrong with its arguments. */
export function okUnless(
  faults: readonly string[],
  topic: CommandName,
  command: Command,
): CommandResult {
  return faults.length > 0 ? refused(topic, faults) : ok(command);
}

/** A command line that does not. */
export function refused(
  topic: CommandName | undefined,
  faults: readonly string[],
): CommandResult {
  return { kind: "refused", topic, faults };
}
