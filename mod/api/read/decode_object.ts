/**
 * From raw documents to the objects beside pods.
 *
 * @module
 */

import { decodeBase64 } from "../../base/text/mod.ts";
import type { Place } from "../fault/mod.ts";
import {
  type ClaimObject,
  type KeyedObject,
  type LocalObject,
  type ObjectRef,
  parseQuantity,
  type Quantity,
  type RuntimeClassObject,
} from "../objects/mod.ts";
import type { RawObject, RawValue } from "../text/mod.ts";
import type { ObjectMeta, PodSpec } from "../types/mod.ts";
import { SYSTEM_PRIORITIES } from "../defaults/mod.ts";
import {
  claimObject,
  labelProblem,
  mapKeyProblem,
  oneOf,
  required,
  shape,
  validateClaimSpec,
  validateMetadata,
  validateOverhead,
  validateScheduling,
  validateSecretType,
  type WrittenClaim,
  type WrittenService,
} from "../validate/mod.ts";
import { serviceOf } from "./decode_service.ts";
import { readTyped } from "./schema.ts";

/**
 * Reads and checks an object as the API server checks one that is created.
 *
 * What is wrong is reported; the result counts only if nothing is.
 */
export function readLocalObject(
  kind: LocalObject["kind"],
  value: RawObject,
  reading: ObjectReading,
): LocalObject {
  switch (kind) {
    case "ConfigMap":
      return readConfigMap(value, reading);
    case "Secret":
      return readSecret(value, reading);
    case "PersistentVolumeClaim":
      return readClaim(value, reading);
    case "RuntimeClass":
      return readRuntimeClass(value, reading);
    case "PriorityClass":
      return readPriorityClass(value, reading);
    case "Service":
      return readService(value, reading);
  }
}

/** Where an object is read, and how its reading goes on. */
export interface ObjectReading {
  readonly at: Place;
  /**
   * To be called between the reading of types and the checks of values: what has the
   * wrong type is not missing besides.
   */
  readonly settle: () => void;
}

/**
 * Reads the fields of an object. What has the wrong type is reported and missing in the
 * result.
 */
function readFields<Fields>(
  kind: LocalObject["kind"],
  value: RawObject,
  { at, settle }: ObjectReading,
): Fields & { readonly metadata?: ObjectMeta } {
  const typed = readTyped(value, kind, at);
  settle();
  // The schema has checked every field.
  return typed as Fields & { readonly metadata?: ObjectMeta };
}

/** Checks what names an object of a namespace, and says what it is called. */
function readRef(metadata: ObjectMeta, at: Place): ObjectRef {
  validateMetadata(metadata, at.child("metadata"));
  // Empty is the same as absent and means the default namespace.
  return {
    namespace: metadata.namespace || "default",
    name: metadata.name ?? "",
  };
}

/** As upstream's MaxSecretSize, which is for ConfigMaps as well. */
const MAX_TOTAL_BYTES = 1024 * 1024;

type Texts = Readonly<Record<string, string>>;

function readConfigMap(value: RawObject, reading: ObjectReading): KeyedObject {
  const { at } = reading;
  const { metadata = {}, data = {}, binaryData = {}, immutable = false } =
    readFields<{
      readonly data?: Texts;
      readonly binaryData?: Texts;
      readonly immutable?: boolean;
    }>("ConfigMap", value, reading);
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

/** No fault ever shows what is in it: its values are read apart from the rest. */
function readSecret(value: RawObject, reading: ObjectReading): KeyedObject {
  const { at } = reading;
  const { data, stringData, ...rest } = value;
  const { metadata = {}, type: named, immutable = false } = readFields<{
    readonly type?: string;
    readonly immutable?: boolean;
  }>("Secret", rest, reading);
  const type = named || "Opaque";
  const dataAt = at.child("data").concealed();
  const textAt = at.child("stringData").concealed();
  const encoded = readTexts(data, dataAt);
  const texts = readTexts(stringData, textAt);
  reading.settle();
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
  // A map of strings, or nothing.
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

function readClaim(value: RawObject, reading: ObjectReading): ClaimObject {
  const { at } = reading;
  const { metadata = {}, spec = {} } = readFields<
    { readonly spec?: WrittenClaim }
  >("PersistentVolumeClaim", value, reading);
  const ref = readRef(metadata, at);
  validateClaimSpec(spec, at.child("spec"));
  return claimObject(ref, spec);
}

/** The most that a class may be worth that is none of the system's. */
const MAX_USER_PRIORITY = 1_000_000_000;

/** Reads a class of priorities (pkg/apis/scheduling/validation). */
function readPriorityClass(
  value: RawObject,
  reading: ObjectReading,
): LocalObject {
  const { at } = reading;
  const fields = readFields<{
    readonly value?: number;
    readonly globalDefault?: boolean;
    readonly preemptionPolicy?: string;
    readonly description?: string;
  }>("PriorityClass", value, reading);
  const { metadata = {}, preemptionPolicy, value: priority = 0 } = fields;
  const { name } = readRef(metadata, at);
  refuseNamespace(metadata, at);
  const system = SYSTEM_PRIORITIES.get(name);
  if (name.startsWith("system-") && system !== priority) {
    at.child("metadata").child("name").forbidden(
      "names that begin with 'system-' are the system's",
    );
  } else if (system === undefined && priority > MAX_USER_PRIORITY) {
    at.child("value").forbidden(
      `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`,
    );
  }
  const policyAt = at.child("preemptionPolicy");
  oneOf("PreemptLowerPriority", "Never")(preemptionPolicy, policyAt);
  return {
    kind: "PriorityClass",
    name,
    value: priority,
    globalDefault: fields.globalDefault === true,
    preemptionPolicy: preemptionPolicy === "Never"
      ? "Never"
      : "PreemptLowerPriority",
    description: fields.description ?? "",
  };
}

function readService(value: RawObject, reading: ObjectReading): LocalObject {
  const { at } = reading;
  const { metadata = {}, spec = {} } = readFields<
    { readonly spec?: WrittenService }
  >("Service", value, reading);
  return serviceOf(readRef(metadata, at), spec, at);
}

function refuseNamespace({ namespace }: ObjectMeta, at: Place): void {
  if (!namespace) return;
  at.child("metadata").child("namespace").forbidden("not allowed on this type");
}

/** Its tolerations are checked and then left out: a node by itself has no taints. */
function readRuntimeClass(
  value: RawObject,
  reading: ObjectReading,
): RuntimeClassObject {
  const { at } = reading;
  const { metadata = {}, handler = "", overhead, scheduling = {} } = readFields<
    {
      readonly handler?: string;
      readonly overhead?: { readonly podFixed?: PodSpec["overhead"] };
      readonly scheduling?: Pick<PodSpec, "nodeSelector" | "tolerations">;
    }
  >("RuntimeClass", value, reading);
  const { name } = readRef(metadata, at);
  refuseNamespace(metadata, at);
  required(shape(labelProblem))(handler, at.child("handler"));
  const { podFixed = {} } = overhead ?? {};
  validateOverhead(podFixed, at.child("overhead").child("podFixed"));
  // The rules for a pod's own selector and tolerations, in fields of the same names.
  validateScheduling({ containers: [], ...scheduling }, at.child("scheduling"));
  return {
    kind: "RuntimeClass",
    name,
    handler,
    overhead: new Map(
      Object.entries(podFixed).map((
        [resource, amount],
      ): [string, Quantity] => [resource, parseQuantity(amount)]),
    ),
    nodeSelector: scheduling.nodeSelector ?? {},
  };
}
