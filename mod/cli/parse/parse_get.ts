/**
 * Reads the arguments of `get`.
 *
 * @module
 */

import type { CommandResult, OutputFormat } from "./command.ts";
import { type Options, readOptions } from "./options.ts";
import { nameAfterSlash, POD_WORDS } from "./parse_named_pod.ts";
import { namespaceOf, okUnless, quote, superfluous } from "./parse_result.ts";

const OUTPUTS = ["wide", "json", "yaml", "name"] as const;
const SOURCES = ["sources", "source"];
const EVENTS = ["events", "event", "ev"];

/** Reads what stands behind `get`. */
export function parseGet(args: readonly string[]): CommandResult {
  const options = readOptions(args, {
    location: true,
    texts: { namespace: "n", output: "o", for: undefined },
    switches: { "all-namespaces": "A", watch: "w" },
  });
  const [resource, name, ...rest] = options.positionals;
  if (SOURCES.includes(resource ?? "")) return parseGetSources(args);
  if (EVENTS.includes(resource ?? "")) return parseGetEvents(options);
  const faults = [...options.faults];
  if (options.texts.has("for")) {
    faults.push('Cannot use --for: wanted it with "get events" only');
  }
  if (resource === undefined || !POD_WORDS.includes(resource)) {
    faults.push(
      `Cannot get ${quote(resource)}: wanted "pods", "events" or "sources"`,
    );
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
  return okUnless(faults, "get", {
    kind: "get_pods",
    location: options.location,
    name,
    namespace: isAll ? undefined : namespaceOf(options),
    output,
    watch,
  });
}

function parseGetEvents(options: Options): CommandResult {
  const [, ...rest] = options.positionals;
  const faults = [...options.faults, ...superfluous(rest)];
  const of = options.texts.get("for");
  const pod = of === undefined ? undefined : nameAfterSlash(of);
  if (of !== undefined && pod === undefined) {
    faults.push(`Cannot use --for: found "${of}", wanted pod/NAME`);
  }
  const isAll = options.switches.has("all-namespaces");
  if (isAll && pod !== undefined) {
    faults.push(
      `Cannot get the events of "${pod}" in all namespaces: wanted --for or -A, not both`,
    );
  }
  const output = readOutput(options, faults);
  const watch = options.switches.has("watch");
  if (watch && output === "yaml") {
    faults.push(
      "Cannot watch with -o yaml: wanted the table, -o wide, json or name",
    );
  }
  return okUnless(faults, "get", {
    kind: "get_events",
    location: options.location,
    pod,
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
  return okUnless(faults, "get", { kind: "get_sources", location, output });
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
