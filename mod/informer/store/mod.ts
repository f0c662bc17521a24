/**
 * Objects of one kind on this side of a watch: the line of what has happened, the store with
 * its indexes, and the lister that reads it. Nothing here waits, and what a store gives is
 * shared and must not be altered.
 *
 * @example The objects of a namespace
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { Lister, ObjectIndex } from "./mod.ts";
 *
 * const store = new ObjectIndex();
 * const metadata = { namespace: "shop", name: "web", uid: "u1" };
 * store.put({ apiVersion: "v1", kind: "Pod", metadata });
 * const lister = new Lister(store);
 * strictEqual(lister.list({ namespace: "shop" }).length, 1);
 * strictEqual(lister.get("shop", "web")?.metadata.uid, "u1");
 * ```
 *
 * @module
 */

export {
  type Delta,
  DeltaQueue,
  isSameLife,
  type ObjectDelta,
} from "./delta_queue.ts";
export { Lister, type ListerOptions } from "./lister.ts";
export {
  type Indexers,
  type IndexFunction,
  NAMESPACE_INDEX,
  ObjectIndex,
  type ObjectReader,
} from "./object_index.ts";
export {
  keyInStore,
  type ListFacts,
  type ObjectSink,
  storeKey,
} from "./object_sink.ts";
