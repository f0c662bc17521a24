/**
 * The commands that a person types.
 *
 * @module
 */

export {
  type Command,
  type CommandResult,
  type DescribePodCommand,
  type ExplainPodCommand,
  type GetEventsCommand,
  type GetPodsCommand,
  type LogsCommand,
  type NamedPod,
  type OutputFormat,
  type Topic,
} from "./command.ts";
export { EXIT_FAILURE, EXIT_OK, EXIT_USAGE } from "./exit_code.ts";
export { type CliIo, OutputClosedError, systemIo } from "./io.ts";
export { main } from "./main.ts";
export { parseCommand } from "./parse_command.ts";
export { type PodRow, podRow } from "./pod_row.ts";
export { refuse } from "./refuse.ts";
