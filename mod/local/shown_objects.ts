/**
 * What sources have beside what makes pods, as objects of an API.
 *
 * @module
 */

import {
  fnv1a128Hex,
  formatQuantity,
  type KeyedObject,
  type LocalObject,
  objectId,
} from "../api/objects/mod.ts";
import { sameJson } from "./changed_object.ts";
import { keyOf } from "./kept_kinds.ts";
import type { ObjectState } from "./object_state.ts";
import type { AnyObject } from "./parts.ts";

/**
 * Has the shown objects of a state be these. A name that something else has is left alone:
 * a claim that was made here is in the list of what sources have as well.
 */
export function showObjects(
  state: ObjectState,
  objects: readonly LocalObject[],
): void {
  const gone = new Set<string>();
  for (const { object, origin } of state.table.all()) {
    if (origin.kind === "shown") gone.add(keyOf(object));
  }
  for (const object of objects.map(shownObject)) {
    const key = keyOf(object);
    gone.delete(key);
    const kept = state.table.byKey(key);
    if (kept !== undefined && kept.origin.kind !== "shown") continue;
    const { resourceVersion: _version, ...metadata } = kept?.object.metadata ??
      object.metadata;
    const before = kept && { ...kept.object, metadata };
    if (!sameJson(before, object)) state.put(object, { kind: "shown" });
  }
  for (const key of gone) {
    const kept = state.table.byKey(key);
    if (kept !== undefined) state.remove(kept);
  }
}

/** An object as an API shows it; a Secret with its keys, and nothing for their values. */
export function shownObject(object: LocalObject): AnyObject {
  const { kind, namespace, name } = objectId(object);
  const uid = fnv1a128Hex(`${kind}\n${namespace}\n${name}`);
  const metadata = { name, namespace, uid };
  switch (object.kind) {
    case "ConfigMap":
      return shownData(object, metadata);
    case "Secret": {
      const data = [...object.entries.keys()].map((key) => [key, ""] as const);
      return {
        apiVersion: "v1",
        kind,
        metadata,
        ...{ type: object.type, data: Object.fromEntries(data) },
        ...(object.immutable && { immutable: true }),
      };
    }
    case "PersistentVolumeClaim": {
      const { accessModes, volumeMode, storage } = object;
      const requests = storage && { storage: formatQuantity(storage) };
      return {
        apiVersion: "v1",
        kind,
        metadata,
        spec: {
          accessModes,
          volumeMode,
          ...(requests && { resources: { requests } }),
        },
      };
    }
    case "RuntimeClass":
      return {
        apiVersion: "node.k8s.io/v1",
        kind,
        metadata,
        ...shownClass(object),
      };
    case "PriorityClass": {
      const { value, preemptionPolicy, globalDefault, description } = object;
      return {
        apiVersion: "scheduling.k8s.io/v1",
        kind,
        metadata,
        ...{ value, preemptionPolicy },
        ...(globalDefault && { globalDefault }),
        ...(description !== "" && { description }),
      };
    }
    case "Service":
      return { apiVersion: "v1", kind, metadata, spec: shownService(object) };
  }
}

function shownClass(
  object: LocalObject & { readonly kind: "RuntimeClass" },
): object {
  const overhead = Array.from(
    object.overhead,
    ([name, amount]) => [name, formatQuantity(amount)] as const,
  );
  const { handler, nodeSelector } = object;
  return {
    handler,
    ...(overhead.length > 0 &&
      { overhead: { podFixed: Object.fromEntries(overhead) } }),
    ...(Object.keys(nodeSelector).length > 0 &&
      { scheduling: { nodeSelector } }),
  };
}

function shownService(
  service: LocalObject & { readonly kind: "Service" },
): object {
  const { selector, isHeadless, publishNotReadyAddresses } = service;
  return {
    type: "ClusterIP",
    ...(isHeadless && { clusterIP: "None" }),
    selector,
    ports: service.ports.map(({ name, ...port }) =>
      name === "" ? port : { name, ...port }
    ),
    ...(publishNotReadyAddresses && { publishNotReadyAddresses }),
  };
}

/** A ConfigMap: as text what is text, and all else in base64. */
function shownData(
  { kind, entries, immutable }: KeyedObject,
  metadata: AnyObject["metadata"],
): AnyObject {
  const data: [string, string][] = [];
  const binaryData: [string, string][] = [];
  for (const [key, bytes] of entries) {
    const text = textOf(bytes);
    if (text === undefined) binaryData.push([key, bytes.toBase64()]);
    else data.push([key, text]);
  }
  return {
    apiVersion: "v1",
    kind,
    metadata,
    ...(data.length > 0 && { data: Object.fromEntries(data) }),
    ...(binaryData.length > 0 &&
      { binaryData: Object.fromEntries(binaryData) }),
    ...(immutable && { immutable: true }),
  };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(bytes);
  } catch {
    // No text: it is shown as bytes.
    return undefined;
  }
}
