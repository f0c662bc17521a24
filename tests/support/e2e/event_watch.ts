/**
 * `skerry get events --watch` in a process of its own, under the locked permission set.
 *
 * @module
 */

import { lockedRunFlags } from "../../../scripts/permissions.ts";
import type { AgentProcess } from "../../../scripts/lib/agent_process.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";

/** A watch that goes on; `await using` ends it. */
export class EventWatch implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #reading: Promise<unknown>;
  #output = "";
  #errors = "";

  private constructor(process: Deno.ChildProcess) {
    this.#process = process;
    this.#reading = Promise.all([
      this.#read(process.stdout, (text) => this.#output += text),
      this.#read(process.stderr, (text) => this.#errors += text),
    ]);
  }

  /** Watches the events of all pods of an agent. */
  static async start(agent: AgentProcess): Promise<EventWatch> {
    const args = ["get", "events", "-w", `--root-dir=${agent.rootDir}`];
    const main = new URL("../../../main.ts", import.meta.url).pathname;
    return new EventWatch(
      new Deno.Command(Deno.execPath(), {
        args: ["run", ...await lockedRunFlags(args), main, ...args],
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn(),
    );
  }

  /**
   * Waits until what was written matches.
   *
   * @throws {Error} when it never does
   */
  async until(wanted: RegExp): Promise<void> {
    await waitUntil(`${wanted}`, () => wanted.test(this.#output), {
      saw: () => `${this.#output}${this.#errors}`,
    });
  }

  /** Interrupts the watch, as Ctrl-C does. */
  async end(): Promise<
    { readonly code: number; readonly output: string; readonly errors: string }
  > {
    this.#process.kill("SIGINT");
    const { code } = await this.#process.status;
    await this.#reading;
    return { code, output: this.#output, errors: this.#errors };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await this.#process.status;
    await this.#reading;
  }

  async #read(
    stream: ReadableStream<Uint8Array<ArrayBuffer>>,
    take: (text: string) => void,
  ): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      take(text);
    }
  }
}
