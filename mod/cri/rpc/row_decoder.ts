/**
 * Decodes lists that hardly change from one look to the next.
 *
 * @module
 */

import { BinaryReader } from "@bufbuild/protobuf/wire";

/** What a list is made of, and which fields of its rows identify them. */
export interface RowFormat<Row> {
  /** The number of the field that holds a row's state. */
  readonly stateField: number;
  readonly decode: (bytes: Uint8Array) => Row;
}

interface KnownRow<Row> {
  readonly state: number;
  readonly length: number;
  readonly row: Row;
}

// Field 1, length-delimited: the rows of an answer, and the id of a row.
const FIRST_FIELD_TAG = 0x0a;

/**
 * Decodes the answer to an unfiltered list call, row by row, and gives the same
 * object again for a row that has not changed.
 *
 * The relist asks every second and almost always gets the same answer. A row counts as
 * unchanged with its id, its state and its length: all else is fixed when the
 * runtime makes the thing. The bytes cannot be compared, since runtimes write
 * maps in any order.
 */
export class RowDecoder<Row> {
  readonly #format: RowFormat<Row>;
  #known: ReadonlyMap<string, KnownRow<Row>> = new Map();

  constructor(format: RowFormat<Row>) {
    this.#format = format;
  }

  /**
   * The rows of an answer whose field 1 holds them.
   *
   * @throws {Error} When the bytes are no such message.
   */
  decode(answer: Uint8Array): readonly Row[] {
    const reader = new BinaryReader(answer);
    const seen = new Map<string, KnownRow<Row>>();
    const rows: Row[] = [];
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag !== FIRST_FIELD_TAG) {
        reader.skip(tag & 7);
        continue;
      }
      const bytes = reader.bytes();
      const { id, state } = this.#glance(bytes);
      // Rows without an id, if a runtime ever sends such, are all different.
      const known = id === "" ? undefined : this.#known.get(id);
      const row = known?.state === state && known.length === bytes.length
        ? known.row
        : this.#format.decode(bytes);
      seen.set(id, { state, length: bytes.length, row });
      rows.push(row);
    }
    this.#known = seen;
    return rows;
  }

  // A field that is not there has its zero value.
  #glance(row: Uint8Array): { id: string; state: number } {
    const stateTag = this.#format.stateField << 3;
    const reader = new BinaryReader(row);
    let id = "";
    let state = 0;
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === FIRST_FIELD_TAG) id = reader.string();
      else if (tag === stateTag) state = reader.int32();
      else reader.skip(tag & 7);
    }
    return { id, state };
  }
}
