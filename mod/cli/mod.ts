/**
 * The commands that a person types.
 *
 * @module
 */

export { EXIT_FAILURE, EXIT_OK, EXIT_USAGE } from "./exit_code.ts";
export { type CliIo, OutputClosedError, systemIo } from "./io.ts";
export { main } from "./main.ts";
export { podRow } from "./pod_row.ts";
export { refuse } from "./refuse.ts";
