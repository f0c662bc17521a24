/**
 * What an earlier agent kept of the pods of an API server, as far as the disk gives it.
 *
 * @module
 */

import { type Clock, nextDelay } from "../../base/mod.ts";
import type { SourceContent } from "../merge/mod.ts";
import { NO_CONTENT, type SetCheckpoint } from "../mod.ts";
import type { SecretLack } from "../records/mod.ts";

/** Between attempts to read the checkpoint. */
const RECALL = { baseMs: 1_000, maxMs: 60_000 };

/** Reads a checkpoint until it is whole: a disk may be slow, and a key come late. */
export class Recall {
  readonly #checkpoint: Pick<SetCheckpoint, "load">;
  readonly #clock: Clock;
  #content: SourceContent | undefined;
  #lack: SecretLack | undefined;
  #isOver = false;

  constructor(
    { checkpoint, clock }: {
      readonly checkpoint: Pick<SetCheckpoint, "load">;
      readonly clock: Clock;
    },
  ) {
    this.#checkpoint = checkpoint;
    this.#clock = clock;
  }

  /** What was kept; `undefined` until it was looked at, and nothing while it is not known. */
  get content(): SourceContent | undefined {
    return this.#content;
  }

  /** Why Secrets are missing from that. */
  get lack(): SecretLack | undefined {
    return this.#lack;
  }

  /** It counts no more: the server itself has spoken. */
  end(): void {
    this.#isOver = true;
    this.#content = NO_CONTENT;
    this.#lack = undefined;
  }

  /** Reads until all is there; calls `told` after each attempt. */
  async run(told: () => void, signal: AbortSignal): Promise<void> {
    let delayMs: number | undefined;
    while (!signal.aborted && !this.#isOver) {
      const kept = await this.#checkpoint.load();
      if (this.#isOver) return;
      const isUnknown = kept.kind === "unknown";
      const { content = NO_CONTENT, lack } = kept.kind === "present"
        ? kept
        : {};
      // What cannot be read holds up no pod, and what was read once stays.
      if (!isUnknown || this.#content === undefined) {
        this.#content = content;
        this.#lack = lack;
      }
      told();
      if (!isUnknown && lack?.isLasting !== false) return;
      delayMs = nextDelay(delayMs, RECALL);
      await this.#clock.sleep(delayMs, signal).catch(() => {});
    }
  }
}
