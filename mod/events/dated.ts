/**
 * Events with the times that the wall clock gives them.
 *
 * @module
 */

import { type Moment, wallTimeOf } from "../base/mod.ts";
import type { RecordedEvent, TracedEvent } from "./history.ts";

/** The event with its times by the wall clock as it goes now. */
export function dated(
  { trace, ...event }: TracedEvent,
  now: Moment,
): RecordedEvent {
  const { firstMs, lastMs } = event;
  return {
    ...event,
    firstMs: wallTimeOf({ wallMs: firstMs, monotonicMs: trace.firstMs }, now),
    lastMs: wallTimeOf({ wallMs: lastMs, monotonicMs: trace.lastMs }, now),
  };
}
