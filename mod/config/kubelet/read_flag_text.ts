/**
 * The values of the kubelet's flags, as a configuration file would have them.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import type { FlagForm } from "./kubelet_flag.ts";

/** What came of a text. */
export type FlagText =
  | { readonly kind: "read"; readonly value: unknown }
  | { readonly kind: "refused"; readonly wanted: string };

/** @param given.before what an earlier flag of the name has given */
export function readFlagText(
  form: FlagForm,
  given: { readonly text: string; readonly before: unknown },
): FlagText {
  const { text, before } = given;
  switch (form) {
    case "text":
      return read(text);
    case "number":
      return /^[-+]?\d{1,15}$/.test(text)
        ? read(Number(text))
        : refused("a whole number");
    case "switch":
      return switchOf(text);
    case "list":
      return read([...listed(before), ...parts(text)]);
    case "map":
      return pairs(given, { separator: "=", wanted: "key=value,…" });
    case "limits":
      return pairs(given, { separator: "<", wanted: "signal<amount,…" });
    case "switches":
      return switchesOf(given);
    case "headers":
      return headersOf(given);
    case "taints":
      return taintsOf(text, before);
    case "reserved":
      return read([...listed(before), { text }]);
  }
}

function read(value: unknown): FlagText {
  return { kind: "read", value };
}

function refused(wanted: string): FlagText {
  return { kind: "refused", wanted };
}

// As Go's strconv.ParseBool has them.
const TRUE: ReadonlySet<string> = new Set([
  ...["1", "t", "T", "true", "TRUE", "True"],
]);
const FALSE: ReadonlySet<string> = new Set([
  ...["0", "f", "F", "false", "FALSE", "False"],
]);

function switchOf(text: string): FlagText {
  if (TRUE.has(text)) return read(true);
  return FALSE.has(text) ? read(false) : refused("true or false");
}

function parts(text: string): readonly string[] {
  return text.split(",").map((part) => part.trim()).filter((part) =>
    part !== ""
  );
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function mapped(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function pairs(
  { text, before }: { readonly text: string; readonly before: unknown },
  { separator, wanted }: {
    readonly separator: string;
    readonly wanted: string;
  },
): FlagText {
  const found: [string, string][] = [];
  for (const part of parts(text)) {
    const at = part.indexOf(separator);
    if (at < 1) return refused(wanted);
    found.push([part.slice(0, at).trim(), part.slice(at + 1).trim()]);
  }
  return read({ ...mapped(before), ...Object.fromEntries(found) });
}

function switchesOf(
  { text, before }: { readonly text: string; readonly before: unknown },
): FlagText {
  const wanted = "name=true|false,…";
  const texts = pairs({ text, before: undefined }, { separator: "=", wanted });
  if (texts.kind === "refused") return texts;
  const found: [string, unknown][] = [];
  for (const [name, value] of Object.entries(mapped(texts.value))) {
    const each = switchOf(`${value}`);
    if (each.kind === "refused") return refused(wanted);
    found.push([name, each.value]);
  }
  return read({ ...mapped(before), ...Object.fromEntries(found) });
}

/** Each name with the list of its values. */
function headersOf(
  { text, before }: { readonly text: string; readonly before: unknown },
): FlagText {
  const found = new Map<string, readonly unknown[]>(
    Object.entries(mapped(before)).map((
      [name, value],
    ) => [name, listed(value)]),
  );
  for (const part of parts(text)) {
    const at = part.indexOf(":");
    if (at < 1) return refused("Key:value,…");
    const name = part.slice(0, at).trim();
    found.set(name, [...found.get(name) ?? [], part.slice(at + 1).trim()]);
  }
  return read(Object.fromEntries(found));
}

function taintsOf(text: string, before: unknown): FlagText {
  const found: unknown[] = [];
  for (const part of parts(text)) {
    const at = part.lastIndexOf(":");
    const [key = "", value = ""] = part.slice(0, Math.max(at, 0)).split("=", 2);
    if (key === "") return refused("key=value:effect,…");
    const effect = part.slice(at + 1);
    found.push({ key, ...value !== "" && { value }, effect });
  }
  return read([...listed(before), ...found]);
}
