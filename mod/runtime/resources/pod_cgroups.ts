/**
 * The cgroups of pods: made before the sandbox, limited as a whole, removed with it.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { Clock } from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import {
  type AmountLeft,
  type CgroupTree,
  parsePressureStall,
  type PressureStall,
} from "../../host/machine/mod.ts";
import { FileError } from "../../host/paths/mod.ts";
import {
  cgroupFiles,
  type CgroupLimits,
  clampShares,
  nodeCgroupLimits,
  nodePodsCgroup,
  podCgroupLimits,
  podCgroupParent,
  podUidOfCgroup,
  possiblePodCgroups,
  qosCgroup,
  qosClass,
  type ResourceList,
  sharesOfWeight,
} from "../../pod/resources/mod.ts";
import type { ResizedResource } from "../../pod/plan/mod.ts";
import { cpuOptions, type NodeCgroups } from "../spec/mod.ts";

/** Keeps the cgroups of pods, where they can be reached. */
export type PodCgroups = Pick<
  NodePodCgroups,
  | "ensure"
  | "update"
  | "memoryExcess"
  | "memoryLeft"
  | "processes"
  | "stalls"
  | "remove"
>;

/** For a node whose cgroups cannot be reached: the runtime makes what it needs, unlimited. */
export const NO_POD_CGROUPS: PodCgroups = {
  ensure: () => Promise.resolve(),
  update: () => Promise.resolve(),
  memoryExcess: () => Promise.resolve(0n),
  memoryLeft: () => Promise.resolve(undefined),
  processes: () => Promise.resolve(undefined),
  stalls: () => Promise.resolve(undefined),
  remove: () => Promise.resolve(),
};

/** How long the work in a cgroup has waited for what. */
export interface CgroupStalls {
  readonly cpu: PressureStall | undefined;
  readonly memory: PressureStall | undefined;
  readonly io: PressureStall | undefined;
}

/** What the limits of pods depend on. */
export interface PodCgroupsOptions {
  /** Asked each time, since the runtime names its driver late. */
  readonly layout: () => NodeCgroups;
  /** Most processes of one pod. */
  readonly pidsLimit?: number | undefined;
  /** What all pods may use together; absent when that is not enforced. */
  readonly allocatable?: ResourceList | undefined;
}

/** Where each version keeps the limit of a cgroup's memory. */
const LIMIT_FILES = { 1: "memory.limit_in_bytes", 2: "memory.max" } as const;

/** No machine has that much. */
const MOST_MEMORY_BYTES = 2 ** 60;

/** A process of the pod may be on its way out. */
const REMOVE_TRIES = 20;
const REMOVE_PAUSE_MS = 100;

/**
 * The cgroups of pods through the kernel's files.
 *
 * Upstream: pkg/kubelet/cm podContainerManagerImpl, qosContainerManagerImpl.
 */
export class NodePodCgroups {
  readonly #tree: CgroupTree;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #options: PodCgroupsOptions;
  /** Exact shares of Burstable pods made by this agent; files have those of others. */
  readonly #burstable = new Map<string, bigint>();
  #madeNodeCgroups = false;

  constructor(
    deps: {
      readonly tree: CgroupTree;
      readonly clock: Clock;
      readonly log: Logger;
    },
    options: PodCgroupsOptions,
  ) {
    this.#tree = deps.tree;
    this.#clock = deps.clock;
    this.#log = deps.log.named("cgroups");
    this.#options = options;
  }

  /**
   * Makes the pod's cgroup and limits it. With the systemd driver the runtime has
   * systemd make it, so that only {@linkcode NodePodCgroups.update} does something.
   *
   * @throws {FileError} When it cannot be made or limited.
   */
  async ensure(pod: Pod): Promise<void> {
    const layout = this.#options.layout();
    if (!layout.perQos || layout.driver === "systemd") return;
    await this.#makeNodeCgroups(layout);
    await this.#tree.make(podCgroupParent(pod, layout));
    await this.update(pod);
  }

