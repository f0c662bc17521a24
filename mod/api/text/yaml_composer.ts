/**
 * Events of a YAML text to values.
 *
 * @module
 */

import { EVENT_ID, getScalarValue } from "js-yaml";
import type { AliasEvent, Event, ScalarEvent } from "js-yaml";
import { UNMETERED, type WorkMeter } from "../../base/mod.ts";
import { clipText } from "../fault/mod.ts";
import type { FieldTrail } from "./field_trail.ts";
import {
  MAX_DEPTH,
  MAX_EXPANDED,
  MAX_KEY,
  MAX_NODES,
  MAX_SCALAR,
  type RawValue,
  setOwn,
  SourceError,
  TOO_DEEP,
  TOO_LONG_KEY,
  TOO_LONG_SCALAR,
  TOO_MANY_VALUES,
  TOO_MUCH_TEXT,
} from "./source_text.ts";
import { resolvePlain, resolveTagged, tagName } from "./yaml_scalar.ts";

/** A text, cut into events. */
export interface ComposerSource {
  readonly text: string;
  readonly events: readonly Event[];
  readonly meter?: WorkMeter;
}

/** Turns events into values. With a trail it also knows their fields, and tells where they are written. */
export class Composer {
  position = 0;
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #meter: WorkMeter;
  readonly #root: FieldTrail | undefined;
  #anchors = new Map<string, Anchor | "open">();
  #nodes = 0;
  /** Characters of keys and scalars, aliases followed. */
  #size = 0;
  #depth = 0;
  /** The deepest level reached since an anchor was opened. */
  #reached = 0;
  #merging = 0;
  /** Above 0 what is walked has been composed, and only its places are of interest. */
  #retelling = 0;

  constructor(source: ComposerSource, root?: FieldTrail) {
    const { text, events, meter = UNMETERED } = source;
    this.#text = text;
    this.#events = events;
    this.#meter = meter;
    this.#root = root;
  }

  document(index: number): RawValue {
    const event = this.#events[index];
    this.position = index + 1;
    this.#anchors = new Map();
    if (event?.type === EVENT_ID.DOCUMENT) {
      const known = event.directives.every((one) => one.kind !== "tag");
      if (!known) {
        this.#fail("Unsupported value: %TAG directive", 0, this.#root);
      }
    }
    this.#recordPlace(this.#root);
    const value = this.#node(this.#root);
    // Step over the end of the document.
    this.position++;
    return value;
  }

  #node(field: FieldTrail | undefined): RawValue {
    const index = this.position++;
    const event = this.#events[index];
    this.#count(event, field);
    switch (event?.type) {
      case EVENT_ID.SCALAR: {
        if (this.#retelling > 0 && field !== undefined) return null;
        const value = this.#scalar(event, field);
        if (event.anchorStart >= 0) {
          const size = sizeOf(value);
          const anchor = { value, nodes: 1, size, height: 0, index };
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
    field: FieldTrail | undefined,
  ): RawValue {
    const index = this.position - 1;
    const isMap = event.type === EVENT_ID.MAPPING;
    if (event.tagStart >= 0) this.#checkCollectionTag(event, field);
    const name = event.anchorStart >= 0 ? this.#anchorName(event) : undefined;
    const reached = this.#reached;
    const nodes = this.#nodes;
    const size = this.#size;
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
        size: this.#size - size,
        height: this.#reached - this.#depth,
        index,
      });
      this.#reached = Math.max(this.#reached, reached);
    }
    return value;
  }

  #sequence(field: FieldTrail | undefined): RawValue[] {
    const items: RawValue[] = [];
    while (this.#events[this.position]?.type !== EVENT_ID.POP) {
      const at = field?.index(items.length);
      this.#recordPlace(at);
      items.push(this.#node(at));
    }
    return items;
  }

