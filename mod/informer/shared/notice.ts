/**
 * What the users of an informer are told.
 *
 * @module
 */

import type { ApiObject } from "../../api/workload/mod.ts";

/** One thing that has become of an object. What it shows must not be altered. */
export type Notice<T extends ApiObject> =
  | {
    readonly kind: "added";
    readonly object: T;
    /** It was there when the handler began. */
    readonly isInitial: boolean;
  }
  /** Both have one uid; `before` is what the handler was told last. */
  | { readonly kind: "updated"; readonly before: T; readonly object: T }
  | {
    readonly kind: "removed";
    readonly object: T;
    /** Nobody saw its end, so this may not be how it was at last. */
    readonly isStale: boolean;
  };

/**
 * Is told what becomes of objects, one after the other. What it throws is logged, and the
 * next notice comes a second later.
 */
export type NoticeHandler<T extends ApiObject> = (
  notice: Notice<T>,
) => void | Promise<void>;

/** How a handler is told. */
export interface HandlerOptions {
  /** What it is called in the log and in metrics. */
  readonly name: string;
  /**
   * How often it is told of every object as of an update without a change; 0 is never.
   *
   * @default that of the informer
   */
  readonly resyncMs?: number;
}

/** A handler that has been added; disposing takes it away. */
export interface HandlerRegistration extends Disposable {
  /** Whether it has been told of all that was there at the beginning. */
  readonly hasSynced: boolean;
  /**
   * Waits for {@linkcode HandlerRegistration.hasSynced}.
   *
   * @throws {unknown} The reason of `signal` when it aborts first.
   */
  synced(signal: AbortSignal): Promise<void>;
}
