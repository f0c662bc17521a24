/**
 * Reads the arguments of `describe`, `explain` and `logs`, which are about one pod.
 *
 * @module
 */

import { defined } from "../../base/mod.ts";
import { parseDuration } from "../../base/text/mod.ts";
import { findKind } from "../kinds/mod.ts";
import type { LogsCommand } from "./command.ts";
import {
  type FlagSpecs,
  LOCATION,
  NAMESPACE,
  namespaceOf,
  OUTPUT,
  outputOf,
  type Parsed,
  quote,
  readOptions,
  superfluous,
  TEXT,
} from "./options.ts";
import { readTargets } from "./parse_targets.ts";

/** The words that kubectl takes for the kind. */
export const POD_WORDS: readonly string[] = ["pods", "pod", "po"];

/** Reads what stands behind `describe`: `pod NAME`, `pod/NAME`, or other kinds. */
export function parseDescribe(args: readonly string[]): Parsed {
  const other = readOptions(args, { ...LOCATION, ...NAMESPACE });
  const word = other.positionals[0]?.split("/")[0] ?? "";
  const kind = findKind(word.split(",")[0] ?? "");
  if (kind !== undefined && kind.kind !== "Pod") {
    const { location, faults } = other;
    const targets = readTargets(other, "describe");
    if (targets.some(({ resource }) => resource.kind === "Pod")) {
      faults.push("Cannot describe pods with other kinds: wanted them apart");
    }
    const namespace = namespaceOf(other);
    const command = { location, targets, namespace } as const;
    return { command: { kind: "describe_objects", ...command }, faults };
  }
  const { pod, hasKind, options } = readNamedPod(args);
  const { faults, positionals: [first] } = options;
  const isWhole = pod !== undefined && hasKind;
  if (!isWhole && faults.length === 0) {
    faults.push(
      `Cannot describe ${quote(first)}: wanted "pod NAME" or "pod/NAME"`,
    );
  }
  return { command: pod && { kind: "describe_pod", ...pod }, faults };
}

/** Reads what stands behind `explain`: as `describe`, or the name of a pod alone. */
export function parseExplain(args: readonly string[]): Parsed {
  const other = readOptions(args, { ...LOCATION, ...NAMESPACE });
  const [first = "", ...more] = other.positionals;
  const [word = "", ...names] = first.split("/");
  // A lone word is the name of a pod, whatever it is.
  const isNamed = names.length + more.length > 0;
  if (isNamed && findKind(word)?.kind === "Service") {
    const { location, faults } = other;
    const [target, ...rest] = readTargets(other, "explain");
    if (target?.name === undefined || rest.length > 0) {
      if (faults.length === 0) {
        faults.push('Cannot explain Services: wanted one, as "service/NAME"');
      }
      return { command: undefined, faults };
    }
    const command = { location, namespace: namespaceOf(other), target };
    return { command: { kind: "explain_service", ...command }, faults };
  }
  const { pod, options } = readNamedPod(args, OUTPUT);
  const { faults, positionals: [name] } = options;
  const output = outputOf(options, ["json", "yaml"], "json or yaml");
  if (pod === undefined && faults.length === 0) {
    faults.push(`Cannot explain ${quote(name)}: wanted "pod/NAME"`);
  }
  const format = output !== undefined && { output };
  return { command: pod && { kind: "explain_pod", ...pod, ...format }, faults };
}

/** The name in `pod/NAME`; `undefined` for anything else. */
export function nameAfterSlash(word: string): string | undefined {
  const [kind = "", name = "", ...rest] = word.split("/");
  return POD_WORDS.includes(kind) && name !== "" && rest.length === 0
    ? name
    : undefined;
}

/** Reads a name, and whether the word for the kind is there. */
function readNamedPod(args: readonly string[], more: FlagSpecs = {}) {
  const options = readOptions(args, { ...LOCATION, ...NAMESPACE, ...more });
  const { location, positionals: [first, ...rest], faults } = options;
  const after = first === undefined ? undefined : nameAfterSlash(first);
  // A lone `pod` could be a pod's name as well, but is taken for the kind.
  const isKind = first !== undefined && POD_WORDS.includes(first);
  faults.push(...superfluous(isKind ? rest.slice(1) : rest));
  const name = after ?? (isKind ? rest[0] : first);
  // No name has a slash: it would stand for another kind of object.
  const isName = name !== undefined && name !== "" && !name.includes("/");
  const namespace = namespaceOf(options);
  const pod = isName ? { location, name, namespace } : undefined;
  return { pod, hasKind: isKind || after !== undefined, options };
}

/** Reads what stands behind `logs`. */
export function parseLogs(args: readonly string[]): Parsed {
  const options = readOptions(args, {
    ...LOCATION,
    ...NAMESPACE,
    container: { type: "string", short: "c" },
    tail: TEXT,
    since: TEXT,
    "since-time": TEXT,
    "limit-bytes": TEXT,
    follow: { type: "boolean", short: "f" },
    previous: { type: "boolean", short: "p" },
    timestamps: { type: "boolean" },
  });
  const { texts, switches, location, faults } = options;
  const [pod, container, ...rest] = options.positionals;
  if (pod === undefined) faults.push("Cannot show a log: wanted a pod's name");
  faults.push(...superfluous(rest));
  const named = texts.get("container");
  if (named !== undefined && container !== undefined) {
    faults.push(
      `Cannot show the log of "${container}" and of "${named}": wanted one container`,
    );
  }
  const tail = texts.get("tail");
  // As with kubectl, -1 stands for all lines.
  if (tail !== undefined && !/^(?:-1|\d{1,15})$/.test(tail)) {
    faults.push(
      `Cannot use --tail: found "${tail}", wanted a whole number of at least 0`,
    );
  }
  const command = pod === undefined ? undefined : {
    kind: "logs" as const,
    location,
    pod: pod.replace(/^pods?\//, ""),
    namespace: namespaceOf(options),
    container: named ?? container,
    follow: switches.has("follow"),
    previous: switches.has("previous"),
    timestamps: switches.has("timestamps"),
    tailLines: tail === undefined || tail === "-1" ? undefined : Number(tail),
    ...boundsOf(texts, faults),
  };
  return { command, faults };
}

/** Reads how much of a log is wanted, by time and size. */
function boundsOf(
  texts: ReadonlyMap<string, string>,
  faults: string[],
): Pick<LogsCommand, "sinceSeconds" | "sinceTime" | "limitBytes"> {
  const refuse = (name: string, wanted: string): undefined => {
    faults.push(
      `Cannot use --${name}: found "${texts.get(name)}", wanted ${wanted}`,
    );
  };
  const since = texts.get("since");
  const sinceTime = texts.get("since-time");
  const limit = texts.get("limit-bytes");
  const sinceSeconds = since === undefined
    ? undefined
    : secondsOf(since) ?? refuse("since", "a duration such as 10m");
  const limitBytes = limit === undefined
    ? undefined
    : /^[1-9]\d{0,14}$/.test(limit)
    ? Number(limit)
    : refuse("limit-bytes", "a whole number of at least 1");
  if (since !== undefined && sinceTime !== undefined) {
    refuse("since", "it without --since-time");
  }
  // The agent reads the time.
  return defined({ sinceSeconds, sinceTime, limitBytes });
}

/** A duration in whole seconds, at least one. */
function secondsOf(text: string): number | undefined {
  try {
    const seconds = Math.ceil(parseDuration(text) / 1000);
    return seconds > 0 ? seconds : undefined;
  } catch {
    // It is no duration.
    return undefined;
  }
}
