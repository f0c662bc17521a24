/**
 * As much of a pod as the runtime remembers, for ending one whose manifest is lost.
 *
 * @module
 */

import {
  ANNOTATION_CONTAINER_PORTS,
  ANNOTATION_DELETION_GRACE_PERIOD,
  ANNOTATION_PRE_STOP_HANDLER,
  ANNOTATION_TERMINATION_GRACE_PERIOD,
  LABEL_CONTAINER_NAME,
} from "../../api/vocabulary/mod.ts";
import type {
  ContainerPort,
  ContainerSpec,
  LifecycleHandler,
  Pod,
} from "../../api/types/mod.ts";
import type { Container } from "../../cri/model/mod.ts";
import type { PodListing } from "./list_pods.ts";

/**
 * Restores from labels and annotations what ending a pod needs, and what it holds of
 * the node meanwhile: its names, grace periods, preStop hooks and ports. Pure.
 *
 * The grace recorded at the start holds, where the kubelet gives an orphan one
 * second. Which container was a sidecar is not recorded: all end together.
 */
export function restorePod(listing: PodListing): Pod {
  const { uid, name, namespace, containers } = listing;
  const byName = new Map<string, ContainerSpec>();
  for (const container of containers) {
    // One container may have been run several times.
    const spec = restoreContainer(container);
    if (!byName.has(spec.name)) byName.set(spec.name, spec);
  }
  const deletion = longest(containers, ANNOTATION_DELETION_GRACE_PERIOD);
  const termination = longest(containers, ANNOTATION_TERMINATION_GRACE_PERIOD);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      uid,
      ...(deletion === undefined
        ? {}
        : { deletionGracePeriodSeconds: deletion }),
    },
    spec: {
      containers: [...byName.values()],
      ...(termination === undefined
        ? {}
        : { terminationGracePeriodSeconds: termination }),
    },
  };
}

function restoreContainer(container: Container): ContainerSpec {
  const name = container.labels[LABEL_CONTAINER_NAME] ??
    container.metadata.name;
  const { annotations } = container;
  const preStop = readHook(parse(annotations[ANNOTATION_PRE_STOP_HANDLER]));
  const ports = readPorts(parse(annotations[ANNOTATION_CONTAINER_PORTS]));
  return {
    name,
    ...(preStop !== undefined && { lifecycle: { preStop } }),
    ...(ports.length > 0 && { ports }),
  };
}

function parse(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Written by someone else, or cut.
    return undefined;
  }
}

/** A hook that cannot be read is none: the pod has to end all the same. */
function readHook(value: unknown): LifecycleHandler | undefined {
  const exec = member(value, "exec");
  const command = member(exec, "command");
  if (
    Array.isArray(command) && command.every((word) => typeof word === "string")
  ) {
    return { exec: { command } };
  }
  const httpGet = readHttp(member(value, "httpGet"));
  if (httpGet !== undefined) return { httpGet };
  const seconds = member(member(value, "sleep"), "seconds");
  return typeof seconds === "number" && seconds >= 0
    ? { sleep: { seconds } }
    : undefined;
}

function readHttp(value: unknown): LifecycleHandler["httpGet"] {
  const port = member(value, "port");
  if (typeof port !== "number" && typeof port !== "string") return undefined;
  const text = (key: string): Record<string, string> => {
    const found = member(value, key);
    return typeof found === "string" ? { [key]: found } : {};
  };
  const headers = member(value, "httpHeaders");
  const httpHeaders = (Array.isArray(headers) ? headers : [])
    .map((header) => ({
      name: member(header, "name"),
      value: member(header, "value"),
    }))
    .filter(isHeader);
  return {
    port,
    ...text("path"),
    ...text("host"),
    ...text("scheme"),
    ...(httpHeaders.length > 0 && { httpHeaders }),
  };
}

function isHeader(
  header: { readonly name: unknown; readonly value: unknown },
): header is { name: string; value: string } {
  return typeof header.name === "string" && typeof header.value === "string";
}

/** The ports that a hook may name or that are ports of the node; others tell nothing. */
function readPorts(value: unknown): ContainerPort[] {
  return (Array.isArray(value) ? value : []).flatMap((port) => {
    const name = member(port, "name");
    const containerPort = member(port, "containerPort");
    const hostPort = member(port, "hostPort");
    const isNamed = typeof name === "string";
    const isOfNode = typeof hostPort === "number";
    if (typeof containerPort !== "number" || !isNamed && !isOfNode) return [];
    const protocol = member(port, "protocol");
    const hostIP = member(port, "hostIP");
    return [{
      ...(isNamed && { name }),
      containerPort,
      ...(isOfNode && {
        hostPort,
        ...(typeof protocol === "string" && { protocol }),
        ...(typeof hostIP === "string" && { hostIP }),
      }),
    }];
  });
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const found = Object.entries(value).find(([name]) => name === key);
  return found?.[1];
}

function longest(
  containers: readonly Container[],
  annotation: string,
): number | undefined {
  const seconds = containers
    .map((container) => container.annotations[annotation] ?? "")
    .filter((text) => /^\d{1,9}$/.test(text))
    .map(Number);
  return seconds.length === 0 ? undefined : Math.max(...seconds);
}
