/**
 * Pods and statuses for the tests of what is done with statuses.
 *
 * @module
 */

import type {
  ContainerStatus,
  Pod,
  PodStatus,
} from "../../../mod/api/types/mod.ts";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { StatusManager } from "../../../mod/status/status_manager.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { container, pod } from "../../support/pods.ts";

/** A pod `pod-<uid>` with containers of these names. */
export function podOf(
  uid: string,
  options: {
    readonly restartPolicy?: string;
    readonly containers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
): Pod {
  const { containers = ["c0", "c1"], restartPolicy = "Always" } = options;
  const { annotations } = options;
  return pod({
    name: `pod-${uid}`,
    namespace: "default",
    uid,
    ...annotations && { metadata: { annotations } },
    restartPolicy,
    containers: containers.map((name) => container(name)),
  });
}

/** The status of a container of which nothing is known but a few fields. */
export function bareStatus(
  name: string,
  fields: Partial<ContainerStatus> = {},
): ContainerStatus {
  return {
    name,
    restartCount: 0,
    ready: false,
    image: "",
    imageID: "",
    ...fields,
  };
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