  #mapping(field: FieldTrail | undefined): RawValue {
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
      const place = field?.child(key);
      place?.recordOffset(offset, { isMerged: this.#merging > 0 });
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
      readonly field: FieldTrail | undefined;
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
      const members = Object.entries(source);
      this.#meter.spend(members.length);
      for (const [key, member] of members) {
        if (Object.hasOwn(target, key)) continue;
        into.merged.add(key);
        setOwn(target, key, member);
      }
    }
  }

  #key(offset: number, field: FieldTrail | undefined): string {
    const value = this.#node(undefined);
    if (typeof value === "string") {
      if (value.length > MAX_KEY) this.#fail(TOO_LONG_KEY, offset, field);
      return value;
    }
    if (value === null || typeof value === "object") {
      this.#fail("Invalid value: a key must be a string", offset, field);
    }
    return String(value);
  }

  #alias(event: AliasEvent, field: FieldTrail | undefined): RawValue {
    const name = this.#text.slice(event.anchorStart, event.anchorEnd);
    const anchor = this.#anchors.get(name);
    if (anchor === undefined || anchor === "open") {
      const problem = anchor === undefined
        ? `no anchor "${clipText(name)}" before this alias`
        : `anchor "${clipText(name)}" contains itself`;
      this.#fail(`Invalid value: ${problem}`, event.anchorStart, field);
    }
    this.#nodes += anchor.nodes;
    this.#size += anchor.size;
    this.#reached = Math.max(this.#reached, this.#depth + anchor.height);
    if (this.#depth + anchor.height > MAX_DEPTH) {
      this.#fail(TOO_DEEP, event.anchorStart, field);
    }
    this.#checkNodes(event.anchorStart, field);
    if (field !== undefined) this.#retell(anchor, field);
    return anchor.value;
  }

  // Walks what the alias stands for once more, under the alias's own name.
  #retell(anchor: Anchor, field: FieldTrail): void {
    const { position } = this;
    const nodes = this.#nodes;
    const size = this.#size;
    // They have been counted with the alias.
    this.#nodes -= anchor.nodes;
    this.#size -= anchor.size;
    this.position = anchor.index;
    this.#retelling++;
    this.#node(field);
    this.#retelling--;
    this.position = position;
    this.#nodes = nodes;
    this.#size = size;
  }

  #scalar(event: ScalarEvent, field: FieldTrail | undefined): RawValue {
    if (event.valueEnd - event.valueStart > MAX_SCALAR) {
      this.#fail(TOO_LONG_SCALAR, offsetOf(event), field);
    }
    const text = getScalarValue(this.#text, event);
    this.#meter.spend(text.length);
    this.#size += text.length;
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
    field: FieldTrail | undefined,
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

  #count(event: Event | undefined, field: FieldTrail | undefined): void {
    this.#nodes++;
    this.#meter.spend(1);
    if (this.#nodes > MAX_NODES) this.#checkNodes(offsetOf(event), field);
  }

  #checkNodes(offset: number, field: FieldTrail | undefined): void {
    if (this.#nodes > MAX_NODES) this.#fail(TOO_MANY_VALUES, offset, field);
    if (this.#size > MAX_EXPANDED) this.#fail(TOO_MUCH_TEXT, offset, field);
  }

  #anchorName(
    event: { readonly anchorStart: number; readonly anchorEnd: number },
  ): string {
    return this.#text.slice(event.anchorStart, event.anchorEnd);
  }

  #recordPlace(field: FieldTrail | undefined): void {
    if (field === undefined) return;
    const offset = offsetOf(this.#events[this.position]);
    field.recordOffset(offset, { isMerged: this.#merging > 0 });
  }

  #fail(
    message: string,
    offset: number,
    field: FieldTrail | undefined,
  ): never {
    throw new SourceError(message, offset, { field: String(field ?? "") });
  }
}

/** SCALAR_STYLE.PLAIN of js-yaml. */
const PLAIN = 1;

/** What an anchor stands for, and what following an alias to it costs. */
interface Anchor {
  readonly value: RawValue;
  readonly nodes: number;
  readonly size: number;
  readonly height: number;
  readonly index: number;
}

function sizeOf(value: RawValue): number {
  return typeof value === "string" ? value.length : 0;
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
