/**
 * From raw documents to Services.
 *
 * @module
 */

import type { Place } from "../fault/mod.ts";
import type { LocalObject, ObjectRef } from "../objects/mod.ts";
import type { RawObject } from "../text/mod.ts";
import { validateService, type WrittenService } from "../validate/mod.ts";
import { change, isExported, without } from "./exported_pod.ts";

/**
 * Makes a Service of its fields, and reports what is wrong with them: it is checked as the
 * API server checks one that is created, and what needs a proxy or addresses of its own is
 * refused.
 */
export function serviceOf(
  ref: ObjectRef,
  spec: WrittenService,
  at: Place,
): LocalObject & { readonly kind: "Service" } {
  const { selector = {}, ports = [], clusterIP } = spec;
  const isHeadless = clusterIP === "None";
  validateService(ref.name, spec, at);
  return {
    kind: "Service",
    ...ref,
    selector,
    ports: ports.map(({ name = "", protocol, port, targetPort }) => ({
      name,
      protocol: protocol === "UDP" || protocol === "SCTP" ? protocol : "TCP",
      port,
      targetPort: targetPort || port,
    })),
    isHeadless,
    publishNotReadyAddresses: spec.publishNotReadyAddresses === true,
  };
}

/** A Service that comes from a cluster without the addresses that it has there. */
export function withoutAddresses(service: RawObject): RawObject {
  if (!isExported(service)) return service;
  return change(service, "spec", (spec) => {
    const isHeadless = typeof spec === "object" && spec !== null &&
      "clusterIP" in spec && spec["clusterIP"] === "None";
    return without(spec, isHeadless ? FAMILIES : ADDRESSES, () => {});
  });
}

const FAMILIES: ReadonlySet<string> = new Set([
  "clusterIPs",
  "ipFamilies",
  "ipFamilyPolicy",
]);
const ADDRESSES: ReadonlySet<string> = new Set([...FAMILIES, "clusterIP"]);
