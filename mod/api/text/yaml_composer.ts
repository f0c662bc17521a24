/**
 * Events of a YAML text to values.
 *
 * @module
 */

import { EVENT_ID, getScalarValue } from "js-yaml";
import type { AliasEvent, Event, ScalarEvent } from "js-yaml";
import type { WorkMeter } from "../../base/mod.ts";
import { clipText } from "../fault/mod.ts";
import {
  isRawObject,
  MAX_DEPTH,
  MAX_EXPANDED,
  MAX_KEY,
  MAX_NODES,
  MAX_SCALAR,
  type RawValue,
  setOwn,
  SourceError,
  TOO_LONG,
} from "./source_text.ts";
import { pathText, WrittenField } from "./written_field.ts";
import {
  resolvePlain,
  resolveTagged,
  TagError,
  tagName,
} from "./yaml_scalar.ts";

/** A text, cut into events. */
export interface ComposerSource {
  readonly text: string;
  readonly events: readonly Event[];
  readonly meter: WorkMeter;
}

/** Turns events into values, and on demand into the places where they are written. */
export class Composer {
  position = 0;
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #meter: WorkMeter;
  /** The way to what is being composed. */
  readonly #path: (string | number)[] = [];
  #anchors = new Map<string, Anchor | "open">();
  #nodes = 0;
  /** Characters of keys and scalars, aliases followed. */
  #size = 0;
  #depth = 0;
  /** The deepest level reached since an anchor was opened. */
  #reached = 0;

  constructor(source: ComposerSource) {
    this.#text = source.text;
    this.#events = source.events;
    this.#meter = source.meter;
  }

  /** The document that begins with an event. */
  document(index: number): RawValue {
    return this.#document(index, undefined);
  }

  /** Where the fields of that document are written. */
  places(index: number): WrittenField {
    const root = new WrittenField(offsetOf(this.#events[index + 1]));
    this.#document(index, root);
    return root;
  }

  #document(index: number, root: WrittenField | undefined): RawValue {
    const event = this.#events[index];
    this.position = index + 1;
    this.#anchors = new Map();
    if (event?.type === EVENT_ID.DOCUMENT) {
      const known = event.directives.every((one) => one.kind !== "tag");
      if (!known) this.#fail("Unsupported value: %TAG directive", 0);
    }
    const value = this.#node(root);
    // Step over the end of the document.
    this.position++;
    return value;
  }

  #node(place: WrittenField | undefined): RawValue {
    const index = this.position++;
    const event = this.#events[index];
    this.#count(event);
    switch (event?.type) {
      case EVENT_ID.SCALAR: {
        const value = this.#scalar(event);
        if (event.anchorStart >= 0) {
          const size = typeof value === "string" ? value.length : 0;
          const anchor = { value, nodes: 1, size, height: 0, place };
          this.#anchors.set(this.#anchorName(event), anchor);
        }
        return value;
      }
      case EVENT_ID.ALIAS:
        return this.#alias(event, place);
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING:
        return this.#collection(event, place);
      default:
        throw new SourceError("Invalid value: unexpected end of text", 0);
    }
  }

