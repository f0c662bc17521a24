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

import { EVENT_ID, YAMLException } from "js-yaml";
import type { Event } from "js-yaml";
import { UNMETERED, type WorkMeter } from "../../base/mod.ts";
import { clipText, type Fault } from "../fault/mod.ts";
import {
  MAX_DEPTH,
  MAX_NODES,
  refusal,
  type SourceDocument,
  SourceError,
  type SourceResult,
  TextLines,
  TOO_LONG,
} from "./source_text.ts";
import { linesOf } from "./written_field.ts";
import { Composer } from "./yaml_composer.ts";
import { TOO_SHALLOW, yamlEvents } from "./yaml_events.ts";

/** Reads every document of a YAML text. Never throws on bad text. */
export function parseYaml(
  text: string,
  meter: WorkMeter = UNMETERED,
): SourceResult {
  let events: Event[];
  meter.spend(text.length);
  try {
    events = yamlEvents(text, { maxDepth: boundedDepth, meter });
  } catch (error) {
    const fault = syntaxFault(error, text, meter);
    return refusal(fault, beforeQuote(fault.message));
  }
  const documents: SourceDocument[] = [];
  const source = { text, events, meter, lines: new TextLines(text, meter) };
  const composer = new Composer(source);
  for (let index = 0; index < events.length; index = composer.position) {
    try {
      const value = composer.document(index);
      // Composed once more, this time to learn where its fields are written.
      const locate: SourceDocument["locate"] = (fields) =>
        linesOf(fields, new Composer(source).places(index), source.lines);
      documents.push({ value, locate });
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      const document = documents.length + 1;
      const { field, message, offset, unquoted } = error;
      const line = source.lines.lineOf(offset);
      return refusal({ field, message, line, document }, unquoted);
    }
  }
  return { kind: "ok", documents };
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
      if (++nodes > MAX_EVENTS) throw new SourceError(TOO_LONG.values, 0);
      return MAX_DEPTH;
    },
    toString: () => String(MAX_DEPTH),
  };
  // The one place where js-yaml reads it is a comparison.
  return counting as unknown as number;
}

function syntaxFault(error: unknown, text: string, meter: WorkMeter): Fault {
  // The count of nodes was exceeded; there is no one place to blame.
  if (error instanceof SourceError) {
    return { field: "", message: error.message };
  }
  if (!(error instanceof YAMLException)) throw error;
  const hint = error.reason === TOO_SHALLOW
    ? " (wanted what is in brackets or quotes deeper than its key)"
    : "";
  const message = `Invalid value: not valid YAML: ${
    clipText(error.reason)
  }${hint}`;
  if (error.mark === undefined) return { field: "", message };
  const line = error.mark.line + 1;
  const document = documentAt(text, error.mark.position);
  meter.spend(text.length);
  return { field: "", message, line, document };
}

/**
 * What a message of js-yaml says before it quotes anything; `undefined` when it does not.
 * Its errors have no field for what they quote.
 */
function beforeQuote(message: string): string | undefined {
  const quote = message.indexOf('"');
  const listed = message.indexOf(LISTED);
  if (quote < 0 && listed < 0) return undefined;
  const isListed = listed >= 0 && (quote < 0 || listed < quote);
  return isListed
    ? message.slice(0, listed + LISTED.length - 2)
    : message.slice(0, quote).trimEnd();
}

const LISTED = "such characters: ";

// Everything before the last separator ahead of the error could be read.
function documentAt(text: string, position: number): number {
  const before = text.slice(0, position);
  const at = Math.max(before.lastIndexOf("\n---"), before.lastIndexOf("\r---"));
  if (at < 0) return 1;
  try {
    const events = yamlEvents(text.slice(0, at + 1));
    const documents = events.filter((event) =>
      event.type === EVENT_ID.DOCUMENT
    );
    return documents.length + 1;
  } catch {
    // The separator was no separator; the position in the text still helps.
    return 1;
  }
}
