/**
 * Readers of logs, as clients are.
 *
 * @module
 */

import { readLog, type ReadLogOptions } from "../../../mod/server/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { until } from "../until.ts";

/** When every entry was written. */
export const TIME = "2024-05-06T07:08:09.123456789Z";
// One look at the file and a little more.
const PERIOD_MS = 250;

/** An entry of a log. */
export function entry(text: string): string {
  return `${TIME} stdout F ${text}\n`;
}

/** Reads in the background, as a client would. */
export class Follower implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  text: string = "";
  isDone: boolean = false;
  readonly #controller = new AbortController();
  readonly #reading: Promise<void>;

  constructor(options: Omit<ReadLogOptions, "follow" | "timestamps">) {
    this.#reading = this.#read({
      ...options,
      follow: true,
      timestamps: false,
    });
  }

  async #read(options: ReadLogOptions): Promise<void> {
    const decoder = new TextDecoder();
    const { signal } = this.#controller;
    for await (const piece of readLog(options, this, signal)) {
      this.text += decoder.decode(piece, { stream: true });
    }
    this.isDone = true;
  }

  /** Lets the follower look until `isTrue`; how long the disk takes is not the clock's. */
  async until(isTrue: () => boolean): Promise<void> {
    await until(
      async () => {
        await this.clock.advance(PERIOD_MS);
        return isTrue();
      },
      "what the log has",
      () => JSON.stringify(this.text),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
    try {
      await this.#reading;
    } catch (error) {
      if (!this.#controller.signal.aborted) throw error;
    }
  }
}

/** Reads a log to its end. */
export async function whole(
  options: Partial<ReadLogOptions> & { readonly path: string },
  deps: Partial<Parameters<typeof readLog>[1]> = {},
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  const complete = {
    follow: false,
    timestamps: false,
    isRunning: () => true,
    ...options,
  };
  const { signal } = new AbortController();
  for await (
    const piece of readLog(
      complete,
      { clock: new FakeClock(), ...deps },
      signal,
    )
  ) {
    text += decoder.decode(piece, { stream: true });
  }
  return text;
}