  #collection(
    event: Extract<Event, { readonly start: number }>,
    place: WrittenField | undefined,
  ): RawValue {
    const isMap = event.type === EVENT_ID.MAPPING;
    if (event.tagStart >= 0) this.#checkCollectionTag(event);
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
    const value = isMap ? this.#mapping(place) : this.#sequence(place);
    this.#depth--;
    this.position++;
    if (name !== undefined) {
      this.#anchors.set(name, {
        value,
        nodes: this.#nodes - nodes + 1,
        size: this.#size - size,
        height: this.#reached - this.#depth,
        place,
      });
      this.#reached = Math.max(this.#reached, reached);
    }
    return value;
  }

  #sequence(place: WrittenField | undefined): RawValue[] {
    const items: RawValue[] = [];
    while (this.#events[this.position]?.type !== EVENT_ID.POP) {
      const { length } = items;
      this.#path.push(length);
      items.push(this.#node(place?.add(length, this.#nextOffset())));
      this.#path.pop();
    }
    return items;
  }

  #mapping(place: WrittenField | undefined): RawValue {
    const target: Record<string, RawValue> = {};
    let merged: Set<string> | undefined;
    while (this.#events[this.position]?.type !== EVENT_ID.POP) {
      const offset = this.#nextOffset();
      if (this.#isMerge(this.#events[this.position])) {
        this.position++;
        merged ??= new Set();
        this.#merge(target, { merged, offset, place });
        continue;
      }
      const key = this.#key(offset);
      this.#path.push(key);
      if (Object.hasOwn(target, key) && !merged?.has(key)) {
        this.#fail(`Duplicate value: key "${clipText(key)}"`, offset);
      }
      merged?.delete(key);
      setOwn(target, key, this.#node(place?.add(key, offset)));
      this.#path.pop();
    }
    return target;
  }

  #merge(
    target: Record<string, RawValue>,
    into: {
      readonly merged: Set<string>;
      readonly offset: number;
      readonly place: WrittenField | undefined;
    },
  ): void {
    const from = into.place && new WrittenField(into.offset);
    const value = this.#node(from);
    const isList = Array.isArray(value);
    // If several sources have a key, the earlier one wins.
    for (const [at, source] of (isList ? value : [value]).entries()) {
      if (!isRawObject(source)) {
        const wanted = "<< wants a mapping or a list of mappings";
        this.#fail(`Invalid value: ${wanted}`, into.offset);
      }
      const place = isList ? from?.part(`${at}`) : from;
      const members = Object.entries(source);
      this.#meter.spend(members.length);
      for (const [key, member] of members) {
        if (Object.hasOwn(target, key)) continue;
        into.merged.add(key);
        into.place?.adopt(key, place);
        setOwn(target, key, member);
      }
    }
  }

  #key(offset: number): string {
    const value = this.#node(undefined);
    if (typeof value === "string") {
      if (value.length > MAX_KEY) this.#fail(TOO_LONG.key, offset);
      return value;
    }
    if (value === null || typeof value === "object") {
      this.#fail("Invalid value: a key must be a string", offset);
    }
    return String(value);
  }

  #alias(event: AliasEvent, place: WrittenField | undefined): RawValue {
    const name = this.#text.slice(event.anchorStart, event.anchorEnd);
    const anchor = this.#anchors.get(name);
    if (anchor === undefined || anchor === "open") {
      const [said, quote] = anchor === undefined
        ? ["no anchor", `"${clipText(name)}" before this alias`]
        : ["anchor", `"${clipText(name)}" contains itself`];
      const unquoted = `Invalid value: ${said}`;
      this.#fail(`${unquoted} ${quote}`, event.anchorStart, { unquoted });
    }
    this.#nodes += anchor.nodes;
    this.#size += anchor.size;
    this.#reached = Math.max(this.#reached, this.#depth + anchor.height);
    if (this.#depth + anchor.height > MAX_DEPTH) {
      this.#fail(TOO_LONG.depth, event.anchorStart);
    }
    this.#checkNodes(event.anchorStart);
    if (anchor.place !== undefined) place?.share(anchor.place);
    return anchor.value;
  }

  #scalar(event: ScalarEvent): RawValue {
    if (event.valueEnd - event.valueStart > MAX_SCALAR) {
      this.#fail(TOO_LONG.scalar, offsetOf(event));
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
        if (!(error instanceof TagError)) throw error;
        const { message, unquoted } = error;
        this.#fail(message, event.tagStart, { unquoted });
      }
    } else if (event.style === PLAIN) value = resolvePlain(text);
    if (typeof value === "number" && !Number.isFinite(value)) {
      const problem = `Invalid value: ${
        clipText(text)
      }: wanted a finite number`;
      this.#fail(problem, offsetOf(event));
    }
    return value;
  }

  #checkCollectionTag(
    event: Extract<Event, { readonly start: number }>,
  ): void {
    const tag = this.#text.slice(event.tagStart, event.tagEnd);
    const wanted = event.type === EVENT_ID.MAPPING ? "map" : "seq";
    if (tag === "!" || tagName(tag) === wanted) return;
    const unquoted = "Unsupported value: tag";
    const message = `${unquoted} "${clipText(tag)}"`;
    this.#fail(message, event.tagStart, { unquoted });
  }

  #isMerge(event: Event | undefined): boolean {
    return event?.type === EVENT_ID.SCALAR && event.style === PLAIN &&
      event.tagStart < 0 && event.valueEnd - event.valueStart === 2 &&
      this.#text.startsWith("<<", event.valueStart);
  }

  #count(event: Event | undefined): void {
    this.#nodes++;
    this.#meter.spend(1);
    if (this.#nodes > MAX_NODES) this.#checkNodes(offsetOf(event));
  }

  #checkNodes(offset: number): void {
    if (this.#nodes > MAX_NODES) this.#fail(TOO_LONG.values, offset);
    if (this.#size > MAX_EXPANDED) this.#fail(TOO_LONG.text, offset);
  }

  #anchorName(
    event: { readonly anchorStart: number; readonly anchorEnd: number },
  ): string {
    return this.#text.slice(event.anchorStart, event.anchorEnd);
  }

  /** Where what comes next begins. */
  #nextOffset(): number {
    return offsetOf(this.#events[this.position]);
  }

  #fail(
    message: string,
    offset: number,
    options: { readonly unquoted?: string | undefined } = {},
  ): never {
    const field = pathText(this.#path);
    throw new SourceError(message, offset, { ...options, field });
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
  /** Where it is written, if places are wanted. */
  readonly place: WrittenField | undefined;
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
