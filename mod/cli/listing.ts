/**
 * What `get` writes of a list, whatever is in it.
 *
 * @module
 */

import type { OutputFormat } from "./parse/mod.ts";
import { cleanLine, dataText, renderTable } from "./text/mod.ts";

/** One column of a table. */
export interface Column<Row> {
  readonly heading: string;
  /** Where it is shown; everywhere when absent. */
  readonly only?: "wide" | "all_namespaces";
  readonly cell: (row: Row) => string;
}

/** How one kind of thing is listed. */
export interface Listing<Item, Row> {
  /** As `-o name` writes it before the name. */
  readonly kind: string;
  readonly name: (item: Item) => string;
  /** All that the cells of an item are made of; `nowMs` is wall time. */
  readonly row: (item: Item, nowMs: number) => Row;
  /** In their order; a new column is a new entry. */
  readonly columns: readonly Column<Row>[];
}

/** What of a command decides about its columns. */
export interface Shown {
  readonly output: OutputFormat;
  /** `undefined` stands for all namespaces. */
  readonly namespace?: string | undefined;
}

/** Whether a command writes a table. */
export function isTable({ output }: Shown): boolean {
  return output === "table" || output === "wide";
}

/** What is said instead of an empty table. */
export function nothingFound({ namespace }: Shown): string {
  return namespace === undefined
    ? "No resources found"
    : `No resources found in ${namespace} namespace.`;
}

/** The names of the columns. */
export function headings<Item, Row>(
  { columns }: Listing<Item, Row>,
  shown: Shown,
): string[] {
  return shownColumns(columns, shown).map(({ heading }) => heading);
}

/** The cells of one row. */
export function cells<Item, Row>(
  { columns }: Listing<Item, Row>,
  row: Row,
  shown: Shown,
): string[] {
  return shownColumns(columns, shown).map(({ cell }) => cell(row));
}

/** The line of `-o name`. */
export function nameLine<Item, Row>(
  { kind, name }: Listing<Item, Row>,
  item: Item,
): string {
  return `${kind}/${cleanLine(name(item))}\n`;
}

/** The whole output; `body` is what programs get. */
export function renderList<Item, Row>(
  listing: Listing<Item, Row>,
  list: { readonly items: readonly Item[]; readonly body: unknown },
  options: { readonly shown: Shown; readonly nowMs: number },
): string {
  const { shown, nowMs } = options;
  switch (shown.output) {
    case "json":
    case "yaml":
      return dataText(list.body, shown.output);
    case "name":
      return list.items.map((item) => nameLine(listing, item)).join("");
    case "table":
    case "wide":
      return renderTable([
        headings(listing, shown),
        ...list.items.map((item) =>
          cells(listing, listing.row(item, nowMs), shown)
        ),
      ]);
  }
}

function shownColumns<Row>(
  columns: readonly Column<Row>[],
  { output, namespace }: Shown,
): readonly Column<Row>[] {
  return columns.filter(({ only }) =>
    only === "wide"
      ? output === "wide"
      : only === undefined || namespace === undefined
  );
}
