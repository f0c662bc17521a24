/**
 * What is known of ends that the runtime does not show yet.
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
import type { ContainerExit, RuntimeHint } from "../cri/events/mod.ts";
import type {
  ListService,
  LookService,
  ToldStatus,
} from "../runtime/observe/mod.ts";

/** What knowing needs. */
export interface KnownExitsDeps {
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

interface KnownExit extends ContainerExit {
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
 * An end is known when whoever is asked tells of the very one, to the nanosecond, that
 * a hint told of: neither is believed by itself, since what they make known at once is
 * mostly that a container is to be started beside one that the runtime calls running.
 * A container that somebody was shown to have ended is restarted, so nobody may be shown
 * the same one running again; hence all who look at pods look through this. An end is
 * forgotten when the runtime itself shows it, or does not have the container any more.
 * One that the runtime never comes to show is not believed for ever.
 */
export class KnownExits implements LookService {
  readonly #deps: KnownExitsDeps;
  /** By the id of a container or sandbox, the oldest first. */
  readonly #exits = new Map<string, KnownExit>();
  readonly #questions = new Map<string, Promise<void>>();
  /** As hints told it, by the id. */
  readonly #told = new Map<string, ContainerExit>();
  /** In these the kernel has killed something. */
  readonly #killed = new Set<string>();
  /** The runtime did not come to show the end of these: of them only it is believed. */
  readonly #refuted = new Set<string>();

  constructor(deps: KnownExitsDeps) {
    this.#deps = { ...deps, log: deps.log.named("runtime") };
  }

  /**
   * Asks whether something has ended, where a hint said so. Looks at it that begin
   * before there is an answer wait for it.
   *
   * @throws {CriError} Of kind `cancelled` when the signal aborts.
   */
  async learn(id: string, signal: AbortSignal): Promise<void> {
    if (this.#exits.has(id) || this.#refuted.has(id)) return;
    if (!this.#told.has(id)) return;
    const question = this.#ask(id, signal);
    this.#questions.set(id, question);
    try {
      await question;
    } finally {
      if (this.#questions.get(id) === question) this.#questions.delete(id);
    }
  }

  /** Passes hints on, and keeps in mind what they tell of ends. */
  async *heed(hints: AsyncIterable<RuntimeHint>): AsyncGenerator<RuntimeHint> {
    for await (const hint of hints) {
      if (hint.kind === "moved") {
        const { containerId: id, what, exit } = hint;
        if (what === "oom") remember(this.#killed, id);
        if (exit !== undefined) keep(this.#told, id, exit);
      }
      yield hint;
    }
  }

  async listContainers(
    filter?: ContainerFilter,
    options?: CallOptions,
  ): Promise<readonly Container[]> {
    const rows = await this.#deps.runtime.listContainers(filter, options);
    if (this.#exits.size === 0) return rows;
    return rows.map((row) =>
      this.#exitOf(row, "running") === undefined
        ? row
        : { ...row, state: "exited" }
    );
  }

  async listPodSandbox(
    filter?: SandboxFilter,
    options?: CallOptions,
  ): Promise<readonly Sandbox[]> {
    const rows = await this.#deps.runtime.listPodSandbox(filter, options);
    if (this.#exits.size === 0) return rows;
    return rows.map((row) =>
      this.#exitOf(row, "ready") === undefined
        ? row
        : { ...row, state: "not_ready" }
    );
  }

  async containerStatus(
    containerId: string,
    options?: CallOptions,
  ): Promise<ToldStatus> {
    const { runtime } = this.#deps;
    const status = await this.#answer(
      containerId,
      runtime.containerStatus(containerId, options),
    );
    const exit = this.#exitOf(status, "running");
    if (exit === undefined) return status;
    const { exitCode, finishedAt } = exit;
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
    return this.#exitOf(status, "ready") === undefined
      ? status
      : { ...status, state: "not_ready" };
  }

  async #ask(id: string, signal: AbortSignal): Promise<void> {
    const { ask, clock } = this.#deps;
    const exit = await ask(id, { signal });
    const told = this.#told.get(id);
    if (exit === undefined || told === undefined || !isSame(exit, told)) return;
    keep(this.#exits, id, { ...exit, learnedMs: clock.monotonic() });
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
  #exitOf(
    { id, state }: { readonly id: string; readonly state: string },
    lags: "running" | "ready",
  ): ContainerExit | undefined {
    const exit = this.#exits.get(id);
    if (exit === undefined) return undefined;
    const { clock, log } = this.#deps;
    if (state !== lags) {
      this.#forget(id);
      return undefined;
    }
    const waitedMs = clock.monotonic() - exit.learnedMs;
    if (waitedMs < CONFIRM_MS) return exit;
    log.warn("exit_not_confirmed", { id, exitCode: exit.exitCode, waitedMs });
    this.#forget(id);
    remember(this.#refuted, id);
    return undefined;
  }

  #forget(id: string): void {
    this.#exits.delete(id);
    this.#killed.delete(id);
    this.#told.delete(id);
  }

  /** As containerd's CRI words it. */
  #reasonOf(containerId: string, exitCode: number): string {
    if (this.#killed.has(containerId)) return "OOMKilled";
    return exitCode === 0 ? "Completed" : "Error";
  }
}

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

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > CAPACITY && oldest !== undefined) ids.delete(oldest);
}
