/**
 * Reads the arguments of `describe` and `explain`, which are about one pod.
 *
 * @module
 */

import type { CommandResult, NamedPod } from "./command.ts";
import { readOptions } from "./options.ts";
import {
  namespaceOf,
  ok,
  quote,
  refused,
  superfluous,
} from "./parse_result.ts";

/** The words that kubectl takes for the kind. */
export const POD_WORDS: readonly string[] = ["pods", "pod", "po"];

/** Reads what stands behind `describe`: `pod NAME` or `pod/NAME`. */
export function parseDescribe(args: readonly string[]): CommandResult {
  const { pod, hasKind, first, faults } = readNamedPod(args);
  if (faults.length > 0) return refused("describe", faults);
  if (pod === undefined || !hasKind) {
    return refused("describe", [
      `Cannot describe ${quote(first)}: wanted "pod NAME" or "pod/NAME"`,
    ]);
  }
  return ok({ kind: "describe_pod", ...pod });
}

/** Reads what stands behind `explain`: as `describe`, or the name alone. */
export function parseExplain(args: readonly string[]): CommandResult {
  const { pod, first, faults, output } = readNamedPod(args, {
    texts: { output: "o" },
  });
  const format = REPORT_FORMATS.find((each) => each === output);
  if (output !== undefined && format === undefined) {
    faults.push(`Cannot use -o: found "${output}", wanted json or yaml`);
  }
  if (faults.length > 0) return refused("explain", faults);
  if (pod === undefined) {
    return refused("explain", [
      `Cannot explain ${quote(first)}: wanted "pod/NAME"`,
    ]);
  }
  return ok({
    kind: "explain_pod",
    ...pod,
    ...(format !== undefined && { output: format }),
  });
}

const REPORT_FORMATS = ["json", "yaml"] as const;

/** The name in `pod/NAME`; `undefined` for anything else. */
export function nameAfterSlash(word: string): string | undefined {
  const [kind = "", name = "", ...rest] = word.split("/");
  return POD_WORDS.includes(kind) && name !== "" && rest.length === 0
    ? name
    : undefined;
}

interface ReadPod {
  readonly first: string | undefined;
  /** Whether the word for the kind is there. */
  readonly hasKind: boolean;
  readonly pod: NamedPod | undefined;
  /** As it was given. */
  readonly output: string | undefined;
  readonly faults: string[];
}

function readNamedPod(
  args: readonly string[],
  more: { readonly texts: Readonly<Record<string, string>> } = { texts: {} },
): ReadPod {
  const options = readOptions(args, {
    location: true,
    texts: { namespace: "n", ...more.texts },
  });
  const [first, ...rest] = options.positionals;
  const after = first === undefined ? undefined : nameAfterSlash(first);
  // A lone `pod` could be a pod's name as well, but is taken for the kind.
  const isKind = first !== undefined && POD_WORDS.includes(first);
  const name = after ?? (isKind ? rest[0] : first);
  // No name has a slash: it would stand for another kind of object.
  const isName = name !== undefined && name !== "" && !name.includes("/");
  return {
    first,
    hasKind: isKind || after !== undefined,
    pod: isName
      ? { location: options.location, name, namespace: namespaceOf(options) }
      : undefined,
    output: options.texts.get("output"),
    faults: [
      ...options.faults,
      ...superfluous(isKind ? rest.slice(1) : rest),
    ],
  };
}
