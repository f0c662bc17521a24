/**
 * What has to be done on the node before a container's configuration can be built.
 *
 * @module
 */

import { NO_OBJECTS } from "../../api/objects/mod.ts";
import { containerEnvironment, type Environment } from "./environment.ts";
import {
  type WantedImage,
  wantedImages,
  type WantedSubPath,
  wantedSubPaths,
} from "./mount_spec.ts";
import type { ContainerSpecInput, SpecResult } from "./spec_input.ts";
import { specResult } from "./spec_result.ts";

/** What the environment of a container is made of. */
export type EnvironmentInput = Pick<
  ContainerSpecInput,
  "pod" | "container" | "podIps" | "node" | "objects" | "keyFiles"
>;

/** What a container's needs follow from. */
export type ContainerNeedsInput =
  & EnvironmentInput
  & Pick<ContainerSpecInput, "volumes" | "abilities">;

/** What is to be found or fetched, and the variables that say where. */
export interface ContainerNeeds {
  readonly environment: Environment;
  readonly subPaths: readonly WantedSubPath[];
  readonly images: readonly WantedImage[];
}

/**
 * Says what a container needs, or why it cannot be had. Its variables come first:
 * paths may be made of them.
 */
export function containerNeeds(
  input: ContainerNeedsInput,
): SpecResult<ContainerNeeds> {
  const { pod, container, volumes, abilities } = input;
  return specResult(() => {
    const environment = environmentOf(input);
    return {
      environment,
      subPaths: wantedSubPaths(container, { volumes, environment }),
      images: wantedImages(pod, container, abilities),
    };
  });
}

/**
 * The variables of a container.
 *
 * @throws {SpecRefusal} when a reference cannot be resolved
 */
export function environmentOf(input: EnvironmentInput): Environment {
  const { pod, container, podIps, node, keyFiles } = input;
  return containerEnvironment(pod, container, {
    podIps,
    hostIps: node.ips,
    allocatable: node.allocatable,
    objects: input.objects ?? NO_OBJECTS,
    ...(keyFiles === undefined ? {} : { keyFiles }),
  });
}
