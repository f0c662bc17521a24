/**
 * The generated table of Pod fields, read for the field table.
 *
 * @module
 */

import { POD_SCHEMA } from "../../mod/api/read/mod.ts";

/** One field of a type. */
export interface SchemaField {
  readonly name: string;
  /** As in the schema: `string`, `[]Container`, `{}quantity`. */
  readonly type: string;
  /** The name of the type it is made of; `undefined` for a scalar. */
  readonly element: string | undefined;
}

/** The fields of a type, by name. */
export function fieldsOf(type: string): readonly SchemaField[] {
  return (POD_SCHEMA[type] ?? "").split(",").map((field) => {
    const [name = "", text = ""] = field.split(" ");
    const element = text.replace(/^(?:\[\]|\{\})+/, "");
    return {
      name,
      type: text,
      element: /^[A-Z]/.test(element) ? element : undefined,
    };
  });
}

/** All types that a Pod can hold, each after the one where it was met first. */
export function podTypes(): readonly string[] {
  const types = ["Pod"];
  for (const type of types) {
    for (const { element } of fieldsOf(type)) {
      if (element !== undefined && !types.includes(element)) {
        types.push(element);
      }
    }
  }
  return types;
}
