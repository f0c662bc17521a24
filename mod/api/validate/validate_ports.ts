/**
 * Checks the ports of containers.
 *
 * @module
 */

import { checkEnum, checkShape, Uniques } from "./checks.ts";
import { ipProblem, portNameProblem, portProblem } from "./names.ts";
import type { Place } from "../fault/mod.ts";
import type { ContainerPort, ContainerSpec } from "../types/mod.ts";

/** Reports what is wrong with the ports of one container. */
export function validatePorts(
  container: ContainerSpec,
  at: Place,
  options: { readonly hostNetwork: boolean },
): void {
  const names = new Uniques();
  for (const [i, port] of (container.ports ?? []).entries()) {
    const place = at.child("ports").index(i);
    if (port.name) {
      checkShape(port.name, portNameProblem, place.child("name"));
      names.check(port.name, place.child("name"));
    }
    validateNumbers(port, place, options);
    checkEnum(port.protocol, ["TCP", "UDP", "SCTP"], place.child("protocol"));
    if (port.hostIP) checkShape(port.hostIP, ipProblem, place.child("hostIP"));
  }
}

/** Finds ports of the node that two containers of a pod want. */
export class HostPorts {
  readonly #taken = new Uniques();

  /** Reports the container's ports that are taken, and takes the others. */
  check(container: ContainerSpec, at: Place): void {
    for (const [i, port] of (container.ports ?? []).entries()) {
      if (!port.hostPort) continue;
      const { hostIP = "", hostPort, protocol = "TCP" } = port;
      this.#taken.check(
        `${protocol}/${hostIP}/${hostPort}`,
        at.child("ports").index(i).child("hostPort"),
      );
    }
  }
}

function validateNumbers(
  port: ContainerPort,
  at: Place,
  options: { readonly hostNetwork: boolean },
): void {
  const { containerPort, hostPort } = port;
  const place = at.child("containerPort");
  if (containerPort === undefined || containerPort === 0) place.required();
  else if (portProblem(containerPort) !== undefined) {
    place.invalid(containerPort, portProblem(containerPort) ?? "");
  }
  if (hostPort === undefined || hostPort === 0) return;
  const problem = portProblem(hostPort);
  if (problem !== undefined) at.child("hostPort").invalid(hostPort, problem);
  else if (options.hostNetwork && hostPort !== containerPort) {
    at.child("hostPort").invalid(
      hostPort,
      "must match `containerPort` when `hostNetwork` is true",
    );
  }
}
