/**
 * Events of a YAML text to values.
 *
 * @module
 */

import { EVENT_ID, getScalarValue } from "js-yaml";
import type { AliasEvent, Event, ScalarEvent } from "js-yaml";
import { clipText } from "./fault_list.ts";
import {
  MAX_DEPTH,
  MAX_NODES,
  MAX_SCALAR,
  type RawValue,
  setOwn,
  SourceError,
  TOO_DEEP,
  TOO_LONG_SCALAR,
  TOO_MANY_VALUES,
} from "./source_text.ts";
import { resolvePlain, resolveTagged, tagName } from "./yaml_scalar.ts";

/** Called with every field and its offset in the text. */
export type Recorder = (field: string, offset: number, merged: boolean) => void;

/** Turns events into values. With a recorder it also tells where they are written. */
export class Composer {
  position = 0;
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #record: Recorder | undefined;
  #anchors = new Map<string, Anchor | "open">();
  #nodes = 0;
  #depth = 0;
  /** The deepest level reached since an anchor was opened. */
  #reached = 0;
  #merging = 0;

  constructor(text: string, events: readonly Event[], record?: Recorder) {
    this.#text = text;
    this.#events = events;
    this.#record = record;
  }

  document(index: number): RawValue {
    const event = this.#events[index];
    this.position = index + 1;
    this.#anchors = new Map();
    if (event?.type === EVENT_ID.DOCUMENT) {
      const known = event.directives.every((one) => one.kind !== "tag");
      if (!known) this.#fail("Unsupported value: %TAG directive", 0, "");
    }
    this.#tell("");
    const value = this.#node("");
    // Step over the end of the document.
    this.position++;
    return value;
  }

