/**
 * What the agent keeps of sources on disk: last good manifests, the checkpoint of a URL, rollback history. Written only on change and atomically; a record that cannot be read is unknown, not absent.
 *
 * @module
 */

export { DiskLastGoodStore } from "./last_good_store.ts";
export { diskRecordFiles } from "./record_files.ts";
export { DiskRollbackStore } from "./rollback_store.ts";
export { DiskSetCheckpoint, dropSetCheckpoint } from "./source_checkpoint.ts";
