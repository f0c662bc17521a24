/**
 * What of a node can run short, and how much of it there is.
 *
 * @module
 */

import type { NodePressure } from "../pod/admission/mod.ts";
import type { AmountLeft } from "../host/machine/mod.ts";
import type { NodeFigures } from "../usage/mod.ts";

/** What can run short, as upstream names it. */
export const SIGNALS = [
  "memory.available",
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "pid.available",
] as const;

/** What is measured beside, whose thresholds follow from those of the others. */
export const DERIVED_SIGNALS = [
  "allocatableMemory.available",
  "containerfs.available",
  "containerfs.inodesFree",
] as const;

/** One of them. */
export type PressureSignal =
  | typeof SIGNALS[number]
  | typeof DERIVED_SIGNALS[number];

/** How much there is in all and how much is left, in bytes, inodes or processes. */
export type Observation = AmountLeft;

/** What was found; a signal that could not be measured is not there. */
export type Observations = ReadonlyMap<PressureSignal, Observation>;

/** The signals that figures of the node give. */
export function observationsOf(
  { memory, podsMemory, nodeFs, imageFs, containerFs, processes }: Pick<
    NodeFigures,
    | ("memory" | "podsMemory" | "processes")
    | ("nodeFs" | "imageFs" | "containerFs")
  >,
): Observations {
  const all: readonly (readonly [PressureSignal, Observation | undefined])[] = [
    ["memory.available", memory],
    ["nodefs.available", nodeFs?.bytes],
    ["nodefs.inodesFree", nodeFs?.inodes],
    ["imagefs.available", imageFs?.bytes],
    ["imagefs.inodesFree", imageFs?.inodes],
    ["pid.available", processes],
    ["allocatableMemory.available", podsMemory],
    ["containerfs.available", containerFs?.bytes],
    ["containerfs.inodesFree", containerFs?.inodes],
  ];
  return new Map(
    all.flatMap(([signal, found]) =>
      // A file system such as btrfs has no fixed number of inodes: it says 0 of 0.
      found === undefined || found.capacity <= 0 ? [] : [[signal, found]]
    ),
  );
}

/** What upstream calls the thing that is short. */
export type StarvedResource =
  | "memory"
  | "ephemeral-storage"
  | "inodes"
  | "pids";

/** Which condition a shortage means. */
export function pressureOf(signal: PressureSignal): NodePressure {
  switch (signal) {
    case "memory.available":
    case "allocatableMemory.available":
      return "MemoryPressure";
    case "pid.available":
      return "PIDPressure";
    case "nodefs.available":
    case "nodefs.inodesFree":
    case "imagefs.available":
    case "imagefs.inodesFree":
    case "containerfs.available":
    case "containerfs.inodesFree":
      return "DiskPressure";
  }
}

/** Which resource is short. */
export function resourceOf(signal: PressureSignal): StarvedResource {
  switch (signal) {
    case "memory.available":
    case "allocatableMemory.available":
      return "memory";
    case "pid.available":
      return "pids";
    case "nodefs.available":
    case "imagefs.available":
    case "containerfs.available":
      return "ephemeral-storage";
    case "nodefs.inodesFree":
    case "imagefs.inodesFree":
    case "containerfs.inodesFree":
      return "inodes";
  }
}
