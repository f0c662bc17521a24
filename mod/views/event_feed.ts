/**
 * The recorded events as the control server gives them out.
 *
 * @module
 */

import {
  type EventChange,
  type EventRecorder,
  toWireEvent,
} from "../events/mod.ts";
import type { EventFeed, WireEventChange } from "../server/mod.ts";

/** Shows a recorder in wire form. */
export function eventFeed(
  recorder: Pick<EventRecorder, "list" | "latest" | "watch">,
  node: { readonly nodeName: string },
): EventFeed {
  return {
    list: () => ({
      resourceVersion: String(recorder.latest),
      items: recorder.list().map((event) => toWireEvent(event, node)),
    }),
    watch: (signal, { after }) => {
      const from = after === undefined ? {} : { after: Number(after) };
      return changes(recorder.watch(signal, from), node);
    },
  };
}

async function* changes(
  recorded: AsyncIterable<EventChange>,
  node: { readonly nodeName: string },
): AsyncGenerator<WireEventChange, void, undefined> {
  for await (const change of recorded) {
    yield change.kind === "lost"
      ? change
      : { kind: change.kind, event: toWireEvent(change.event, node) };
  }
}
