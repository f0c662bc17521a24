/**
 * Reads ConfigMaps and Secrets, by the rules of upstream's ValidateConfigMap and
 * ValidateSecret.
 *
 * @module
 */

import { decodeBase64 } from "../../base/text/mod.ts";
import { mapKeyProblem, validateSecretType } from "../validate/mod.ts";
import { type ObjectReading, readRef } from "./object_reading.ts";
import type { KeyedObject } from "../objects/mod.ts";
import type { Place } from "../fault/mod.ts";
import { readTyped } from "./schema.ts";
import type { RawObject, RawValue } from "../text/mod.ts";
import type { ObjectMeta } from "../types/mod.ts";

/** As upstream's MaxSecretSize, which is for ConfigMaps as well. */
const MAX_TOTAL_BYTES = 1024 * 1024;

type Texts = Readonly<Record<string, string>>;

/** Reads and checks a ConfigMap. */
export function readConfigMap(
  value: RawObject,
  { at, settle }: ObjectReading,
): KeyedObject {
  // The schema has checked every field; what was wrong is missing and reported.
  const typed = readTyped(value, "ConfigMap", at) as {
    readonly metadata?: ObjectMeta;
    readonly data?: Texts;
    readonly binaryData?: Texts;
    readonly immutable?: boolean;
  };
  settle();
  const { metadata = {}, data = {}, binaryData = {}, immutable = false } =
    typed;
  const ref = readRef(metadata, at);
  const entries = readText(data, at.child("data"));
  const binaryAt = at.child("binaryData");
  for (const [key, bytes] of readBinary(binaryData, { at: binaryAt })) {
    if (entries.has(key)) {
      binaryAt.key(key).invalid(key, "the key is present in data as well");
    }
    entries.set(key, bytes);
  }
  checkTotal(entries, at);
  return { kind: "ConfigMap", ...ref, entries, type: "", immutable };
}

/** Reads and checks a Secret. No fault ever shows what is in it. */
export function readSecret(
  value: RawObject,
  { at, settle }: ObjectReading,
): KeyedObject {
  const { data, stringData, ...rest } = value;
  // As above; the values are read apart from the rest, since they are not to be shown.
  const typed = readTyped(rest, "Secret", at) as {
    readonly metadata?: ObjectMeta;
    readonly type?: string;
    readonly immutable?: boolean;
  };
  const dataAt = at.child("data").concealed();
  const textAt = at.child("stringData").concealed();
  const encoded = readTexts(data, dataAt);
  const texts = readTexts(stringData, textAt);
  settle();
  const { metadata = {}, immutable = false } = typed;
  const type = typed.type || "Opaque";
  const ref = readRef(metadata, at);
  const entries = readBinary(encoded, {
    at: dataAt,
    hint: "; plain text belongs into stringData",
  });
  // What is written as text outranks the other, as upstream's conversion does it.
  for (const [key, bytes] of readText(texts, textAt)) entries.set(key, bytes);
  checkTotal(entries, at.child("data"));
  const { annotations } = metadata;
  validateSecretType({ type, entries, annotations }, at);
  return { kind: "Secret", ...ref, entries, type, immutable };
}

function readTexts(value: RawValue | undefined, at: Place): Texts {
  // As above: a map of strings, or nothing.
  const typed = readTyped(value ?? null, "{}string", at) as Texts | undefined;
  return typed ?? {};
}

function readText(texts: Texts, at: Place): Map<string, Uint8Array> {
  const encoder = new TextEncoder();
  const entries = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(texts)) {
    checkKey(key, at);
    entries.set(key, encoder.encode(text));
  }
  return entries;
}

function readBinary(
  texts: Texts,
  { at, hint = "" }: { readonly at: Place; readonly hint?: string },
): Map<string, Uint8Array> {
  const entries = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(texts)) {
    checkKey(key, at);
    const bytes = decodeBase64(text);
    if (bytes === undefined) {
      const detail = "wanted base64 with padding and without spaces";
      at.key(key).invalid(text, detail + hint);
    }
    // An entry that is faulty still is there, so that it is not missing besides.
    entries.set(key, bytes ?? new Uint8Array());
  }
  return entries;
}

function checkKey(key: string, at: Place): void {
  const problem = mapKeyProblem(key);
  if (problem !== undefined) at.key(key).fault(`Invalid key: ${problem}`);
}

function checkTotal(
  entries: ReadonlyMap<string, Uint8Array>,
  at: Place,
): void {
  let total = 0;
  for (const bytes of entries.values()) total += bytes.length;
  if (total <= MAX_TOTAL_BYTES) return;
  at.tooLong(
    `the values have ${total} bytes, may not be more than ${MAX_TOTAL_BYTES} bytes in total`,
  );
}
