/**
 * Following a runtime's own stream of events.
 *
 * @module
 */

import type { Counter } from "../../base/telemetry/mod.ts";
import { isAbort, TaskGroup } from "../../base/mod.ts";
import { CriError, type RuntimeVersion } from "../model/mod.ts";
import { judgeContainerEvents, type Rpc, type RpcDeps } from "../rpc/mod.ts";
import type { RuntimeEvent } from "./runtime_event.ts";
import { EventBuffer } from "./event_buffer.ts";
import {
  CONTAINERD_EVENTS,
  CRI_EVENTS,
  type EventFormat,
} from "./event_formats.ts";

/** As many as upstream's channel of lifecycle events holds. */
const CAPACITY = 1_000;

/** What following a stream needs. */
export interface EventStreamsDeps extends Pick<RpcDeps, "metrics"> {
  readonly rpc: Pick<Rpc, "stream">;
  /** The runtime, as far as is known now. */
  readonly version: () => RuntimeVersion | undefined;
  /** Asks the runtime anything that it answers at once. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
}

/** Finds the stream that the runtime has, and reads it as long as it lasts. */
export class EventStreams {
  readonly #deps: EventStreamsDeps;
  readonly #hints: Counter;
  readonly #lost: Counter;

  constructor(deps: EventStreamsDeps) {
    const { metrics } = deps;
    this.#deps = deps;
    this.#hints = metrics.counter(
      "skerry_cri_hints_total",
      "Moves that the runtime told by itself, by the stream that told them.",
      ["stream"],
    );
    this.#lost = metrics.counter(
      "skerry_cri_hints_lost_total",
      "Moves that the runtime told in vain, by the reason.",
      ["why"],
    );
  }

  /**
   * Yields events until the runtime ends the stream or `signal` aborts.
   *
   * @throws {CriError} When the stream breaks, or when the runtime does not answer
   * what is asked beside it; of kind `unimplemented` only when the runtime itself
   * says that it has none.
   */
  async *follow(signal: AbortSignal): AsyncGenerator<RuntimeEvent> {
    try {
      for (const format of this.#formats()) {
        if (yield* this.#follow(format, signal)) return;
      }
    } catch (error) {
      // To abort is how a reader ends the stream.
      if (isAbort(error, signal)) return;
      throw error;
    }
    throw new CriError({
      kind: "unimplemented",
      method: CRI_EVENTS.method.name,
      detail: "the runtime has no stream of events",
    });
  }

  /** The streams to try, the better one first. */
  #formats(): readonly EventFormat[] {
    const version = this.#deps.version();
    if (version !== undefined && judgeContainerEvents(version) === "no") {
      return [CONTAINERD_EVENTS];
    }
    // containerd's own stream reports an end before the CRI shows it, and every client gets
    // all events.
    return version?.runtimeName === "containerd"
      ? [CONTAINERD_EVENTS, CRI_EVENTS]
      : [CRI_EVENTS, CONTAINERD_EVENTS];
  }

  /** Whether there was such a stream; when this returns it is over. */
  async *#follow(
    { stream, method }: EventFormat,
    signal: AbortSignal,
  ): AsyncGenerator<RuntimeEvent, boolean> {
    const buffer = new EventBuffer(CAPACITY);
    const progress: Progress = {
      isOpen: false,
      isOver: false,
      failure: undefined,
    };
    // The first failure ends the other task too.
    const noteFailure = (error: unknown): never => {
      progress.failure ??= error;
      throw error;
    };
    await using tasks = new TaskGroup(signal);
    tasks.start(async (scope) => {
      const into = { buffer, progress, signal: scope };
      await this.#read({ stream, method }, into).catch(noteFailure)
        .finally(() => {
          progress.isOver = true;
          buffer.wake();
        });
    });
    tasks.start(async (scope) => {
      await this.#ask(scope).catch(noteFailure);
      progress.isOpen = true;
      buffer.wake();
    });
    while (!progress.isOpen && !progress.isOver) await buffer.changed();
    if (!progress.isOpen) {
      if (isAbsence(progress.failure, method.name)) return false;
      throw asLoss(progress.failure);
    }
    yield { kind: "connected", stream };
    for (;;) {
      const event = buffer.take();
      if (event !== undefined) yield event;
      else if (progress.isOver) break;
      else await buffer.changed();
    }
    if (progress.failure !== undefined) throw asLoss(progress.failure);
    return true;
  }

  async #read(
    { stream, method }: EventFormat,
    into: { buffer: EventBuffer; progress: Progress; signal: AbortSignal },
  ): Promise<void> {
    const { buffer, progress, signal } = into;
    const messages = this.#deps.rpc.stream(method, undefined, signal);
    for await (const reading of messages) {
      progress.isOpen = true;
      if (reading.kind === "unreadable") this.#lost.inc({ why: "unreadable" });
      if (reading.kind !== "moved") continue;
      this.#hints.inc({ stream });
      if (!buffer.offer(reading)) this.#lost.inc({ why: "full" });
    }
  }

  /**
   * Resolves when a stream that was asked for before is open: a server sends nothing,
   * not even headers, before its first event, while it refuses at once what it does
   * not have. A question on the same connection is answered after that, and when there
   * is no order between the answers, one that was asked yet later.
   */
  async #ask(signal: AbortSignal): Promise<void> {
    for (let times = 0; times < 2; times++) await this.#deps.ask(signal);
  }
}

/** How far following a stream has come. */
interface Progress {
  isOpen: boolean;
  isOver: boolean;
  failure: unknown;
}

/**
 * Whether a stream that never opened ended because there is none: by its own refusal,
 * or by an end without a word (CRI-O without `enable_pod_events`).
 *
 * How a question fails that was asked beside it says nothing about the stream, and
 * neither does any other failure: a containerd that starts answers everything with
 * UNKNOWN, "server is not initialized yet".
 */
function isAbsence(failure: unknown, method: string): boolean {
  if (failure === undefined) return true;
  return failure instanceof CriError && failure.method === method &&
    failure.kind === "unimplemented";
}

/**
 * The failure of a stream that is there, or may be: `unimplemented` stands for the
 * absence of all streams, and leads to a long pause before the next attempt.
 */
function asLoss(failure: unknown): unknown {
  if (!(failure instanceof CriError) || failure.kind !== "unimplemented") {
    return failure;
  }
  const { method, detail } = failure;
  return new CriError({ kind: "failed", method, detail }, { cause: failure });
}
