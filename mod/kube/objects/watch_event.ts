/**
 * Events of a watch as they come from an API server.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import type { KindRef, WatchEvent } from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import { statusFailure } from "../transport/mod.ts";
import { readWireObject } from "./wire_object.ts";

/** Upstream's metav1.InitialEventsAnnotationKey. */
const INITIAL_END = "k8s.io/initial-events-end";

/**
 * Reads one line of a watch.
 *
 * @returns what is wrong with it, in words, when it is no event
 */
export function readWatchEvent(
  wire: unknown,
  kind: KindRef,
  { what }: { readonly what: string },
): WatchEvent<ApiObject> | string {
  if (!isRecord(wire)) return "a line is no event";
  const { type, object } = wire;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED": {
      const reading = readWireObject(object, kind);
      return reading.kind === "read"
        ? { type, object: reading.object }
        : `an object cannot be read: ${reading.fault}`;
    }
    case "BOOKMARK":
      return bookmarkOf(object);
    case "ERROR":
      return { type, failure: statusFailure(object, { what }) };
    default:
      return "an event is of no known type";
  }
}

function bookmarkOf(object: unknown): WatchEvent<ApiObject> | string {
  const metadata = isRecord(object) ? object["metadata"] : undefined;
  const { resourceVersion, annotations } = isRecord(metadata) ? metadata : {};
  if (typeof resourceVersion !== "string" || resourceVersion === "") {
    return "a bookmark has no resourceVersion";
  }
  const isInitialEnd = isRecord(annotations) &&
    annotations[INITIAL_END] === "true";
  return {
    type: "BOOKMARK",
    resourceVersion,
    ...isInitialEnd && { isInitialEnd },
  };
}
