/**
 * What the log says of statuses that are not taken, or of nobody.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { PodStatus } from "../../../mod/api/types/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { fieldsTo } from "../../support/log_lines.ts";
import { bareStatus } from "../../support/pods.ts";
import {
  manager,
  phaseStatus,
  statusPod,
} from "../../support/status/builders.ts";

Deno.test("StatusManager logs what it refuses, and whom it forgets", () => {
  const lines: Record<string, unknown>[] = [];
  const clock = new FakeClock();
  const log = fieldsTo(lines, { clock, level: "debug" });
  const statuses = manager(clock, log);
  const never = statusPod("u", { restartPolicy: "Never" });
  const shown = (state: "terminated" | "running"): PodStatus => ({
    phase: "Running",
    containerStatuses: [
      bareStatus("c0", {
        state: state === "running"
          ? { running: {} }
          : { terminated: { exitCode: 0 } },
      }),
    ],
  });
  statuses.setPodStatus(never, shown("terminated"));
  statuses.setPodStatus(never, shown("running"));
  statuses.setPodStatus(statusPod("v"), phaseStatus("Running"));
  statuses.removeOrphanedStatuses(new Set(["v"]));
  deepStrictEqual(
    lines.map(({ level, message, uid, container }) => ({
      level,
      message,
      uid,
      container,
    })),
    [
      { level: "warn", message: "status_refused", uid: "u", container: "c0" },
      {
        level: "debug",
        message: "status_orphaned",
        uid: "u",
        container: undefined,
      },
    ],
  );
});
