/**
 * Lists and watches of one kind.
 *
 * @module
 */

import {
  ApiFailure,
  type ListerWatcher,
  type ListOptions,
  type ObjectList,
  selectionFilter,
  type WatchEvent,
  type WatchOptions,
} from "../api/access/mod.ts";
import type { ApiObject } from "../api/workload/mod.ts";
import { type Clock, isRecord } from "../base/mod.ts";
import type { KindFacts } from "./kept_kinds.ts";
import { objectKey } from "./kept_kinds.ts";
import type { ObjectState } from "./object_state.ts";
import { withMeta } from "./parts.ts";
import type {
  ObjectEvent,
  WatchCursor,
  WatchHistory,
} from "./watch_history.ts";

type Filter = ((object: ApiObject) => boolean) | undefined;

/** Reads what an {@linkcode ObjectState} has of a kind, as an API server would let it. */
export class KindReader<T extends ApiObject> implements ListerWatcher<T> {
  readonly #facts: KindFacts;
  readonly #isOfKind: (object: ApiObject) => object is T;
  readonly #deps: { readonly state: ObjectState; readonly clock: Clock };

  /** @param isOfKind what an object of the kind is; all that is kept under its name are */
  constructor(
    facts: KindFacts,
    isOfKind: (object: ApiObject) => object is T,
    deps: { readonly state: ObjectState; readonly clock: Clock },
  ) {
    this.#facts = facts;
    this.#isOfKind = isOfKind;
    this.#deps = deps;
  }

