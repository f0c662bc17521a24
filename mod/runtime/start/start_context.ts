/**
 * What the start of a container is given, and how it ends.
 *
 * @module
 */

import type { ContainerKind, ContainerSpec, Pod } from "../../api/types/mod.ts";
import type { SandboxConfig } from "../../cri/config/mod.ts";
import type { VolumeSource } from "../../pod/inputs/mod.ts";
import type { SyncFailure } from "../../pod/lifecycle/mod.ts";
import type { ObservedPod } from "../../pod/observed/mod.ts";
import { type SpecBuilder, wantsHostsFile } from "../spec/mod.ts";

/** The sandbox and the rest that all containers of one pod share while they start. */
export interface StartContext {
  readonly pod: Pod;
  /** The pod as it was before anything was done. */
  readonly observed: ObservedPod;
  readonly sandboxId: string;
  readonly sandboxConfig: SandboxConfig;
  readonly podIps: readonly string[];
  readonly volumes: ReadonlyMap<string, VolumeSource>;
  readonly hostsFile: HostsFile;
  /** Restart counts, read while the sandbox was made, by container name. */
  readonly restartCounts: ReadonlyMap<string, Promise<number>>;
  /** How long to wait for a pull that begins now, on the monotonic clock; then it goes on by itself. */
  readonly pullsUntilMs: number;
  /** Gives up the place among those that start; called before a long wait. */
  readonly releaseSlot: () => void;
  readonly signal: AbortSignal;
}

/** The managed `/etc/hosts`; it can be mounted once `written` resolves. */
export interface HostsFile {
  readonly path: string;
  readonly written: Promise<void>;
}

/** A container to start. */
export interface StartTarget {
  readonly container: ContainerSpec;
  readonly kind: ContainerKind;
  /** The name of the container whose processes an ephemeral one joins. */
  readonly targetName?: string | undefined;
}

/** It runs, or why not. */
export type StartResult =
  | { readonly kind: "started"; readonly containerId: string }
  /** An image of it is still being pulled; nothing was changed. */
  | { readonly kind: "pulling" }
  | {
    readonly kind: "failed";
    readonly failure: SyncFailure;
    /** True when something in the runtime may have changed. */
    readonly changed: boolean;
  };

/** What the configuration of one container is built from, as far as the pod's start knows it. */
export function specInput(
  context: StartContext,
  target: StartTarget,
): Omit<
  Parameters<SpecBuilder["container"]>[0],
  "restartCount" | "imageRef" | "imageUser" | "terminationLog"
> {
  const { pod, observed, sandboxId, podIps, volumes, hostsFile } = context;
  const { container, kind, targetName } = target;
  const joined = targetName === undefined
    ? undefined
    : observed.containers.find(({ name, state }) =>
      name === targetName && state === "running"
    );
  return {
    pod,
    container,
    kind,
    sandboxId,
    podIps,
    volumes,
    ...wantsHostsFile(pod, container, podIps)
      ? { hostsFile: hostsFile.path }
      : {},
    ...joined === undefined ? {} : { targetContainerId: joined.id },
  };
}
