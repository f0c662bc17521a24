/**
 * What `get` writes of a list, whatever is in it.
 *
 * @module
 */

import type { CliIo } from "./io.ts";
import type { ObjectOutput } from "./parse/mod.ts";
import {
  customCell,
  readCustomColumns,
  renderJsonPath,
} from "./template/mod.ts";
import {
  cleanLine,
  type ColumnWidths,
  dataText,
  fitColumns,
  renderTable,
} from "./text/mod.ts";

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

/** One column of a table, and where it is shown if not everywhere. */
export type Column<Row> = readonly [
  heading: string,
  cell: (row: Row) => string,
  only?: "wide" | "all_namespaces",
];

/** What of a command decides about its columns. */
export interface Shown {
  readonly output: ObjectOutput;
  /** What the last two formats write by. */
  readonly expression?: string;
  /** `undefined` stands for all namespaces. */
  readonly namespace?: string | undefined;
}

/** Whether a command writes a table. */
export function isTable({ output }: Shown): boolean {
  return output === "table" || output === "wide";
}

/** Writes a list in the form asked for, or that it is empty; `body` is what programs get. */
export async function writeList<Item, Row>(
  listing: Listing<Item, Row>,
  list: { readonly items: readonly Item[]; readonly body: unknown },
  options: { readonly shown: Shown; readonly io: CliIo },
): Promise<void> {
  const { shown, io } = options;
  if (list.items.length > 0 || !isTable(shown)) {
    const nowMs = io.clock.now();
    return await io.out(renderList(listing, list, { shown, nowMs }));
  }
  await writeNothing(shown, io);
}

/** Says that there is nothing to list. */
export async function writeNothing(
  { namespace }: Pick<Shown, "namespace">,
  io: CliIo,
): Promise<void> {
  await io.err(
    namespace === undefined
      ? "No resources found"
      : `No resources found in ${namespace} namespace.`,
  );
}

/** The line of `-o name`. */
export function nameLine<Item>(
  { kind, name }: Pick<Listing<Item, never>, "kind" | "name">,
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
    case "jsonpath":
      // It may hold ends of lines that are wanted; all else is kept from the terminal.
      return renderJsonPath(shown.expression ?? "", list.body)
        .split("\n").map((line) => line.split("\t").map(cleanLine).join("\t"))
        .join("\n");
    case "custom-columns":
      return customTable(shown.expression ?? "", list.items);
    case "table":
    case "wide":
      return new GrowingTable(listing.columns, shown)
        .add(list.items.map((item) => listing.row(item, nowMs)));
  }
}

function customTable(text: string, items: readonly unknown[]): string {
  const columns = readCustomColumns(text);
  return renderTable([
    columns.map(({ heading }) => heading),
    ...items.map((item) => columns.map((each) => customCell(each, item))),
  ]);
}

/** A table that is written piece by piece, in the widths that fit the first piece. */
export class GrowingTable<Row> {
  readonly #columns: readonly Column<Row>[];
  #widths: ColumnWidths | undefined;

  constructor(columns: readonly Column<Row>[], { output, namespace }: Shown) {
    this.#columns = columns.filter(([_heading, _cell, only]) =>
      only === "wide"
        ? output === "wide"
        : only === undefined || namespace === undefined
    );
  }

  /** The lines of some rows, the first time below the headings. */
  add(rows: readonly Row[]): string {
    const cells = rows.map((row) =>
      this.#columns.map(([_, cell]) => cell(row))
    );
    if (this.#widths === undefined) {
      cells.unshift(this.#columns.map(([heading]) => heading));
    }
    this.#widths ??= fitColumns(cells);
    return renderTable(cells, this.#widths);
  }
}
