/**
 * The objects that this node keeps itself. `ObjectStore` has what pods refer to, found by
 * name: if two sources have an object, the source with the first name counts, in whatever
 * order they came. `LocalStore` has what makes pods, and the pods that are made: it is read
 * and written as an API server is.
 *
 * @example A ConfigMap of one source
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { ObjectStore } from "./mod.ts";
 *
 * const store = new ObjectStore(["file"]);
 * const web = { kind: "ConfigMap", name: "web", namespace: "default" } as const;
 * const object = { ...web, type: "", immutable: false, entries: new Map() };
 * const changes = store.replace("file", [object]);
 * strictEqual(changes[0]?.change, "added");
 * ```
 *
 * @example A pod that is made, and what a watch says of it
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { systemClock, systemRandom } from "../base/mod.ts";
 * import { LocalStore } from "./mod.ts";
 *
 * const deps = { clock: systemClock, random: systemRandom };
 * const store = new LocalStore(deps, { nodeName: "edge-1" });
 * const { signal } = new AbortController();
 * const wish = {
 *   apiVersion: "v1",
 *   kind: "Pod",
 *   metadata: { generateName: "web-", namespace: "shop" },
 *   spec: { containers: [{ name: "web", image: "busybox" }] },
 * };
 * await store.create(wish, signal);
 * const kind = { apiVersion: "v1", kind: "Pod" };
 * const { items } = await store.reader(kind).list({}, signal);
 * strictEqual(items[0]?.metadata.name.length, "web-".length + 5);
 * ```
 *
 * @module
 */

export type { JournalDamage } from "./journal.ts";
export { type JournalDisk, journalDisk } from "./journal_disk.ts";
export {
  type Heard,
  type ObjectChange,
  ObjectRealms,
  ObjectStore,
} from "./object_store.ts";
export {
  LocalStore,
  type LocalStoreDeps,
  type LocalStoreOptions,
} from "./local_store.ts";
export type { RefusedManifest } from "./manifest_keeper.ts";
export type { ManifestObject } from "./manifest_sets.ts";
