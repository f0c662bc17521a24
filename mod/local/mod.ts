/**
 * The objects beside pods that this node keeps itself, found by name. If two sources have
 * an object, the source with the first name counts, in whatever order they came.
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
 * @module
 */

export { type Heard, type ObjectChange, ObjectStore } from "./object_store.ts";
