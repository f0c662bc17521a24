/**
 * From arguments to a command.
 *
 * @module
 */

import { suggest, type UnknownFields } from "../api/mod.ts";
import { flagRefusal } from "../config/mod.ts";
import { type Options, readOptions } from "./options.ts";

/** What a command line asks for. */
export type Command =
  | { readonly kind: "help"; readonly topic: Topic | undefined }
  | { readonly kind: "version" }
  | {
    readonly kind: "run";
    /** Flags of the agent, not looked at yet. */
    readonly args: readonly string[];
  }
  | GetPodsCommand
  | GetSourcesCommand
  | LogsCommand
  | { readonly kind: "metrics"; readonly location: readonly string[] }
  | {
    readonly kind: "validate";
    /** Files and directories; `-` is standard input. */
    readonly files: readonly string[];
    readonly unknownFields: UnknownFields;
  };

/** How `get` writes. */
export type OutputFormat = "table" | "wide" | "json" | "yaml" | "name";

/** `skerry get pods`. */
export interface GetPodsCommand {
  readonly kind: "get_pods";
  /** Flags that say where the agent is. */
  readonly location: readonly string[];
  /** The manifest's name of one pod, or its full name. */
  readonly name: string | undefined;
  /** `undefined` stands for all namespaces. */
  readonly namespace: string | undefined;
  readonly output: OutputFormat;
  readonly watch: boolean;
}

/** `skerry get sources`. */
export interface GetSourcesCommand {
  readonly kind: "get_sources";
  /** Flags that say where the agent is. */
  readonly location: readonly string[];
  readonly output: OutputFormat;
}

/** `skerry logs`. */
export interface LogsCommand {
  readonly kind: "logs";
  /** Flags that say where the agent is. */
  readonly location: readonly string[];
  readonly pod: string;
  readonly namespace: string;
  readonly container: string | undefined;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** All lines when absent. */
  readonly tailLines: number | undefined;
}

/** The command, or every reason why there is none. */
export type CommandResult =
  | { readonly kind: "ok"; readonly command: Command }
  | {
    readonly kind: "refused";
    readonly topic: Topic | undefined;
    readonly faults: readonly string[];
  };

/** The commands, as they are typed. */
export const TOPICS = [
  "run",
  "get",
  "logs",
  "metrics",
  "version",
  "validate",
] as const;

/** A command, as it is typed. */
export type Topic = typeof TOPICS[number];

const OUTPUTS = ["wide", "json", "yaml", "name"] as const;
const DEFAULT_NAMESPACE = "default";
const PODS = ["pods", "pod", "po"];
const SOURCES = ["sources", "source"];

