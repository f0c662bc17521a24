/**
 * Checks a pod's DNS settings and its entries for /etc/hosts.
 *
 * @module
 */

import type { Place } from "../fault/mod.ts";
import type { ContainerPort, ContainerSpec, PodSpec } from "../types/mod.ts";
import { checkEnum, checkShape, requireText, Uniques } from "./checks.ts";
import {
  ipProblem,
  portNameProblem,
  portProblem,
  type Problem,
  subdomainProblem,
} from "./names.ts";

/** As the API server's limits on resolv.conf. */
const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARS = 2048;

/** Reports what is wrong with `dnsPolicy` and `dnsConfig`. */
export function validateDns(spec: PodSpec, at: Place): void {
  checkEnum(
    spec.dnsPolicy,
    ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
    at.child("dnsPolicy"),
  );
  const place = at.child("dnsConfig");
  const { nameservers = [], searches = [], options = [] } = spec.dnsConfig ??
    {};
  if (spec.dnsPolicy === "None" && nameservers.length === 0) {
    const hint =
      'must provide at least one DNS nameserver when `dnsPolicy` is "None"';
    place.child("nameservers").required(hint);
  }
  if (nameservers.length > MAX_NAMESERVERS) {
    place.child("nameservers").tooLong(
      `must not have more than ${MAX_NAMESERVERS} nameservers`,
    );
  }
  for (const [i, address] of nameservers.entries()) {
    checkShape(address, ipProblem, place.child("nameservers").index(i));
  }
  validateSearches(searches, place.child("searches"));
  for (const [i, option] of options.entries()) {
    requireText(option.name, place.child("options").index(i).child("name"));
  }
}

/** Reports what is wrong with `hostAliases`. */
export function validateHostAliases(spec: PodSpec, at: Place): void {
  for (const [i, alias] of (spec.hostAliases ?? []).entries()) {
    const place = at.child("hostAliases").index(i);
    checkShape(alias.ip, ipProblem, place.child("ip"));
    if (alias.ip === undefined) place.child("ip").required();
    for (const [j, name] of (alias.hostnames ?? []).entries()) {
      checkShape(name, subdomainProblem, place.child("hostnames").index(j));
    }
  }
}

function validateSearches(searches: readonly string[], at: Place): void {
  if (searches.length > MAX_SEARCHES) {
    at.tooLong(`must not have more than ${MAX_SEARCHES} search paths`);
  }
  // They stand on one line of resolv.conf, parted by spaces.
  if (searches.join(" ").length > MAX_SEARCH_CHARS) {
    at.tooLong(
      `must not have more than ${MAX_SEARCH_CHARS} characters including spaces`,
    );
  }
  for (const [i, search] of searches.entries()) {
    checkShape(search, searchProblem, at.index(i));
  }
}

// A trailing dot, underscores and the root alone are right in a search path.
function searchProblem(search: string): Problem {
  if (search === ".") return undefined;
  const name = search.replace(/\.$/, "").replaceAll("_", "a");
  return subdomainProblem(name);
}

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
