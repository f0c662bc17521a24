/**
 * Keeping sets that change more often than a disk is to be written.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { Clock } from "../../base/mod.ts";
import type { SourceContent } from "../merge/mod.ts";
import type { CheckpointFailure, Kept, SetCheckpoint } from "../mod.ts";

/** How long the same pods are kept as they were, when something of them changes again. */
const LEAST_MS = 10_000;

/**
 * Keeps a set at once that has other pods than before, or of which one is to end or has
 * ended: those must neither be missing after a reboot nor run again. What only says another
 * thing of the same pods, and of what they refer to, is kept no more often than every ten
 * seconds: a ConfigMap by which others elect their leader would wear out the disk.
 */
export class PacedCheckpoint implements SetCheckpoint {
  readonly #inner: SetCheckpoint;
  readonly #clock: Clock;
  #members: string | undefined;
  #savedMs = -Infinity;
  #waiting: SourceContent | undefined;
  #timer: Disposable | undefined;

  constructor(inner: SetCheckpoint, { clock }: { readonly clock: Clock }) {
    this.#inner = inner;
    this.#clock = clock;
  }

  async load(): Promise<Kept<SourceContent>> {
    this.#saveWaiting();
    return await this.#inner.load();
  }

  save(content: SourceContent): void {
    const members = membersOf(content);
    const waitMs = this.#savedMs + LEAST_MS - this.#clock.monotonic();
    const isOther = members !== this.#members;
    this.#members = members;
    this.#waiting = content;
    if (isOther || waitMs <= 0) return this.#saveWaiting();
    this.#timer ??= this.#clock.after(waitMs, () => this.#saveWaiting());
  }

  failure(): CheckpointFailure | undefined {
    return this.#inner.failure();
  }

  async run(signal: AbortSignal): Promise<void> {
    // Before that which writes hears of it, so that it is among the last writes.
    const last = (): void => this.#saveWaiting();
    signal.addEventListener("abort", last, { once: true });
    try {
      await this.#inner.run(signal);
    } finally {
      signal.removeEventListener("abort", last);
      this.#timer?.[Symbol.dispose]();
    }
  }

  #saveWaiting(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const content = this.#waiting;
    if (content === undefined) return;
    this.#waiting = undefined;
    this.#savedMs = this.#clock.monotonic();
    this.#inner.save(content);
  }
}

/** Which pods there are, and how far each is. */
function membersOf({ pods }: SourceContent): string {
  return JSON.stringify(pods.map(memberOf));
}

function memberOf({ metadata, status }: Pod): readonly unknown[] {
  const { uid, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  return [uid, deletionTimestamp, deletionGracePeriodSeconds, status?.phase];
}
