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
  type DiskLayout,
  diskLayout,
  NodePressureManager,
  observationsOf,
  type PressureMeters,
  type PressureParts,
} from "../pressure/mod.ts";
import type { PodResources } from "../runtime/resources/mod.ts";
import {
  Devices,
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
  { machine, connection, volumes, clock, resources }: {
    readonly machine: Machine;
    readonly connection: {
      readonly images: Pick<CriConnection["images"], "imageFsInfo">;
      readonly runtime: Pick<CriConnection["runtime"], "listContainerStats">;
    };
    readonly volumes: Pick<PodVolumes, "usage">;
    readonly clock: Clock;
    readonly resources: Pick<
      PodResources,
      "memoryLeft" | "processes" | "stalls"
    >;
  },
): Promise<Meters> {
  const { rootDir } = config.paths;
  const { hostView } = config.node;
  const shown = shownImageFs(config);
  const devices = new Devices({ clock, stat: Deno.stat });
  const hasOwnImageFs = shown !== undefined &&
    await devices.differ(shown, rootDir);
  const layers = hostView && `${hostView}/${HOST_VIEW.containerFs}`;
  const containerFs = layers !== undefined &&
      await devices.differ(layers, rootDir) &&
      (shown === undefined || !await devices.areSame(layers, shown))
    ? layers
    : undefined;
  const podsMemory = () => resources.memoryLeft();
  const node = new NodeMeter({ machine, podsMemory }, {
    nodeFs: rootDir,
    ...(containerFs !== undefined && { containerFs }),
    ...(shown !== undefined && { imageFs: shown }),
    ...(hostView !== undefined && { processes: hostView }),
  });
  const pods = new PodMeter({
    runtime: connection.runtime,
    processes: (pod) => resources.processes(pod),
    stalls: (pod) => resources.stalls(pod),
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
      layout: layoutOf(connection.images, {
        hasOwnImageFs,
        hasOwnContainerFs: containerFs !== undefined,
      }),
    },
  };
}

/** Asks the runtime when the layout is wanted, until it answers: it does not change. */
function layoutOf(
  images: Pick<CriConnection["images"], "imageFsInfo">,
  disks: Parameters<typeof diskLayout>[1],
): PressureMeters["layout"] {
  let known: DiskLayout | undefined;
  return async (signal) => {
    if (known !== undefined) return known;
    try {
      known = diskLayout(await images.imageFsInfo({ signal }), disks);
      return known;
    } catch {
      signal.throwIfAborted();
      return diskLayout(undefined, disks);
    }
  };
}
