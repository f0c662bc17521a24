/**
 * The variables by which containers are told of services.
 *
 * @module
 */

/** What a container may be told of one service. */
export interface ServiceFacts {
  readonly name: string;
  readonly namespace: string;
  /** Empty or `None` for a service without an address, of which nothing is told. */
  readonly clusterIp: string;
  readonly ports: readonly {
    readonly name?: string;
    readonly port: number;
    /** @default "TCP" */
    readonly protocol?: string;
  }[];
}

/** The service that every pod is told of, links or not. */
const MASTER = { name: "kubernetes", namespace: "default" };

/**
 * The variables of all services that a pod of a namespace sees; with `links` false
 * those of the API server alone.
 *
 * Upstream: pkg/kubelet/envvars FromServices, kubelet_pods.go getServiceEnvVarMap.
 */
export function serviceVariables(
  services: readonly ServiceFacts[],
  options: { readonly namespace: string; readonly links: boolean },
): ReadonlyMap<string, string> {
  const { namespace, links } = options;
  const seen = new Map<string, ServiceFacts>();
  for (const service of services) {
    const { name, clusterIp } = service;
    if (clusterIp === "" || clusterIp === "None") continue;
    const isOwn = links && service.namespace === namespace;
    const isMaster = name === MASTER.name &&
      service.namespace === MASTER.namespace;
    // The pod's own namespace may have a service of the same name: it wins.
    if (isOwn || (isMaster && !seen.has(name))) seen.set(name, service);
  }
  return new Map([...seen.values()].flatMap(variablesOf));
}

function variablesOf(
  service: ServiceFacts,
): readonly (readonly [name: string, value: string])[] {
  const { clusterIp, ports } = service;
  const prefix = variableName(service.name);
  const host = clusterIp.includes(":") ? `[${clusterIp}]` : clusterIp;
  const variables: [string, string][] = [
    [`${prefix}_SERVICE_HOST`, clusterIp],
  ];
  for (
    const [index, { name = "", port, protocol = "TCP" }] of ports.entries()
  ) {
    const url = `${protocol.toLowerCase()}://${host}:${port}`;
    const link = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
    if (index === 0) {
      variables.push([`${prefix}_SERVICE_PORT`, String(port)]);
      variables.push([`${prefix}_PORT`, url]);
    }
    if (name !== "") {
      variables.push([
        `${prefix}_SERVICE_PORT_${variableName(name)}`,
        String(port),
      ]);
    }
    variables.push(
      [link, url],
      [`${link}_PROTO`, protocol.toLowerCase()],
      [`${link}_PORT`, String(port)],
      [`${link}_ADDR`, clusterIp],
    );
  }
  return variables;
}

function variableName(name: string): string {
  return name.replaceAll("-", "_").toUpperCase();
}
