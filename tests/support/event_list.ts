/**
 * A sink of events that a test reads.
 *
 * @module
 */

import type { PodEvent, PodRef } from "../../mod/api/types/mod.ts";

/** An event sink that keeps texts `reason: message`. */
export class EventList {
  readonly texts: string[] = [];
  readonly events: PodEvent[] = [];

  record(_pod: PodRef, event: PodEvent): void {
    this.events.push(event);
    this.texts.push(`${event.type} ${event.reason}: ${event.message}`);
  }
}
