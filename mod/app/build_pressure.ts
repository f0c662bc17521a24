/**
 * What is measured of the node, and who acts on it.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { CriConnection } from "../cri/mod.ts";
import { nodeRef } from "../api/objects/mod.ts";
import { type AgentConfig, HOST_VIEW } from "../config/mod.ts";
import {
  getCpuNanos,
  getFileSystemLeft,
  getMemoryLeft,
  getSwapLeft,
  readProcessesLeft,
} from "../host/machine/mod.ts";
import {
  NodePressureManager,
  observationsOf,
  type PressureMeters,
  type PressureParts,
} from "../pressure/mod.ts";
import type { PodResources } from "../runtime/resources/mod.ts";
import {
  type Machine,
  NodeMeter,
  PodMeter,
  SharedMeter,
} from "../usage/mod.ts";
import { directoryUsage, type PodVolumes } from "../volume/mod.ts";
import type { CoreDeps } from "./core_deps.ts";

/** The machine that this process runs on. */
export const thisMachine: Machine = {
  memory: getMemoryLeft,
  swap: getSwapLeft,
  cpuNanos: getCpuNanos,
  processes: readProcessesLeft,
  fileSystem: getFileSystemLeft,
};

/** What measures, for whoever asks. */
export interface Meters {
  readonly node: NodeMeter;
  /** For clients. */
  readonly pods: SharedMeter;
  /** For what acts on shortages: always anew. */
  readonly pressure: PressureMeters;
}

/** Builds what acts on shortages; nothing runs yet. */
export function buildPressure(
  config: AgentConfig,
  deps: CoreDeps & PressureParts & { readonly meters: Meters },
): NodePressureManager {
  const given = {
    ...deps,
    meters: deps.meters.pressure,
    node: nodeRef(config.node.name),
  };
  return new NodePressureManager(given, config.pressure);
}

/** Where the host view shows the runtime's file system for images, if there is such a view. */
export function shownImageFs(
  { node: { hostView } }: Pick<AgentConfig, "node">,
): string | undefined {
  return hostView && `${hostView}/${HOST_VIEW.imageFs}`;
}

/** Builds what measures; nothing is measured yet. */
export async function buildMeters(
  config: AgentConfig,
  { machine, connection: { runtime }, volumes, clock, resources }: {
    readonly machine: Machine;
    readonly connection: Pick<CriConnection, "runtime">;
    readonly volumes: Pick<PodVolumes, "usage">;
    readonly clock: Clock;
    readonly resources: Pick<PodResources, "processes">;
  },
): Promise<Meters> {
  const { rootDir } = config.paths;
  const { hostView } = config.node;
  const shown = shownImageFs(config);
  const hasOwnImageFs = shown !== undefined &&
    await isOtherDevice(shown, rootDir);
  const node = new NodeMeter(machine, {
    nodeFs: rootDir,
    ...(shown !== undefined && { imageFs: shown }),
    ...(hostView !== undefined && { processes: hostView }),
  });
  const pods = new PodMeter({
    runtime,
    processes: (pod) => resources.processes(pod),
    storage: {
      volumes: (pod, signal) => volumes.usage(pod, { signal }),
      directory: directoryUsage,
    },
  }, {
    podsDir: `${rootDir}/pods`,
    podLogsDir: config.runtime.podLogsDir,
  });
  return {
    node,
    pods: new SharedMeter({ meter: pods, clock }),
    pressure: {
      observe: async () => observationsOf(await node.measure()),
      pods: (given, options) => pods.measure(given, options),
      layout: { hasOwnImageFs },
    },
  };
}

async function isOtherDevice(a: string, b: string): Promise<boolean> {
  try {
    const [first, second] = await Promise.all([Deno.stat(a), Deno.stat(b)]);
    return first.dev !== second.dev;
  } catch {
    // One of them is not there, so nothing says that they differ.
    return false;
  }
}