/** Reads a command line, without the program's own name. */
export function parseCommand(args: readonly string[]): CommandResult {
  const [first, ...rest] = args;
  if (first === undefined || first === "--help" || first === "-h") {
    return ok({ kind: "help", topic: undefined });
  }
  if (first === "help") {
    return ok({ kind: "help", topic: TOPICS.find((each) => each === rest[0]) });
  }
  if (first === "--version") return ok({ kind: "version" });
  const topic = TOPICS.find((each) => each === first);
  if (topic === undefined) {
    const meant = suggest(first, TOPICS);
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
  Record<Topic, (args: readonly string[]) => CommandResult>
> = {
  run: (args) => ok({ kind: "run", args }),
  get: parseGet,
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

function parseGet(args: readonly string[]): CommandResult {
  const options = readOptions(args, {
    location: true,
    texts: { namespace: "n", output: "o" },
    switches: { "all-namespaces": "A", watch: "w" },
  });
  const faults = [...options.faults];
  const [resource, name, ...rest] = options.positionals;
  if (SOURCES.includes(resource ?? "")) return parseGetSources(args);
  if (resource === undefined || !PODS.includes(resource)) {
    faults.push(`Cannot get ${quote(resource)}: wanted "pods" or "sources"`);
  }
  faults.push(...superfluous(rest));
  const isAll = options.switches.has("all-namespaces");
  if (isAll && name !== undefined) {
    faults.push(
      `Cannot get "${name}" in all namespaces: wanted a name or -A, not both`,
    );
  }
  const output = readOutput(options, faults);
  const watch = options.switches.has("watch");
  if (watch && output !== "table" && output !== "wide") {
    faults.push(`Cannot watch with -o ${output}: wanted the table or -o wide`);
  }
  if (faults.length > 0) return refused("get", faults);
  return ok({
    kind: "get_pods",
    location: options.location,
    name,
    namespace: isAll ? undefined : namespaceOf(options),
    output,
    watch,
  });
}

function parseGetSources(args: readonly string[]): CommandResult {
  const options = readOptions(args, {
    location: true,
    texts: { output: "o" },
  });
  const [, ...rest] = options.positionals;
  const faults = [...options.faults, ...superfluous(rest)];
  const output = readOutput(options, faults);
  const { location } = options;
  return faults.length > 0
    ? refused("get", faults)
    : ok({ kind: "get_sources", location, output });
}

function readOutput(options: Options, faults: string[]): OutputFormat {
  const given = options.texts.get("output");
  if (given === undefined) return "table";
  const output = OUTPUTS.find((each) => each === given);
  if (output === undefined) {
    faults.push(
      `Cannot use -o: found "${given}", wanted one of ${OUTPUTS.join(", ")}`,
    );
  }
  return output ?? "table";
}

function parseLogs(args: readonly string[]): CommandResult {
  const options = readOptions(args, {
    location: true,
    texts: { namespace: "n", container: "c", tail: undefined },
    switches: { follow: "f", previous: "p", timestamps: undefined },
  });
  const faults = [...options.faults];
  const [pod, container, ...rest] = options.positionals;
  if (pod === undefined) faults.push("Cannot show a log: wanted a pod's name");
  faults.push(...superfluous(rest));
  const named = options.texts.get("container");
  if (named !== undefined && container !== undefined) {
    faults.push(
      `Cannot show the log of "${container}" and of "${named}": wanted one container`,
    );
  }
  const tail = options.texts.get("tail");
  // As with kubectl, -1 stands for all lines.
  if (tail !== undefined && !/^(?:-1|\d{1,15})$/.test(tail)) {
    faults.push(
      `Cannot use --tail: found "${tail}", wanted a whole number of at least 0`,
    );
  }
  if (pod === undefined || faults.length > 0) return refused("logs", faults);
  return ok({
    kind: "logs",
    location: options.location,
    pod: pod.replace(/^pods?\//, ""),
    namespace: namespaceOf(options),
    container: named ?? container,
    follow: options.switches.has("follow"),
    previous: options.switches.has("previous"),
    timestamps: options.switches.has("timestamps"),
    tailLines: tail === undefined || tail === "-1" ? undefined : Number(tail),
  });
}

function parseMetrics(args: readonly string[]): CommandResult {
  const options = readOptions(args, { location: true });
  const faults = [...options.faults, ...superfluous(options.positionals)];
  return faults.length > 0
    ? refused("metrics", faults)
    : ok({ kind: "metrics", location: options.location });
}

function parseVersion(args: readonly string[]): CommandResult {
  const options = readOptions(args, { location: false });
  const faults = [...options.faults, ...superfluous(options.positionals)];
  return faults.length > 0
    ? refused("version", faults)
    : ok({ kind: "version" });
}

function parseValidate(args: readonly string[]): CommandResult {
  const options = readOptions(args, {
    location: false,
    texts: { [UNKNOWN_FIELDS]: undefined },
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
  return faults.length > 0
    ? refused("validate", faults)
    : ok({ kind: "validate", files: options.positionals, unknownFields });
}

const UNKNOWN_FIELDS = "unknown-fields";

function namespaceOf(options: Options): string {
  return options.texts.get("namespace") ?? DEFAULT_NAMESPACE;
}

function superfluous(rest: readonly string[]): string[] {
  return rest.map((each) =>
    `Cannot use the argument "${each}": wanted no more arguments`
  );
}

function quote(word: string | undefined): string {
  return word === undefined ? "nothing" : `"${word}"`;
}

function ok(command: Command): CommandResult {
  return { kind: "ok", command };
}

function refused(
  topic: Topic | undefined,
  faults: readonly string[],
): CommandResult {
  return { kind: "refused", topic, faults };
}
