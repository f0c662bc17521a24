/**
 * What the agent keeps of sources on disk: the last good content of manifests, the last set
 * of a URL, and the history by which versions of pods are rolled back.
 *
 * Records are sealed with a checksum, and written atomically and only when they change. One
 * that is not sound is set aside and never applied; one that the disk does not give is
 * unknown, not absent. On a disk that refuses, the newest wait in memory and are tried again.
 * No Secret gets to the disk unless it is chosen that those of a set are kept, encrypted or
 * plain. What waits to be written with others has a draft in the run
 * directory, so that an agent that is killed loses nothing.
 *
 * @example A history that the next agent finds
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { systemClock } from "../../base/mod.ts";
 * import { silentLogger } from "../../base/telemetry/mod.ts";
 * import { diskRecordFiles, DiskRollbackStore } from "./mod.ts";
 *
 * const disk = new Map<string, Uint8Array>();
 * const files = {
 *   ...diskRecordFiles,
 *   write: async (path: string, bytes: Uint8Array) => void disk.set(path, bytes),
 * };
 * const deps = { clock: systemClock, log: silentLogger, files };
 * const store = new DiskRollbackStore("/var/lib/skerry/rollback", deps);
 * store.save("file/shop/web", {});
 * await store.run(AbortSignal.abort());
 * deepStrictEqual(disk.size, 1);
 * ```
 *
 * @module
 */

export { DiskLastGoodStore } from "./last_good_store.ts";
export type { SecretLack } from "./kept_secrets.ts";
export { diskRecordFiles } from "./record_files.ts";
export { RecordFolder, type RecordFolderDeps } from "./record_folder.ts";
export { DiskRollbackStore } from "./rollback_store.ts";
export { PacedCheckpoint } from "./paced_checkpoint.ts";
export {
  DiskSetCheckpoint,
  dropSetCheckpoint,
  setPlaces,
} from "./source_checkpoint.ts";
