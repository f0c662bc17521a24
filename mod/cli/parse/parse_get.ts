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
  quote,
  readOptions,
  superfluous,
  TEXT,
} from "./options.ts";
import { nameAfterSlash, POD_WORDS } from "./parse_named_pod.ts";

const OUTPUTS = ["wide", "json", "yaml", "name"] as const;
const SOURCES = ["sources", "source"];
const EVENTS = ["events", "event", "ev"];

/** Reads what stands behind `get`. */
export function parseGet(args: readonly string[]): Parsed {
  const options = readOptions(args, {
    ...LOCATION,
    ...NAMESPACE,
    ...OUTPUT,
    for: TEXT,
    "all-namespaces": { type: "boolean", short: "A" },
    watch: { type: "boolean", short: "w" },
  });
  const [resource = ""] = options.positionals;
  if (SOURCES.includes(resource)) return parseGetSources(args);
  return EVENTS.includes(resource)
    ? parseGetEvents(options)
    : parseGetPods(options);
}

function parseGetPods(options: Options): Parsed {
  const { faults } = options;
  const [resource, name, ...rest] = options.positionals;
  if (options.texts.has("for")) {
    faults.push('Cannot use --for: wanted it with "get events" only');
  }
  if (resource === undefined || !POD_WORDS.includes(resource)) {
    faults.push(
      `Cannot get ${quote(resource)}: wanted "pods", "events" or "sources"`,
    );
  }
  faults.push(...superfluous(rest));
  const wanted = readWanted(options);
  const { namespace, output, watch } = wanted;
  if (namespace === undefined && name !== undefined) {
    faults.push(
      `Cannot get "${name}" in all namespaces: wanted a name or -A, not both`,
    );
  }
  if (watch && output !== "table" && output !== "wide") {
    faults.push(`Cannot watch with -o ${output}: wanted the table or -o wide`);
  }
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
  const wanted = readWanted(options);
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

/** What pods and events have in common. */
function readWanted(options: Options) {
  const { location, switches } = options;
  const isAll = switches.has("all-namespaces");
  return {
    location,
    namespace: isAll ? undefined : namespaceOf(options),
    output: readOutput(options),
    watch: switches.has("watch"),
  };
}

function readOutput(options: Options): OutputFormat {
  const wanted = `one of ${OUTPUTS.join(", ")}`;
  return outputOf(options, OUTPUTS, wanted) ?? "table";
}
