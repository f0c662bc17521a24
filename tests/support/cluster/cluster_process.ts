/**
 * One part of a cluster in a process of its own.
 *
 * @module
 */

import { waitUntil } from "../../../scripts/lib/wait_until.ts";

const END_LIMIT_MS = 15_000;

/** What a part is started with. */
export interface PartOptions {
  /** The program that has all the parts. */
  readonly program: string;
  /** As `kube-apiserver`. */
  readonly part: string;
  readonly args: readonly string[];
  /** Where what it says goes. */
  readonly logPath: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A part of a cluster that runs; `await using` ends it. */
export class ClusterProcess implements AsyncDisposable {
  readonly #options: PartOptions;
  readonly #child: Deno.ChildProcess;
  #isOver = false;

  /** Starts the process. */
  constructor(options: PartOptions) {
    this.#options = options;
    // Through a shell only for the redirection: Deno cannot give a child a file.
    this.#child = new Deno.Command("/bin/sh", {
      args: [
        "-c",
        `log=$1; shift; exec "$0" "$@" >>"$log" 2>&1`,
        ...[options.program, options.logPath, options.part, ...options.args],
      ],
      // Its input ends with this process, and it with that.
      env: { ...options.env, CLUSTER_ENDS_WITH_STDIN: "1" },
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    this.#child.status.then(() => this.#isOver = true);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Waits until it is ready. @throws {Error} with the end of its log, when it ends before */
  async untilReady(look: () => Promise<boolean>): Promise<void> {
    const { part } = this.#options;
    await waitUntil(`an answer of ${part}`, async () => {
      if (this.#isOver) {
        throw new Error(`Cannot start ${part}: it said ${await this.#said()}`);
      }
      return await look();
    }, { saw: () => this.#said() });
  }

  /** Ends it, by SIGKILL if a SIGTERM does not. */
  async end(signal: Deno.Signal = "SIGTERM"): Promise<void> {
    if (!this.#isOver) this.#child.kill(signal);
    const limit = setTimeout(() => this.#child.kill("SIGKILL"), END_LIMIT_MS);
    await this.#child.status;
    clearTimeout(limit);
    await this.#child.stdin.close().catch(() => {
      // Whoever read it is gone.
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  async #said(): Promise<string> {
    return (await Deno.readTextFile(this.#options.logPath)).slice(-2_000);
  }
}