  /**
   * Limits the pod's cgroup as its spec says now, if there is one.
   *
   * @param options.only the one resource to limit, where the containers do not yet have
   * what they are to have of the others: the kernel wants the pod's limit to be the wider
   * @throws {FileError} When the kernel refuses a limit.
   */
  async update(
    pod: Pod,
    { only }: { readonly only?: ResizedResource } = {},
  ): Promise<void> {
    const layout = this.#options.layout();
    if (!layout.perQos) return;
    const path = podCgroupParent(pod, layout);
    if (!await this.#tree.exists(path)) return;
    const limits = this.#limits(pod, layout);
    const files = cgroupFiles(limits, this.#tree.version)
      .filter(({ controller }) => only === undefined || controller === only);
    await this.#tree.write(path, files);
    if (qosClass(pod) === "Burstable") {
      this.#burstable.set(pod.metadata.uid, limits.cpuShares);
      await this.#weighBurstable(layout);
    }
  }

  /**
   * Bytes of memory that the pod uses above what it may use by its spec now: it would
   * be killed for them. 0 when it fits, or when that is not known.
   */
  async memoryExcess(pod: Pod): Promise<bigint> {
    const layout = this.#options.layout();
    const { memoryLimitBytes } = this.#limits(pod, layout);
    if (!layout.perQos || memoryLimitBytes === undefined) return 0n;
    const usage = await this.#tree.usage(podCgroupParent(pod, layout));
    const used = usage?.memoryWorkingSetBytes ?? 0n;
    return used > memoryLimitBytes ? used - memoryLimitBytes : 0n;
  }

  /**
   * What is left of the memory that all pods together may have; `undefined` when that is
   * not enforced, or not known.
   */
  async memoryLeft(): Promise<AmountLeft | undefined> {
    const layout = this.#options.layout();
    if (!layout.perQos || this.#options.allocatable === undefined) {
      return undefined;
    }
    const path = nodePodsCgroup(layout);
    const file = LIMIT_FILES[this.#tree.version];
    const limit = await this.#tree.read(path, { controller: "memory", file });
    // The kernel has words or a very large number for none.
    const capacity = /^\d+$/.test(limit ?? "") ? Number(limit) : Infinity;
    const usage = await this.#tree.usage(path);
    if (capacity > MOST_MEMORY_BYTES || usage === undefined) return undefined;
    const left = capacity - Number(usage.memoryWorkingSetBytes);
    return { capacity, available: Math.max(0, left) };
  }

  /** How many processes and threads the pod has; `undefined` when that is not known. */
  async processes(pod: Pod): Promise<number | undefined> {
    const layout = this.#options.layout();
    if (!layout.perQos) return undefined;
    const file = { controller: "pids", file: "pids.current" };
    const text = await this.#tree.read(podCgroupParent(pod, layout), file);
    return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  }

  /**
   * How long the work of the pod has waited for what (PSI), which cgroups of version 2 tell;
   * `undefined` when nothing does.
   */
  async stalls(pod: Pod): Promise<CgroupStalls | undefined> {
    const layout = this.#options.layout();
    if (!layout.perQos || this.#tree.version === 1) return undefined;
    const path = podCgroupParent(pod, layout);
    const stalls = {
      cpu: await this.#stall(path, "cpu"),
      memory: await this.#stall(path, "memory"),
      io: await this.#stall(path, "io"),
    };
    return Object.values(stalls).some((each) => each !== undefined)
      ? stalls
      : undefined;
  }

  /**
   * Removes the cgroup of a pod whose sandboxes have ended.
   *
   * @throws {FileError} Of the kind `busy` when a process is left in it.
   */
  async remove(uid: string, signal: AbortSignal): Promise<void> {
    const layout = this.#options.layout();
    // The name may come from a runtime's label: it must not lead elsewhere.
    if (!layout.perQos || !/^[A-Za-z0-9][-A-Za-z0-9]*$/.test(uid)) return;
    for (const path of possiblePodCgroups(uid, layout)) {
      if (await this.#tree.exists(path)) await this.#removeOne(path, signal);
    }
    if (this.#burstable.delete(uid)) await this.#weighBurstable(layout);
  }

  async #stall(
    path: string,
    controller: keyof CgroupStalls,
  ): Promise<PressureStall | undefined> {
    try {
      const file = `${controller}.pressure`;
      const text = await this.#tree.read(path, { controller, file });
      return text === undefined ? undefined : parsePressureStall(text);
    } catch (error) {
      // A kernel that was told not to count has the file, and refuses to open it.
      if (error instanceof FileError) return undefined;
      throw error;
    }
  }

  #limits(pod: Pod, layout: NodeCgroups): CgroupLimits {
    const { pidsLimit } = this.#options;
    return podCgroupLimits(pod, {
      ...cpuOptions(layout),
      ...(pidsLimit === undefined ? {} : { pidsLimit: BigInt(pidsLimit) }),
    });
  }

  async #removeOne(path: string, signal: AbortSignal): Promise<void> {
    for (let tries = 1;; tries++) {
      try {
        return await this.#tree.remove(path);
      } catch (error) {
        const isBusy = error instanceof FileError && error.kind === "busy";
        if (!isBusy || tries === REMOVE_TRIES) throw error;
      }
      await this.#clock.sleep(REMOVE_PAUSE_MS, signal);
    }
  }

  /** The cgroups above those of pods; their shares set the classes against each other. */
  async #makeNodeCgroups(layout: NodeCgroups): Promise<void> {
    if (this.#madeNodeCgroups) return;
    const top = nodePodsCgroup(layout);
    await this.#tree.make(top);
    const { allocatable } = this.#options;
    if (allocatable !== undefined) {
      await this.#try(top, nodeCgroupLimits(allocatable));
    }
    const bestEffort = qosCgroup("BestEffort", layout);
    await this.#tree.make(bestEffort);
    await this.#try(bestEffort, { cpuShares: clampShares(0n) });
    await this.#tree.make(qosCgroup("Burstable", layout));
    this.#madeNodeCgroups = true;
  }

  async #weighBurstable(layout: NodeCgroups): Promise<void> {
    const path = qosCgroup("Burstable", layout);
    let sum = 0n;
    for (const name of await this.#tree.list(path)) {
      const uid = podUidOfCgroup(name, layout);
      if (uid === undefined) continue;
      sum += this.#burstable.get(uid) ?? await this.#shares(`${path}/${name}`);
    }
    await this.#try(path, { cpuShares: clampShares(sum) });
  }

  async #shares(path: string): Promise<bigint> {
    const { version } = this.#tree;
    const file = version === 1 ? "cpu.shares" : "cpu.weight";
    const text = await this.#tree.read(path, { controller: "cpu", file });
    if (text === undefined || !/^\d+$/.test(text)) return 0n;
    const value = BigInt(text);
    return version === 1 ? value : sharesOfWeight(value);
  }

  /** A class that is weighed wrongly is no reason to keep a pod from starting. */
  async #try(path: string, limits: CgroupLimits): Promise<void> {
    const files = cgroupFiles(limits, this.#tree.version)
      // Only the agent limits the processes of all pods, and the kernel may refuse to.
      .filter(({ controller }) =>
        controller === "cpu" ||
        controller === "memory" && limits.memoryLimitBytes !== undefined
      );
    try {
      await this.#tree.write(path, files);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.#log.warn("cgroup_limits_refused", {
        path,
        error: describeError(error),
      });
    }
  }
}
