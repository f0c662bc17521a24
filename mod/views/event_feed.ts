/**
 * The recorded events as the control server gives them out.
 *
 * @module
 */

import { type EventRecorder, toWireEvent } from "../events/mod.ts";
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
    watch: (signal, { after }) =>
      changes(recorder, {
        node,
        signal,
        ...(after !== undefined && { after: Number(after) }),
      }),
  };
}

async function* changes(
  recorder: Pick<EventRecorder, "watch">,
  options: {
    readonly node: { readonly nodeName: string };
    readonly signal: AbortSignal;
    readonly after?: number;
  },
): AsyncGenerator<WireEventChange, void, undefined> {
  const { node, signal, ...rest } = options;
  for await (const change of recorder.watch(signal, rest)) {
    yield change.kind === "lost"
      ? change
      : { kind: change.kind, event: toWireEvent(change.event, node) };
  }
}
