/**
 * A small API server for one kind of objects, without a wire.
 *
 * @module
 */

import {
  ApiFailure,
  type ListerWatcher,
  type ListOptions,
  type ObjectList,
  type WatchEvent,
  type WatchOptions,
} from "../../../mod/api/access/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import { keyInStore } from "../../../mod/informer/store/mod.ts";

/** An object for tests. */
export interface Item extends ApiObject {
  readonly data: number;
}

/** The kind of {@linkcode Item}. */
export const ITEM_KIND = { apiVersion: "v1", kind: "Item" };

/** Makes an item; the uid is the name's unless one is given. */
export function item(
  name: string,
  { namespace = "shop", uid = `uid-${name}`, data = 0, labels = {} }: {
    readonly namespace?: string;
    readonly uid?: string;
    readonly data?: number;
    readonly labels?: Readonly<Record<string, string>>;
  } = {},
): Item {
  const metadata = { namespace, name, uid, labels };
  return { ...ITEM_KIND, metadata, data };
}

/** How a server behaves. */
export interface ObjectServerOptions {
  /** @default 1000 */
  readonly firstVersion?: number;
  /** Whether watches may begin with what there is. @default true */
  readonly streams?: boolean;
}

interface Past<T extends ApiObject> {
  readonly version: number;
  readonly event: WatchEvent<T>;
}

/**
 * Keeps objects and their history, and answers lists and watches as an API server does:
 * with pages, bookmarks, 410 for what is too old and the refusal of what is too new.
 */
export class ObjectServer<T extends ApiObject> implements ListerWatcher<T> {
  readonly #options: ObjectServerOptions;
  readonly #objects = new Map<string, T>();
  #history: Past<T>[] = [];
  #version: number;
  /** What came up to here is forgotten. */
  #forgotten: number;
  readonly #watches = new Set<LiveWatch<T>>();
  readonly #pages = new Map<string, { left: readonly T[]; version: number }>();
  #tokens = 0;
  /** What was asked, in order. */
  readonly calls: string[] = [];

  constructor(options: ObjectServerOptions = {}) {
    this.#options = options;
    this.#version = options.firstVersion ?? 1000;
    this.#forgotten = this.#version - 1;
  }

  get version(): string {
    return `${this.#version}`;
  }

  /** How many watches are open. */
  get watches(): number {
    return this.#watches.size;
  }

  /** What there is, by key. */
  get objects(): ReadonlyMap<string, T> {
    return this.#objects;
  }

  /** Makes or changes an object; gives it as it is kept. */
  put(object: T): T {
    const key = keyInStore(object);
    const isNew = !this.#objects.has(key);
    const resourceVersion = `${++this.#version}`;
    const metadata = { ...object.metadata, resourceVersion };
    const kept: T = { ...object, metadata };
    this.#objects.set(key, kept);
    this.#publish({ type: isNew ? "ADDED" : "MODIFIED", object: kept });
    return kept;
  }

  /** Removes the object of a key, if there is one. */
  remove(key: string): void {
    const object = this.#objects.get(key);
    if (object === undefined) return;
    this.#objects.delete(key);
    const resourceVersion = `${++this.#version}`;
    const metadata = { ...object.metadata, resourceVersion };
    this.#publish({ type: "DELETED", object: { ...object, metadata } });
  }

  /** Tells all watches how far they are. */
  bookmark(): void {
    const resourceVersion = this.version;
    for (const watch of this.#watches) {
      watch.say({ type: "BOOKMARK", resourceVersion });
    }
  }

  /** Forgets what has happened up to now; tokens of pages are void. */
  compact(): void {
    this.#forgotten = this.#version;
    this.#history = [];
    this.#pages.clear();
  }

