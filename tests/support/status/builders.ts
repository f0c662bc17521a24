/**
 * Pods and statuses for the tests of what is done with statuses.
 *
 * @module
 */

import type { Pod, PodStatus } from "../../../mod/api/types/mod.ts";
import { type Logger, silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { StatusManager } from "../../../mod/status/status_manager.ts";
import { FakeClock } from "../fake_clock.ts";
import { bareStatus, containers, type PodDraft, podOf } from "../pods.ts";

/** A pod `uid` with the containers of {@linkcode phaseStatus}, always restarted. */
export function statusPod(uid: string, draft: PodDraft = {}): Pod {
  return podOf(uid, {
    restartPolicy: "Always",
    containers: containers("c0", "c1"),
    ...draft,
  });
}

/** A status with one container for each restart count. */
export function phaseStatus(
  phase: string,
  counts: readonly number[] = [0],
): PodStatus {
  return {
    phase,
    containerStatuses: counts.map((restartCount, at) =>
      bareStatus(`c${at}`, { restartCount })
    ),
  };
}

/** A manager with a clock of its own. */
export function manager(
  clock: FakeClock = new FakeClock(),
  log: Logger = silentLogger,
): StatusManager {
  return new StatusManager({ clock, log });
}
