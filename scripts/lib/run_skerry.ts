/**
 * Runs one skerry command to its end, under the locked permission set.
 *
 * @module
 */

import { lockedRunFlags } from "../permissions.ts";

/** How a command ended and what it printed. */
export interface SkerryResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `skerry ARGS…` from source. */
export async function runSkerry(
  args: readonly string[],
): Promise<SkerryResult> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      ...await lockedRunFlags(args),
      new URL("../../main.ts", import.meta.url).pathname,
      ...args,
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}
