/**
 * How pages say what becomes of fields.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- for command-line tools

import { fieldsOf } from "./schema.ts";

/** What becomes of one field, in words. */
export type FieldWords =
  | { readonly kind: "done"; readonly note: string }
  | { readonly kind: "refused" | "warned"; readonly message: string }
  | { readonly kind: "not_applicable"; readonly why: string };

/** The table of one type. */
export function renderTable(
  type: string,
  rows: Readonly<Record<string, FieldWords>>,
): string {
  const lines = fieldsOf(type).map(({ name, type: text }) => {
    const row = rows[name];
    if (row === undefined) {
      throw new Error(`Cannot write field "${type}.${name}": it has no row`);
    }
    return `| \`${name}\` | \`${text}\` | ${renderRow(row)} |\n`;
  });
  return `\n## ${type}\n\n| Field | Type | What becomes of it | |\n|---|---|---|---|\n${
    lines.join("")
  }`;
}

function renderRow(row: FieldWords): string {
  switch (row.kind) {
    case "done":
      return `done | ${cell(row.note)}`;
    case "refused":
    case "warned":
      return `${row.kind} | ${cell(row.message)}`;
    case "not_applicable":
      return `not applicable | ${cell(row.why)}`;
  }
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** Writes a page, or with `--check` ends with a fault if it is another one. */
export async function writePage(
  page: { readonly path: string; readonly script: string },
  wanted: string,
): Promise<void> {
  const { path, script } = page;
  const output = new URL(`../../${path}`, import.meta.url);
  if (!Deno.args.includes("--check")) {
    await Deno.writeTextFile(output, wanted);
  } else if (await Deno.readTextFile(output) !== wanted) {
    console.error(`${path} differs: run ${script}`);
    Deno.exit(1);
  }
}
