/**
 * Refuses what only an API server could give a pod.
 *
 * ConfigMaps, Secrets and PersistentVolumeClaims are allowed, unlike in the
 * kubelet: they can be documents in the manifest directory.
 *
 * @module
 */

import type { Place } from "../fault/mod.ts";
import type { PodSpec, Volume } from "../types/mod.ts";

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