  /** Ends all watches, as a server does that is stopped. */
  endWatches(): void {
    for (const watch of this.#watches) watch.end();
  }

  /** Says something to all watches that has not happened. */
  say(event: WatchEvent<T>): void {
    for (const watch of this.#watches) watch.say(event);
  }

  list(options: ListOptions, signal: AbortSignal): Promise<ObjectList<T>> {
    this.calls.push(`list ${describe(options)}`.trim());
    if (signal.aborted) return Promise.reject(signal.reason);
    try {
      return Promise.resolve(this.#answer(options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  watch(
    options: WatchOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<WatchEvent<T>>> {
    this.calls.push(`watch ${describe(options)}`.trim());
    if (signal.aborted) return Promise.reject(signal.reason);
    const { resourceVersion = "", sendInitialEvents = false } = options;
    if (sendInitialEvents && this.#options.streams === false) {
      return Promise.reject(
        new ApiFailure("Invalid", "sendInitialEvents is forbidden"),
      );
    }
    const from = Number(resourceVersion);
    if (from > this.#version) return Promise.reject(tooLarge());
    const watch = new LiveWatch<T>(signal, () => this.#watches.delete(watch));
    if (sendInitialEvents) {
      for (const object of this.#objects.values()) {
        watch.say({ type: "ADDED", object });
      }
      watch.say({
        type: "BOOKMARK",
        resourceVersion: this.version,
        isInitialEnd: true,
      });
    } else if (from < this.#forgotten) {
      return Promise.reject(new ApiFailure("Expired", "too old"));
    } else {
      for (const { version, event } of this.#history) {
        if (version > from) watch.say(event);
      }
    }
    this.#watches.add(watch);
    return Promise.resolve(watch);
  }

  #answer(options: ListOptions): ObjectList<T> {
    const { resourceVersion = "", limit, continue: token } = options;
    if (token !== undefined) {
      const page = this.#pages.get(token);
      if (page === undefined) throw new ApiFailure("Expired", "no such page");
      return this.#page(page.left, page.version, limit);
    }
    if (Number(resourceVersion) > this.#version) throw tooLarge();
    return this.#page([...this.#objects.values()], this.#version, limit);
  }

  #page(
    objects: readonly T[],
    version: number,
    limit: number = Infinity,
  ): ObjectList<T> {
    const items = objects.slice(0, limit);
    const left = objects.slice(limit);
    const resourceVersion = `${version}`;
    if (left.length === 0) return { items, resourceVersion };
    const token = `page-${++this.#tokens}`;
    this.#pages.set(token, { left, version });
    return { items, resourceVersion, continue: token };
  }

  #publish(event: WatchEvent<T>): void {
    this.#history.push({ version: this.#version, event });
    for (const watch of this.#watches) watch.say(event);
  }
}

/** One open watch. */
class LiveWatch<T extends ApiObject> implements AsyncIterable<WatchEvent<T>> {
  readonly #events: WatchEvent<T>[] = [];
  readonly #whenOver: () => void;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal, whenOver: () => void) {
    this.#whenOver = whenOver;
    signal.addEventListener("abort", () => this.end(), { once: true });
  }

  say(event: WatchEvent<T>): void {
    this.#events.push(event);
    this.#wake?.();
  }

  end(): void {
    this.#isOver = true;
    this.#whenOver();
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent<T>> {
    try {
      for (;;) {
        const event = this.#events.shift();
        if (event !== undefined) yield event;
        else if (this.#isOver) return;
        else {
          await new Promise<void>((resolve) => this.#wake = resolve);
          this.#wake = undefined;
        }
      }
    } finally {
      this.#whenOver();
    }
  }
}

function tooLarge(): ApiFailure {
  return new ApiFailure("ResourceVersionTooLarge", "too large");
}

/** As the query of a request; how long a watch lasts is left to chance, and so left out. */
function describe(
  { timeoutSeconds: _, ...options }: ListOptions & WatchOptions,
): string {
  return Object.entries(options).map(([name, value]) => `${name}=${value}`)
    .join("&");
}
