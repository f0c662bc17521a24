/**
 * Expansion of `$(NAME)` in environment values, commands and arguments.
 *
 * @module
 */

import { SpecRefusal } from "./spec_refusal.ts";

/**
 * The longest text an expansion may grow to, in UTF-16 units.
 *
 * Linux takes no single argument or variable above 128 KiB, so nothing that could
 * run is refused, while a chain of variables that double each other ends here and
 * not in the agent's memory.
 */
export const MAX_EXPANDED_LENGTH: number = 1 << 20;

/**
 * The most that a program is given in variables and arguments, in UTF-16 units.
 *
 * Linux takes no more than 6 MiB of both together (fs/exec.c, bprm_stack_limits), so
 * nothing that could run is refused, while thousands of variables of the longest kind
 * end here and not in the agent's memory.
 */
export const MAX_PROGRAM_LENGTH: number = 6 << 20;

/** Counts what one program is given. */
export class ProgramBudget {
  #left = MAX_PROGRAM_LENGTH;

  /** @throws {SpecRefusal} when that is more than any program can be given */
  take(text: string): void {
    this.#left -= text.length;
    if (this.#left >= 0) return;
    throw new SpecRefusal(
      `Cannot give the program its variables and arguments: together they are longer than ${MAX_PROGRAM_LENGTH} characters, wanted less`,
    );
  }
}

/**
 * Replaces every `$(NAME)` by the value of NAME.
 *
 * An unknown name stays as it is written, `$$` becomes one `$`, and an opening
 * without its parenthesis is kept. What was inserted is never looked at again.
 * Takes time in proportion to what it reads and writes.
 *
 * Upstream: third_party/forked/golang/expansion.
 *
 * @throws {SpecRefusal} when the result would exceed `MAX_EXPANDED_LENGTH`
 */
export function expand(
  text: string,
  values: Pick<ReadonlyMap<string, string>, "get">,
): string {
  const parts: string[] = [];
  let length = 0;
  const write = (part: string) => {
    length += part.length;
    if (length > MAX_EXPANDED_LENGTH) {
      throw new SpecRefusal(
        `Cannot expand a value: the result is longer than ${MAX_EXPANDED_LENGTH} characters, wanted less`,
      );
    }
    parts.push(part);
  };
  // Found once and kept while it lies ahead, so that many openings without a
  // closing do not each search the rest of the text.
  let closing = text.indexOf(")");
  let from = 0;
  for (;;) {
    const dollar = text.indexOf("$", from);
    if (dollar < 0) break;
    if (text[dollar + 1] === "$") {
      write(text.slice(from, dollar + 1));
      from = dollar + 2;
      continue;
    }
    if (closing >= 0 && closing < dollar) closing = text.indexOf(")", dollar);
    if (text[dollar + 1] !== "(" || closing < 0) {
      write(text.slice(from, dollar + 1));
      from = dollar + 1;
      continue;
    }
    write(text.slice(from, dollar));
    const written = text.slice(dollar, closing + 1);
    write(values.get(written.slice(2, -1)) ?? written);
    from = closing + 1;
  }
  write(text.slice(from));
  return parts.join("");
}

/**
 * Expands each text of a list; an absent list stays absent.
 *
 * @param budget What the program is given beside them counts in it, too.
 * @throws {SpecRefusal} when one would exceed `MAX_EXPANDED_LENGTH`, or all together
 * `MAX_PROGRAM_LENGTH`
 */
export function expandAll(
  texts: readonly string[] | undefined,
  values: ReadonlyMap<string, string>,
  budget: ProgramBudget = new ProgramBudget(),
): readonly string[] | undefined {
  return texts?.map((text) => {
    const word = expand(text, values);
    budget.take(word);
    return word;
  });
}
