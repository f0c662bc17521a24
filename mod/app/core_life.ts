/**
 * Keeping a core running, and ending it.
 *
 * @module
 */

import { nextDelay } from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { Agent } from "../agent/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { AgentViews } from "../views/mod.ts";
import { buildCore } from "./core.ts";
import type { CoreDeps } from "./core_deps.ts";

/** Between two attempts to run after a fault of our own. */
const RESTART_PAUSE = { baseMs: 1_000, maxMs: 30_000 };

/** A core that ran this long was not broken from the start. */
const HEALTHY_RUN_MS = 60_000;

/** The agent of the core that runs, as long as it does. */
export interface LivingAgent {
  readonly agent: Pick<Agent, "shutDown">;
  /** Aborts when it does not run any more. */
  readonly signal: AbortSignal;
}

interface CoreLifeOptions {
  readonly config: AgentConfig;
  readonly views: Pick<AgentViews, "show">;
  /** What is to be done with the agent between the request to stop and its end. */
  readonly beforeEnd: (living: LivingAgent) => Promise<void>;
}

/**
 * Runs the core, again and again if it must be: the agent does not end because of a
 * fault of its own (I5). All it knows is on the disk and in the runtime, so a new
 * core goes on where the old one failed.
 */
export class CoreLife {
  readonly #deps: CoreDeps;
  readonly #options: CoreLifeOptions;
  #living: LivingAgent | undefined;
  #isStopping = false;

  constructor(deps: CoreDeps, options: CoreLifeOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** The signal for {@linkcode run}: it aborts after `stop`, when all is done before the end. */
  endAfter(stop: AbortSignal): AbortSignal {
    const end = new AbortController();
    const finish = async (): Promise<void> => {
      this.#isStopping = true;
      try {
        const living = this.#living;
        if (living !== undefined) await this.#options.beforeEnd(living);
      } catch (error) {
        this.#deps.log.error("end_not_prepared", { error });
      } finally {
        end.abort(stop.reason);
      }
    };
    // It never fails, and ends with what it aborts.
    stop.addEventListener("abort", () => void finish(), { once: true });
    if (stop.aborted) void finish();
    return end.signal;
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    let pauseMs: number | undefined;
    while (!signal.aborted && !this.#isStopping) {
      const startMs = clock.monotonic();
      try {
        await this.#runOne(signal);
      } catch (error) {
        if (signal.aborted) return;
        // One that worked for a while failed for another reason than the last.
        const worked = clock.monotonic() - startMs > HEALTHY_RUN_MS;
        pauseMs = nextDelay(worked ? undefined : pauseMs, RESTART_PAUSE);
        log.error("core_failed", {
          error: describeError(error),
          stack: error instanceof Error ? error.stack : undefined,
          againMs: pauseMs,
        });
        await clock.sleep(pauseMs, signal).catch(() => {});
      }
    }
  }

  async #runOne(signal: AbortSignal): Promise<void> {
    const { config, views } = this.#options;
    const core = await buildCore(config, this.#deps);
    const running = new AbortController();
    this.#living = { agent: core.agent, signal: running.signal };
    views.show(core);
    try {
      await core.agent.run(signal);
    } finally {
      this.#living = undefined;
      running.abort(new DOMException("The agent has ended", "AbortError"));
    }
  }
}
