/**
 * Checks containers: app containers, init containers and sidecars.
 *
 * @module
 */

import { checkEnum, checkShape, requireShape, Uniques } from "./checks.ts";
import { labelProblem } from "./names.ts";
import type { Place } from "../fault/mod.ts";
import type { ContainerSpec, PodSpec } from "../types/mod.ts";
import { validateEnv, validateEnvFrom } from "./validate_env.ts";
import { validateMounts } from "./validate_mounts.ts";
import { HostPorts, validatePorts } from "./validate_network.ts";
import { validateLifecycle, validateProbes } from "./validate_probes.ts";
import { validateContainerResources } from "./validate_resources.ts";
import { validateRestart } from "./validate_restart.ts";
import { validateContainerSecurity } from "./validate_security.ts";

/** More containers than this in one pod are no use and a burden to the node. */
const MAX_CONTAINERS = 256;

/** Reports what is wrong with the containers of a pod. */
export function validateContainers(spec: PodSpec, at: Place): void {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const names = new Uniques();
  const hostPorts = new HostPorts();
  if (containers.length === 0) at.child("containers").required();
  if (containers.length + initContainers.length > MAX_CONTAINERS) {
    at.child("containers").tooLong(
      `a pod may not have more than ${MAX_CONTAINERS} containers`,
    );
    return;
  }
  for (const [i, container] of containers.entries()) {
    const place = at.child("containers").index(i);
    names.check(container.name, place.child("name"));
    validateContainer(container, place, { spec, isApp: true });
    hostPorts.check(container, place);
  }
  for (const [i, container] of initContainers.entries()) {
    const place = at.child("initContainers").index(i);
    names.check(container.name, place.child("name"));
    validateContainer(container, place, { spec, isApp: false });
    // Ordinary init containers run one after the other and share no moment.
    if (container.restartPolicy === "Always") hostPorts.check(container, place);
    else new HostPorts().check(container, place);
  }
  if (ephemeralContainers.length > 0) {
    at.child("ephemeralContainers").forbidden(
      "cannot be set when a pod is created",
    );
  }
}

function validateContainer(
  container: ContainerSpec,
  at: Place,
  options: { readonly spec: PodSpec; readonly isApp: boolean },
): void {
  const { spec, isApp } = options;
  const lives = isApp || container.restartPolicy === "Always";
  requireShape(container.name, labelProblem, at.child("name"));
  validateImage(container, at);
  checkEnum(
    container.terminationMessagePolicy,
    ["File", "FallbackToLogsOnError"],
    at.child("terminationMessagePolicy"),
  );
  validatePorts(container, at, { hostNetwork: spec.hostNetwork === true });
  validateEnv(container.env ?? [], at.child("env"), spec);
  validateEnvFrom(container.envFrom ?? [], at.child("envFrom"));
  validateMounts(container, at, spec);
  validateContainerResources(container, at.child("resources"));
  validateRestart(container, at, spec);
  validateContainerSecurity(container, at.child("securityContext"), spec);
  if (lives) {
    validateProbes(container, at);
    validateLifecycle(container, at, spec);
  } else refuseForInit(container, at);
}

function refuseForInit(container: ContainerSpec, at: Place): void {
  for (
    const name of [
      "lifecycle",
      "livenessProbe",
      "readinessProbe",
      "startupProbe",
    ] as const
  ) {
    if (container[name] === undefined) continue;
    at.child(name).forbidden(
      "may not be set for init containers without restartPolicy=Always",
    );
  }
}

function validateImage(container: ContainerSpec, at: Place): void {
  const { image = "" } = container;
  const place = at.child("image");
  if (image === "") place.required();
  else {
    checkShape(image, imageProblem, place);
  }
  checkEnum(
    container.imagePullPolicy,
    ["Always", "IfNotPresent", "Never"],
    at.child("imagePullPolicy"),
  );
}

function imageProblem(image: string): string | undefined {
  if (image.trim() !== image) {
    return "must not have leading or trailing whitespace";
  }
  return undefined;
}
