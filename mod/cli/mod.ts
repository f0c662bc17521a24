/**
 * The commands that a person types.
 *
 * Every command ends with exit code 0, 1 or 64, whatever the agent answers. Clients reach
 * the agent over its control socket alone. What an agent, a manifest or an image says is
 * written so that it cannot move the cursor or break its line; JSON and YAML stay whole.
 *
 * @example The version
 * ```ts
 * import { match, strictEqual } from "node:assert/strict";
 * import { main, systemIo } from "./mod.ts";
 *
 * let output = "";
 * const out = (data: string | Uint8Array) => {
 *   output += data;
 *   return Promise.resolve();
 * };
 * strictEqual(await main(["version"], { ...systemIo(), out }), 0);
 * match(output, /^skerry \d/);
 * ```
 *
 * @module
 */

export {
  argumentsOf,
  type CliIo,
  listFiles,
  OutputClosedError,
  systemIo,
} from "./io.ts";
export { EXIT_FAILURE, EXIT_OK, EXIT_USAGE, main, refuse } from "./main.ts";
export { podRow } from "./pod_row.ts";
