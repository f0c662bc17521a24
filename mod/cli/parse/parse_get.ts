/**
 * Reads the arguments of `get`.
 *
 * @module
 */

import type { OutputFormat } from "./command.ts";
import {
  LOCATION,
  NAMESPACE,
  namespaceOf,
  type Options,
  OUTPUT,
  outputOf,
  type Parsed,
  readOptions,
  superfluous,
  TEXT,
} from "./options.ts";
import { nameAfterSlash } from "./parse_named_pod.ts";
import { readSelection, readTargets, SELECTORS } from "./parse_targets.ts";

const OUTPUTS = ["wide", "json", "yaml", "name"] as const;
const SOURCES = ["sources", "source"];
const EVENTS = ["events", "event", "ev"];

/** Reads what stands behind `get`. */
export function parseGet(args: readonly string[]): Parsed {
  const options = readOptions(args, {
    ...LOCATION,
    ...NAMESPACE,
    ...OUTPUT,
    ...SELECTORS,
    for: TEXT,
    "all-namespaces": { type: "boolean", short: "A" },
    watch: { type: "boolean", short: "w" },
  });
  const [resource = ""] = options.positionals;
  if (SOURCES.includes(resource)) return parseGetSources(args);
  return EVENTS.includes(resource)
    ? parseGetEvents(options)
    : parseGetObjects(options);
}

function parseGetObjects(options: Options): Parsed {
  const { faults, texts } = options;
  if (texts.has("for")) {
    faults.push('Cannot use --for: wanted it with "get events" only');
  }
  const targets = readTargets(options, "get");
  const wanted = { ...readPlace(options), ...readSelection(options) };
  const { namespace, output, watch } = wanted;
  const named = targets.find(({ name }) => name !== undefined)?.name;
  if (named !== undefined) {
    if (namespace === undefined) {
      faults.push(
        `Cannot get "${named}" in all namespaces: wanted a name or -A, not both`,
      );
    }
    for (const flag of ["selector", "field-selector"]) {
      if (!texts.has(flag)) continue;
      faults.push(`Cannot use --${flag} with "${named}": wanted one of them`);
    }
  }
  const kinds = new Set(targets.map(({ resource }) => resource));
  if (watch && (kinds.size > 1 || targets.length > 1)) {
    faults.push("Cannot watch several: wanted one kind, or one object");
  }
  const [first] = targets;
  if (first?.resource.kind !== "Pod" || targets.length > 1) {
    if (watch && !["table", "wide", "json", "name"].includes(output)) {
      faults.push(
        `Cannot watch with -o ${output}: wanted the table, -o wide, json or name`,
      );
    }
    return { command: { kind: "get_objects", targets, ...wanted }, faults };
  }
  if (watch && output !== "table" && output !== "wide") {
    faults.push(`Cannot watch with -o ${output}: wanted the table or -o wide`);
  }
  const { name } = first;
  return { command: { kind: "get_pods", name, ...wanted }, faults };
}

function parseGetEvents(options: Options): Parsed {
  const { faults } = options;
  faults.push(...superfluous(options.positionals.slice(1)));
  const of = options.texts.get("for");
  const pod = of === undefined ? undefined : nameAfterSlash(of);
  if (of !== undefined && pod === undefined) {
    faults.push(`Cannot use --for: found "${of}", wanted pod/NAME`);
  }
  const wanted = { ...readPlace(options), output: readOutput(options) };
  for (const flag of ["selector", "field-selector"]) {
    if (!options.texts.has(flag)) continue;
    faults.push(`Cannot use --${flag} with events: wanted --for`);
  }
  if (wanted.namespace === undefined && pod !== undefined) {
    faults.push(
      `Cannot get the events of "${pod}" in all namespaces: wanted --for or -A, not both`,
    );
  }
  if (wanted.watch && wanted.output === "yaml") {
    faults.push(
      "Cannot watch with -o yaml: wanted the table, -o wide, json or name",
    );
  }
  return { command: { kind: "get_events", pod, ...wanted }, faults };
}

function parseGetSources(args: readonly string[]): Parsed {
  const options = readOptions(args, { ...LOCATION, ...OUTPUT });
  const { location, positionals, faults } = options;
  faults.push(...superfluous(positionals.slice(1)));
  const output = readOutput(options);
  return { command: { kind: "get_sources", location, output }, faults };
}

/** Reads what stands behind `images`. */
export function parseImages(args: readonly string[]): Parsed {
  const options = readOptions(args, { ...LOCATION, ...OUTPUT });
  const { location, positionals, faults } = options;
  faults.push(...superfluous(positionals));
  const output = readOutput(options);
  return { command: { kind: "images", location, output }, faults };
}

/** What all lists have in common. */
function readPlace(options: Options) {
  const { location, switches } = options;
  const isAll = switches.has("all-namespaces");
  return {
    location,
    namespace: isAll ? undefined : namespaceOf(options),
    watch: switches.has("watch"),
  };
}

function readOutput(options: Options): OutputFormat {
  const wanted = `one of ${OUTPUTS.join(", ")}`;
  return outputOf(options, OUTPUTS, wanted) ?? "table";
}
