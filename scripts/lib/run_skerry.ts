/**
 * Runs skerry commands under the locked permission set.
 *
 * @module
 */

import { lockedRunFlags } from "../permissions.ts";
import { waitUntil } from "./wait_until.ts";

/** How a command ended and what it printed. */
export interface SkerryResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `skerry ARGS…` from source. */
export async function runSkerry(
  args: readonly string[],
): Promise<SkerryResult> {
  const command = await commandOf(args);
  const { code, stdout, stderr } = await command.output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

async function commandOf(args: readonly string[]): Promise<Deno.Command> {
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      ...await lockedRunFlags(args),
      new URL("../../main.ts", import.meta.url).pathname,
      ...args,
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** A command that goes on; `await using` ends it. */
export class RunningSkerry implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = "";

  private constructor(process: Deno.ChildProcess) {
    this.#process = process;
    this.#ended = Promise.all([
      this.#read(process.stdout),
      this.#read(process.stderr),
    ]);
  }

  /** Starts `skerry ARGS…` from source. */
  static async start(args: readonly string[]): Promise<RunningSkerry> {
    return new RunningSkerry((await commandOf(args)).spawn());
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const text = new TextDecoder();
    for await (const piece of stream) {
      this.#output += text.decode(piece, { stream: true });
    }
  }

  /** Waits until it has printed a text. @throws {Error} When it does not */
  async until(expected: RegExp): Promise<void> {
    const saw = () => this.#output;
    await waitUntil(`${expected}`, () => expected.test(saw()), { saw });
  }

  /** Stops it as Ctrl-C does; resolves to its exit code. */
  async stop(): Promise<number> {
    this.#process.kill("SIGINT");
    await this.#ended;
    return (await this.#process.status).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await this.#ended;
    await this.#process.status;
  }
}
