/**
 * Pods and statuses for the tests of what is done with statuses.
 *
 * @module
 */

import type { Pod, PodStatus } from "../../../mod/api/types/mod.ts";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { StatusManager } from "../../../mod/status/status_manager.ts";
import { FakeClock } from "../fake_clock.ts";
import { bareStatus, containers as containersOf, pod } from "../pods.ts";

/** A pod `pod-<uid>` with containers of these names. */
export function statusPod(
  uid: string,
  options: {
    readonly restartPolicy?: string;
    readonly containers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
): Pod {
  const { containers = ["c0", "c1"], restartPolicy = "Always" } = options;
  return pod({
    name: `pod-${uid}`,
    namespace: "default",
    uid,
    ...options.annotations && { annotations: options.annotations },
    restartPolicy,
    containers: containersOf(...containers),
  });
}

/** A status with one container for each restart count. */
export function status(
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
): StatusManager {
  return new StatusManager({ clock, log: silentLogger });
}
