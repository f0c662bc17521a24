/**
 * What the node offers to the pods that ask for a place on it.
 *
 * @module
 */

import type { Quantity } from "../api/objects/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { AdmissionNode } from "../pod/admission/mod.ts";

/** As Go names processors, by how Deno does. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ["x86_64", "amd64"],
  ["aarch64", "arm64"],
]);

/** Puts together what admission compares pods with. */
export function admissionNode(
  config: AgentConfig,
  allocatable: ReadonlyMap<string, Quantity>,
): AdmissionNode {
  const { name, labels, allowedUnsafeSysctls } = config.node;
  return {
    name,
    labels: { ...labels, ...ownLabels(name) },
    allocatable,
    allowedUnsafeSysctls,
  };
}

/** The labels that every node has, whatever its operator says. */
function ownLabels(nodeName: string): Readonly<Record<string, string>> {
  const arch = ARCHITECTURES.get(Deno.build.arch) ?? Deno.build.arch;
  return {
    "kubernetes.io/hostname": nodeName,
    "kubernetes.io/os": Deno.build.os,
    "kubernetes.io/arch": arch,
    "beta.kubernetes.io/os": Deno.build.os,
    "beta.kubernetes.io/arch": arch,
  };
}
