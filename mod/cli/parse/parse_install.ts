/**
 * The arguments of `skerry install`: one flag of its own among those of `run`.
 *
 * @module
 */

import { flagRefusal } from "../../config/mod.ts";
import type { Parsed } from "./options.ts";

const PROGRAM = "program";
const DEFAULT_PROGRAM = "/usr/bin/skerry";

/** Takes `--program` out of the arguments; the rest is for the agent. */
export function parseInstall(args: readonly string[]): Parsed {
  let program = DEFAULT_PROGRAM;
  const rest: string[] = [];
  const faults: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const isAlone = arg === `--${PROGRAM}`;
    if (!isAlone && !arg.startsWith(`--${PROGRAM}=`)) {
      rest.push(arg);
      continue;
    }
    const value = isAlone ? args[++at] : arg.slice(PROGRAM.length + 3);
    if (value?.startsWith("/") && !/\p{Cc}/u.test(value)) program = value;
    else faults.push(flagRefusal(PROGRAM, value, "an absolute path"));
  }
  return { command: { kind: "install", program, args: rest }, faults };
}
