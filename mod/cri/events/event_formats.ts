/**
 * How each stream of events is asked for, and what its messages mean.
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
import {
  Envelope,
  SubscribeRequest,
} from "../../../proto/gen/containerd/services/events/v1/events.ts";
import {
  ContainerEventResponse,
  GetEventsRequest,
  RuntimeServiceDefinition,
} from "../../../proto/gen/runtime/v1/api.ts";
import {
  type ContainerExit,
  CRI_NAMESPACE,
  readExit,
} from "./container_exit.ts";
import type { ContainerEvent, EventStreamName } from "./runtime_event.ts";
import { type Method, methodOf } from "../rpc/mod.ts";

/** What a message of a stream turned out to be; most of containerd's are not for us. */
export type EventReading =
  | ContainerEvent
  | { readonly kind: "irrelevant" }
  | { readonly kind: "unreadable" };

/** One stream of events: how it is called. */
export interface EventFormat {
  readonly stream: EventStreamName;
  /** Its request is always the same. */
  readonly method: Method<undefined, EventReading>;
}

const IRRELEVANT: EventReading = { kind: "irrelevant" };
const UNREADABLE: EventReading = { kind: "unreadable" };

// By the numbers of the CRI's ContainerEventType.
const CRI_MOVES: readonly ContainerEvent["what"][] = [
  "created",
  "started",
  "stopped",
  "deleted",
];

/** Reads a message of the CRI's stream, however broken. */
export function readContainerEvent(bytes: Uint8Array): EventReading {
  return readable(() => {
    const event = ContainerEventResponse.decode(bytes);
    const { containerId, createdAt: at } = event;
    const what = CRI_MOVES[event.containerEventType];
    if (what === undefined || containerId === "") return IRRELEVANT;
    const podUid = event.podSandboxStatus?.metadata?.uid;
    return {
      kind: "moved",
      containerId,
      podUid: podUid || undefined,
      what,
      at,
    };
  });
}

/** What a topic says of a task. */
interface TaskEvent {
  readonly id: string;
  readonly what: ContainerEvent["what"];
  readonly exit?: ContainerExit | undefined;
}

/** What containerd's topics mean, and where their payloads have the id. */
const TOPICS: Readonly<
  Record<string, (bytes: Uint8Array) => TaskEvent | undefined>
> = {
  "/containers/create": (bytes) => ({
    id: ContainerCreate.decode(bytes).id,
    what: "created",
  }),
  "/containers/delete": (bytes) => ({
    id: ContainerDelete.decode(bytes).id,
    what: "deleted",
  }),
  "/tasks/start": (bytes) => ({
    id: TaskStart.decode(bytes).containerId,
    what: "started",
  }),
  "/tasks/oom": (bytes) => ({
    id: TaskOOM.decode(bytes).containerId,
    what: "oom",
  }),
  // Commands in a container, such as probes, end there too: they have ids of their own.
  "/tasks/exit": (bytes) => {
    const end = TaskExit.decode(bytes);
    return end.id === end.containerId ? stopped(end) : undefined;
  },
  // The container itself is still there: what is deleted is what was left of its process.
  "/tasks/delete": (bytes) => {
    const end = TaskDelete.decode(bytes);
    const isMain = end.id === "" || end.id === end.containerId;
    return isMain ? stopped(end) : undefined;
  },
};

function stopped(end: TaskExit | TaskDelete): TaskEvent {
  return { id: end.containerId, what: "stopped", exit: readExit(end) };
}

/** Reads a message of containerd's stream, however broken. */
export function readEnvelope(bytes: Uint8Array): EventReading {
  return readable(() => {
    const { topic, event, timestamp } = Envelope.decode(bytes);
    const read = Object.hasOwn(TOPICS, topic) ? TOPICS[topic] : undefined;
    const decoded = event && read?.(event.value);
    if (decoded === undefined || decoded.id === "") return IRRELEVANT;
    const { seconds = 0n, nanos = 0 } = timestamp ?? {};
    const at = seconds * 1_000_000_000n + BigInt(nanos);
    const { id: containerId, what, exit } = decoded;
    return {
      kind: "moved",
      containerId,
      podUid: undefined,
      what,
      ...exit && { exit },
      at,
    };
  });
}

/** The stream of the CRI. */
export const CRI_EVENTS: EventFormat = {
  stream: "cri",
  method: methodOf(RuntimeServiceDefinition, {
    name: "GetContainerEvents",
    requestType: {
      encode: (_, writer) => GetEventsRequest.encode({}, writer),
    },
    responseType: { decode: readContainerEvent },
  }),
};

const FILTERS = Object.keys(TOPICS)
  .map((topic) => `namespace==${CRI_NAMESPACE},topic=="${topic}"`);

/** containerd's own stream, asked for no more than `readEnvelope` understands. */
export const CONTAINERD_EVENTS: EventFormat = {
  stream: "containerd",
  method: {
    name: "Subscribe",
    path: "/containerd.services.events.v1.Events/Subscribe",
    requestType: {
      encode: (_, writer) =>
        SubscribeRequest.encode({ filters: FILTERS }, writer),
    },
    responseType: { decode: readEnvelope },
  },
};

function readable(read: () => EventReading): EventReading {
  try {
    return read();
  } catch {
    // Whatever is wrong with one message, the next may be right.
    return UNREADABLE;
  }
}
