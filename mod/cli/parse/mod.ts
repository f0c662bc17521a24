/**
 * The command line: arguments become a command, or every reason why they are none. Pure.
 *
 * Flags are read as pflag reads them, names of pods as kubectl does. The flags of `run` are
 * left as they are: config reads them, and the help lists them from its table.
 *
 * @example A command, and one that is misspelt
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { parseCommand } from "./mod.ts";
 *
 * const parsed = parseCommand(["explain", "pod/web", "-n", "shop"]);
 * deepStrictEqual(parsed, {
 *   kind: "ok",
 *   command: { kind: "explain_pod", location: [], name: "web", namespace: "shop" },
 * });
 * deepStrictEqual(parseCommand(["explian"]), {
 *   kind: "refused",
 *   topic: undefined,
 *   faults: ['Cannot run "explian": there is no such command, did you mean "explain"'],
 * });
 * ```
 *
 * @module
 */

export type {
  ApplyCommand,
  ChangeCommand,
  Command,
  CommandName,
  DeleteCommand,
  DescribeObjectsCommand,
  DescribePodCommand,
  DfCommand,
  ExplainPodCommand,
  ExplainServiceCommand,
  GetEventsCommand,
  GetObjectsCommand,
  GetPodsCommand,
  GetSourcesCommand,
  ImagesCommand,
  InstallCommand,
  LogsCommand,
  ManifestWish,
  NamedPod,
  ObjectOutput,
  ObjectTarget,
  OutputFormat,
  RolloutCommand,
  TopCommand,
  ValidateCommand,
} from "./command.ts";
export { COMMAND_NAMES } from "./command.ts";
export { helpText } from "./help.ts";
export { parseCommand } from "./parse_command.ts";
