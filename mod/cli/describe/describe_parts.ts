/**
 * What descriptions of pods and of other objects have in common.
 *
 * @module
 */

import type { WireEvent } from "../../api/types/mod.ts";
import {
  ageText,
  type BlockValue,
  fieldLines,
  renderTable,
  repeatedAgeText,
  sortedEntries,
} from "../text/mod.ts";
import type { TimeTexts } from "./describe_container.ts";

/** What happened, or that nothing did. */
export function eventLines(
  { events, time }: {
    readonly events: readonly WireEvent[];
    /** By which ages are told. */
    readonly time: string;
  },
): readonly string[] {
  if (events.length === 0) return fieldLines([["Events", "<none>"]]);
  return titledTable("Events", [
    ["Type", "Reason", "Age", "From", "Message"],
    ...events.map((event) => [
      event.type,
      event.reason,
      repeatedAgeText(event, Date.parse(time)),
      event.source.component,
      event.message,
    ]),
  ]);
}

/** A table below its title. */
export function titledTable(
  title: string,
  rows: readonly (readonly string[])[],
): readonly string[] {
  const lines = renderTable(rows).trimEnd().split("\n");
  return [`${title}:`, ...lines.map((line) => `  ${line.trimEnd()}`)];
}

/** Values under each other, or that there are none. */
export function orNone(lines: readonly string[]): BlockValue {
  return lines.length === 0 ? "<none>" : lines;
}

/** Labels as kubectl writes them, in the order of their keys. */
export function labelLines(
  labels: Readonly<Record<string, string>> | undefined,
): readonly string[] {
  return sortedEntries(labels).map((each) => each.join("="));
}

/** A copy of the whole manifest, which kubectl does not show either. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** From kubectl's describe.go, as is the way in which longer ones are written. */
const MAX_ANNOTATION_LENGTH = 140;

/** Annotations as kubectl writes them, long ones cut. */
export function annotationLines(
  annotations: Readonly<Record<string, string>> | undefined,
): readonly string[] {
  return sortedEntries(annotations).flatMap(([key, text]) => {
    if (key === LAST_APPLIED) return [];
    const value = text.replace(/\n$/, "");
    const line = `${key}: ${value}`;
    if (line.length <= MAX_ANNOTATION_LENGTH && !value.includes("\n")) {
      return [line];
    }
    const most = MAX_ANNOTATION_LENGTH - 2;
    const lines = value.split("\n").map((each) =>
      each.length > most ? `${each.slice(0, most).toWellFormed()}...` : each
    );
    return [`${key}:`, ...lines.map((each) => `  ${each}`)];
  });
}

const MINUTE_MS = 60_000;

/** Times in a zone, and ages by a clock. */
export function timeTexts(now: string, utcOffsetMs: number): TimeTexts {
  const nowMs = Date.parse(now);
  return {
    time: (text) => {
      const ms = Date.parse(text ?? "");
      return Number.isNaN(ms) ? "<unknown>" : dateText(ms, utcOffsetMs);
    },
    age: (text) => ageText(text, nowMs),
  };
}

/** As kubectl: RFC 1123 with a numeric zone. */
function dateText(ms: number, utcOffsetMs: number): string {
  const local = new Date(ms + utcOffsetMs);
  const minutes = Math.round(Math.abs(utcOffsetMs) / MINUTE_MS);
  const zone = [Math.floor(minutes / 60), minutes % 60]
    .map((each) => String(each).padStart(2, "0")).join("");
  const sign = utcOffsetMs < 0 ? "-" : "+";
  return `${local.toUTCString().replace(/ GMT$/, "")} ${sign}${zone}`;
}
