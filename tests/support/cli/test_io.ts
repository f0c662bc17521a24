/**
 * Commands in the process of the test.
 *
 * @module
 */

import { unlessAborted } from "../../../mod/base/mod.ts";
import { type CliIo, main } from "../../../mod/cli/mod.ts";
import { FakeClock } from "../fake_clock.ts";

/** A process whose output stays in its hands. */
export class TestIo implements CliIo {
  readonly clock: FakeClock = new FakeClock();
  readonly stopping: AbortController = new AbortController();
  output = "";
  errors = "";
  stdin = "";
  /** What happens after each write, of output and of errors. */
  written: () => void = () => {};

  cwd(): string {
    return "/";
  }
  hostname(): string {
    return "n1";
  }
  readTextFile(path: string): Promise<string> {
    return Deno.readTextFile(path);
  }
  out(data: string | Uint8Array): Promise<void> {
    this.output += typeof data === "string"
      ? data
      : new TextDecoder().decode(data);
    this.written();
    return Promise.resolve();
  }
  err(line: string): Promise<void> {
    this.errors += `${line}\n`;
    this.written();
    return Promise.resolve();
  }
  readStdin(): Promise<Uint8Array> {
    return Promise.resolve(new TextEncoder().encode(this.stdin));
  }
  stopRequests(): { readonly signal: AbortSignal } & Disposable {
    return { signal: this.stopping.signal, [Symbol.dispose]: () => {} };
  }
  reloadRequests(): ReturnType<CliIo["reloadRequests"]> {
    const never = new Promise<never>(() => {});
    return {
      next: (signal) => unlessAborted(never, signal),
      [Symbol.dispose]: () => {},
    };
  }
}

/** What a command came to. */
export interface CommandOutcome {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Carries out a command line; words are parted by single blanks. */
export async function run(
  line: string,
  io: TestIo = new TestIo(),
): Promise<CommandOutcome> {
  const code = await main(line.split(" "), io);
  return { code, output: io.output, errors: io.errors };
}
