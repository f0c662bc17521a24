/**
 * What an API server decides about an object by itself.
 *
 * @module
 */

import { isRecord } from "../../../mod/base/mod.ts";
import type { DeleteWish, KeptObject } from "./memory_objects.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a client cannot change. */
export function keptOf(meta: Fields): Fields {
  return Object.fromEntries(
    [
      "namespace",
      "creationTimestamp",
      "generation",
      "generateName",
      "deletionTimestamp",
      "deletionGracePeriodSeconds",
    ].flatMap((key) => key in meta ? [[key, meta[key]]] : []),
  );
}

/** How many seconds an object stays that is to be deleted. */
export function graceOf(object: KeptObject, wish: DeleteWish): number {
  if (object.kind !== "Pod") return 0;
  const spec = fieldsOf(object["spec"]);
  const { phase } = fieldsOf(object["status"]);
  if (!spec["nodeName"] || phase === "Succeeded" || phase === "Failed") {
    return 0;
  }
  const { terminationGracePeriodSeconds = 30 } = spec;
  return wish.gracePeriodSeconds ?? Number(terminationGracePeriodSeconds);
}

/** An object at a version. */
export function withVersion(object: KeptObject, version: number): KeptObject {
  const metadata = { ...object.metadata, resourceVersion: `${version}` };
  return { ...object, metadata };
}

/** Times of an API have whole seconds. */
export function timeText(nowMs: number, inSeconds: number = 0): string {
  const date = new Date(nowMs + inSeconds * 1_000);
  return `${date.toISOString().slice(0, 19)}Z`;
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
