/**
 * Columns that a person describes: `NAME:.metadata.name,IMAGE:.spec.containers[*].image`.
 *
 * @module
 */

import { type JsonPath, valueText, walkPath } from "./json_path.ts";
import { readLonePath } from "./json_path_syntax.ts";

/** A column of a person's own. */
export interface CustomColumn {
  readonly heading: string;
  readonly path: JsonPath;
}

/** Reads columns. @throws {SyntaxError} When they are none */
export function readCustomColumns(text: string): readonly CustomColumn[] {
  if (text === "") {
    throw new SyntaxError("Cannot use custom columns: found none");
  }
  return splitOutside(text).map((part) => {
    const colon = part.indexOf(":");
    if (colon < 1 || colon === part.length - 1) {
      throw new SyntaxError(
        `Cannot read the column "${part}": wanted HEADING:.path`,
      );
    }
    const path = readLonePath(part.slice(colon + 1));
    return { heading: part.slice(0, colon), path };
  });
}

/** The cell of an object: all that the path leads to, or `<none>`. */
export function customCell({ path }: CustomColumn, object: unknown): string {
  const found = walkPath(path, object, object);
  return found.length === 0 ? "<none>" : found.map(valueText).join(",");
}

/** The parts between commas that are in no brackets. */
function splitOutside(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let begin = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "[") depth++;
    else if (char === "]") depth--;
    else if (char === "," && depth === 0) {
      parts.push(text.slice(begin, at));
      begin = at + 1;
    }
  }
  return [...parts, text.slice(begin)];
}
