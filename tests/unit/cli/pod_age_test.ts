/**
 * How old `get pods` says that a pod is, and where it runs.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { podRow } from "../../../mod/cli/pod_row.ts";
import { containerStatus } from "../../support/pods.ts";
import { shownPod } from "../../support/cli/shown_pods.ts";

const NOW_MS = Date.parse("2024-01-01T01:00:00Z");

Deno.test("podRow() shows age, address and node, or that they are not known", () => {
  const known = podRow(
    shownPod("p", {
      metadata: { creationTimestamp: "2024-01-01T00:57:00Z" },
      status: { podIP: "10.1.0.5" },
    }),
    NOW_MS,
  );
  deepStrictEqual([known.age, known.ip, known.node], ["3m", "10.1.0.5", "n1"]);
  const unknown = podRow(shownPod("p"), NOW_MS);
  deepStrictEqual([unknown.age, unknown.ip], ["<unknown>", "<none>"]);
});

Deno.test("podRow() counts the age from the start when the creation is not known", () => {
  const row = podRow(
    shownPod("p", { status: { startTime: "2024-01-01T00:59:30Z" } }),
    NOW_MS,
  );
  strictEqual(row.age, "30s");
});

Deno.test("CL-05: podRow() shows no age below nothing after the clock was set back", () => {
  const lastState = { terminated: { ...AHEAD, exitCode: 1 } };
  const row = podRow(
    shownPod("p", {
      status: {
        startTime: AHEAD.startedAt,
        containerStatuses: [
          containerStatus("c", { restartCount: 2, lastState }),
        ],
      },
    }),
    NOW_MS,
  );
  deepStrictEqual([row.age, row.restarts], ["0s", "2 (0s ago)"]);
});

const AHEAD = {
  startedAt: "2024-01-01T01:00:20Z",
  finishedAt: "2024-01-01T01:00:40Z",
};
