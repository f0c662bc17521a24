/**
 * What executing plans works with, what the start of a container is given, and how it ends.
 *
 * @module
 */

import type {
  ContainerKind,
  ContainerSpec,
  EventSink,
  Pod,
} from "../../api/types/mod.ts";
import type { Clock, Sessions } from "../../base/mod.ts";
import type { Logger, MetricsRegistry } from "../../base/telemetry/mod.ts";
import type { SandboxConfig } from "../../cri/config/mod.ts";
import type { ImageService, RuntimeService } from "../../cri/model/mod.ts";
import type { VolumeSource } from "../../pod/inputs/mod.ts";
import type { SyncFailure } from "../../pod/lifecycle/mod.ts";
import type { ObservedPod, ObservedSandbox } from "../../pod/observed/mod.ts";
import type { PodPlan } from "../../pod/plan/mod.ts";
import type { Activities } from "../account/mod.ts";
import type { CredentialFinder } from "../credentials/mod.ts";
import type { ImageRecords, ListIngests } from "../images/mod.ts";
import type { ContainerFiles, ContainerNotes } from "../observe/mod.ts";
import type { PodResources, UserNamespaces } from "../resources/mod.ts";
import {
  type RuntimeFiles,
  type SpecBuilder,
  type SubPaths,
  wantsHostsFile,
} from "../spec/mod.ts";

/** What executing plans needs. */
export interface ExecutorDeps {
  readonly runtime: RuntimeService;
  readonly images: Pick<ImageService, "imageStatus" | "pullImage">;
  readonly credentials: CredentialFinder;
  readonly imageRecords: ImageRecords;
  readonly ingests: ListIngests;
  readonly files: RuntimeFiles;
  readonly containerFiles: ContainerFiles;
  readonly specs: SpecBuilder;
  readonly subPaths: SubPaths;
  readonly resources: PodResources;
  readonly notes: ContainerNotes;
  readonly users: UserNamespaces;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly sessions: Sessions;
}

/** What starting needs: all of that, and the list of what is under way. */
export interface StartDeps extends ExecutorDeps {
  readonly activities: Activities;
}

/** One plan to execute. */
export interface Execution {
  readonly pod: Pod;
  /** The look that the plan was made from. */
  readonly observed: ObservedPod;
  readonly plan: PodPlan;
  /** The pod's volumes by name, ready to be mounted. */
  readonly volumes: ReadonlyMap<string, VolumeSource>;
  readonly signal: AbortSignal;
}

/** A sandbox that containers can be put into. */
export interface PodSandbox {
  readonly id: string;
  readonly config: SandboxConfig;
  readonly observed: ObservedSandbox;
  /** Empty for a pod on the node's network. */
  readonly ips: readonly string[];
}

/** What all containers of one pod share while they start. */
export interface StartContext extends Execution {
  readonly sandbox: PodSandbox;
  readonly podIps: readonly string[];
  /** The managed `/etc/hosts`; it can be mounted once `written` resolves. */
  readonly hostsFile: {
    readonly path: string;
    readonly written: Promise<void>;
  };
  /** Restart counts, read while the sandbox was made, by container name. */
  readonly restartCounts: ReadonlyMap<string, Promise<number>>;
  /** How long to wait for a pull that begins now, on the monotonic clock; then it goes on by itself. */
  readonly pullsUntilMs: number;
  /** Gives up the place among those that start; called before a long wait. */
  readonly releaseSlot: () => void;
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
  const { pod, observed, sandbox, podIps, volumes, hostsFile } = context;
  const { container, kind, targetName } = target;
  const joined = observed.containers.find(({ name, state }) =>
    name === targetName && state === "running"
  );
  return {
    pod,
    container,
    kind,
    sandboxId: sandbox.id,
    podIps,
    volumes,
    ...wantsHostsFile(pod, container, podIps)
      ? { hostsFile: hostsFile.path }
      : {},
    ...joined === undefined ? {} : { targetContainerId: joined.id },
  };
}

/** Lists what is started, in order: ephemeral, init, app; each in the plan's order. Pure. */
export function startTargets(pod: Pod, plan: PodPlan): readonly StartTarget[] {
  const { initContainers = [], containers, ephemeralContainers = [] } =
    pod.spec;
  const ephemeral = named(ephemeralContainers, plan.startEphemeral)
    .map((container): StartTarget => ({
      container,
      kind: "ephemeral",
      targetName: container.targetContainerName,
    }));
  const init = named(initContainers, plan.startInit)
    .map((container): StartTarget => ({ container, kind: "init" }));
  const app = named(containers, plan.start)
    .map((container): StartTarget => ({ container, kind: "app" }));
  return [...ephemeral, ...init, ...app];
}

function named<Container extends Pick<ContainerSpec, "name">>(
  containers: readonly Container[],
  names: readonly string[],
): readonly Container[] {
  return names.flatMap((name) =>
    containers.find((container) => container.name === name) ?? []
  );
}
