/**
 * How objects are read and written, whoever keeps them: an API server or this node.
 *
 * @module
 */

import type { ApiObject } from "../workload/mod.ts";

/** Which kind of objects is meant. */
export interface KindRef {
  /** `v1`, `apps/v1`, … */
  readonly apiVersion: string;
  readonly kind: string;
}

/** Which object is meant. */
export interface AccessRef extends KindRef {
  /** Empty for what belongs to no namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** Which objects of a kind are wanted. */
export interface Selection {
  /** @default every namespace */
  readonly namespace?: string;
  /** As in a query: `app=web,tier!=cache`. */
  readonly labelSelector?: string;
  /** As in a query: `metadata.name=web`. */
  readonly fieldSelector?: string;
}

/** How a list is wanted. */
export interface ListOptions extends Selection {
  /** Absent: the newest; `"0"`: whatever is at hand; else: not older than this. */
  readonly resourceVersion?: string;
  /** The most items of one answer. */
  readonly limit?: number;
  /** Goes on after an answer that had `continue`. */
  readonly continue?: string;
}

/** One answer to a list. */
export interface ObjectList<T extends ApiObject> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** There are more items. */
  readonly continue?: string;
}

/** How a watch is wanted. */
export interface WatchOptions extends Selection {
  /** Where it begins: with what comes after this. */
  readonly resourceVersion?: string;
  /** Whether bookmarks are welcome. */
  readonly allowWatchBookmarks?: boolean;
  /** Whether what is there comes first, each as `ADDED`, and then a bookmark that says so. */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds?: number;
}

/** One thing that a watch says. */
export type WatchEvent<T extends ApiObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | {
    readonly type: "BOOKMARK";
    readonly resourceVersion: string;
    /** All that was there at the begin of the watch has been sent. */
    readonly isInitialEnd?: boolean;
  }
  | { readonly type: "ERROR"; readonly failure: ApiFailure };

/**
 * Reads all objects of one kind, and what becomes of them.
 *
 * Whoever implements it gives objects that are never altered afterwards.
 */
export interface ListerWatcher<T extends ApiObject> {
  /** @throws {ApiFailure} When the server refuses or cannot be reached. */
  list(options: ListOptions, signal: AbortSignal): Promise<ObjectList<T>>;
  /**
   * Opens a watch. The sequence ends when the server ends it, or the signal aborts.
   *
   * @throws {ApiFailure} When it cannot be opened, or, by the sequence, when it breaks.
   */
  watch(
    options: WatchOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<WatchEvent<T>>>;
}

/** What becomes of what belongs to an object that is deleted. */
export type Propagation = "Background" | "Foreground" | "Orphan";

/** How an object is deleted. */
export interface DeleteOptions {
  /** The object must be this one. */
  readonly uid?: string;
  /** @default "Background" */
  readonly propagation?: Propagation;
  /** @default that of the object */
  readonly gracePeriodSeconds?: number;
}

/** The wish for an object: its name may be left to the store by `generateName`. */
export interface NewObject extends KindRef {
  readonly metadata: Partial<ApiObject["metadata"]> & {
    readonly namespace: string;
  };
  readonly spec?: unknown;
}

/**
 * Writes objects. What is given back is the object as it is kept then.
 *
 * Each call throws {@linkcode ApiFailure} when it is refused or does not get through.
 */
export interface ObjectClient {
  get(ref: AccessRef, signal: AbortSignal): Promise<ApiObject>;
  create(object: NewObject, signal: AbortSignal): Promise<ApiObject>;
  /** Replaces all but the status; a `resourceVersion` that is not the newest is refused. */
  update(object: ApiObject, signal: AbortSignal): Promise<ApiObject>;
  /** Replaces the status only; a `resourceVersion` that is not the newest is refused. */
  updateStatus(object: ApiObject, signal: AbortSignal): Promise<ApiObject>;
  /** A JSON merge patch (RFC 7386) of all but the status; with `uid`, of that very object. */
  patch(
    ref: AccessRef & { readonly uid?: string },
    patch: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ApiObject>;
  delete(
    ref: AccessRef,
    options: DeleteOptions,
    signal: AbortSignal,
  ): Promise<void>;
}

/** Why an API refuses; the words of upstream's metav1.StatusReason, and two of the way there. */
export type FailureReason =
  | "BadRequest"
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "MethodNotAllowed"
  | "AlreadyExists"
  | "Conflict"
  | "Expired"
  | "Invalid"
  | "TooManyRequests"
  | "InternalError"
  | "ServiceUnavailable"
  | "Timeout"
  /** A list or watch at a version that the server does not have yet. */
  | "ResourceVersionTooLarge"
  /** What came is not what the API says: not JSON, another kind, cut. */
  | "Garbage"
  /** Nobody answers. */
  | "Unreachable";

/** A call to an API that did not do what was wanted. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  readonly reason: FailureReason;
  /** What the server wishes to be waited for. */
  readonly retryAfterMs: number | undefined;

  /** @param message says what failed, without a secret in it */
  constructor(
    reason: FailureReason,
    message: string,
    options: ErrorOptions & { readonly retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Whether something thrown is an API's refusal for one of these reasons. */
export function hasFailed(
  error: unknown,
  ...reasons: readonly FailureReason[]
): error is ApiFailure {
  return error instanceof ApiFailure && reasons.includes(error.reason);
}
