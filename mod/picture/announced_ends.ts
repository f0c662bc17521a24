/**
 * The ends of containers and sandboxes that are known before the runtime shows them.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import {
  type CallOptions,
  type Container,
  type ContainerFilter,
  type RuntimeService,
  type Sandbox,
  type SandboxFilter,
  type SandboxStatus,
  unlessGone,
} from "../cri/model/mod.ts";
import type { ContainerEvent, ContainerExit } from "../cri/events/mod.ts";
import type {
  ListService,
  LookService,
  ReportedStatus,
} from "../runtime/observe/mod.ts";

interface AnnouncedEndsDeps {
  readonly runtime:
    & ListService
    & Pick<RuntimeService, "containerStatus" | "podSandboxStatus">;
  /** How a container or sandbox ended; `undefined` while its end is not known. */
  readonly ask: (
    id: string,
    options: CallOptions,
  ) => Promise<ContainerExit | undefined>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What events have said of one container or sandbox. */
interface Announced {
  /** How it ended; `undefined` as long as no event says so. */
  readonly exit: ContainerExit | undefined;
  /** The kernel has killed something in it. */
  readonly isKilled: boolean;
  /** The runtime never showed the end, so only its own answers count. */
  readonly isRefuted: boolean;
}

interface KnownEnd extends ContainerExit {
  /** On the monotonic clock. */
  readonly learnedMs: number;
}

/** Far more than end at one time; the oldest have been confirmed long ago. */
const CAPACITY = 1_024;

/** If the runtime shows it running for this long, the runtime is right. */
const CONFIRM_MS = 30_000;

/**
 * The runtime's answers, with every end that is known before the runtime shows it.
 *
 * ```
 *              asked: the same end               the runtime shows it, or has it no more
 *   announced ──────────────────────▶ known end ──────────────────────────────▶ forgotten
 *       ▲ │                                │  not shown for 30 s
 *       └─┘ asked: another end, or none    └───────────────────────▶ refuted, for good
 * ```
 *
 * An end is known when an event announces it and `ask` reports the same one: the same exit
 * code, and the same time to the nanosecond. One source alone is not enough. A known end
 * makes the agent start a container beside one that the runtime still calls running.
 *
 * Once a reader was shown an end, its container is restarted. No reader may then be shown
 * that container running, so all looks at pods go through this class.
 */
export class AnnouncedEnds implements LookService {
  readonly #deps: AnnouncedEndsDeps;
  /** By the id of a container or sandbox, the oldest first. */
  readonly #announced = new Map<string, Announced>();
  readonly #known = new Map<string, KnownEnd>();
  readonly #questions = new Map<string, Promise<void>>();

  constructor(deps: AnnouncedEndsDeps) {
    this.#deps = { ...deps, log: deps.log.named("runtime") };
  }

