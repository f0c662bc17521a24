/**
 * Which of its own changes a controller has not seen yet.
 *
 * @module
 */

import type { ApiObject } from "../../api/workload/mod.ts";
import type { ControllerKind, ExactRef, ObjectCache } from "./step.ts";
import { isControllerKind } from "./kinds.ts";

/** As upstream's ExpectationsTimeout: after this what is awaited is not believed any more. */
export const AWAITED_MS: number = 5 * 60_000;

interface Record {
  /** The newest version that was written, by kind. */
  readonly versions: Map<ControllerKind, bigint>;
  readonly deleted: Map<string, ExactRef>;
  untilMs: number;
}

/**
 * Remembers for each key what was done for it, until the cache shows it: a controller that
 * looks earlier would do it again. Upstream counts events for that; here the cache itself
 * is asked, so that no event can be missed.
 */
export class Awaited {
  readonly #records = new Map<string, Record>();

  /** What was created or changed, as it was given back. */
  wrote(key: string, written: ApiObject, nowMs: number): void {
    const { kind, metadata: { resourceVersion } } = written;
    // Versions can be compared since they are numbers (KEP-5504).
    if (!/^\d+$/.test(resourceVersion ?? "") || !isControllerKind(kind)) return;
    const { versions } = this.#record(key, nowMs);
    const version = BigInt(resourceVersion ?? 0);
    const before = versions.get(kind);
    if (before === undefined || before < version) versions.set(kind, version);
  }

  /** What was deleted. */
  deleted(key: string, ref: ExactRef, nowMs: number): void {
    this.#record(key, nowMs).deleted.set(ref.uid, ref);
  }

  /**
   * For how long a key is to be left alone at most, in milliseconds; 0 when the cache shows
   * all that was done for it, or it took too long.
   *
   * @param nowMs a monotonic clock, as in the other calls
   */
  remainingMs(key: string, cache: ObjectCache, nowMs: number): number {
    const record = this.#records.get(key);
    if (record === undefined) return 0;
    for (const [kind, version] of record.versions) {
      const seen = cache.version(kind);
      if (seen !== undefined && BigInt(seen) >= version) {
        record.versions.delete(kind);
      }
    }
    for (const [uid, ref] of record.deleted) {
      if (isGone(ref, cache)) record.deleted.delete(uid);
    }
    const isDone = record.versions.size + record.deleted.size === 0;
    if (isDone || nowMs >= record.untilMs) {
      this.#records.delete(key);
      return 0;
    }
    return record.untilMs - nowMs;
  }

  #record(key: string, nowMs: number): Record {
    const record = this.#records.get(key) ??
      { versions: new Map(), deleted: new Map(), untilMs: 0 };
    record.untilMs = nowMs + AWAITED_MS;
    this.#records.set(key, record);
    return record;
  }
}

function isGone(ref: ExactRef, cache: ObjectCache): boolean {
  if (!isControllerKind(ref.kind)) return true;
  const found = cache.get(ref.kind, ref.namespace, ref.name);
  return found === undefined || found.metadata.uid !== ref.uid ||
    found.metadata.deletionTimestamp !== undefined;
}
