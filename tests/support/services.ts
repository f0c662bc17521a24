/**
 * Services as the agent has them, and the pods that they lead to.
 *
 * @module
 */

import type {
  DeclaredService,
  ServiceTarget,
  ServingPod,
} from "../../mod/pod/inputs/mod.ts";
import { pod, type PodDraft } from "./pods.ts";

/** A Service `web` of namespace `shop` with port 80, for pods with `app: web`. */
export function service(
  fields: Partial<DeclaredService> = {},
): DeclaredService {
  return {
    kind: "Service",
    name: "web",
    namespace: "shop",
    selector: { app: "web" },
    ports: [servicePort()],
    isHeadless: false,
    publishNotReadyAddresses: false,
    ...fields,
  };
}

/** Port 80 of a Service, for port 8080 of a pod. */
export function servicePort(
  fields: Partial<DeclaredService["ports"][number]> = {},
): DeclaredService["ports"][number] {
  return { name: "", protocol: "TCP", port: 80, targetPort: 8080, ...fields };
}

/** The Service `web` of namespace `shop`, with its port 80 at port 8080 of a pod. */
export function target(fields: Partial<ServiceTarget> = {}): ServiceTarget {
  return {
    name: "web",
    namespace: "shop",
    address: "10.88.0.9",
    ports: [{ name: "", protocol: "TCP", port: 80, target: 8080 }],
    ...fields,
  };
}

/** A pod of namespace `shop` with `app: web` that is ready. */
export function serving(
  name: string,
  { draft = {}, ...fields }: Partial<ServingPod> & {
    readonly draft?: PodDraft;
  } = {},
): ServingPod {
  return {
    pod: pod({ name, uid: name, labels: { app: "web" }, ...draft }),
    address: "10.88.0.9",
    isReady: true,
    startedMs: 1_000,
    ...fields,
  };
}
