/**
 * Hints about containers of which nobody knows the pod.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { Moved } from "../cri/events/mod.ts";
import type { ObservedPod } from "../pod/observed/mod.ts";

/** What keeping them needs. */
export interface UnknownHintsDeps {
  readonly clock: Clock;
  readonly ownerOf: (containerId: string) => string | undefined;
  /** Takes a hint whose pod has become known; returns at once. */
  readonly known: (uid: string, hint: Moved) => void;
  /** Hears that the pod of some hint stays unknown; returns at once. */
  readonly unknown: () => void;
}

interface Unknown {
  readonly hint: Moved;
  readonly sinceMs: number;
  isAskedFor: boolean;
}

/** A container without a known pod is mostly one that the agent is just starting. */
const ASK_MS = 1_000;

/** Longer than most starts take. */
const KEEP_MS = 10_000;

const CAPACITY = 500;

/** Keeps hints until a look tells whose they are; asks for one list if none does. */
export class UnknownHints implements Disposable {
  readonly #deps: UnknownHintsDeps;
  readonly #hints = new Map<string, Unknown>();
  #timer: Disposable | undefined;

  constructor(deps: UnknownHintsDeps) {
    this.#deps = deps;
  }

  /** Keeps a hint, one a container; the oldest gives way when there are too many. */
  add(hint: Moved): void {
    const { containerId, what } = hint;
    // Of what is gone there is nothing to find.
    if (what === "deleted" || what === "oom") return;
    const known = this.#hints.get(containerId);
    // Hints may be out of order; that it ended is the one that matters.
    if (known === undefined || what === "stopped") {
      const sinceMs = this.#deps.clock.monotonic();
      this.#hints.set(containerId, {
        sinceMs,
        isAskedFor: false,
        ...known,
        hint,
      });
    }
    const [oldest] = this.#hints.keys();
    if (this.#hints.size > CAPACITY && oldest !== undefined) {
      this.#hints.delete(oldest);
    }
    this.#await();
  }

  /** Hands out the hints about a pod that somebody has looked at. */
  seen(pod: ObservedPod): void {
    if (this.#hints.size === 0) return;
    for (const { id } of [...pod.containers, ...pod.sandboxes]) {
      const unknown = this.#hints.get(id);
      if (unknown === undefined) continue;
      this.#hints.delete(id);
      this.#deps.known(pod.uid, unknown.hint);
    }
  }

  /** Drops them all. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#hints.clear();
  }

  #await(): void {
    this.#timer ??= this.#deps.clock.after(ASK_MS, () => {
      this.#timer = undefined;
      this.#review();
    });
  }

  #review(): void {
    const nowMs = this.#deps.clock.monotonic();
    let mustAsk = false;
    for (const [id, unknown] of this.#hints) {
      const uid = this.#deps.ownerOf(id);
      if (uid !== undefined || unknown.sinceMs + KEEP_MS <= nowMs) {
        this.#hints.delete(id);
      }
      if (uid !== undefined) this.#deps.known(uid, unknown.hint);
      else if (!unknown.isAskedFor) mustAsk = unknown.isAskedFor = true;
    }
    if (mustAsk) this.#deps.unknown();
    if (this.#hints.size > 0) this.#await();
  }
}
