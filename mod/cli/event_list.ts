/**
 * Asks an agent for its events.
 *
 * @module
 */

import type { WireEvent } from "../api/types/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { GetEventsCommand } from "./parse/mod.ts";
import {
  type AgentAddress,
  AgentUnreachableError,
  ask,
  askList,
  readText,
  refusalOf,
} from "./control_client.ts";

/** A v1 `EventList`. */
export interface EventList {
  readonly apiVersion: "v1";
  readonly kind: "EventList";
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly WireEvent[];
}

/** One line of a watch. */
export type WatchedEvent =
  | { readonly type: "ADDED" | "MODIFIED"; readonly object: WireEvent }
  /** The agent has forgotten, or is another one: the events have to be listed again. */
  | { readonly type: "ERROR" };

/** Which events a command is about. */
export type WantedEvents = Pick<GetEventsCommand, "namespace" | "pod">;

/**
 * Asks for the events that are kept, the least recent first.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When the answer is no list.
 */
export async function fetchEvents(
  agent: AgentAddress,
  wanted: WantedEvents,
): Promise<EventList> {
  const list = await askList<EventList>(agent, pathOf(wanted), "events");
  return { ...list, items: list.items.filter((each) => isOf(each, wanted)) };
}

/**
 * Gives what happens after a version of the list, until the agent or `signal` ends it.
 *
 * @throws {AgentUnreachableError} When no agent answers, or the stream breaks.
 * @throws {AgentAnswerError} When the agent refuses.
 */
export async function* followEvents(
  agent: AgentAddress,
  wanted: WantedEvents,
  options: { readonly after: string; readonly signal: AbortSignal },
): AsyncGenerator<WatchedEvent, void, undefined> {
  const { after, signal } = options;
  const query = `watch=1&resourceVersion=${encodeURIComponent(after)}`;
  const answer = await ask(agent, `${pathOf(wanted)}?${query}`, { signal });
  if (answer.status !== 200) {
    throw refusalOf(answer.status, await readText(answer));
  }
  for await (const line of readLines(answer.body)) {
    const event = readLine(line);
    if (event.type === "ERROR" || isOf(event.object, wanted)) yield event;
  }
}

async function* readLines(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of body) {
      const text = rest + decoder.decode(chunk, { stream: true });
      const lines = text.split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    throw new AgentUnreachableError(
      `Cannot read on: the agent has broken off: ${describeError(error)}`,
      { cause: error },
    );
  }
}

function pathOf({ namespace }: WantedEvents): string {
  return namespace === undefined
    ? "/api/v1/events"
    : `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
}

/**
 * Whether an event is of the pod, named as in its manifest or in full. The pod itself may
 * be gone, so its name cannot be looked up.
 */
function isOf({ involvedObject, source }: WireEvent, wanted: WantedEvents) {
  const { name } = involvedObject;
  return wanted.pod === undefined || name === wanted.pod ||
    name === `${wanted.pod}-${source.host.toLowerCase()}`;
}

function readLine(line: string): WatchedEvent {
  // An agent of the same version made it.
  return JSON.parse(line) as WatchedEvent;
}
