/**
 * Reads the arguments of `top` and `df`.
 *
 * @module
 */

import {
  LOCATION,
  NAMESPACE,
  namespaceOf,
  type Parsed,
  quote,
  readOptions,
  superfluous,
} from "./options.ts";
import { POD_WORDS } from "./parse_named_pod.ts";

const NODE_WORDS = ["node", "nodes", "no"];

/** Reads what stands behind `top`. */
export function parseTop(args: readonly string[]): Parsed {
  const options = readOptions(args, {
    ...LOCATION,
    ...NAMESPACE,
    "all-namespaces": { type: "boolean", short: "A" },
  });
  const { location, positionals, switches, faults } = options;
  const [what, ...rest] = positionals;
  const isNode = NODE_WORDS.includes(what ?? "");
  if (!isNode && !POD_WORDS.includes(what ?? "")) {
    faults.push(`Cannot show ${quote(what)}: wanted "pods" or "node"`);
  }
  faults.push(...superfluous(rest));
  const namespace = switches.has("all-namespaces")
    ? undefined
    : namespaceOf(options);
  const shown = isNode ? "node" : "pods";
  return { command: { kind: "top", what: shown, namespace, location }, faults };
}

/** Reads what stands behind `df`. */
export function parseDf(args: readonly string[]): Parsed {
  const { location, positionals, faults } = readOptions(args, LOCATION);
  faults.push(...superfluous(positionals));
  return { command: { kind: "df", location }, faults };
}
