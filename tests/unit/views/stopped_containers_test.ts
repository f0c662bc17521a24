/**
 * Which of the agent's events say why it stopped a container.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { stoppedContainers } from "../../../mod/views/stopped_containers.ts";
import type { RecordedEvent } from "../../../mod/events/mod.ts";

function event(
  reason: string,
  message: string,
  rest: Partial<RecordedEvent> = {},
): RecordedEvent {
  return {
    type: "Normal",
    reason,
    message,
    fieldPath: "spec.containers{web}",
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

// The messages are the kubelet's.
const ROWS: Readonly<Record<string, readonly [string, string | undefined]>> = {
  "a liveness probe": [
    "Container web failed liveness probe, will be restarted",
    "its liveness probe failed: HTTP 503",
  ],
  "a startup probe": [
    "Container web failed startup probe, will be restarted",
    "its startup probe failed",
  ],
  "a hook": ["FailedPostStartHook", "its postStart hook failed"],
  "another definition": [
    "Container web definition changed, will be restarted",
    "its definition changed",
  ],
  "a resize": [
    "Container web resize requires restart",
    "its new resources need a restart",
  ],
  "the end of the pod": ["Stopping container web", undefined],
};

for (const [what, [message, why]] of Object.entries(ROWS)) {
  Deno.test(`stoppedContainers() tells of ${what}`, () => {
    const events = [
      event("Unhealthy", "Liveness probe failed: HTTP 404", { lastMs: 500 }),
      event("Unhealthy", "Liveness probe failed: HTTP 503\nmore", {
        lastMs: 900,
      }),
      event("Unhealthy", "Readiness probe failed: HTTP 500"),
      event("Unhealthy", "Startup probe failed: of another", {
        fieldPath: "spec.containers{other}",
      }),
      event("Killing", message),
      event("Unhealthy", "Liveness probe failed: later", { lastMs: 2_000 }),
    ];
    deepStrictEqual(
      stoppedContainers(events),
      why === undefined ? [] : [{ container: "web", why, atMs: 1_000 }],
    );
  });
}
