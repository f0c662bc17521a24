/**
 * The ends that are known before the runtime shows them.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import {
  type CallOptions,
  type Container,
  type ContainerFilter,
  CriError,
  type RuntimeService,
  type Sandbox,
  type SandboxFilter,
  type SandboxStatus,
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
  /** How a container or sandbox ended, as far as anybody knows earlier. */
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
  /** The runtime did not come to show the end: only it is believed. */
  readonly isRefuted: boolean;
}

interface KnownEnd extends ContainerExit {
  /** On the monotonic clock. */
  readonly learnedMs: number;
}

/** Far more than end at a time; the oldest have long been confirmed. */
const CAPACITY = 1_024;

/** A runtime that shows it running for so long is right. */
const CONFIRM_MS = 30_000;

/**
 * The runtime as it will be in a moment: what has ended has ended in every answer.
 *
 * ```
 *              asked: the very same              the runtime shows it, or has it no more
 *   announced ──────────────────────▶ known end ──────────────────────────────▶ forgotten
 *       ▲ │                                │  not shown for 30 s
 *       └─┘ asked: another one, or none    └───────────────────────▶ refuted, for good
 * ```
 *
 * An end is known when whoever is asked names the very one, to the nanosecond, that an
 * event announced: neither is believed by itself, since what they make known at once is
 * mostly that a container is to be started beside one that the runtime calls running.
 * A container that somebody was shown to have ended is restarted, so nobody may be shown
 * the same one running again; hence all who look at pods look through this.
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

  /** Keeps in mind what an event says of an end. */
  announce({ containerId: id, what, exit }: ContainerEvent): void {
    const before = this.#announced.get(id) ?? NOTHING;
    if (what === "oom") {
      keep(this.#announced, id, { ...before, isKilled: true });
    }
    if (exit !== undefined) keep(this.#announced, id, { ...before, exit });
  }

  /**
   * Asks whether something has ended, where an event said so. Looks at it that begin
   * before there is an answer wait for it.
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
    if (end === undefined || exit === undefined || !isSame(end, exit)) return;
    keep(this.#known, id, { ...end, learnedMs: clock.monotonic() });
  }

  /** The answer to a look, when nothing is asked about the same any more. */
  async #answer<Status>(id: string, call: Promise<Status>): Promise<Status> {
    const question = this.#questions.get(id)?.catch(() => {
      // Whoever asked is told; then the runtime's own word is all there is.
    });
    try {
      const [status] = await Promise.all([call, question]);
      return status;
    } catch (error) {
      if (error instanceof CriError && error.kind === "not_found") {
        this.#forget(id);
      }
      throw error;
    }
  }

  /** What is known beyond an answer; forgets it when the answer says the same. */
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

  /** That an end was refuted is not forgotten. */
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

function isSame(one: ContainerExit, other: ContainerExit): boolean {
  return one.exitCode === other.exitCode && one.finishedAt === other.finishedAt;
}

function keep<Value>(
  values: Map<string, Value>,
  id: string,
  value: Value,
): void {
  values.set(id, value);
  const [oldest] = values.keys();
  if (values.size > CAPACITY && oldest !== undefined) values.delete(oldest);
}
