/**
 * How containers learn of Services: variables, and names in a hosts file.
 *
 * @module
 */

import type { ServiceTarget } from "./service_target.ts";

/**
 * The variables of Services in the kubelet's form, by name. A program is told the port
 * where the pod listens, while the names of variables have the port of the Service:
 * `WEB_PORT_80_TCP_PORT=8080`.
 *
 * A Service without ports has a host only. Unlike upstream, headless ones are not left
 * out: no Service has an address of its own here.
 *
 * Upstream: pkg/kubelet/envvars FromServices.
 */
export function serviceVariables(
  targets: readonly ServiceTarget[],
): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const { name, address, ports } of targets) {
    const prefix = variableName(name);
    variables.set(`${prefix}_SERVICE_HOST`, address);
    const [first] = ports;
    if (first === undefined) continue;
    variables.set(`${prefix}_SERVICE_PORT`, `${first.target}`);
    for (const port of ports) {
      if (port.name === "") continue;
      const name = `${prefix}_SERVICE_PORT_${variableName(port.name)}`;
      variables.set(name, `${port.target}`);
    }
    const host = address.includes(":") ? `[${address}]` : address;
    const urlOf = ({ protocol, target }: typeof first): string =>
      `${protocol.toLowerCase()}://${host}:${target}`;
    variables.set(`${prefix}_PORT`, urlOf(first));
    for (const port of ports) {
      const { protocol, target } = port;
      const link = `${prefix}_PORT_${port.port}_${protocol}`;
      variables.set(link, urlOf(port));
      variables.set(`${link}_PROTO`, protocol.toLowerCase());
      variables.set(`${link}_PORT`, `${target}`);
      variables.set(`${link}_ADDR`, address);
    }
  }
  return variables;
}

/** Where names of Services are looked up. */
export interface ServiceNamesOptions {
  /** The namespace of the pod that looks: a Service of it has its bare name, too. */
  readonly namespace: string;
  /** The domain at the end of the longest name, such as `cluster.local`. */
  readonly clusterDomain: string;
}

/** The lines of a hosts file for Services, the longest name first. */
export function serviceHostLines(
  targets: readonly ServiceTarget[],
  { namespace, clusterDomain }: ServiceNamesOptions,
): readonly string[] {
  return targets.map((target) => {
    const qualified = `${target.name}.${target.namespace}`;
    const names = [
      `${qualified}.svc.${clusterDomain}`,
      `${qualified}.svc`,
      qualified,
      ...(target.namespace === namespace ? [target.name] : []),
    ];
    return [target.address, ...names].join("\t");
  });
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}
