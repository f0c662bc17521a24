/**
 * Many writers, one reader, and a bound on what lies between them.
 *
 * @module
 */

import { Fifo } from "./fifo.ts";
import { invariant } from "./invariant.ts";

interface WaitingPut<T> {
  readonly item: T;
  readonly settle: (accepted: boolean) => void;
}

/**
 * A bounded queue with one reader: `for await (const event of inbox)`.
 *
 * Items arrive in the order they were put; when it is full, writers wait in the
 * order they came. Leaving the loop closes nothing: what is queued waits for the
 * next reader. Disposing drops what is queued, ends the loop and answers `false`
 * to every writer.
 */
export class Inbox<T> implements Disposable, AsyncIterable<T> {
  readonly #capacity: number;
  readonly #items = new Fifo<T>();
  readonly #puts = new Fifo<WaitingPut<T>>();
  #reader: ((result: IteratorResult<T, undefined>) => void) | undefined;
  #hasReader = false;
  #closed = false;

  /** @throws {InvariantError} When `capacity` is not a whole number above zero. */
  constructor(capacity: number) {
    invariant(
      Number.isInteger(capacity) && capacity > 0,
      `Cannot make an inbox: "capacity: ${capacity}" is no whole number above 0`,
    );
    this.#capacity = capacity;
  }

  /** How many items lie ready; writers that wait are not counted. */
  get size(): number {
    return this.#items.size;
  }

  /**
   * Hands over an item, waiting for room if there is none.
   *
   * @returns Whether the item was accepted; `false` once the inbox is closed.
   */
  put(item: T): Promise<boolean> {
    if (this.offer(item)) return Promise.resolve(true);
    if (this.#closed) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#puts.push({ item, settle: resolve });
    return promise;
  }

  /**
   * Hands over an item if that is possible at once.
   *
   * @returns Whether the item was accepted; `false` when full or closed.
   */
  offer(item: T): boolean {
    if (this.#closed) return false;
    if (this.#reader !== undefined) {
      const reader = this.#reader;
      this.#reader = undefined;
      reader({ value: item, done: false });
      return true;
    }
    if (this.#items.size >= this.#capacity) return false;
    this.#items.push(item);
    return true;
  }

  /**
   * Begins to read; ends when the inbox is disposed.
   *
   * @throws {InvariantError} When there is a reader already.
   */
  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    invariant(
      !this.#hasReader,
      "An inbox has one reader, and this is a second",
    );
    this.#hasReader = true;
    let left = false;
    return {
      next: () => left ? Promise.resolve(END) : this.#next(),
      return: () => {
        if (!left) {
          left = true;
          this.#hasReader = false;
          this.#endRead();
        }
        return Promise.resolve(END);
      },
    };
  }

  /** Closes the inbox for good: drops what is queued and wakes all waiting tasks. */
  [Symbol.dispose](): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#items.clear();
    this.#endRead();
    for (let put = this.#puts.shift(); put; put = this.#puts.shift()) {
      put.settle(false);
    }
  }

  #next(): Promise<IteratorResult<T, undefined>> {
    if (this.#closed) return Promise.resolve(END);
    if (this.#items.size > 0) return Promise.resolve(this.#take());
    invariant(
      this.#reader === undefined,
      "An inbox is read one item at a time, and a read is still waiting",
    );
    const { promise, resolve } = Promise.withResolvers<
      IteratorResult<T, undefined>
    >();
    this.#reader = resolve;
    return promise;
  }

  #take(): IteratorResult<T, undefined> {
    // Sound because the caller saw that an item is there; T may hold undefined.
    const value = this.#items.shift() as T;
    const put = this.#puts.shift();
    if (put !== undefined) {
      this.#items.push(put.item);
      put.settle(true);
    }
    return { value, done: false };
  }

  #endRead(): void {
    this.#reader?.(END);
    this.#reader = undefined;
  }
}

const END: IteratorReturnResult<undefined> = { value: undefined, done: true };
