/**
 * Ports for tests that do not look at what comes in there.
 *
 * @module
 */

import type { EventSink } from "../../mod/api/types/mod.ts";
import type { PodCheck } from "../../mod/source/mod.ts";

/** Forgets every event. */
export const NO_EVENTS: EventSink = { record: () => {} };

/** Has nothing against any pod. */
export const NO_CHECK: PodCheck = (): readonly [] => [];
