/**
 * Checks what of a pod of an API server could harm the node.
 *
 * @module
 */

import type { Place } from "../fault/mod.ts";
import type { ContainerSpec, Pod, Probe, Volume } from "../types/mod.ts";
import {
  type Check,
  each,
  fields,
  range,
  required,
  shape,
  Uniques,
} from "./checks.ts";
import { labelProblem, subdomainProblem } from "./names.ts";
import { validateAnnotationSize, validatePodUid } from "./validate_metadata.ts";

/**
 * Reports names that are none and times that no clock has.
 *
 * A server has checked all of a pod, and a later one may allow what this one does not
 * know: so only that is checked again by which directories and files are named, on which
 * all of the agent relies, and by which a loop would not pause. Only a server that is
 * broken, or that means harm, gives such a pod.
 */
export function validateClusterPod({ metadata, spec }: Pod, at: Place): void {
  const metadataAt = at.child("metadata");
  NAME(metadata.name, metadataAt.child("name"));
  LABEL(metadata.namespace, metadataAt.child("namespace"));
  validatePodUid(metadata.uid, metadataAt.child("uid"));
  // The runtime is told all of them, and cannot be listed any more when they are too long.
  validateAnnotationSize(metadata.annotations, metadataAt.child("annotations"));
  const specAt = at.child("spec");
  const names = new Uniques();
  const check: Check<ContainerSpec> = (container, place) => {
    LABEL(container.name, place.child("name"));
    names.check(container.name, place.child("name"));
    for (const probe of PROBES) PAUSES(container[probe], place.child(probe));
  };
  for (const list of LISTS) each(check)(spec[list], specAt.child(list));
  each(volumeChecks())(spec.volumes, specAt.child("volumes"));
}

const NAME = required(shape(subdomainProblem));
const LABEL = required(shape(labelProblem));
const LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"] as const;

const PAUSE = range(0);
const PAUSES = fields<Probe>({
  initialDelaySeconds: PAUSE,
  periodSeconds: PAUSE,
  timeoutSeconds: PAUSE,
});

function volumeChecks(): Check<Volume> {
  const names = new Uniques();
  return ({ name }, at) => {
    LABEL(name, at.child("name"));
    names.check(name, at.child("name"));
  };
}
