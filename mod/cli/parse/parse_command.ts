/**
 * From arguments to a command.
 *
 * @module
 */

import { parseCidr, suggest } from "../../base/text/mod.ts";
import { flagRefusal } from "../../config/mod.ts";
import {
  type Command,
  COMMAND_NAMES,
  type CommandName,
  type CommandResult,
} from "./command.ts";
import {
  LOCATION,
  type Parsed,
  quote,
  readOptions,
  superfluous,
  TEXT,
} from "./options.ts";
import {
  parseApply,
  parseDelete,
  parseDiff,
  parseRollout,
  parseScale,
  parseSet,
} from "./parse_change.ts";
import { parseInstall } from "./parse_install.ts";
import { parseGet, parseImages } from "./parse_get.ts";
import { parseDescribe, parseExplain, parseLogs } from "./parse_named_pod.ts";
import { parseDf, parseTop } from "./parse_usage.ts";

/** Reads a command line, without the program's own name. */
export function parseCommand(args: readonly string[]): CommandResult {
  const [first, ...rest] = args;
  if (first === undefined || first === "--help" || first === "-h") {
    return ok({ kind: "help", topic: undefined });
  }
  if (first === "help") return ok({ kind: "help", topic: topicOf(rest[0]) });
  if (first === "--version") return ok({ kind: "version" });
  const topic = topicOf(first);
  if (topic === undefined) {
    const meant = suggest(first, COMMAND_NAMES);
    const hint = meant === undefined ? "" : `, did you mean "${meant}"`;
    const fault = `Cannot run "${first}": there is no such command${hint}`;
    return { kind: "refused", topic, faults: [fault] };
  }
  const end = rest.indexOf("--");
  const flags = end < 0 ? rest : rest.slice(0, end);
  if (flags.includes("--help") || flags.includes("-h")) {
    return ok({ kind: "help", topic });
  }
  const { command, faults } = PARSERS[topic](rest);
  return command === undefined || faults.length > 0
    ? { kind: "refused", topic, faults }
    : ok(command);
}

function ok(command: Command): CommandResult {
  return { kind: "ok", command };
}

function topicOf(word: string | undefined): CommandName | undefined {
  return COMMAND_NAMES.find((each) => each === word);
}

const PARSERS: Readonly<
  Record<CommandName, (args: readonly string[]) => Parsed>
> = {
  run: (args) => ({ command: { kind: "run", args }, faults: [] }),
  kubelet: (args) => {
    const asksVersion = args.some((arg) => VERSION_FLAGS.has(arg));
    return {
      command: asksVersion
        ? { kind: "kubelet_version" }
        : { kind: "kubelet", args },
      faults: [],
    };
  },
  get: parseGet,
  describe: parseDescribe,
  explain: parseExplain,
  apply: parseApply,
  diff: parseDiff,
  delete: parseDelete,
  scale: parseScale,
  set: parseSet,
  rollout: parseRollout,
  logs: parseLogs,
  top: parseTop,
  df: parseDf,
  images: parseImages,
  image: ([verb, ...files]) => ({
    command: undefined,
    faults: [refuseImage(verb, files)],
  }),
  metrics: (args) => {
    const { location, positionals, faults } = readOptions(args, LOCATION);
    faults.push(...superfluous(positionals));
    return { command: { kind: "metrics", location }, faults };
  },
  version: (args) => {
    const { positionals, faults } = readOptions(args, {});
    faults.push(...superfluous(positionals));
    return { command: { kind: "version" }, faults };
  },
  validate: parseValidate,
  install: parseInstall,
};

/** As the kubelet takes it; another value sets what it tells of itself. */
const VERSION_FLAGS: ReadonlySet<string> = new Set([
  "--version",
  "--version=true",
  "--version=raw",
]);

/** The runtime alone can do it; its interface for agents (CRI) has no such call. */
function refuseImage(
  verb: string | undefined,
  [file = "FILE"]: readonly string[],
): string {
  return verb === "import"
    ? `Cannot import an image: the runtime takes none from an agent; with containerd run "ctr --namespace k8s.io images import ${file}"`
    : `Cannot use ${quote(verb)} with images: "skerry images" lists them`;
}

function parseValidate(args: readonly string[]): Parsed {
  const { texts, positionals: files, faults } = readOptions(args, {
    [UNKNOWN_FIELDS]: TEXT,
    [POD_NETWORK]: TEXT,
  });
  if (files.length === 0) {
    faults.push("Cannot validate nothing: wanted files, directories or -");
  }
  const given = texts.get(UNKNOWN_FIELDS) ?? "refuse";
  const unknownFields = given === "warn" ? given : "refuse";
  if (given !== unknownFields) {
    faults.push(flagRefusal(UNKNOWN_FIELDS, given, "refuse or warn"));
  }
  const podNetworks = texts.get(POD_NETWORK)?.split(",");
  const bad = podNetworks?.find((network) => parseCidr(network) === undefined);
  if (bad !== undefined) {
    faults.push(flagRefusal(POD_NETWORK, bad, "networks such as 10.88.0.0/16"));
  }
  const networks = podNetworks !== undefined && { podNetworks };
  const command = { kind: "validate", files, unknownFields } as const;
  return { command: { ...command, ...networks }, faults };
}

const UNKNOWN_FIELDS = "unknown-fields";
const POD_NETWORK = "pod-network";
