/**
 * A line that is joined at one end and left at the other, both at once.
 *
 * @module
 */

// Below this, moving the items up costs more than the memory it frees.
const COMPACT_FROM = 64;

/** A queue whose `shift` stays cheap however long it grows. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  /** How many items wait. */
  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Puts an item last. */
  push(item: T): void {
    this.#items.push(item);
  }

  /** Takes the first item; `undefined` when there is none. */
  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    // Lets the item be collected before the next compaction.
    this.#items[this.#head] = undefined;
    this.#head++;
    if (this.#head >= COMPACT_FROM && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Forgets every item. */
  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}
