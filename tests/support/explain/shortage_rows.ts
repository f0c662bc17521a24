/**
 * What a node may lack.
 *
 * @module
 */

import type { Shortage } from "../../../mod/pod/plan/mod.ts";

/** Lacks, by what is told of. */
export const SHORTAGES: Readonly<Record<string, Shortage>> = {
  "memory, more than there is": {
    resource: "memory",
    requested: 109951162777600n,
    used: 20971520n,
    capacity: 25276510208n,
  },
  "memory, more than is free": {
    resource: "memory",
    requested: 2147483648n,
    used: 1610612736n,
    capacity: 3221225472n,
  },
  // Rounded, both would be the same.
  "memory, one byte of it": {
    resource: "memory",
    requested: 1073741825n,
    used: 0n,
    capacity: 1073741824n,
  },
  "huge pages": {
    resource: "hugepages-2Mi",
    requested: 4194304n,
    used: 0n,
    capacity: 2097152n,
  },
  "all memory that there is": {
    resource: "memory",
    requested: 3221225472n,
    used: 1073741824n,
    capacity: 3221225472n,
  },
  "no room on the disk at all": {
    resource: "ephemeral-storage",
    requested: 1024n,
    used: 0n,
    capacity: 0n,
  },
  "processors": {
    resource: "cpu",
    requested: 1500n,
    used: 3000n,
    capacity: 4000n,
  },
  "room for another pod": {
    resource: "pods",
    requested: 1n,
    used: 110n,
    capacity: 110n,
  },
  "a resource of others": {
    resource: "example.com/gpu",
    requested: 2048n,
    used: 1n,
    capacity: 4096n,
  },
};
