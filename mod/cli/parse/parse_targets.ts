/**
 * Reads which objects a command is about.
 *
 * @module
 */

import { parseLabelSelector, type Resource } from "../../api/access/mod.ts";
import { describeError, suggest } from "../../base/text/mod.ts";
import { allKinds, findKind } from "../kinds/mod.ts";
import { readCustomColumns, readTemplate } from "../template/mod.ts";
import type { ObjectOutput, ObjectTarget } from "./command.ts";
import { type FlagSpecs, type Options, quote, TEXT } from "./options.ts";

/** The flags that choose objects. */
export const SELECTORS: FlagSpecs = {
  selector: { type: "string", short: "l" },
  "field-selector": TEXT,
};

/**
 * Reads `KIND[,KIND...] [NAME...]` or `KIND/NAME...`; what is wrong is a fault.
 *
 * @param verb as faults have it
 */
export function readTargets(
  { positionals, faults }: Options,
  verb: string,
): readonly ObjectTarget[] {
  const [first, ...names] = positionals;
  if (first === undefined) {
    faults.push(`Cannot ${verb} nothing: wanted a kind, such as "pods"`);
    return [];
  }
  if (positionals.some((each) => each.includes("/"))) {
    return [...new Set(positionals)].flatMap((each) =>
      readPair(each, { verb, faults })
    );
  }
  const kinds = first.split(",").flatMap((word) =>
    word === "all" ? allKinds() : readKind(word, { verb, faults })
  );
  const unique = [...new Set(kinds)];
  if (names.length === 0) return unique.map((resource) => ({ resource }));
  return unique.flatMap((resource) =>
    [...new Set(names)].map((name) => ({ resource, name }))
  );
}

interface Asked {
  readonly verb: string;
  readonly faults: string[];
}

function readPair(text: string, asked: Asked): readonly ObjectTarget[] {
  const [word = "", name = "", ...rest] = text.split("/");
  if (name === "" || rest.length > 0) {
    asked.faults.push(`Cannot ${asked.verb} ${quote(text)}: wanted KIND/NAME`);
    return [];
  }
  return readKind(word, asked).map((resource) => ({ resource, name }));
}

function readKind(
  word: string,
  { verb, faults }: Asked,
): readonly Resource[] {
  const found = findKind(word);
  if (found !== undefined) return [found];
  const meant = suggest(word, WORDS);
  const hint = meant === undefined ? "" : `, did you mean "${meant}"`;
  faults.push(`Cannot ${verb} ${quote(word)}: there is no such kind${hint}`);
  return [];
}

/** By which a misspelt word is guessed. */
const WORDS = [
  ...allKinds().map(({ resource }) => resource),
  "configmaps",
  "secrets",
  "persistentvolumeclaims",
  "events",
  "sources",
];

const PLAIN = ["wide", "json", "yaml", "name"] as const;
const BY_EXPRESSION = ["jsonpath", "custom-columns"] as const;

/** Reads how objects are selected and written. */
export function readSelection({ texts, faults }: Options): {
  readonly output: ObjectOutput;
  readonly expression?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
} {
  const labelSelector = texts.get("selector");
  const fieldSelector = texts.get("field-selector");
  if (labelSelector !== undefined) {
    collect(faults, () => parseLabelSelector(labelSelector));
  }
  const selectors = {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
  const given = texts.get("output");
  if (given === undefined) return { output: "table", ...selectors };
  const plain = PLAIN.find((each) => each === given);
  if (plain !== undefined) return { output: plain, ...selectors };
  const output = BY_EXPRESSION.find((each) => given.startsWith(`${each}=`));
  if (output === undefined) {
    const wanted = [...PLAIN, ...BY_EXPRESSION.map((each) => `${each}=…`)];
    faults.push(
      `Cannot use -o: found "${given}", wanted one of ${wanted.join(", ")}`,
    );
    return { output: "table", ...selectors };
  }
  const expression = given.slice(output.length + 1);
  collect(
    faults,
    () =>
      output === "jsonpath"
        ? readTemplate(expression)
        : readCustomColumns(expression),
  );
  return { output, expression, ...selectors };
}

/** Whatever cannot be read is a fault. */
function collect(faults: string[], read: () => unknown): void {
  try {
    read();
  } catch (error) {
    faults.push(describeError(error));
  }
}
