/**
 * Which of the agent's events say why it stopped a container.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { stoppedContainers } from "../../../mod/views/stopped_containers.ts";
import type { EventFacts } from "../../../mod/api/types/mod.ts";
import type { RecordedEvent } from "../../../mod/events/mod.ts";

function event(
  facts: EventFacts,
  rest: Partial<RecordedEvent> = {},
): RecordedEvent {
  return {
    type: "Normal",
    reason: "r",
    message: "m",
    facts,
    pod: { name: "p", namespace: "default", uid: "u" },
    firstMs: 0,
    lastMs: 1_000,
    bornMs: 0,
    count: 1,
    sequence: 1,
    id: 1,
    ...rest,
  };
}

function unhealthy(
  probe: string,
  found: string,
  rest: { readonly container?: string; readonly lastMs?: number } = {},
): RecordedEvent {
  const { container = "web", lastMs = 1_000 } = rest;
  return event({ kind: "probe_failure", container, probe, found }, { lastMs });
}

const ROWS: Readonly<Record<string, string | undefined>> = {
  liveness_failed: "its liveness probe failed: HTTP 503",
  startup_failed: "its startup probe failed",
  post_start_failed: "its postStart hook failed",
  spec_changed: "its definition changed",
  resized: "its new resources need a restart",
  // The pod ends.
  pod_stopping: undefined,
};

for (const [reason, why] of Object.entries(ROWS)) {
  Deno.test(`stoppedContainers() finds containers stopped for ${reason}`, () => {
    const events = [
      unhealthy("liveness", "HTTP 404", { lastMs: 500 }),
      unhealthy("liveness", "HTTP 503", { lastMs: 900 }),
      unhealthy("readiness", "HTTP 500"),
      unhealthy("startup", "of another", { container: "other" }),
      event({ kind: "stop", container: "web", reason }),
      unhealthy("liveness", "later", { lastMs: 2_000 }),
    ];
    deepStrictEqual(
      stoppedContainers(events),
      why === undefined ? [] : [{ container: "web", why, atMs: 1_000 }],
    );
  });
}
