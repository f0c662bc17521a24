/**
 * skerry: arguments, a command, its exit code.
 *
 * @module
 */

import process from "node:process";
import { argumentsOf, main, systemIo } from "./mod/cli/mod.ts";

if (import.meta.main) {
  const args = argumentsOf(process.argv0, Deno.args);
  Deno.exit(await main(args, systemIo()));
}
