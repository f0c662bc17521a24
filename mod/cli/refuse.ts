/**
 * Writes why a command line cannot be carried out.
 *
 * @module
 */

import type { CommandName } from "./parse/mod.ts";
import type { CliIo } from "./io.ts";

/** Writes every fault on a line of its own, and where help is. */
export async function refuse(
  faults: readonly string[],
  context: {
    readonly topic: CommandName | undefined;
    readonly io: Pick<CliIo, "err">;
  },
): Promise<void> {
  const { topic, io } = context;
  for (const fault of faults) await io.err(`skerry: ${fault}`);
  const command = topic === undefined ? "skerry" : `skerry ${topic}`;
  await io.err(`Run "${command} --help" for help.`);
}
