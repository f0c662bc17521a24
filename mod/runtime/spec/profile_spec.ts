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
import type { ContainerSpecInput, SpecNode } from "./spec_input.ts";
import { SpecRefusal } from "./spec_refusal.ts";

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
  input: Pick<ContainerSpecInput, "pod" | "container" | "node">,
): SecurityProfile {
  const { pod, container, node } = input;
  const written: WrittenProfile | undefined =
    container.securityContext?.seccompProfile ??
      pod.spec.securityContext?.seccompProfile;
  if (written === undefined) {
    return { kind: node.seccompDefault ? "runtime_default" : "unconfined" };
  }
  return writtenProfile("seccomp", written, (name) => seccompFile(name, node));
}

/** A container that asks for an unknown profile must not run without any. */
function writtenProfile(
  what: "seccomp" | "AppArmor",
  { type, localhostProfile = "" }: WrittenProfile,
  referTo: (localhostProfile: string) => string,
): SecurityProfile {
  switch (type) {
    case "RuntimeDefault":
      return { kind: "runtime_default" };
    case "Localhost":
      return { kind: "localhost", localhostRef: referTo(localhostProfile) };
    case "Unconfined":
      return { kind: "unconfined" };
    default:
      throw new SpecRefusal(
        `Cannot use ${what} profile type "${type}": wanted "RuntimeDefault", "Localhost" or "Unconfined"`,
      );
  }
}

/**
 * The file of a profile, which neither its name nor a link may lead out of the
 * profile directory. One that is not there is the runtime's to refuse.
 */
function seccompFile(name: string, node: SpecNode): string {
  const isOutside = name === "" || name.startsWith("/") ||
    name.includes("\0") || name.split("/").includes("..");
  if (isOutside) {
    throw new SpecRefusal(
      `Cannot use seccomp profile "${name}": wanted a relative path without ".."`,
    );
  }
  const { seccompProfileRoot: root, realPath } = node;
  const path = `${root}/${name}`;
  const led = realPath(path);
  if (led !== undefined && !led.startsWith(`${realPath(root) ?? root}/`)) {
    throw new SpecRefusal(
      `Cannot use seccomp profile "${name}": a link leads to "${led}", wanted a file below "${root}"`,
    );
  }
  return path;
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
  const own = container.securityContext?.appArmorProfile;
  if (own !== undefined) return appArmorField(own);
  const annotations = pod.metadata.annotations ?? {};
  const key = `${ANNOTATION_APPARMOR_PREFIX}${container.name}`;
  const annotation = Object.hasOwn(annotations, key) && annotations[key];
  if (annotation) return appArmorAnnotation(annotation);
  const ofPod = pod.spec.securityContext?.appArmorProfile;
  return ofPod === undefined ? undefined : appArmorField(ofPod);
}

function appArmorField(written: WrittenProfile): SecurityProfile {
  return writtenProfile("AppArmor", written, (name) => {
    if (name !== "") return name;
    throw new SpecRefusal(
      'Cannot use AppArmor profile "": wanted the name of a loaded profile',
    );
  });
}

function appArmorAnnotation(value: string): SecurityProfile {
  if (value === "runtime/default") return { kind: "runtime_default" };
  if (value === "unconfined") return { kind: "unconfined" };
  if (value.startsWith("localhost/") && value !== "localhost/") {
    const localhostRef = value.slice("localhost/".length);
    return { kind: "localhost", localhostRef };
  }
  throw new SpecRefusal(
    `Cannot use AppArmor profile "${value}": wanted "runtime/default", "unconfined" or "localhost/" and a name`,
  );
}
