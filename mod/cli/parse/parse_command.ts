/**
 * From arguments to a command.
 *
 * @module
 */

import { parseCidr, suggest } from "../../base/text/mod.ts";
import { flagRefusal } from "../../config/mod.ts";
import {
  COMMAND_NAMES,
  type CommandName,
  type CommandResult,
} from "./command.ts";
import { readOptions } from "./options.ts";
import { parseGet } from "./parse_get.ts";
import { parseLogs } from "./parse_logs.ts";
import { parseDescribe, parseExplain } from "./parse_named_pod.ts";
import { ok, okUnless, refused, superfluous } from "./parse_result.ts";

/** Reads a command line, without the program's own name. */
export function parseCommand(args: readonly string[]): CommandResult {
  const [first, ...rest] = args;
  if (first === undefined || first === "--help" || first === "-h") {
    return ok({ kind: "help", topic: undefined });
  }
  if (first === "help") {
    return ok({
      kind: "help",
      topic: COMMAND_NAMES.find((each) => each === rest[0]),
    });
  }
  if (first === "--version") return ok({ kind: "version" });
  const topic = COMMAND_NAMES.find((each) => each === first);
  if (topic === undefined) {
    const meant = suggest(first, COMMAND_NAMES);
    return refused(undefined, [
      `Cannot run "${first}": there is no such command${
        meant === undefined ? "" : `, did you mean "${meant}"`
      }`,
    ]);
  }
  if (asksForHelp(rest)) return ok({ kind: "help", topic });
  return PARSERS[topic](rest);
}

const PARSERS: Readonly<
  Record<CommandName, (args: readonly string[]) => CommandResult>
> = {
  run: (args) => ok({ kind: "run", args }),
  get: parseGet,
  describe: parseDescribe,
  explain: parseExplain,
  logs: parseLogs,
  metrics: parseMetrics,
  version: parseVersion,
  validate: parseValidate,
};

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const flags = end < 0 ? args : args.slice(0, end);
  return flags.includes("--help") || flags.includes("-h");
}

function parseMetrics(args: readonly string[]): CommandResult {
  const options = readOptions(args, { location: true });
  const faults = [...options.faults, ...superfluous(options.positionals)];
  const { location } = options;
  return okUnless(faults, "metrics", { kind: "metrics", location });
}

function parseVersion(args: readonly string[]): CommandResult {
  const options = readOptions(args, { location: false });
  const faults = [...options.faults, ...superfluous(options.positionals)];
  return okUnless(faults, "version", { kind: "version" });
}

function parseValidate(args: readonly string[]): CommandResult {
  const options = readOptions(args, {
    location: false,
    texts: { [UNKNOWN_FIELDS]: undefined, [POD_NETWORK]: undefined },
  });
  const faults = [...options.faults];
  if (options.positionals.length === 0) {
    faults.push("Cannot validate nothing: wanted files, directories or -");
  }
  const unknownFields = options.texts.get(UNKNOWN_FIELDS) ?? "refuse";
  if (unknownFields !== "refuse" && unknownFields !== "warn") {
    return refused("validate", [
      ...faults,
      flagRefusal(UNKNOWN_FIELDS, unknownFields, "refuse or warn"),
    ]);
  }
  const podNetworks = options.texts.get(POD_NETWORK)?.split(",");
  const bad = podNetworks?.find((network) => parseCidr(network) === undefined);
  if (bad !== undefined) {
    faults.push(flagRefusal(POD_NETWORK, bad, "networks such as 10.88.0.0/16"));
  }
  return okUnless(faults, "validate", {
    kind: "validate",
    files: options.positionals,
    unknownFields,
    ...(podNetworks !== undefined && { podNetworks }),
  });
}

const UNKNOWN_FIELDS = "unknown-fields";
const POD_NETWORK = "pod-network";
