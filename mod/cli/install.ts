/**
 * `skerry install`.
 *
 * @module
 */

import { parseRunArguments } from "../config/mod.ts";
import type { CliIo } from "./io.ts";
import type { InstallCommand } from "./parse/mod.ts";
import { systemdUnit } from "./service/mod.ts";

/**
 * Prints the systemd unit of an agent with the flags of the command.
 *
 * @returns every fault of the flags; nothing was printed then
 */
export async function install(
  { program: path, args }: InstallCommand,
  io: CliIo,
): Promise<readonly string[]> {
  // A unit starts in the root directory, whatever this one was printed in.
  const parsed = await parseRunArguments(args, {
    cwd: () => "/",
    hostname: () => io.hostname(),
    readTextFile: (file) => io.readTextFile(file),
  });
  if (parsed.kind === "refused") return parsed.faults;
  let unit: string;
  try {
    unit = systemdUnit(parsed.config, { path, args });
  } catch (error) {
    if (error instanceof RangeError) return [error.message];
    throw error;
  }
  await io.out(unit);
  return [];
}
