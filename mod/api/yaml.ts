/**
 * YAML text to values, as Kubernetes reads it, with bounds on what a file may
 * expand to.
 *
 * js-yaml splits the text into events; what they mean is decided here, so that
 * integers stay exact, duplicate keys are found, aliases are counted and every
 * value can be traced to its line.
 *
 * @module
 */

import { EVENT_ID, parseEvents, YAMLException } from "js-yaml";
import type { Event } from "js-yaml";
import type { Fault } from "./fault.ts";
import { clipText } from "./fault_list.ts";
import {
  lineIndex,
  MAX_DEPTH,
  MAX_NODES,
  type RawValue,
  type SourceDocument,
  SourceError,
  type SourceResult,
  TOO_MANY_VALUES,
} from "./source_text.ts";
import { Composer, type Recorder } from "./yaml_composer.ts";

/** Reads every document of a YAML text. Never throws on bad text. */
export function parseYaml(text: string): SourceResult {
  let events: Event[];
  try {
    events = parseEvents(text, { maxDepth: boundedDepth() });
  } catch (error) {
    return { kind: "refused", fault: syntaxFault(error, text) };
  }
  const documents: SourceDocument[] = [];
  const composer = new Composer(text, events);
  for (let index = 0; index < events.length; index = composer.position) {
    try {
      const value = composer.document(index);
      documents.push(new YamlDocument(text, events, { value, index }));
    } catch (error) {
      const document = documents.length + 1;
      const failure = explain(error, new Composer(text, events, ignore), index);
      return { kind: "refused", fault: { ...failure(text), document } };
    }
  }
  return { kind: "ok", documents };
}

class YamlDocument implements SourceDocument {
  readonly value: RawValue;
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #index: number;

  constructor(
    text: string,
    events: readonly Event[],
    document: { readonly value: RawValue; readonly index: number },
  ) {
    this.value = document.value;
    this.#text = text;
    this.#events = events;
    this.#index = document.index;
  }

  locate(): (field: string) => number | undefined {
    const offsets = new Map<string, number>();
    const merged = new Set<string>();
    const record: Recorder = (field, offset, isMerged) => {
      // What a mapping says itself outranks what is merged into it.
      if (isMerged && offsets.has(field) && !merged.has(field)) return;
      if (isMerged) merged.add(field);
      else merged.delete(field);
      offsets.set(field, offset);
    };
    new Composer(this.#text, this.#events, record).document(this.#index);
    const lineOf = lineIndex(this.#text);
    return (field) => {
      const offset = offsets.get(field);
      return offset === undefined ? undefined : lineOf(offset);
    };
  }
}

/** Keys and values; more of them are refused before anything is made of them. */
const MAX_EVENTS = 2.5 * MAX_NODES;

/**
 * js-yaml bounds depth but not size, and 10 MiB of `- a` become hundreds of
 * megabytes of events. It compares its depth with `maxDepth` at every node, so
 * that an object there can count.
 */
function boundedDepth(): number {
  let nodes = 0;
  const counting = {
    valueOf(): number {
      if (++nodes > MAX_EVENTS) throw new SourceError(TOO_MANY_VALUES, 0);
      return MAX_DEPTH;
    },
    toString: () => String(MAX_DEPTH),
  };
  // The one place where js-yaml reads it is a comparison.
  return counting as unknown as number;
}

const ignore: Recorder = () => {};

// Composes once more, this time with field names, to say where it went wrong.
function explain(
  error: unknown,
  composer: Composer,
  index: number,
): (text: string) => Fault {
  let found = error;
  try {
    composer.document(index);
  } catch (again) {
    found = again;
  }
  if (!(found instanceof SourceError)) throw found;
  const { field, message, offset } = found;
  return (text) => ({ field, message, line: lineIndex(text)(offset) });
}

function syntaxFault(error: unknown, text: string): Fault {
  // The count of nodes was exceeded; there is no one place to blame.
  if (error instanceof SourceError) {
    return { field: "", message: error.message };
  }
  if (!(error instanceof YAMLException)) throw error;
  const message = `Invalid value: not valid YAML: ${clipText(error.reason)}`;
  if (error.mark === undefined) return { field: "", message };
  const line = error.mark.line + 1;
  const document = documentAt(text, error.mark.position);
  return { field: "", message, line, document };
}

// Everything before the last separator ahead of the error could be read.
function documentAt(text: string, position: number): number {
  const before = text.slice(0, position);
  const at = Math.max(before.lastIndexOf("\n---"), before.lastIndexOf("\r---"));
  if (at < 0) return 1;
  try {
    const events = parseEvents(text.slice(0, at + 1), { maxDepth: MAX_DEPTH });
    const documents = events.filter((event) =>
      event.type === EVENT_ID.DOCUMENT
    );
    return documents.length + 1;
  } catch {
    // The separator was no separator; the position in the text still helps.
    return 1;
  }
}
