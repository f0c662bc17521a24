/**
 * From what an API server gives to the Services that containers are told of.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import type { Place } from "../fault/mod.ts";
import type { LocalObject } from "../objects/mod.ts";
import type { RawObject } from "../text/mod.ts";

type ServiceOfCluster = Extract<LocalObject, { readonly kind: "Service" }>;

/**
 * Reads what variables are made of: the address and the ports. Which pods are behind it is
 * no concern of a node that proxies nothing. What is wrong is reported; the result counts
 * only if nothing is.
 */
export function readServiceOfCluster(
  object: RawObject,
  at: Place,
): ServiceOfCluster {
  const metadata = recordOf(object["metadata"]);
  const spec = recordOf(object["spec"]);
  const specAt = at.child("spec");
  const address = textOf(spec["clusterIP"], specAt.child("clusterIP"));
  return {
    kind: "Service",
    namespace: textOf(metadata["namespace"], at.child("metadata")),
    name: textOf(metadata["name"], at.child("metadata")),
    // Upstream leaves out those that have none (pkg/apis/core/v1/helper IsServiceIPSet).
    ...(address !== "" && address !== "None" && { address }),
    selector: {},
    ports: portsOf(spec["ports"], specAt.child("ports")),
    isHeadless: address === "None",
    publishNotReadyAddresses: false,
  };
}

function portsOf(value: unknown, at: Place): ServiceOfCluster["ports"] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    at.invalid(null, "wanted a list");
    return [];
  }
  return value.map((each, index) => {
    const portAt = at.index(index);
    const fields = recordOf(each);
    const { port } = fields;
    const isPort = typeof port === "number" && Number.isInteger(port);
    if (!isPort) portAt.child("port").invalid(null, "wanted a number");
    const protocol = textOf(fields["protocol"], portAt.child("protocol"));
    const number = isPort ? port : 0;
    return {
      name: textOf(fields["name"], portAt.child("name")),
      protocol: protocol === "UDP" || protocol === "SCTP" ? protocol : "TCP",
      port: number,
      // Whoever is told of it goes to its address, and so to its port.
      targetPort: number,
    };
  });
}

function textOf(value: unknown, at: Place): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  at.invalid(null, "wanted a text");
  return "";
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
