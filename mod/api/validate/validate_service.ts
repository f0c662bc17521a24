/**
 * Checks Services (pkg/apis/core/validation, ValidateService), and against what a node
 * without a proxy can do.
 *
 * @module
 */

import type { V1Service } from "@kubernetes/client-node";
import type { Place } from "../fault/mod.ts";
import type { Wire } from "../types/mod.ts";
import {
  checkFields,
  each,
  type FieldChecks,
  oneOf,
  range,
  required,
  shape,
  Uniques,
} from "./checks.ts";
import { labelProblem, portNameProblem, type Problem } from "./names.ts";
import { validateLabels } from "./validate_metadata.ts";

/** The spec of a Service as it is written: of the right types, and anything may be missing. */
export type WrittenService = Partial<NonNullable<Wire<V1Service>["spec"]>>;
type WrittenPort = NonNullable<WrittenService["ports"]>[number];

/** Reports what is wrong with a Service beside its metadata. */
export function validateService(
  name: string,
  spec: WrittenService,
  at: Place,
): void {
  const nameAt = at.child("metadata").child("name");
  const problem = serviceNameProblem(name);
  if (name !== "" && problem !== undefined) nameAt.invalid(name, problem);
  const specAt = at.child("spec");
  checkFields<WrittenService>(spec, specAt, SPEC);
  for (const [field, why] of FOREIGN) {
    if (!isEmpty(spec[field])) specAt.child(field).forbidden(why);
  }
}

/** It is a part of names of environment variables. */
function serviceNameProblem(name: string): Problem {
  const problem = labelProblem(name);
  if (problem !== undefined) return problem;
  return /^[a-z]/.test(name) ? undefined : "must start with a letter";
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === "" || value === false ||
    value === 0 || (Array.isArray(value) && value.length === 0);
}

const NO_PROXY =
  "there is no proxy on this node; give the container a hostPort to reach it from outside";

const FOREIGN: readonly (readonly [keyof WrittenService, string])[] = [
  ["externalIPs", NO_PROXY],
  ["externalName", "there is no DNS server on this node"],
  ["externalTrafficPolicy", NO_PROXY],
  ["healthCheckNodePort", NO_PROXY],
  ["loadBalancerClass", NO_PROXY],
  ["loadBalancerIP", NO_PROXY],
  ["loadBalancerSourceRanges", NO_PROXY],
  ["sessionAffinityConfig", "there is no proxy on this node"],
];

const SPEC: FieldChecks<WrittenService> = {
  type: (type, at) => {
    oneOf("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")(type, at);
    if (type === "NodePort" || type === "LoadBalancer") at.forbidden(NO_PROXY);
    if (type === "ExternalName") {
      at.forbidden("there is no DNS server on this node");
    }
  },
  selector: (selector, at, { type }) => {
    validateLabels(selector, at);
    if (type === "ExternalName") return;
    if (Object.keys(selector ?? {}).length > 0) return;
    at.required("a Service on this node means pods by their labels");
  },
  clusterIP: checkAddress,
  clusterIPs: (addresses, at) => {
    const items = addresses ?? [];
    for (const [i, one] of items.entries()) checkAddress(one, at.index(i));
  },
  ports: (ports, at, { clusterIP, type }) => {
    if (!ports?.length && clusterIP !== "None" && type !== "ExternalName") {
      at.required();
    }
    checkPorts(ports ?? [], at);
  },
  sessionAffinity: (affinity, at) => {
    oneOf("ClientIP", "None")(affinity, at);
    if (affinity === "ClientIP") {
      at.forbidden("there is no proxy on this node that could keep to a pod");
    }
  },
  internalTrafficPolicy: oneOf("Cluster", "Local"),
  ipFamilies: each(oneOf("IPv4", "IPv6")),
  ipFamilyPolicy: oneOf("PreferDualStack", "RequireDualStack", "SingleStack"),
};

function checkAddress(address: string | undefined, at: Place): void {
  if (address === undefined || address === "" || address === "None") return;
  at.forbidden(
    "a Service has no address of its own on this node; leave it out, or say None",
  );
}

function checkPorts(ports: readonly WrittenPort[], at: Place): void {
  const names = new Uniques();
  const numbers = new Uniques();
  each<WrittenPort>((port, at) => {
    checkFields(port, at, PORT);
    const { name = "", protocol = "TCP" } = port;
    const nameAt = at.child("name");
    if (name === "" && ports.length > 1) nameAt.required();
    names.check(name, nameAt);
    numbers.check(`${protocol} ${port.port}`, at);
    const { targetPort = port.port } = port;
    if (targetPort === port.port || targetPort === 0) return;
    at.child("targetPort").warn(
      "Is the port to connect to on this node: there is no proxy that listens on `port`",
    );
  })(ports, at);
}

const PORT_NUMBER = range(1, 65_535);

const PORT: FieldChecks<WrittenPort> = {
  name: (name, at) => {
    if (name) shape(labelProblem)(name, at);
  },
  port: (port, at) => {
    if (port === undefined) at.required();
    PORT_NUMBER(port, at);
  },
  protocol: oneOf("SCTP", "TCP", "UDP"),
  targetPort: (port, at) => {
    if (typeof port === "number" && port !== 0) PORT_NUMBER(port, at);
    else if (typeof port === "string") {
      required(shape(portNameProblem))(port, at);
    }
  },
  nodePort: (port, at) => {
    if (port) at.forbidden(NO_PROXY);
  },
};
