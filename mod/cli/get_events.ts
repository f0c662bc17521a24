/**
 * `skerry get events`.
 *
 * @module
 */

import type { WireEvent } from "../api/types/mod.ts";
import { AgentUnreachableError, type ClientContext } from "./control_client.ts";
import {
  type EventList,
  fetchEvents,
  followEvents,
  type WatchedEvent,
} from "./event_list.ts";
import { EVENTS } from "./event_row.ts";
import { EXIT_OK } from "./exit_code.ts";
import type { CliIo } from "./io.ts";
import {
  cells,
  headings,
  isTable,
  nameLine,
  nothingFound,
  renderList,
} from "./listing.ts";
import type { GetEventsCommand } from "./parse/mod.ts";
import { fetchPods, requirePod } from "./pod_list.ts";
import {
  type ColumnWidths,
  fitColumns,
  jsonText,
  renderTable,
} from "./text/mod.ts";

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
): Promise<number> {
  const { io, agent } = context;
  if (command.watch) return await watch(command, context);
  const list = await fetchEvents(agent, command);
  if (list.items.length > 0 || !isTable(command)) {
    const { items } = list;
    const options = { shown: command, nowMs: io.clock.now() };
    await io.out(renderList(EVENTS, { items, body: list }, options));
    return EXIT_OK;
  }
  if (command.pod !== undefined) {
    // A mistyped name is an error.
    const pods = await fetchPods(agent, command.namespace);
    requirePod(pods.items, command.pod);
  }
  await io.err(nothingFound(command));
  return EXIT_OK;
}

/** Writes what there is and then what comes, until stopped; an agent may restart meanwhile. */
async function watch(
  command: GetEventsCommand,
  { io, agent }: ClientContext,
): Promise<number> {
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
      if (!isAway || !writer.hasBegun || tries >= ABSENCE_TRIES) throw error;
      tries++;
    }
    await io.clock.sleep(RETRY_MS, signal).catch(() => {});
  }
  return EXIT_OK;
}

/** Writes each event once, and again when it happened again. */
class EventWriter {
  readonly #command: GetEventsCommand;
  readonly #io: CliIo;
  #widths: ColumnWidths | undefined;
  #seen = "";

  constructor(command: GetEventsCommand, io: CliIo) {
    this.#command = command;
    this.#io = io;
  }

  /** Whether a list was there at all. */
  get hasBegun(): boolean {
    return this.#seen !== "";
  }

  /** The version up to which everything is written. */
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
      list.items.filter(({ metadata }) =>
        Number(metadata.resourceVersion) > after
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
    const command = this.#command;
    switch (command.output) {
      case "name":
        return events.map((event) => nameLine(EVENTS, event)).join("");
      case "json":
      case "yaml":
        // One line for each, so that a program can read them as they come.
        return events.map((event) => jsonText(event)).join("");
      case "table":
      case "wide": {
        const nowMs = this.#io.clock.now();
        const rows = events.map((event) =>
          cells(EVENTS, { event, nowMs }, command)
        );
        if (this.#widths === undefined) {
          const header = headings(EVENTS, command);
          this.#widths = fitColumns([header, ...rows]);
          rows.unshift(header);
        }
        return renderTable(rows, this.#widths);
      }
    }
  }
}
