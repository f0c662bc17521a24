/**
 * Checks a pod's DNS settings and its entries for /etc/hosts.
 *
 * @module
 */

import type { Place } from "../fault/mod.ts";
import type { ContainerPort, ContainerSpec, PodSpec } from "../types/mod.ts";
import {
  type Check,
  each,
  fields,
  oneOf,
  required,
  shape,
  Uniques,
  unlessEmpty,
} from "./checks.ts";
import {
  ipProblem,
  portNameProblem,
  portProblem,
  type Problem,
  subdomainProblem,
} from "./names.ts";

type DnsConfig = NonNullable<PodSpec["dnsConfig"]>;

/** As the API server's limit on resolv.conf. */
const MAX_SEARCH_CHARS = 2048;

/** Reports what is wrong with `dnsConfig`. */
export function validateDns(
  config: DnsConfig | undefined,
  at: Place,
  { dnsPolicy }: PodSpec,
): void {
  if (dnsPolicy === "None" && !config?.nameservers?.length) {
    at.child("nameservers").required(
      'must provide at least one DNS nameserver when `dnsPolicy` is "None"',
    );
  }
  DNS(config, at);
}

const IP = shape(ipProblem);
const PORT_NAME = shape(portNameProblem);
const SEARCHES = each(shape(searchProblem), { max: 32, what: "search paths" });
const DNS = fields<DnsConfig>({
  nameservers: each(IP, { max: 3, what: "nameservers" }),
  searches: checkSearches,
  options: each(fields({ name: required() })),
});

/** An entry of `hostAliases`. */
export const HOST_ALIAS: Check<
  NonNullable<PodSpec["hostAliases"]>[number]
> = fields({
  ip: (ip, at) => {
    IP(ip, at);
    if (ip === undefined) at.required();
  },
  hostnames: each(shape(subdomainProblem)),
});

function checkSearches(
  searches: readonly string[] | undefined,
  at: Place,
): void {
  // They stand on one line of resolv.conf, parted by spaces.
  if ((searches ?? []).join(" ").length > MAX_SEARCH_CHARS) {
    at.tooLong(
      `must not have more than ${MAX_SEARCH_CHARS} characters including spaces`,
    );
  }
  SEARCHES(searches, at);
}

// A trailing dot, underscores and the root alone are right in a search path.
function searchProblem(search: string): Problem {
  if (search === ".") return undefined;
  const name = search.replace(/\.$/, "").replaceAll("_", "a");
  return subdomainProblem(name);
}

/** A check of the ports of one container, for all containers of a pod. */
export function portChecks(
  { hostNetwork = false }: PodSpec,
): Check<readonly ContainerPort[] | undefined> {
  const names = new Uniques();
  const check = each(fields<ContainerPort>({
    name: unlessEmpty((name, at) => {
      PORT_NAME(name, at);
      names.check(name, at);
    }),
    containerPort: (port, at) => {
      if (!port) at.required();
      else checkPort(port, at);
    },
    hostPort: (port, at, { containerPort }) => {
      if (!port || !checkPort(port, at)) return;
      if (!hostNetwork || port === containerPort) return;
      at.invalid(port, "must match `containerPort` when `hostNetwork` is true");
    },
    protocol: oneOf("TCP", "UDP", "SCTP"),
    hostIP: unlessEmpty(IP),
  }));
  return (ports, at) => {
    names.clear();
    check(ports, at);
  };
}

/** Reports a number that is no port's; true when it is one. */
function checkPort(port: number, at: Place): boolean {
  const problem = portProblem(port);
  if (problem !== undefined) at.invalid(port, problem);
  return problem === undefined;
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
