/**
 * The command line: arguments turned into a command or into words on what is wrong with them. Pure.
 *
 * @module
 */

export type {
  Command,
  DescribePodCommand,
  ExplainPodCommand,
  GetEventsCommand,
  GetPodsCommand,
  GetSourcesCommand,
  LogsCommand,
  OutputFormat,
  Topic,
} from "./command.ts";
export { helpText } from "./help.ts";
export { parseCommand } from "./parse_command.ts";
