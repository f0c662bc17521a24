/**
 * Following a runtime's own stream of events.
 *
 * @module
 */

import type { Counter } from "../../base/telemetry/mod.ts";
import { isAbort, TaskGroup } from "../../base/mod.ts";
import { CriError } from "../model/mod.ts";
import type { Rpc, RpcDeps, Support } from "../rpc/mod.ts";
import type { RuntimeHint } from "./hint.ts";
import { HintBuffer } from "./hint_buffer.ts";
import {
  CONTAINERD_EVENTS,
  CRI_EVENTS,
  type HintFormat,
} from "./hint_formats.ts";

/** As many as upstream's channel of lifecycle events holds. */
const CAPACITY = 1_000;

/** What following a stream needs. */
export interface HintDeps extends Pick<RpcDeps, "metrics"> {
  readonly rpc: Pick<Rpc, "stream">;
  /** Whether the runtime has the CRI's stream, as far as its version says. */
  readonly support: () => Support;
  /** Whether the runtime is a containerd, as far as is known now. */
  readonly isContainerd: () => boolean;
  /** Asks the runtime anything that it answers at once. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
}

/** Finds the stream that the runtime has, and reads it as long as it lasts. */
export class HintSource {
  readonly #deps: HintDeps;
  readonly #told: Counter;
  readonly #lost: Counter;

  constructor(deps: HintDeps) {
    const { metrics } = deps;
    this.#deps = deps;
    this.#told = metrics.counter(
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
   * Yields hints until the runtime ends the stream or `signal` aborts.
   *
   * @throws {CriError} When the stream breaks, or when the runtime does not answer
   * what is asked beside it; of kind `unimplemented` only when the runtime itself
   * says that it has none.
   */
  async *hints(signal: AbortSignal): AsyncGenerator<RuntimeHint> {
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
  #formats(): readonly HintFormat[] {
    const { support, isContainerd } = this.#deps;
    if (support() === "no") return [CONTAINERD_EVENTS];
    // Its own tells of an end before the CRI shows it, and lets nobody take events away.
    return isContainerd()
      ? [CONTAINERD_EVENTS, CRI_EVENTS]
      : [CRI_EVENTS, CONTAINERD_EVENTS];
  }

  /** Whether there was such a stream; when this returns it is over. */
  async *#follow(
    { stream, method }: HintFormat,
    signal: AbortSignal,
  ): AsyncGenerator<RuntimeHint, boolean> {
    const buffer = new HintBuffer(CAPACITY);
    const seen: Seen = { isOpen: false, isOver: false, failure: undefined };
    await using tasks = new TaskGroup(signal);
    tasks.start(async (scope) => {
      try {
        await this.#read({ stream, method }, { buffer, seen, signal: scope });
      } catch (error) {
        seen.failure ??= error;
        throw error;
      } finally {
        seen.isOver = true;
        buffer.wake();
      }
    });
    tasks.start(async (scope) => {
      try {
        await this.#ask(scope);
      } catch (error) {
        // The first failure ends the other task too.
        seen.failure ??= error;
        throw error;
      }
      seen.isOpen = true;
      buffer.wake();
    });
    while (!seen.isOpen && !seen.isOver) await buffer.changed();
    if (!seen.isOpen) {
      if (isAbsence(seen.failure, method.name)) return false;
      throw asLoss(seen.failure);
    }
    yield { kind: "connected", stream };
    for (;;) {
      const hint = buffer.take();
      if (hint !== undefined) yield hint;
      else if (seen.isOver) break;
      else await buffer.changed();
    }
    if (seen.failure !== undefined) throw asLoss(seen.failure);
    return true;
  }

  async #read(
    { stream, method }: HintFormat,
    into: { buffer: HintBuffer; seen: Seen; signal: AbortSignal },
  ): Promise<void> {
    const { buffer, seen, signal } = into;
    const messages = this.#deps.rpc.stream(method, undefined, signal);
    for await (const reading of messages) {
      seen.isOpen = true;
      if (reading.kind === "unreadable") this.#lost.inc({ why: "unreadable" });
      if (reading.kind !== "moved") continue;
      this.#told.inc({ stream });
      if (!buffer.offer(reading.moved)) this.#lost.inc({ why: "full" });
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

interface Seen {
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
 * absence of all streams, and whoever is told so comes back late.
 */
function asLoss(failure: unknown): unknown {
  if (!(failure instanceof CriError) || failure.kind !== "unimplemented") {
    return failure;
  }
  const { method, detail } = failure;
  return new CriError({ kind: "failed", method, detail }, { cause: failure });
}
