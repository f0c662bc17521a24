/**
 * The seccomp and AppArmor profiles of containers.
 *
 * A profile that was asked for and cannot be named is refused: a container never
 * runs with less than it asked for.
 *
 * @module
 */

import { ANNOTATION_APPARMOR_PREFIX } from "../../api/vocabulary/mod.ts";
import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import type { SecurityProfile } from "../../cri/config/mod.ts";
import type { ContainerSpecInput, NodeFacts } from "./spec_input.ts";
import { SpecRefusal } from "./spec_refusal.ts";

/** The part of a node that seccomp profiles depend on. */
export type ProfileFacts = Pick<
  NodeFacts,
  "seccompDefault" | "seccompProfileRoot" | "realPath"
>;

interface WrittenProfile {
  readonly type: string;
  readonly localhostProfile?: string;
}

/**
 * The container's seccomp profile, else the pod's, else the node's default.
 *
 * Upstream: pkg/kubelet/kuberuntime getSeccompProfile.
 *
 * @throws {SpecRefusal} when the profile's path leaves the profile directory
 */
export function seccompProfile(
  input: Pick<ContainerSpecInput, "pod" | "container"> & {
    readonly node: ProfileFacts;
  },
): SecurityProfile {
  const { pod, container, node } = input;
  const written: WrittenProfile | undefined =
    container.securityContext?.seccompProfile ??
      pod.spec.securityContext?.seccompProfile;
  if (written === undefined) {
    return { kind: node.seccompDefault ? "runtime_default" : "unconfined" };
  }
  switch (written.type) {
    case "RuntimeDefault":
      return { kind: "runtime_default" };
    case "Localhost":
      return { kind: "localhost", localhostRef: seccompFile(written, node) };
    case "Unconfined":
      return { kind: "unconfined" };
    default:
      throw unknownProfile("seccomp", written);
  }
}

/**
 * The file of a profile, which neither its name nor a link may lead out of the
 * profile directory. One that is not there is the runtime's to refuse.
 */
function seccompFile(written: WrittenProfile, node: ProfileFacts): string {
  const { localhostProfile: name = "" } = written;
  const isOutside = name === "" || name.startsWith("/") ||
    name.includes("\0") || name.split("/").includes("..");
  if (isOutside) {
    throw new SpecRefusal(
      `Cannot use seccomp profile "${name}": wanted a relative path without ".."`,
    );
  }
  const { seccompProfileRoot: root, realPath } = node;
  const path = `${root}/${name}`;
  const led = realPath?.(path);
  if (led !== undefined && !led.startsWith(`${realPath?.(root) ?? root}/`)) {
    throw new SpecRefusal(
      `Cannot use seccomp profile "${name}": a link leads to "${led}", wanted a file below "${root}"`,
    );
  }
  return path;
}

/** A container that asks for an unknown profile must not run without any. */
function unknownProfile(what: string, written: WrittenProfile): SpecRefusal {
  return new SpecRefusal(
    `Cannot use ${what} profile type "${written.type}": wanted "RuntimeDefault", "Localhost" or "Unconfined"`,
  );
}

/**
 * The container's own field, then its annotation, then the pod's field; `undefined`
 * leaves the choice to the runtime.
 *
 * Upstream: pkg/security/apparmor GetProfile.
 *
 * @throws {SpecRefusal} when the profile is none that can be asked for
 */
export function appArmorProfile(
  pod: Pod,
  container: ContainerSpec,
): SecurityProfile | undefined {
  const own: WrittenProfile | undefined = container.securityContext
    ?.appArmorProfile;
  if (own !== undefined) return appArmorField(own);
  const annotations = pod.metadata.annotations ?? {};
  const key = `${ANNOTATION_APPARMOR_PREFIX}${container.name}`;
  const annotated = Object.hasOwn(annotations, key)
    ? appArmorAnnotation(annotations[key] ?? "")
    : undefined;
  if (annotated !== undefined) return annotated;
  const ofPod = pod.spec.securityContext?.appArmorProfile;
  return ofPod === undefined ? undefined : appArmorField(ofPod);
}

function appArmorField(written: WrittenProfile): SecurityProfile {
  const { localhostProfile = "" } = written;
  switch (written.type) {
    case "RuntimeDefault":
      return { kind: "runtime_default" };
    case "Localhost":
      if (localhostProfile === "") {
        throw new SpecRefusal(
          'Cannot use AppArmor profile "": wanted the name of a loaded profile',
        );
      }
      return { kind: "localhost", localhostRef: localhostProfile };
    case "Unconfined":
      return { kind: "unconfined" };
    default:
      throw unknownProfile("AppArmor", written);
  }
}

function appArmorAnnotation(value: string): SecurityProfile | undefined {
  if (value === "") return undefined;
  if (value === "runtime/default") return { kind: "runtime_default" };
  if (value === "unconfined") return { kind: "unconfined" };
  if (value.startsWith("localhost/") && value !== "localhost/") {
    return {
      kind: "localhost",
      localhostRef: value.slice("localhost/".length),
    };
  }
  throw new SpecRefusal(
    `Cannot use AppArmor profile "${value}": wanted "runtime/default", "unconfined" or "localhost/" and a name`,
  );
}