  /** Records what an event says about an end. */
  announce({ containerId: id, what, exit }: ContainerEvent): void {
    const before = this.#announced.get(id) ?? NOTHING;
    if (what === "oom") {
      keep(this.#announced, id, { ...before, isKilled: true });
    }
    if (exit !== undefined) keep(this.#announced, id, { ...before, exit });
  }

  /**
   * Asks whether an item has ended, if an event announced its end. A look at the item that
   * begins meanwhile waits for the answer.
   *
   * @throws {CriError} Of kind `cancelled` when the signal aborts.
   */
  async learn(id: string, signal: AbortSignal): Promise<void> {
    const { exit, isRefuted } = this.#announced.get(id) ?? NOTHING;
    if (exit === undefined || isRefuted || this.#known.has(id)) return;
    const question = this.#ask(id, signal);
    this.#questions.set(id, question);
    try {
      await question;
    } finally {
      if (this.#questions.get(id) === question) this.#questions.delete(id);
    }
  }

  async listContainers(
    filter?: ContainerFilter,
    options?: CallOptions,
  ): Promise<readonly Container[]> {
    const rows = await this.#deps.runtime.listContainers(filter, options);
    return rows.map((row) =>
      this.#endOf(row, "running") ? { ...row, state: "exited" } : row
    );
  }

  async listPodSandbox(
    filter?: SandboxFilter,
    options?: CallOptions,
  ): Promise<readonly Sandbox[]> {
    const rows = await this.#deps.runtime.listPodSandbox(filter, options);
    return rows.map((row) =>
      this.#endOf(row, "ready") ? { ...row, state: "not_ready" } : row
    );
  }

  async containerStatus(
    containerId: string,
    options?: CallOptions,
  ): Promise<ReportedStatus> {
    const { runtime } = this.#deps;
    const status = await this.#answer(
      containerId,
      runtime.containerStatus(containerId, options),
    );
    const end = this.#endOf(status, "running");
    if (end === undefined) return status;
    const { exitCode, finishedAt } = end;
    return {
      ...status,
      state: "exited",
      exitCode,
      finishedAt,
      reason: this.#reasonOf(containerId, exitCode),
      isUnconfirmed: true,
    };
  }

  async podSandboxStatus(
    sandboxId: string,
    options?: CallOptions,
  ): Promise<SandboxStatus> {
    const { runtime } = this.#deps;
    const status = await this.#answer(
      sandboxId,
      runtime.podSandboxStatus(sandboxId, options),
    );
    return this.#endOf(status, "ready")
      ? { ...status, state: "not_ready" }
      : status;
  }

  async #ask(id: string, signal: AbortSignal): Promise<void> {
    const { ask, clock } = this.#deps;
    const end = await ask(id, { signal });
    const { exit } = this.#announced.get(id) ?? NOTHING;
    if (end === undefined || end.exitCode !== exit?.exitCode) return;
    if (end.finishedAt !== exit.finishedAt) return;
    keep(this.#known, id, { ...end, learnedMs: clock.monotonic() });
  }

  /** The answer to a look, once every question about the same item is answered. */
  async #answer<Status>(id: string, call: Promise<Status>): Promise<Status> {
    const question = this.#questions.get(id)?.catch(() => {
      // Its caller handles the failure; the runtime's own answer is used alone then.
    });
    const status = await unlessGone(call);
    if (status === undefined) {
      this.#forget(id);
      return await call;
    }
    await question;
    return status;
  }

  /** The end that an answer does not show yet; forgets it once the answer shows it. */
  #endOf(
    { id, state }: { readonly id: string; readonly state: string },
    lags: "running" | "ready",
  ): ContainerExit | undefined {
    const end = this.#known.get(id);
    if (end === undefined) return undefined;
    const { clock, log } = this.#deps;
    const waitedMs = clock.monotonic() - end.learnedMs;
    if (state === lags && waitedMs < CONFIRM_MS) return end;
    this.#forget(id);
    if (state === lags) {
      log.warn("exit_not_confirmed", { id, exitCode: end.exitCode, waitedMs });
      keep(this.#announced, id, { ...NOTHING, isRefuted: true });
    }
    return undefined;
  }

  /** Forgets the end of an item, but not that it was refuted. */
  #forget(id: string): void {
    this.#known.delete(id);
    if (this.#announced.get(id)?.isRefuted !== true) this.#announced.delete(id);
  }

  /** As containerd's CRI words it. */
  #reasonOf(containerId: string, exitCode: number): string {
    if (this.#announced.get(containerId)?.isKilled) return "OOMKilled";
    return exitCode === 0 ? "Completed" : "Error";
  }
}

const NOTHING: Announced = {
  exit: undefined,
  isKilled: false,
  isRefuted: false,
};

function keep<Value>(
  values: Map<string, Value>,
  id: string,
  value: Value,
): void {
  values.set(id, value);
  const [oldest] = values.keys();
  if (values.size > CAPACITY && oldest !== undefined) values.delete(oldest);
}
