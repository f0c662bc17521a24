/**
 * A process that exchanges a directory for a link and back, as a container does that
 * wants to lead the agent or the runtime astray.
 *
 * @module
 */

/**
 * Exchanges the directory `a` for the link `.link` beside it and back, as fast as it
 * can, until it is killed; puts right what others put into its way.
 */
const SWAPPER = `
const [root] = Deno.args;
const at = (name) => root + "/" + name;
const move = (from, to) => {
  try {
    Deno.renameSync(at(from), at(to));
  } catch {
    try {
      if (!Deno.lstatSync(at(to)).isSymlink) {
        Deno.removeSync(at(to), { recursive: true });
      }
      Deno.renameSync(at(from), at(to));
    } catch {
      // Nothing to move, or nothing in the way: the next turn.
    }
  }
};
Deno.stdout.writeSync(new Uint8Array([1]));
for (let turn = 0; turn < 5_000_000; turn++) {
  move("a", ".dir");
  move(".link", "a");
  move("a", ".link");
  move(".dir", "a");
}
`;

/** The process; `await using` ends it. */
export class Swapper implements AsyncDisposable {
  readonly #script: string;
  readonly #process: Deno.ChildProcess;

  private constructor(script: string, process: Deno.ChildProcess) {
    this.#script = script;
    this.#process = process;
  }

  /** Starts it in a directory that holds `a` and `.link`; resolves when it is at work. */
  static async start(directory: string): Promise<Swapper> {
    const script = await Deno.makeTempFile({ suffix: ".js" });
    await Deno.writeTextFile(script, SWAPPER);
    const process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", script, directory],
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const reader = process.stdout.getReader();
    await reader.read();
    await reader.cancel();
    return new Swapper(script, process);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
    await Deno.remove(this.#script);
  }
}
