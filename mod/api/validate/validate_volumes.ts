/**
 * Checks the volumes of a pod.
 *
 * @module
 */

import {
  checkEnum,
  checkOneOf,
  requireShape,
  requireText,
  Uniques,
} from "./checks.ts";
import {
  backstepProblem,
  labelProblem,
  type Problem,
  subdomainProblem,
} from "./names.ts";
import type { Place } from "../fault/mod.ts";
import {
  compareQuantities,
  parseQuantity,
  ZERO_QUANTITY,
} from "../objects/mod.ts";
import type { PodSpec, Volume } from "../types/mod.ts";
import {
  validateDownwardFiles,
  validateKeyFiles,
  validateProjected,
} from "./validate_volume_files.ts";

/** Reports what is wrong with the volumes of a pod. */
export function validateVolumes(spec: PodSpec, at: Place): void {
  const names = new Uniques();
  for (const [i, volume] of (spec.volumes ?? []).entries()) {
    const place = at.index(i);
    requireShape(volume.name, labelProblem, place.child("name"));
    names.check(volume.name, place.child("name"));
    checkOneOf(volume, { of: "volume type", ignore: ["name"] }, place);
    validateLocal(volume, place);
    validateFiles(volume, place, spec);
  }
}

const HOST_PATH_TYPES: readonly string[] = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

function validateLocal(volume: Volume, at: Place): void {
  const { emptyDir, hostPath, image } = volume;
  if (emptyDir !== undefined) validateEmptyDir(emptyDir, at.child("emptyDir"));
  if (hostPath !== undefined) {
    const place = at.child("hostPath");
    requireShape(hostPath.path, hostPathProblem, place.child("path"));
    checkEnum(hostPath.type, HOST_PATH_TYPES, place.child("type"));
  }
  if (image !== undefined) {
    const place = at.child("image");
    requireText(image.reference, place.child("reference"));
    checkEnum(
      image.pullPolicy,
      ["Always", "IfNotPresent", "Never"],
      place.child("pullPolicy"),
    );
  }
  if (volume.persistentVolumeClaim !== undefined) {
    const place = at.child("persistentVolumeClaim").child("claimName");
    requireShape(
      volume.persistentVolumeClaim.claimName,
      subdomainProblem,
      place,
    );
  }
}

function hostPathProblem(path: string): Problem {
  if (!path.startsWith("/")) return "must be an absolute path";
  return backstepProblem(path);
}

function validateEmptyDir(
  emptyDir: NonNullable<Volume["emptyDir"]>,
  at: Place,
): void {
  const { medium = "", sizeLimit } = emptyDir;
  if (!medium.startsWith("HugePages-")) {
    checkEnum(medium, ["", "Memory", "HugePages"], at.child("medium"));
  }
  if (sizeLimit === undefined) return;
  if (compareQuantities(parseQuantity(sizeLimit), ZERO_QUANTITY) < 0) {
    at.child("sizeLimit").invalid(
      sizeLimit,
      "must be greater than or equal to 0",
    );
  }
}

function validateFiles(volume: Volume, at: Place, spec: PodSpec): void {
  const { configMap, downwardAPI, projected, secret } = volume;
  if (configMap !== undefined) {
    const place = at.child("configMap");
    requireShape(configMap.name, subdomainProblem, place.child("name"));
    validateKeyFiles(configMap, place);
  }
  if (secret !== undefined) {
    const place = at.child("secret");
    requireShape(
      secret.secretName,
      subdomainProblem,
      place.child("secretName"),
    );
    validateKeyFiles(secret, place);
  }
  if (downwardAPI !== undefined) {
    validateDownwardFiles(downwardAPI, at.child("downwardAPI"), spec);
  }
  if (projected !== undefined) {
    validateProjected(projected, at.child("projected"), spec);
  }
}