  #node(field: string): RawValue {
    const index = this.position++;
    const event = this.#events[index];
    this.#count(event, field);
    switch (event?.type) {
      case EVENT_ID.SCALAR: {
        const value = this.#scalar(event, field);
        if (event.anchorStart >= 0) {
          const anchor = { value, nodes: 1, height: 0, index };
          this.#anchors.set(this.#anchorName(event), anchor);
        }
        return value;
      }
      case EVENT_ID.ALIAS:
        return this.#alias(event, field);
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING:
        return this.#collection(event, field);
      default:
        throw new SourceError("Invalid value: unexpected end of text", 0);
    }
  }

  #collection(
    event: Extract<Event, { readonly start: number }>,
    field: string,
  ): RawValue {
    const index = this.position - 1;
    const isMap = event.type === EVENT_ID.MAPPING;
    if (event.tagStart >= 0) this.#checkCollectionTag(event, field);
    const name = event.anchorStart >= 0 ? this.#anchorName(event) : undefined;
    const reached = this.#reached;
    const nodes = this.#nodes;
    if (name !== undefined) {
      this.#anchors.set(name, "open");
      this.#reached = this.#depth;
    }
    this.#depth++;
    this.#reached = Math.max(this.#reached, this.#depth);
    const value = isMap ? this.#mapping(field) : this.#sequence(field);
    this.#depth--;
    this.position++;
    if (name !== undefined) {
      this.#anchors.set(name, {
        value,
        nodes: this.#nodes - nodes + 1,
        height: this.#reached - this.#depth,
        index,
      });
      this.#reached = Math.max(this.#reached, reached);
    }
    return value;
  }

  #sequence(field: string): RawValue[] {
    const items: RawValue[] = [];
    while (this.#events[this.position]?.type !== EVENT_ID.POP) {
      if (this.#record === undefined) {
        items.push(this.#node(""));
        continue;
      }
      const itemField = `${field}[${items.length}]`;
      this.#tell(itemField);
      items.push(this.#node(itemField));
    }
    return items;
  }

  #mapping(field: string): RawValue {
    const target: Record<string, RawValue> = {};
    let merged: Set<string> | undefined;
    while (this.#events[this.position]?.type !== EVENT_ID.POP) {
      const event = this.#events[this.position];
      const offset = offsetOf(event);
      if (this.#isMerge(event)) {
        this.position++;
        merged ??= new Set();
        this.#merging++;
        this.#merge(target, { merged, offset, field });
        this.#merging--;
        continue;
      }
      const key = this.#key(offset, field);
      const place = this.#tellKey(field, key, offset);
      if (Object.hasOwn(target, key) && !merged?.has(key)) {
        this.#fail(`Duplicate value: key "${clipText(key)}"`, offset, place);
      }
      merged?.delete(key);
      setOwn(target, key, this.#node(place));
    }
    return target;
  }

  #merge(
    target: Record<string, RawValue>,
    into: {
      readonly merged: Set<string>;
      readonly offset: number;
      readonly field: string;
    },
  ): void {
    const value = this.#node(into.field);
    // Of several sources the earlier one wins.
    for (const source of Array.isArray(value) ? value : [value]) {
      if (!isMapping(source)) {
        this.#fail(
          "Invalid value: << wants a mapping or a list of mappings",
          into.offset,
          into.field,
        );
      }
      for (const [key, member] of Object.entries(source)) {
        if (Object.hasOwn(target, key)) continue;
        into.merged.add(key);
        setOwn(target, key, member);
      }
    }
  }

  #key(offset: number, field: string): string {
    const value = this.#node("");
    if (typeof value === "string") return value;
    if (value === null || typeof value === "object") {
      this.#fail("Invalid value: a key must be a string", offset, field);
    }
    return String(value);
  }

  #alias(event: AliasEvent, field: string): RawValue {
    const name = this.#text.slice(event.anchorStart, event.anchorEnd);
    const anchor = this.#anchors.get(name);
    if (anchor === undefined || anchor === "open") {
      const problem = anchor === undefined
        ? `no anchor "${clipText(name)}" before this alias`
        : `anchor "${clipText(name)}" contains itself`;
      this.#fail(`Invalid value: ${problem}`, event.anchorStart, field);
    }
    this.#nodes += anchor.nodes;
    this.#reached = Math.max(this.#reached, this.#depth + anchor.height);
    if (this.#depth + anchor.height > MAX_DEPTH) {
      this.#fail(TOO_DEEP, event.anchorStart, field);
    }
    this.#checkNodes(event.anchorStart, field);
    if (this.#record !== undefined) this.#retell(anchor, field);
    return anchor.value;
  }

  // Walks what the alias stands for once more, under the alias's own name.
  #retell(anchor: Anchor, field: string): void {
    const { position } = this;
    const nodes = this.#nodes;
    this.position = anchor.index;
    this.#node(field);
    this.position = position;
    this.#nodes = nodes;
  }

  #scalar(event: ScalarEvent, field: string): RawValue {
    if (event.valueEnd - event.valueStart > MAX_SCALAR) {
      this.#fail(TOO_LONG_SCALAR, offsetOf(event), field);
    }
    const text = getScalarValue(this.#text, event);
    let value: RawValue = text;
    if (event.tagStart >= 0) {
      const tag = this.#text.slice(event.tagStart, event.tagEnd);
      try {
        value = resolveTagged(tag, text);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        this.#fail(error.message, event.tagStart, field);
      }
    } else if (event.style === PLAIN) value = resolvePlain(text);
    if (typeof value === "number" && !Number.isFinite(value)) {
      const problem = `Invalid value: ${
        clipText(text)
      }: wanted a finite number`;
      this.#fail(problem, offsetOf(event), field);
    }
    return value;
  }

  #checkCollectionTag(
    event: Extract<Event, { readonly start: number }>,
    field: string,
  ): void {
    const tag = this.#text.slice(event.tagStart, event.tagEnd);
    const wanted = event.type === EVENT_ID.MAPPING ? "map" : "seq";
    if (tag === "!" || tagName(tag) === wanted) return;
    this.#fail(
      `Unsupported value: tag "${clipText(tag)}"`,
      event.tagStart,
      field,
    );
  }

  #isMerge(event: Event | undefined): boolean {
    return event?.type === EVENT_ID.SCALAR && event.style === PLAIN &&
      event.tagStart < 0 && event.valueEnd - event.valueStart === 2 &&
      this.#text.startsWith("<<", event.valueStart);
  }

  #count(event: Event | undefined, field: string): void {
    this.#nodes++;
    if (this.#nodes > MAX_NODES) this.#checkNodes(offsetOf(event), field);
  }

  #checkNodes(offset: number, field: string): void {
    if (this.#nodes > MAX_NODES) this.#fail(TOO_MANY_VALUES, offset, field);
  }

  #anchorName(
    event: { readonly anchorStart: number; readonly anchorEnd: number },
  ): string {
    return this.#text.slice(event.anchorStart, event.anchorEnd);
  }

  #tellKey(field: string, key: string, offset: number): string {
    if (this.#record === undefined) return "";
    const isMerged = this.#merging > 0;
    const place = field === "" ? key : `${field}.${key}`;
    // Faults write entries of maps in brackets and fields behind a dot.
    this.#record(place, offset, isMerged);
    this.#record(`${field}[${key}]`, offset, isMerged);
    return place;
  }

  #tell(field: string): void {
    const offset = offsetOf(this.#events[this.position]);
    this.#record?.(field, offset, this.#merging > 0);
  }

  #fail(message: string, offset: number, field: string): never {
    throw new SourceError(message, offset, { field });
  }
}

/** SCALAR_STYLE.PLAIN of js-yaml. */
const PLAIN = 1;

/** What an anchor stands for, and what following an alias to it costs. */
interface Anchor {
  readonly value: RawValue;
  readonly nodes: number;
  readonly height: number;
  readonly index: number;
}

function isMapping(value: RawValue): value is Record<string, RawValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function offsetOf(event: Event | undefined): number {
  switch (event?.type) {
    case EVENT_ID.SCALAR:
      return firstOf(event, event.valueStart);
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      return firstOf(event, event.start);
    case EVENT_ID.ALIAS:
      return event.anchorStart;
    default:
      return 0;
  }
}

function firstOf(
  node: { readonly tagStart: number; readonly anchorStart: number },
  content: number,
): number {
  if (node.tagStart >= 0) return node.tagStart;
  if (node.anchorStart >= 0) return node.anchorStart;
  return Math.max(content, 0);
}
