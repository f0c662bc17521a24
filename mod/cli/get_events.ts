/**
 * `skerry get events`.
 *
 * @module
 */

import type { WireEvent } from "../api/types/mod.ts";
import {
  type AgentAddress,
  AgentUnreachableError,
  ask,
  askList,
  type ClientContext,
  readLines,
} from "./control_client.ts";
import { type EventRow, EVENTS } from "./event_row.ts";
import type { CliIo } from "./io.ts";
import { GrowingTable, isTable, nameLine, writeList } from "./listing.ts";
import type { GetEventsCommand } from "./parse/mod.ts";
import { fetchPods, requirePod } from "./pod_list.ts";
import { jsonText } from "./text/mod.ts";

/** How long an agent may be away, such as for a restart, before a watch gives up. */
const ABSENCE_TRIES = 60;
const RETRY_MS = 1_000;

/**
 * Writes the events in the form asked for, the least recent first.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When there are no events of the pod, nor the pod.
 */
export async function getEvents(
  command: GetEventsCommand,
  context: ClientContext,
): Promise<void> {
  const { io, agent } = context;
  if (command.watch) return await watch(command, context);
  const body = await fetchEvents(agent, command);
  const { items } = body;
  if (items.length === 0 && isTable(command) && command.pod !== undefined) {
    // A mistyped name is an error.
    const pods = await fetchPods(agent, command.namespace);
    requirePod(pods.items, command.pod);
  }
  await writeList(EVENTS, { items, body }, { shown: command, io });
}

/** Writes what there is and then what comes, until stopped; an agent may restart meanwhile. */
async function watch(
  command: GetEventsCommand,
  { io, agent }: ClientContext,
): Promise<void> {
  using stop = io.stopRequests();
  const { signal } = stop;
  const writer = new EventWriter(command, io);
  let tries = 0;
  while (!signal.aborted) {
    try {
      await writer.takeList(await fetchEvents(agent, command));
      tries = 0;
      const after = writer.seen;
      const events = followEvents(agent, command, { after, signal });
      const end = await writer.takeAll(events);
      if (!signal.aborted) await io.err(`skerry: ${end}`);
    } catch (error) {
      if (signal.aborted) break;
      const isAway = error instanceof AgentUnreachableError;
      // An agent that was never there is an error at once.
      if (!isAway || writer.seen === "" || tries >= ABSENCE_TRIES) throw error;
      tries++;
    }
    await io.clock.sleep(RETRY_MS, signal).catch(() => {});
  }
}

/** Writes each event once, and again when it happened again. */
class EventWriter {
  readonly #command: GetEventsCommand;
  readonly #io: CliIo;
  readonly #table: GrowingTable<EventRow>;
  #seen = "";

  constructor(command: GetEventsCommand, io: CliIo) {
    this.#command = command;
    this.#io = io;
    this.#table = new GrowingTable(EVENTS.columns, command);
  }

  /** The version up to which everything is written; empty before the first list. */
  get seen(): string {
    return this.#seen;
  }

  /** Writes what is new in a list. */
  async takeList(list: EventList): Promise<void> {
    const { resourceVersion } = list.metadata;
    // Numbers that fell belong to another run of the agent, of which nothing is known.
    const isOther = Number(resourceVersion) < Number(this.#seen);
    const after = isOther ? 0 : Number(this.#seen);
    await this.#write(
      list.items.filter((each) =>
        Number(each.metadata.resourceVersion) > after
      ),
    );
    this.#seen = resourceVersion;
  }

  /** Writes what comes; returns the reason why nothing does any more. */
  async takeAll(events: AsyncIterable<WatchedEvent>): Promise<string> {
    try {
      for await (const event of events) {
        if (event.type === "ERROR") {
          return "Some events were forgotten before they could be shown";
        }
        await this.#write([event.object]);
      }
    } catch (error) {
      if (!(error instanceof AgentUnreachableError)) throw error;
    }
    return "The agent ended the watch; looking for it again";
  }

  async #write(events: readonly WireEvent[]): Promise<void> {
    const text = this.#render(events);
    if (text !== "") await this.#io.out(text);
    const last = events.at(-1)?.metadata.resourceVersion;
    if (last !== undefined) this.#seen = last;
  }

  #render(events: readonly WireEvent[]): string {
    switch (this.#command.output) {
      case "name":
        return events.map((event) => nameLine(EVENTS, event)).join("");
      case "json":
      case "yaml":
        // One line for each, so that a program can read them as they come.
        return events.map((event) => jsonText(event)).join("");
      case "table":
      case "wide": {
        const nowMs = this.#io.clock.now();
        return this.#table.add(events.map((each) => EVENTS.row(each, nowMs)));
      }
    }
  }
}

/** A v1 `EventList`. */
interface EventList {
  readonly apiVersion: "v1";
  readonly kind: "EventList";
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly WireEvent[];
}

/** One line of a watch. */
type WatchedEvent =
  | { readonly type: "ADDED" | "MODIFIED"; readonly object: WireEvent }
  /** The agent has forgotten, or is another one: the events have to be listed again. */
  | { readonly type: "ERROR" };

/** Which events a command is about. */
type WantedEvents = Pick<GetEventsCommand, "namespace" | "pod">;

/**
 * Asks for the events that are kept, the least recent first.
 */
async function fetchEvents(
  agent: AgentAddress,
  wanted: WantedEvents,
): Promise<EventList> {
  const list = await askList<EventList>(agent, pathOf(wanted), "events");
  return { ...list, items: list.items.filter((each) => isOf(each, wanted)) };
}

/**
 * Gives what happens after a version of the list, until the agent or `signal` ends it.
 */
async function* followEvents(
  agent: AgentAddress,
  wanted: WantedEvents,
  options: { readonly after: string; readonly signal: AbortSignal },
): AsyncGenerator<WatchedEvent, void, undefined> {
  const { after, signal } = options;
  const query = `watch=1&resourceVersion=${encodeURIComponent(after)}`;
  const answer = await ask(agent, `${pathOf(wanted)}?${query}`, { signal });
  for await (const line of readLines(answer)) {
    // An agent of the same version made it.
    const event = JSON.parse(line) as WatchedEvent;
    if (event.type === "ERROR" || isOf(event.object, wanted)) yield event;
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
