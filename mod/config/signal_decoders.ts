/**
 * Decoders of what is said of signals, such as `memory.available<100Mi`.
 *
 * @module
 */

import { type Decoder, mapOf, text } from "./decoders.ts";

/** Amounts by signal, as a map or as `signal<amount` with commas between; read later on. */
export const signalAmounts: Decoder<Readonly<Record<string, string>>> =
  signalTexts('amounts by signal such as "memory.available<100Mi"', /[<=]/);

/** Durations by signal, as a map or as `signal=time` with commas between; read later on. */
export const signalDurations: Decoder<Readonly<Record<string, string>>> =
  signalTexts('durations by signal such as "memory.available=1m30s"', /=/);

function signalTexts(
  wanted: string,
  separator: RegExp,
): Decoder<Readonly<Record<string, string>>> {
  return {
    wanted,
    decode: (value, baseDir) =>
      typeof value === "string"
        ? splitPairs(value, separator)
        : mapOf(text).decode(value, baseDir),
  };
}

function splitPairs(
  value: string,
  separator: RegExp,
): Readonly<Record<string, string>> | undefined {
  const parts = value.split(",").map((part) => part.trim())
    .filter((part) => part !== "");
  const pairs = parts.map((part): [string, string] => {
    const at = Math.max(part.search(separator), 0);
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  });
  return pairs.some(([name]) => name === "")
    ? undefined
    : Object.fromEntries(pairs);
}
