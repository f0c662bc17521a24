/**
 * What the service manager is told: that the agent is ready, how it is, and that it lives.
 *
 * @module
 */

import { type Clock, unlessAborted } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { HealthProblem } from "../server/mod.ts";

/** How often the health is looked at; only what has changed is said. */
const LOOK_PERIOD_MS = 10_000;

/** How long the last message may take. */
const LAST_SEND_MS = 500;

/** The check without which the agent does nothing any more, so that a restart may help. */
const VITAL_CHECK = "syncloop";

interface ServiceManagerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly health: { problems(): readonly HealthProblem[] };
  /** Sends a message of `KEY=value` lines; may wait for as long as it likes. */
  readonly send: (lines: readonly string[]) => Promise<void>;
}

/**
 * Speaks the protocol of sd_notify.
 *
 * A service manager that reads nothing holds up nothing: one message waits, and the next is
 * made when it has gone. One that is not there is told again at the next look.
 */
export class ServiceManager {
  readonly #deps: ServiceManagerDeps;
  readonly #watchdogMs: number;
  readonly #periodMs: number;
  #told: { readonly status: string; readonly aliveMs: number } | undefined;
  #sending: Promise<boolean> | undefined;
  /** How long stopping all pods may take, once the machine goes down. */
  #stopSeconds: number | undefined;
  #hasFailed = false;

  constructor(
    deps: ServiceManagerDeps,
    options: { readonly watchdogMs: number },
  ) {
    this.#deps = deps;
    this.#watchdogMs = options.watchdogMs;
    this.#periodMs = Math.min(LOOK_PERIOD_MS, this.#watchdogMs / 2);
  }

  /** Tells until `signal` aborts, and then that the agent stops. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    try {
      for (;;) {
        await unlessAborted(this.#look(), signal);
        await clock.sleep(this.#periodMs, signal);
      }
    } finally {
      const rest = this.#stopSeconds === undefined ? "; containers run on" : "";
      await Promise.race([
        this.#send(["STOPPING=1", `STATUS=Stopping${rest}`]),
        clock.sleep(LAST_SEND_MS, new AbortController().signal),
      ]);
    }
  }

  /** The machine goes down, and stopping all pods takes at most so long. */
  async goingDown(seconds: number): Promise<void> {
    this.#stopSeconds = seconds;
    // One that waits is made before; what does not go is said at the next look.
    await this.#sending;
    await this.#look();
  }

  /** Says what has changed since it was last said, and in time that the agent lives. */
  async #look(): Promise<void> {
    const nowMs = this.#deps.clock.monotonic();
    const problems = this.#deps.health.problems();
    const status = this.#stopSeconds === undefined
      ? statusText(problems)
      : "The machine goes down: stopping pods";
    const told = this.#told;
    const lines: string[] = [];
    let aliveMs = told?.aliveMs ?? nowMs;
    if (told === undefined) {
      lines.push("READY=1", `WATCHDOG_USEC=${this.#watchdogMs * 1_000}`);
    } // As upstream: twice within the time that the service manager waits.
    else if (
      isAlive(problems) &&
      nowMs - aliveMs > this.#watchdogMs / 2 - this.#periodMs
    ) {
      lines.push("WATCHDOG=1");
      aliveMs = nowMs;
    }
    if (status !== told?.status) {
      lines.push(...this.#extension(), `STATUS=${status}`);
    }
    if (lines.length > 0 && await this.#send(lines)) {
      this.#told = { status, aliveMs };
    }
  }

  /** The unit may have been made for shorter times. */
  #extension(): readonly string[] {
    const seconds = this.#stopSeconds;
    return seconds === undefined
      ? []
      : ["STOPPING=1", `EXTEND_TIMEOUT_USEC=${seconds * 1_000_000}`];
  }

  /** @returns whether it has gone; not while another message waits */
  async #send(lines: readonly string[]): Promise<boolean> {
    if (this.#sending !== undefined) return false;
    const sending = this.#sending = this.#sendOne(lines);
    try {
      return await sending;
    } finally {
      this.#sending = undefined;
    }
  }

  async #sendOne(lines: readonly string[]): Promise<boolean> {
    const { log } = this.#deps;
    try {
      await this.#deps.send(lines);
      this.#hasFailed = false;
      return true;
    } catch (error) {
      if (!this.#hasFailed) {
        log.warn("service_manager_not_told", { error: describeError(error) });
      }
      this.#hasFailed = true;
      return false;
    }
  }
}

function isAlive(problems: readonly HealthProblem[]): boolean {
  return !problems.some(({ check }) => check === VITAL_CHECK);
}

/** systemd drops a message of more than 4096 bytes, and with it the signs of life in it. */
const STATUS_LENGTH = 1_000;

/** One line for `systemctl status`. */
function statusText(problems: readonly HealthProblem[]): string {
  if (problems.length === 0) return "Healthy";
  return problems.map(({ check, reason }) => `${check}: ${oneLine(reason)}`)
    .join("; ").slice(0, STATUS_LENGTH).toWellFormed();
}

/** A line feed would begin another assignment. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, " ");
}
