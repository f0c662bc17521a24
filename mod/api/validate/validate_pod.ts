/**
 * Checks a defaulted pod as the API server checks one that is created
 * (ValidatePodCreate), and against what a pod from a file may not have. Of a pod that an
 * API server has checked itself, what could harm the node is checked again.
 *
 * @module
 */

import type { Place } from "../fault/mod.ts";
import type {
  ContainerSpec,
  Pod,
  PodBody,
  PodSpec,
  Probe,
  Volume,
} from "../types/mod.ts";
import type { PodTemplate } from "../workload/mod.ts";
import {
  type Check,
  checkFields,
  each,
  type FieldChecks,
  fields,
  oneOf,
  range,
  required,
  shape,
  Uniques,
} from "./checks.ts";
import {
  labelProblem,
  qualifiedNameProblem,
  subdomainProblem,
} from "./names.ts";
import { containerPlaces } from "./pod_index.ts";
import {
  validateProfileAnnotations,
  validateRollbackAfter,
} from "./validate_annotations.ts";
import { validateContainers } from "./validate_container.ts";
import {
  validateAnnotationSize,
  validateMarks,
  validateMetadata,
  validatePodUid,
} from "./validate_metadata.ts";
import { HOST_ALIAS, validateDns } from "./validate_network.ts";
import { validateOs } from "./validate_os.ts";
import {
  validateOverhead,
  validatePodResources,
} from "./validate_resources.ts";
import { validateScheduling } from "./validate_scheduling.ts";
import { podSecurityChecks } from "./validate_security.ts";
import { validateVolumes } from "./validate_volumes.ts";

/**
 * Reports everything that is wrong with a pod.
 *
 * Expects defaults to be filled in. Where the API server accepts what cannot work
 * or harms the node (a mount on `/`, a UID with slashes), this refuses.
 */
export function validatePod(pod: PodBody, at: Place): void {
  validateMetadata(pod.metadata, at.child("metadata"));
  validateContent(pod, at);
}

/**
 * Reports everything that is wrong with what a controller makes pods from.
 *
 * Expects defaults to be filled in. A name in it has no effect.
 */
export function validatePodTemplate(template: PodTemplate, at: Place): void {
  const { metadata = {}, spec } = template;
  validateMarks(metadata, at.child("metadata"));
  validateContent({ apiVersion: "v1", kind: "Pod", metadata, spec }, at);
}

function validateContent(pod: PodBody, at: Place): void {
  const { metadata, spec } = pod;
  const place = at.child("spec");
  validateRollbackAfter(metadata, at.child("metadata"));
  validateProfileAnnotations(pod, at);
  checkFields(spec, place, SPEC);
  validateContainers(spec, place);
  validatePodResources(spec, place);
  checkFields(spec, place, {
    overhead: validateOverhead,
    securityContext: podSecurityChecks(spec),
  });
  validateScheduling(spec, place);
  validateOs(spec, place);
  validateReferences(spec, place);
}

// Names of `imagePullSecrets` are not checked upstream, not even for being there: an
// image is pulled without a Secret that does not exist.
const SPEC: FieldChecks<PodSpec> = {
  restartPolicy: oneOf("Always", "OnFailure", "Never"),
  preemptionPolicy: oneOf("PreemptLowerPriority", "Never"),
  activeDeadlineSeconds: range(1, 2 ** 31 - 1),
  terminationGracePeriodSeconds: range(0),
  hostname: shape(labelProblem),
  subdomain: shape(labelProblem),
  runtimeClassName: shape(subdomainProblem),
  priorityClassName: shape(subdomainProblem),
  nodeName: shape(subdomainProblem),
  schedulerName: shape(subdomainProblem),
  hostnameOverride: checkHostnameOverride,
  readinessGates: each(fields({
    conditionType: required(shape(qualifiedNameProblem)),
  })),
  schedulingGates: (gates, at) => {
    if (!gates?.length) return;
    // Upstream says it of nodeName, which a pod from a file always has.
    at.forbidden(
      "a pod from a file is on its node already; nothing would clear the gates",
    );
  },
  shareProcessNamespace: (isShared, at, { hostPID }) => {
    if (isShared !== true || hostPID !== true) return;
    at.invalid(
      true,
      "`shareProcessNamespace` and `hostPID` cannot both be true",
    );
  },
  hostUsers: (isHost, at, spec) => {
    if (isHost !== false) return;
    for (const name of ["hostNetwork", "hostPID", "hostIPC"] as const) {
      if (spec[name] !== true) continue;
      at.forbidden(`may not be false when \`${name}\` is true`);
    }
  },
  dnsPolicy: oneOf(
    "ClusterFirstWithHostNet",
    "ClusterFirst",
    "Default",
    "None",
  ),
  dnsConfig: validateDns,
  hostAliases: each(HOST_ALIAS),
  volumes: validateVolumes,
};

function checkHostnameOverride(
  name: string | undefined,
  at: Place,
  spec: PodSpec,
): void {
  if (name === undefined) return;
  shape(subdomainProblem)(name, at);
  if (name.length > 64) at.tooLong("may not be more than 64 bytes");
  for (const other of ["setHostnameAsFQDN", "hostNetwork"] as const) {
    if (spec[other] !== true) continue;
    at.forbidden(`may not be specified when \`${other}\` is true`);
  }
}

/** Reports references that nothing on a node without API server can resolve. */
function validateReferences(spec: PodSpec, at: Place): void {
  for (const name of ["serviceAccountName", "serviceAccount"] as const) {
    if (spec[name]) refuse(at.child(name), "a service account");
  }
  if ((spec.resourceClaims ?? []).length > 0) {
    refuse(at.child("resourceClaims"), "resource claims");
  }
  for (const [{ resources }, place] of containerPlaces(spec, at)) {
    if ((resources?.claims ?? []).length === 0) continue;
    refuse(place.child("resources").child("claims"), "resource claims");
  }
  for (const [i, volume] of (spec.volumes ?? []).entries()) {
    refuseVolume(volume, at.child("volumes").index(i));
  }
}

const API_VOLUMES: ReadonlyMap<string, string> = new Map([
  ["azureFile", "a Secret for Azure"],
  ["csi", "CSI drivers"],
  ["ephemeral", "claims made from templates; use emptyDir or hostPath"],
  ["glusterfs", "Endpoints"],
]);

const API_SOURCES: ReadonlyMap<string, string> = new Map([
  ["clusterTrustBundle", "trust bundles"],
  ["podCertificate", "pod certificates"],
  ["serviceAccountToken", "service account tokens"],
]);

function refuseVolume(volume: Volume, at: Place): void {
  if (volume.gitRepo !== undefined) {
    at.child("gitRepo").forbidden(
      "gitRepo volumes are not supported; clone in an init container into an emptyDir",
    );
  }
  for (const kind of Object.keys(volume)) {
    const what = API_VOLUMES.get(kind);
    if (what !== undefined) refuse(at.child(kind), what);
  }
  for (const [i, source] of (volume.projected?.sources ?? []).entries()) {
    const place = at.child("projected").child("sources").index(i);
    for (const kind of Object.keys(source)) {
      const what = API_SOURCES.get(kind);
      if (what !== undefined) refuse(place.child(kind), what);
    }
  }
}

function refuse(at: Place, what: string): void {
  at.forbidden(
    `static pods may not reference ${what}: there is no API server to ask`,
  );
}

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
