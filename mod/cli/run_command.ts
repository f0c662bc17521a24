/**
 * `skerry run`.
 *
 * @module
 */

import { parseRunArguments } from "../config/mod.ts";
import { EXIT_USAGE } from "./exit_code.ts";
import type { CliIo } from "./io.ts";
import { refuse } from "./refuse.ts";

/** Runs the agent until it is asked to stop; returns its exit code. */
export async function runCommand(
  args: readonly string[],
  io: CliIo,
): Promise<number> {
  const parsed = await parseRunArguments(args, io);
  if (parsed.kind === "refused") {
    await refuse(parsed.faults, { topic: "run", io });
    return EXIT_USAGE;
  }
  // Only the agent needs the runtime's client, which is slow to load.
  const { runAgent } = await import("../app/mod.ts");
  using stop = io.stopRequests();
  const { config, warnings } = parsed;
  return await runAgent(config, { signal: stop.signal, warnings });
}
