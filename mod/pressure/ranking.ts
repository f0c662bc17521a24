/**
 * Which pod is ended first when something is short.
 *
 * @module
 */

import { parseQuantity } from "../api/objects/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import { podResourceSum } from "../pod/resources/mod.ts";
import type { ContainerUse, PodUse } from "../usage/mod.ts";
import type { DiskLayout } from "./disk_layout.ts";
import { type PressureSignal, resourceOf } from "./signals.ts";

/** A pod, and what it uses; `undefined` where that could not be measured. */
export interface Candidate {
  readonly pod: Pod;
  readonly use: PodUse | undefined;
}

/**
 * Orders pods, the first to be ended first (kubelet: rankMemoryPressure,
 * rankDiskPressure, rankPIDPressure).
 *
 * Those that use more than they asked for come first, then those of lower priority, then
 * those that use most beyond what they asked for; of two alike the one that comes first stays
 * first. A pod that cannot be measured comes before all others. Processes cannot be asked
 * for, so of these only priority and number count.
 */
export function rankPods(
  candidates: readonly Candidate[],
  shortage: { readonly signal: PressureSignal; readonly layout: DiskLayout },
): readonly Candidate[] {
  const rows = candidates.map((candidate) => ({
    candidate,
    ...weigh(candidate, shortage),
    priority: candidate.pod.spec.priority ?? 0,
  }));
  return rows.sort((a, b) =>
    Number(b.isUnknown) - Number(a.isUnknown) ||
    Number(b.exceeds) - Number(a.exceeds) ||
    a.priority - b.priority ||
    b.weight - a.weight
  ).map(({ candidate }) => candidate);
}

/** A pod that gives back less of what is missing is not ended for it. */
const LEAST_PART = 0.01;

/**
 * Whether the end of a pod brings the node anything. Where others have filled the disk, ending
 * one small pod after the other would leave none, and the disk as full as before. A pod that
 * cannot be measured may be what fills it.
 */
export function isWorthEnding(
  { use }: Candidate,
  shortage: { readonly signal: PressureSignal; readonly layout: DiskLayout },
  missing: number,
): boolean {
  if (use === undefined) return true;
  if (shortage.signal === "pid.available" && use.processes === undefined) {
    return true;
  }
  return usedOf(use, shortage) >= missing * LEAST_PART;
}

interface Weight {
  readonly isUnknown: boolean;
  readonly exceeds: boolean;
  readonly weight: number;
}

function weigh(
  { pod, use }: Candidate,
  shortage: { readonly signal: PressureSignal; readonly layout: DiskLayout },
): Weight {
  const resource = resourceOf(shortage.signal);
  if (use === undefined) return { isUnknown: true, exceeds: false, weight: 0 };
  const used = usedOf(use, shortage);
  if (resource === "pids") {
    return { isUnknown: false, exceeds: false, weight: used };
  }
  const weight = used - requestOf(pod, resource);
  return { isUnknown: false, exceeds: weight > 0, weight };
}

/** What a pod uses of what is short. */
export function usedOf(
  use: PodUse,
  { signal, layout }: {
    readonly signal: PressureSignal;
    readonly layout: DiskLayout;
  },
): number {
  const layers = layout.layersOn === "nodefs";
  switch (signal) {
    case "memory.available":
    case "allocatableMemory.available":
      return memoryOf(use);
    case "pid.available":
      return use.processes ?? 0;
    case "nodefs.available":
      return storedOf(use, "bytes", { layers });
    case "nodefs.inodesFree":
      return storedOf(use, "inodes", { layers });
    case "imagefs.available":
      return layout.hasOwnImageFs
        ? layersOn("imagefs", { use, layout, unit: "bytes" })
        : storedOf(use, "bytes", { layers });
    case "imagefs.inodesFree":
      return layout.hasOwnImageFs
        ? layersOn("imagefs", { use, layout, unit: "inodes" })
        : storedOf(use, "inodes", { layers });
    case "containerfs.available":
      return layersOn("containerfs", { use, layout, unit: "bytes" });
    case "containerfs.inodesFree":
      return layersOn("containerfs", { use, layout, unit: "inodes" });
  }
}

/** What of a disk is layers; of one on which none lie the end of no pod frees anything. */
function layersOn(
  disk: DiskLayout["layersOn"],
  { use, layout, unit }: {
    readonly use: PodUse;
    readonly layout: DiskLayout;
    readonly unit: Unit;
  },
): number {
  return layout.layersOn === disk ? layersOf(use.containers, unit) : 0;
}

/**
 * Containers are charged for what they write to volumes in memory, but one that has
 * restarted no longer is: the pod uses at least what lies there.
 */
function memoryOf({ containers, inMemoryBytes }: PodUse): number {
  const charged = sum(containers.map(({ memoryBytes }) => memoryBytes ?? 0));
  return Math.max(charged, inMemoryBytes);
}

type Unit = "bytes" | "inodes";

function storedOf(
  { containers, files }: PodUse,
  unit: Unit,
  options: { readonly layers: boolean },
): number {
  const logs = containers.map(({ logs }) => logs?.[unit] ?? 0);
  return files[unit] + sum(logs) +
    (options.layers ? layersOf(containers, unit) : 0);
}

function layersOf(containers: readonly ContainerUse[], unit: Unit): number {
  return sum(containers.map(({ layer }) => layer?.[unit] ?? 0));
}

/** What a pod asked for; nobody can ask for inodes. */
function requestOf(pod: Pod, resource: string): number {
  const text =
    podResourceSum(pod, "requests", { withOverhead: true })[resource];
  return text === undefined ? 0 : amountIn(text);
}

/** A quantity of bytes as a number. */
export function amountIn(text: string): number {
  return Number(parseQuantity(text).nano / 1_000_000_000n);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, next) => total + next, 0);
}
