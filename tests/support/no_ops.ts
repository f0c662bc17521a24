/**
 * Ports for tests that do not look at what comes in there.
 *
 * @module
 */

import type { EventSink } from "../../mod/api/types/mod.ts";
import type { RuntimeFiles } from "../../mod/runtime/spec/mod.ts";
import type { PodCheck } from "../../mod/source/mod.ts";

/** Forgets every event. */
export const NO_EVENTS: EventSink = { record: () => {} };

/** Has nothing against any pod. */
export const NO_CHECK: PodCheck = (): readonly [] => [];

/** A disk that holds nothing. */
export const NO_FILES: RuntimeFiles = {
  makeDirectory: () => Promise.resolve(),
  write: () => Promise.resolve(),
  writeNew: () => Promise.resolve(true),
  readTail: () => Promise.resolve(undefined),
  readTailBelow: () => Promise.resolve(undefined),
  list: () => Promise.resolve([]),
  isDirectory: () => Promise.resolve(false),
  remove: () => Promise.resolve(),
};
