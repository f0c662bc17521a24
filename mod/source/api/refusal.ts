/**
 * Refusals of an API server that lives.
 *
 * @module
 */

import {
  ApiFailure,
  type FailureReason,
  type ListerWatcher,
} from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";

/** What one who wants something of a server is told. */
export interface Answers<T> {
  /** There is something, or something else than before. */
  took(found: T): void;
  /** The server lives, and refuses; told each time that it does. */
  refused(why: string): void;
}

/** What is said of the question; all else says only how the server is. */
const REFUSALS: ReadonlySet<FailureReason> = new Set([
  "BadRequest",
  "Conflict",
  "Forbidden",
  "Invalid",
  "MethodNotAllowed",
  "NotFound",
  "Unauthorized",
]);

/**
 * Why a server that lives refuses; absent when it is silent, busy or broken, which says
 * nothing of what was asked for.
 */
export function livingRefusal(error: unknown): string | undefined {
  return error instanceof ApiFailure && REFUSALS.has(error.reason)
    ? error.message
    : undefined;
}

/**
 * The same source, whose refused lists are told. A watch that begins with a list tells
 * nothing: one that is refused is followed by a list.
 */
export function overheard<T extends ApiObject>(
  source: ListerWatcher<T>,
  refused: (why: string) => void,
): ListerWatcher<T> {
  return {
    list: async (options, signal) => {
      try {
        return await source.list(options, signal);
      } catch (error) {
        const why = livingRefusal(error);
        if (why !== undefined) refused(why);
        throw error;
      }
    },
    watch: (options, signal) => source.watch(options, signal),
  };
}
