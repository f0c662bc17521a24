/**
 * Nodes without machines: what joins a cluster, over a runtime that never has a pod.
 *
 * @module
 */

import { parseQuantity } from "../../../mod/api/objects/mod.ts";
import { joinCluster } from "../../../mod/app/cluster/mod.ts";
import { systemClock, systemRandom, TaskGroup } from "../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import {
  type AgentConfig,
  parseRunArguments,
} from "../../../mod/config/mod.ts";
import type { CriConnection } from "../../../mod/cri/mod.ts";
import { EventRecorder } from "../../../mod/events/mod.ts";
import { listAddresses } from "../../../mod/host/machine/mod.ts";
import { ImageRemovals } from "../../../mod/reclaim/mod.ts";
import { StatusManager } from "../../../mod/status/mod.ts";

/** Where a hollow node belongs. */
export interface HollowNodeOptions {
  readonly name: string;
  readonly kubeconfig: string;
  /** Of its own; the caller removes it. */
  readonly directory: string;
  /** More of its configuration file. */
  readonly config?: string;
  /** Whether its runtime has an image without a name. @default false */
  readonly hasImage?: boolean;
}

/** Is a node of a cluster until it is disposed of. */
export class HollowNode implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor(run: (signal: AbortSignal) => Promise<void>) {
    this.#running = run(this.#stop.signal);
  }

  /** Starts one, with what an agent has for a cluster and nothing else. */
  static async start(options: HollowNodeOptions): Promise<HollowNode> {
    const parts = await partsOf(await configOf(options), options);
    return new HollowNode(async (signal) => {
      await using tasks = new TaskGroup(signal);
      const running = parts.background.map((part) =>
        tasks.start((scope) => part.run(scope))
      );
      for (const source of parts.sources) {
        running.push(tasks.start(async (scope) => {
          for await (const _ of source.run(scope));
        }));
      }
      await Promise.all(running);
      if (tasks.failure !== undefined) throw tasks.failure;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

async function configOf(
  { name, kubeconfig, directory, config = "" }: HollowNodeOptions,
): Promise<AgentConfig> {
  const path = `${directory}/config.yaml`;
  await Deno.mkdir(`${directory}/root`, { recursive: true });
  await Deno.mkdir(`${directory}/run`, { recursive: true });
  const kinds = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
`;
  await Deno.writeTextFile(path, `${kinds}${config}`);
  const parsed = await parseRunArguments([
    `--root-dir=${directory}/root`,
    `--run-dir=${directory}/run`,
    `--pod-manifest-path=${directory}/manifests`,
    `--config=${path}`,
    `--kubeconfig=${kubeconfig}`,
    `--hostname-override=${name}`,
    "--pod-network=10.88.0.0/16",
  ], {
    cwd: () => directory,
    hostname: () => name,
    readTextFile: (file) => Deno.readTextFile(file),
  });
  if (parsed.kind === "ok") return parsed.config;
  throw new Error(parsed.faults.join("\n"));
}

function partsOf(
  config: AgentConfig,
  { hasImage = false }: HollowNodeOptions,
): ReturnType<typeof joinCluster> {
  const clock = systemClock;
  const log = silentLogger;
  const metrics = new MetricsRegistry();
  const amounts = new Map([
    ["cpu", parseQuantity("4")],
    ["memory", parseQuantity("4Gi")],
    ["pods", parseQuantity("110")],
  ]);
  const { name } = config.node;
  return joinCluster(config, {
    ...{ clock, log, metrics },
    storage: { bySource: () => new Map() },
    random: systemRandom,
    events: new EventRecorder({ clock, log, metrics }),
    statuses: new StatusManager({ clock, log }),
    sourcesReady: { isReady: () => true, missing: () => [] },
    connection: emptyRuntime(hasImage),
    removals: new ImageRemovals(),
    watch: {
      health: () => ({ healthy: true, message: "" }),
      whenOutageChanges: () => {},
    },
    picture: { listedMs: undefined, listing: undefined },
    ips: { current: ownAddresses() },
    capacity: amounts,
    node: { allocatable: amounts },
    owned: { has: () => false },
    ownLabels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux" },
    agent: () => ({
      isGoingDown: false,
      pods: () => [],
      pendingVerdict: () => undefined,
    }),
  });
}

/** One by which an API server may reach the machine, if it has any. */
function ownAddresses(): readonly string[] {
  return listAddresses()
    .filter(({ family, address }) =>
      family === "IPv4" && !address.startsWith("127.")
    )
    .slice(0, 1).map(({ address }) => address);
}

/** What a runtime may have though nobody has given it a name; each could get lost on its way. */
const IMAGE = { id: "i1", names: [], size: 0n, pinned: false };
const HANDLER = {
  name: "",
  userNamespaces: false,
  recursiveReadOnlyMounts: false,
};

/** Is well, and has next to nothing. */
const emptyRuntime = (hasImage: boolean): {
  readonly features: CriConnection["features"];
  readonly images: Pick<CriConnection["images"], "listImages">;
  readonly runtime: Pick<CriConnection["runtime"], "status">;
} => ({
  features: () => ({
    version: { runtimeName: "hollow", runtimeVersion: "1.0.0" },
    handlers: [HANDLER],
    supplementalGroupsPolicy: false,
    cgroupDriver: undefined,
  }),
  images: { listImages: () => Promise.resolve(hasImage ? [IMAGE] : []) },
  runtime: {
    status: () =>
      Promise.resolve({
        conditions: [],
        handlers: [],
        supplementalGroupsPolicy: false,
        info: new Map(),
      }),
  },
});
