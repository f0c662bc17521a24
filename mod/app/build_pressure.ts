/**
 * What is measured of the node, and who acts on it.
 *
 * @module
 */

import type { CriConnection } from "../cri/mod.ts";
import { nodeRef } from "../api/objects/mod.ts";
import { type AgentConfig, HOST_VIEW } from "../config/mod.ts";
import { getFileSystemLeft, getMemoryLeft } from "../host/machine/mod.ts";
import {
  NodePressureManager,
  observationsOf,
  type PressureMeters,
  type PressureParts,
} from "../pressure/mod.ts";
import { type Machine, NodeMeter, PodMeter } from "../usage/mod.ts";
import { directoryUsage, type PodVolumes } from "../volume/mod.ts";
import type { CoreDeps } from "./core_deps.ts";

/** The machine that this process runs on. */
export const thisMachine: Machine = {
  memory: getMemoryLeft,
  fileSystem: getFileSystemLeft,
};

/** Makes a builder of what acts on shortages; nothing is measured yet. */
export async function pressureBuilder(
  config: AgentConfig,
  deps: CoreDeps & { readonly volumes: Pick<PodVolumes, "usage"> },
): Promise<(parts: PressureParts) => NodePressureManager> {
  const meters = await buildMeters(config, deps);
  const node = nodeRef(config.node.name);
  return (parts) =>
    new NodePressureManager(
      { ...deps, ...parts, meters, node },
      config.pressure,
    );
}

async function buildMeters(
  config: AgentConfig,
  { machine, connection: { runtime }, volumes }: {
    readonly machine: Machine;
    readonly connection: Pick<CriConnection, "runtime">;
    readonly volumes: Pick<PodVolumes, "usage">;
  },
): Promise<PressureMeters> {
  const { rootDir } = config.paths;
  const { hostView } = config.node;
  const shown = hostView === undefined
    ? undefined
    : `${hostView}/${HOST_VIEW.imageFs}`;
  const hasOwnImageFs = shown !== undefined &&
    await isOtherDevice(shown, rootDir);
  const node = new NodeMeter(machine, {
    nodeFs: rootDir,
    ...(shown !== undefined && { imageFs: shown }),
  });
  const pods = new PodMeter({
    runtime,
    storage: {
      volumes: (pod, signal) => volumes.usage(pod, { signal }),
      directory: directoryUsage,
    },
  }, {
    podsDir: `${rootDir}/pods`,
    podLogsDir: config.runtime.podLogsDir,
  });
  return {
    observe: async () => observationsOf(await node.measure()),
    pods: (given, options) => pods.measure(given, options),
    layout: { hasOwnImageFs },
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
