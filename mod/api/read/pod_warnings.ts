/**
 * What is allowed in a pod and seldom meant.
 *
 * @module
 */

import { ANNOTATIONS_SECCOMP } from "../vocabulary/mod.ts";
import type { Place } from "../fault/mod.ts";
import { isWhole, parseQuantity } from "../objects/mod.ts";
import type {
  ContainerSpec,
  PodBody,
  ResourceRequirements,
} from "../types/mod.ts";
import { containerPlaces } from "../validate/mod.ts";

/**
 * Reports what the API server warns of and takes (pkg/api/pod/warnings.go), as far as
 * it matters on a node: names and ports given twice, amounts of less than a byte,
 * annotations that have lost their effect.
 *
 * Expects a pod that is valid.
 */
export function warnOfPod(pod: PodBody, at: Place): void {
  warnOfAnnotations(pod, at.child("metadata").child("annotations"));
  const spec = at.child("spec");
  warnOfFractions(pod.spec.resources, spec.child("resources"));
  for (const [container, place] of containerPlaces(pod.spec, spec)) {
    warnOfTwins(container, place);
    warnOfFractions(container.resources, place.child("resources"));
  }
}

function warnOfAnnotations(pod: PodBody, at: Place): void {
  for (const key of Object.keys(pod.metadata.annotations ?? {})) {
    const isSeccomp = key === ANNOTATIONS_SECCOMP.pod ||
      key.startsWith(ANNOTATIONS_SECCOMP.prefix);
    if (isSeccomp) {
      at.key(key).warn(
        "Has no effect since Kubernetes 1.27; set securityContext.seccompProfile",
      );
    }
  }
}

function warnOfTwins(container: ContainerSpec, at: Place): void {
  const names = new Set<string>();
  for (const [i, { name }] of (container.env ?? []).entries()) {
    if (names.has(name)) {
      at.child("env").index(i).child("name").warn(
        "Is set before in this list; the last one counts",
      );
    }
    names.add(name);
  }
  const ports = new Set<string>();
  for (const [i, port] of (container.ports ?? []).entries()) {
    const key = `${port.protocol}/${port.hostIP ?? ""}/${port.containerPort}`;
    if (ports.has(key)) {
      at.child("ports").index(i).child("containerPort").warn(
        "Stands before in this list with the same protocol",
      );
    }
    ports.add(key);
  }
}

function warnOfFractions(
  resources: ResourceRequirements | undefined,
  at: Place,
): void {
  for (const side of ["requests", "limits"] as const) {
    for (const [name, amount] of Object.entries(resources?.[side] ?? {})) {
      const isBytes = name === "memory" || name === "ephemeral-storage";
      if (isBytes && !isWhole(parseQuantity(amount))) {
        at.child(side).key(name).warn(
          `Is a fraction of a byte, "${amount}", and is rounded up`,
        );
      }
    }
  }
}
