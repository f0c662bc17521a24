/**
 * The streams on which the fake runtime tells of moves by itself.
 *
 * @module
 */

import {
  ContainerCreate,
  ContainerDelete,
} from "../../../proto/gen/containerd/events/container.ts";
import {
  TaskDelete,
  TaskExit,
  TaskOOM,
  TaskStart,
} from "../../../proto/gen/containerd/events/task.ts";
import type { Envelope } from "../../../proto/gen/containerd/services/events/v1/events.ts";
import type {
  Instant,
  Process,
} from "../../../proto/gen/containerd/types/task/task.ts";
import type { Move, TaskEnd } from "./model.ts";
import { StatusError } from "./status_error.ts";

/** The methods that open a stream of events. */
export type EventStream = "GetContainerEvents" | "Subscribe";

interface Listener {
  readonly stream: EventStream;
  readonly waiting: unknown[];
  end: "open" | "over" | StatusError;
  wake: () => void;
}

/** All open streams, and what is told on them. */
export class EventStreams {
  readonly #listeners = new Set<Listener>();
  readonly #toCri: (move: Move) => unknown;

  /** @param toCri makes the message of the CRI's stream */
  constructor(toCri: (move: Move) => unknown) {
    this.#toCri = toCri;
  }

  /** How many are open. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Tells a move on all streams, to each in its own words. */
  move(move: Move): void {
    this.announce("GetContainerEvents", this.#toCri(move));
    for (const envelope of toEnvelopes(move)) {
      this.announce("Subscribe", envelope);
    }
  }

  /** Tells something on one kind of stream: a message, or bytes that need be none. */
  announce(stream: EventStream, message: unknown): void {
    for (const listener of this.#listeners) {
      if (listener.stream !== stream) continue;
      listener.waiting.push(message);
      listener.wake();
    }
  }

  /** Ends every stream, by an error if one is given. */
  end(error?: StatusError): void {
    for (const listener of this.#listeners) {
      listener.end = error ?? "over";
      listener.wake();
    }
  }

  /** Yields what is told from now on until it is ended or nobody listens. */
  async *listen(
    stream: EventStream,
    signal: AbortSignal,
  ): AsyncGenerator<unknown> {
    const listener: Listener = {
      stream,
      waiting: [],
      end: "open",
      wake: () => {},
    };
    const leave = (): void => listener.wake();
    this.#listeners.add(listener);
    signal.addEventListener("abort", leave, { once: true });
    try {
      while (!signal.aborted) {
        yield* listener.waiting.splice(0);
        if (listener.waiting.length > 0 || signal.aborted) continue;
        if (listener.end === "over") return;
        if (listener.end instanceof StatusError) throw listener.end;
        const { promise, resolve } = Promise.withResolvers<void>();
        listener.wake = resolve;
        await promise;
      }
    } finally {
      this.#listeners.delete(listener);
      signal.removeEventListener("abort", leave);
    }
  }
}

/** containerd's words for a move. */
export function toEnvelopes(move: Move): readonly Envelope[] {
  const { id } = move;
  const containerId = id;
  switch (move.kind) {
    case "created": {
      const value = ContainerCreate.encode({ id }).finish();
      return [envelope("/containers/create", value, move.at)];
    }
    case "started": {
      const value = TaskStart.encode({ containerId }).finish();
      return [envelope("/tasks/start", value, move.at)];
    }
    case "stopped":
      return [
        exitEnvelope({ containerId, processId: id, ...move }),
        envelope(
          "/tasks/delete",
          TaskDelete.encode({
            containerId,
            id: "",
            ...exitOf(move),
          }).finish(),
          move.at,
        ),
      ];
    case "deleted":
      return [
        envelope(
          "/containers/delete",
          ContainerDelete.encode({ id }).finish(),
          move.at,
        ),
      ];
  }
}

/** A process ended: that of a container, or of a command in it. */
export function exitEnvelope(exit: {
  readonly containerId: string;
  readonly processId: string;
  /** Nanoseconds since the epoch. */
  readonly at: bigint;
  readonly exit?: TaskEnd | undefined;
}): Envelope {
  const { containerId, processId: id, at } = exit;
  const value = TaskExit.encode({
    containerId,
    id,
    ...exitOf(exit),
  });
  return envelope("/tasks/exit", value.finish(), at);
}

function exitOf(
  { at, exit = { code: 0, at } }: {
    readonly at: bigint;
    readonly exit?: TaskEnd | undefined;
  },
): Pick<Process, "exitStatus" | "exitedAt"> {
  return { exitStatus: exit.code, exitedAt: toInstant(exit.at) };
}

/** A time of containerd's messages. */
export function toInstant(nanos: bigint): Instant {
  return {
    seconds: nanos / 1_000_000_000n,
    nanos: Number(nanos % 1_000_000_000n),
  };
}

/** The kernel killed in a container. */
export function oomEnvelope(containerId: string): Envelope {
  return envelope("/tasks/oom", TaskOOM.encode({ containerId }).finish(), 1n);
}

/** Anything on containerd's stream. */
export function envelope(
  topic: string,
  value: Uint8Array,
  at: bigint,
): Envelope {
  return {
    timestamp: toInstant(at),
    namespace: "k8s.io",
    topic,
    event: { typeUrl: `containerd.events${topic}`, value },
  };
}