  /**
   * All objects that are meant, ordered by namespace and name. The pages of one list have
   * the version of the first: a watch from there on tells what changed between them.
   */
  // deno-lint-ignore require-await -- what is thrown must reject
  async list(
    options: ListOptions,
    signal: AbortSignal,
  ): Promise<ObjectList<T>> {
    signal.throwIfAborted();
    const { state } = this.#deps;
    state.checkReady();
    const { kind } = this.#facts;
    const filter = selectionFilter(kind, options);
    const from = options.continue === undefined
      ? undefined
      : openToken(options.continue);
    this.#checkReached(options.resourceVersion);
    if (from !== undefined && !state.history(kind).reachesTo(from.revision)) {
      throw expired(from.revision);
    }
    const revision = from?.revision ?? state.revision;
    const { items, last } = this.#page(filter, {
      after: from && objectKey({ kind, ...from }),
      limit: options.limit,
    });
    return {
      items,
      resourceVersion: `${revision}`,
      ...(last && { continue: sealToken(revision, last) }),
    };
  }

  /** @returns `last` when there are more: the last object of the page */
  #page(filter: Filter, { after, limit = 0 }: {
    readonly after: string | undefined;
    readonly limit: number | undefined;
  }): { readonly items: readonly T[]; readonly last?: T } {
    const { table } = this.#deps.state;
    const items: T[] = [];
    for (const key of table.keys(this.#facts.kind)) {
      if (after !== undefined && key <= after) continue;
      const object = table.byKey(key)?.object;
      if (object === undefined || !this.#isOfKind(object)) continue;
      if (filter?.(object) === false) continue;
      const last = items.at(-1);
      if (limit > 0 && items.length === limit && last !== undefined) {
        return { items, last };
      }
      items.push(object);
    }
    return { items };
  }

  /** Opens a watch; where no version is given it begins with all that is there. */
  // deno-lint-ignore require-await -- what is thrown must reject
  async watch(
    options: WatchOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<WatchEvent<T>>> {
    signal.throwIfAborted();
    const { state } = this.#deps;
    state.checkReady();
    const { kind } = this.#facts;
    const filter = selectionFilter(kind, options);
    const wanted = this.#checkReached(options.resourceVersion);
    const history = state.history(kind);
    const isFromNow = options.sendInitialEvents ?? wanted === 0;
    const revision = isFromNow ? state.revision : wanted;
    const cursor = history.open(revision);
    if (cursor === undefined) throw expired(wanted);
    // A watch that nobody reads ends with its signal.
    const close = (): void => {
      history.close(cursor);
      signal.removeEventListener("abort", close);
    };
    signal.addEventListener("abort", close);
    const first = isFromNow ? this.#page(filter, ALL).items : [];
    const { clock } = this.#deps;
    const { timeoutSeconds = Infinity } = options;
    const untilMs = clock.monotonic() + timeoutSeconds * 1000;
    const reading = { history, cursor, close, untilMs };
    return this.#events({ ...reading, filter, first, options, signal });
  }

  async *#events(watch: {
    readonly history: WatchHistory;
    readonly cursor: WatchCursor;
    readonly close: () => void;
    readonly untilMs: number;
    readonly filter: Filter;
    readonly first: readonly T[];
    readonly options: WatchOptions;
    readonly signal: AbortSignal;
  }): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const { history, cursor, filter, options, untilMs, signal } = watch;
    const { clock, state } = this.#deps;
    const { sendInitialEvents } = options;
    try {
      for (const object of watch.first) yield { type: "ADDED", object };
      if (sendInitialEvents === true) {
        yield { ...bookmark(cursor.after), isInitialEnd: true };
      }
      let toldUntil = cursor.after;
      let skipped = 0;
      while (!signal.aborted && clock.monotonic() < untilMs) {
        const event = history.take(cursor);
        if (event === "lost") {
          yield { type: "ERROR", failure: expired(toldUntil) };
          return;
        }
        if (event === "none") {
          await history.bell.wait(signal, { clock, untilMs });
          continue;
        }
        const told = this.#toldOf(event, filter);
        skipped = told === undefined ? skipped + 1 : 0;
        if (told !== undefined) yield told;
        else if (skipped % SKIPPED === 0 && options.allowWatchBookmarks) {
          yield bookmark(event.revision);
        } else continue;
        toldUntil = event.revision;
      }
      const isThrough = !signal.aborted && history.take(cursor) === "none";
      const end = state.toldRevision;
      if (options.allowWatchBookmarks && isThrough && end > toldUntil) {
        yield bookmark(end);
      }
    } finally {
      watch.close();
    }
  }

  /** What an event means for who has asked for some objects only. */
  #toldOf(event: ObjectEvent, filter: Filter): WatchEvent<T> | undefined {
    const { object, before, revision } = event;
    if (!this.#isOfKind(object)) return undefined;
    if (filter === undefined) return { type: event.type, object };
    const isMeant = event.type !== "DELETED" && filter(object);
    const wasMeant = before !== undefined && filter(before);
    if (isMeant) return { type: wasMeant ? "MODIFIED" : "ADDED", object };
    if (!wasMeant) return undefined;
    // As it was when it was meant, with the version of now.
    const last = withMeta(before, { resourceVersion: `${revision}` });
    return this.#isOfKind(last) ? { type: "DELETED", object: last } : undefined;
  }

  /** @returns 0 when any version will do */
  #checkReached(version: string | undefined): number {
    if (version === undefined || version === "") return 0;
    const revision = Number(version);
    if (!/^\d{1,15}$/.test(version)) {
      throw new ApiFailure(
        "BadRequest",
        `Cannot read ${this.#facts.kind} objects at version "${version}": wanted a number`,
      );
    }
    const { revision: newest } = this.#deps.state;
    if (revision <= newest) return revision;
    throw new ApiFailure(
      "ResourceVersionTooLarge",
      `Cannot read ${this.#facts.kind} objects at version ${version}: ` +
        `the newest is ${newest}`,
    );
  }
}

const ALL = { after: undefined, limit: undefined };

// A watcher that none of so many events were for is told how far it has come, so that it
// need not read everything again when its watch ends.
const SKIPPED = 100;

function bookmark(
  revision: number,
): { readonly type: "BOOKMARK"; readonly resourceVersion: string } {
  return { type: "BOOKMARK", resourceVersion: `${revision}` };
}

function expired(revision: number): ApiFailure {
  return new ApiFailure(
    "Expired",
    `Cannot tell what changed since version ${revision}: that is too long ago`,
  );
}

interface Token {
  readonly revision: number;
  readonly namespace: string;
  readonly name: string;
}

function sealToken(revision: number, { metadata }: ApiObject): string {
  const { namespace, name } = metadata;
  const text = JSON.stringify({ revision, namespace, name });
  return new TextEncoder().encode(text).toBase64({ alphabet: "base64url" });
}

function openToken(token: string): Token {
  try {
    const bytes = Uint8Array.fromBase64(token, { alphabet: "base64url" });
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (isRecord(value)) {
      const { revision, namespace, name } = value;
      if (
        typeof revision === "number" && typeof namespace === "string" &&
        typeof name === "string"
      ) {
        return { revision, namespace, name };
      }
    }
  } catch {
    // What cannot be read is as wrong as what says something else.
  }
  throw new ApiFailure(
    "BadRequest",
    "Cannot go on with the list: the token is none that was given out",
  );
}
