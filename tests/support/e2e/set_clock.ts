/**
 * A wall clock of an agent's own, which is set while the agent runs.
 *
 * No namespace has a wall clock: a module that comes before the agent's own shows another
 * time than the machine's. Timers and the monotonic clock go on as they are, as on a machine
 * whose clock is set. The runtime and the disk know nothing of it, so a test should end
 * with the machine's time: then all that they say is true.
 *
 * @module
 */

import type { AgentProcess } from "../../../scripts/lib/agent_process.ts";
import { untilLogged } from "./inside.ts";

/** The clock that agents show which are started with its flags. */
export class SetClock implements AsyncDisposable {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** A clock that is ahead by so much. */
  static async ahead(aheadMs: number): Promise<SetClock> {
    const directory = await Deno.makeTempDir({ prefix: "skerry-clock-" });
    const clock = new SetClock(directory);
    await Deno.writeTextFile(clock.#module, moduleOf(aheadMs));
    return clock;
  }

  get #module(): string {
    return `${this.#directory}/clock.js`;
  }

  /** Flags of `deno run`. */
  get flags(): readonly string[] {
    return [`--preload=${this.#module}`];
  }

  /** Sets it right, for a running agent and for those that are started later. */
  async setRight(agent: AgentProcess): Promise<void> {
    await Deno.writeTextFile(this.#module, moduleOf(0));
    Deno.kill(agent.pid, SIGNAL);
    await untilLogged(agent, new RegExp(`^${SET}$`, "m"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#directory, { recursive: true });
  }
}

/** An agent has no other use for it. */
const SIGNAL = "SIGUSR2";

const SET = "the clock is set";

/** Shows a time that is so far ahead, until the signal comes. */
function moduleOf(aheadMs: number): string {
  return `
let aheadMs = ${aheadMs};
const { now } = Date;
Date.now = () => now() + aheadMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, made) =>
    Reflect.construct(target, args.length > 0 ? args : [Date.now()], made),
});
Deno.addSignalListener("${SIGNAL}", () => {
  aheadMs = 0;
  console.error("${SET}");
});
`;
}
