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

/** A pod with containers of these names. */
export function podOf(
  uid: string,
  options: {
    readonly restartPolicy?: string;
    readonly containers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
): Pod {
  const { containers = ["c0", "c1"], restartPolicy = "Always" } = options;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `pod-${uid}`,
      namespace: "default",
      uid,
      ...(options.annotations !== undefined &&
        { annotations: options.annotations }),
    },
    spec: { restartPolicy, containers: containers.map((name) => ({ name })) },
  };
}

/** The status of a container that runs under a given id. */
export function container(
  name: string,
  rest: Partial<ContainerStatus> = {},
): ContainerStatus {
  return {
    name,
    restartCount: 0,
    ready: false,
    image: "",
    imageID: "",
    ...rest,
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
      container(`c${at}`, { restartCount })
    ),
  };
}

/** A manager with a clock of its own. */
export function manager(
  clock: FakeClock = new FakeClock(),
): StatusManager {
  return new StatusManager({ clock, log: silentLogger });
}
