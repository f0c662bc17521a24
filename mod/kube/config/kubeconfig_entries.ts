/**
 * The named lists of a kubeconfig.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import type { Place } from "../../api/fault/mod.ts";

type ConfigFields = Readonly<Record<string, unknown>>;

/** The fields of one entry, and where faults of it belong. */
export class NamedEntry {
  readonly value: ConfigFields;
  readonly place: Place;

  constructor(value: ConfigFields, place: Place) {
    this.value = value;
    this.place = place;
  }

  /** Whether a field says something. */
  has(field: string): boolean {
    const value = this.value[field];
    return value !== undefined && value !== null && value !== "";
  }

  /** A field's text; nothing and an empty text are the same. */
  text(field: string): string | undefined {
    if (!this.has(field)) return undefined;
    const value = this.value[field];
    if (typeof value === "string") return value;
    this.place.child(field).concealed().invalid(value, "must be a string");
    return undefined;
  }
}

/** Finds what the current context names. */
export class KubeconfigEntries {
  readonly #root: NamedEntry;

  constructor(value: ConfigFields, place: Place) {
    this.#root = new NamedEntry(value, place);
  }

  /** The name of the current context; empty when there is none. */
  get context(): string {
    const name = this.#root.value["current-context"];
    return typeof name === "string" ? name : "";
  }

  /** The current context. */
  current(): NamedEntry | undefined {
    const name = this.#root.text("current-context");
    if (name !== undefined) return this.#find("contexts", name, "context");
    if (!this.#root.has("current-context")) {
      this.#root.place.child("current-context").required();
    }
    return undefined;
  }

  /** The entry of a list that a field of the context names. */
  named(
    list: "clusters" | "users",
    context: NamedEntry,
    field: "cluster" | "user",
  ): NamedEntry | undefined {
    const name = context.text(field);
    if (name !== undefined) return this.#find(list, name, field);
    if (!context.has(field)) context.place.child(field).required();
    return undefined;
  }

  /** @param field what the entry has beside its name */
  #find(list: string, name: string, field: string): NamedEntry | undefined {
    const place = this.#root.place.child(list);
    const items = this.#root.value[list];
    if (!Array.isArray(items)) {
      place.required(`wanted a list with "${name}"`);
      return undefined;
    }
    const found = items.flatMap((item: unknown, position) =>
      isRecord(item) && item["name"] === name ? [{ item, position }] : []
    );
    const [first, second] = found;
    if (first === undefined) {
      place.fault(`Not found: "${name}"`);
      return undefined;
    }
    if (second !== undefined) {
      place.index(second.position).child("name").duplicate(name);
      return undefined;
    }
    const value = first.item[field];
    const at = place.index(first.position).child(field);
    if (isRecord(value)) return new NamedEntry(value, at);
    at.required();
    return undefined;
  }
}
