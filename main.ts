/**
 * skerry: arguments, a command, its exit code.
 *
 * @module
 */

import { main, systemIo } from "./mod/cli/mod.ts";

if (import.meta.main) Deno.exit(await main(Deno.args, systemIo()));
