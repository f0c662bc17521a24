/**
 * Sinks of events that a test reads.
 *
 * @module
 */

import type { EventSink, PodEvent, PodRef } from "../../mod/api/types/mod.ts";

/** An event, and the pod that it is about. */
export type EventOfPod = PodEvent & { readonly pod: PodRef };

/** An event sink that keeps texts `reason: message`. */
export class EventList {
  readonly texts: string[] = [];
  readonly events: PodEvent[] = [];

  record(_pod: PodRef, event: PodEvent): void {
    this.events.push(event);
    this.texts.push(`${event.type} ${event.reason}: ${event.message}`);
  }
}

/** A sink that puts events at the end of a list. */
export function eventsTo(list: PodEvent[]): EventSink {
  return { record: (_pod, event) => void list.push(event) };
}

/** The same, each with the pod that it is about. */
export function eventsOfPodsTo(list: EventOfPod[]): EventSink {
  return { record: (pod, event) => void list.push({ ...event, pod }) };
}
