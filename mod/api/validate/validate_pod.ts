/**
 * Checks a defaulted pod as the API server checks one that is created
 * (ValidatePodCreate), and against what a pod from a file may not have.
 *
 * @module
 */

import type { Place } from "../fault/mod.ts";
import type { PodBody, PodSpec, Volume } from "../types/mod.ts";
import { checkEnum, checkRange, checkShape, requireShape } from "./checks.ts";
import {
  labelProblem,
  qualifiedNameProblem,
  subdomainProblem,
} from "./names.ts";
import {
  validateProfileAnnotations,
  validateRollbackAfter,
} from "./validate_annotations.ts";
import { validateContainers } from "./validate_container.ts";
import { validateMetadata } from "./validate_metadata.ts";
import { validateDns, validateHostAliases } from "./validate_network.ts";
import { validateOs } from "./validate_os.ts";
import {
  validateOverhead,
  validatePodResources,
} from "./validate_resources.ts";
import { validateScheduling } from "./validate_scheduling.ts";
import { validatePodSecurity } from "./validate_security.ts";
import { validateVolumes } from "./validate_volumes.ts";

/**
 * Reports everything that is wrong with a pod.
 *
 * Expects defaults to be filled in. Where the API server accepts what cannot work
 * or harms the node (a mount on `/`, a UID with slashes), this refuses.
 */
export function validatePod(pod: PodBody, at: Place): void {
  validateMetadata(pod.metadata, at.child("metadata"));
  validateRollbackAfter(pod.metadata, at.child("metadata"));
  validateProfileAnnotations(pod, at);
  validateSpec(pod.spec, at.child("spec"));
}

function validateSpec(spec: PodSpec, at: Place): void {
  validateLife(spec, at);
  validateNames(spec, at);
  validateNamespaces(spec, at);
  validateDns(spec, at);
  validateHostAliases(spec, at);
  validateVolumes(spec, at.child("volumes"));
  validateContainers(spec, at);
  validatePodResources(spec, at);
  validateOverhead(spec.overhead ?? {}, at.child("overhead"));
  validatePodSecurity(spec, at.child("securityContext"));
  validateScheduling(spec, at);
  validateOs(spec, at);
  validatePodReferences(spec, at);
}

function validateLife(spec: PodSpec, at: Place): void {
  const policies = ["Always", "OnFailure", "Never"];
  checkEnum(spec.restartPolicy, policies, at.child("restartPolicy"));
  checkEnum(
    spec.preemptionPolicy,
    ["PreemptLowerPriority", "Never"],
    at.child("preemptionPolicy"),
  );
  checkRange(
    spec.activeDeadlineSeconds,
    { min: 1, max: 2 ** 31 - 1 },
    at.child("activeDeadlineSeconds"),
  );
  checkRange(
    spec.terminationGracePeriodSeconds,
    { min: 0 },
    at.child("terminationGracePeriodSeconds"),
  );
}

function validateNames(spec: PodSpec, at: Place): void {
  checkShape(spec.hostname, labelProblem, at.child("hostname"));
  checkShape(spec.subdomain, labelProblem, at.child("subdomain"));
  checkShape(
    spec.runtimeClassName,
    subdomainProblem,
    at.child("runtimeClassName"),
  );
  checkShape(
    spec.priorityClassName,
    subdomainProblem,
    at.child("priorityClassName"),
  );
  checkShape(spec.nodeName, subdomainProblem, at.child("nodeName"));
  checkShape(spec.schedulerName, subdomainProblem, at.child("schedulerName"));
  validateHostnameOverride(spec, at);
  for (const [i, gate] of (spec.readinessGates ?? []).entries()) {
    const place = at.child("readinessGates").index(i).child("conditionType");
    requireShape(gate.conditionType, qualifiedNameProblem, place);
  }
  if ((spec.schedulingGates ?? []).length > 0) {
    // Upstream says it of nodeName, which a pod from a file always has.
    at.child("schedulingGates").forbidden(
      "a pod from a file is on its node already; nothing would clear the gates",
    );
  }
  // Names of `imagePullSecrets` are not checked upstream, not even for being there:
  // an image is pulled without a Secret that does not exist.
}

function validateHostnameOverride(spec: PodSpec, at: Place): void {
  const { hostnameOverride } = spec;
  if (hostnameOverride === undefined) return;
  const place = at.child("hostnameOverride");
  checkShape(hostnameOverride, subdomainProblem, place);
  if (hostnameOverride.length > 64) {
    place.tooLong("may not be more than 64 bytes");
  }
  if (spec.setHostnameAsFQDN === true) {
    place.forbidden("may not be specified when `setHostnameAsFQDN` is true");
  }
  if (spec.hostNetwork === true) {
    place.forbidden("may not be specified when `hostNetwork` is true");
  }
}

function validateNamespaces(spec: PodSpec, at: Place): void {
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    at.child("shareProcessNamespace").invalid(
      true,
      "`shareProcessNamespace` and `hostPID` cannot both be true",
    );
  }
  if (spec.hostUsers !== false) return;
  for (const name of ["hostNetwork", "hostPID", "hostIPC"] as const) {
    if (spec[name] !== true) continue;
    at.child("hostUsers").forbidden(
      `may not be false when \`${name}\` is true`,
    );
  }
}

/** Reports references that nothing on a node without API server can resolve. */
export function validatePodReferences(spec: PodSpec, at: Place): void {
  for (const name of ["serviceAccountName", "serviceAccount"] as const) {
    if (spec[name]) refuse(at.child(name), "a service account");
  }
  if ((spec.resourceClaims ?? []).length > 0) {
    refuse(at.child("resourceClaims"), "resource claims");
  }
  for (const list of ["containers", "initContainers"] as const) {
    for (const [i, container] of (spec[list] ?? []).entries()) {
      if ((container.resources?.claims ?? []).length === 0) continue;
      const place = at.child(list).index(i).child("resources").child("claims");
      refuse(place, "resource claims");
    }
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
