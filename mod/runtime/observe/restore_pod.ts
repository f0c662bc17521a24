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
import { defined, isRecord } from "../../base/mod.ts";
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
    metadata: defined({
      name,
      namespace,
      uid,
      deletionGracePeriodSeconds: deletion,
    }),
    spec: defined({
      containers: [...byName.values()],
      terminationGracePeriodSeconds: termination,
    }),
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
  const headers = member(value, "httpHeaders");
  const httpHeaders = (Array.isArray(headers) ? headers : []).flatMap((at) => {
    const name = textAt(at, "name");
    const value = textAt(at, "value");
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
  return defined({
    port,
    path: textAt(value, "path"),
    host: textAt(value, "host"),
    scheme: textAt(value, "scheme"),
    httpHeaders: httpHeaders.length > 0 ? httpHeaders : undefined,
  });
}

/** The ports that a hook may name or that are ports of the node; others are not needed. */
function readPorts(value: unknown): ContainerPort[] {
  return (Array.isArray(value) ? value : []).flatMap((port) => {
    const name = textAt(port, "name");
    const containerPort = member(port, "containerPort");
    const hostPort = member(port, "hostPort");
    if (typeof containerPort !== "number") return [];
    const named = defined({ name, containerPort });
    if (typeof hostPort !== "number") return name === undefined ? [] : [named];
    const protocol = textAt(port, "protocol");
    const hostIP = textAt(port, "hostIP");
    return [{ ...named, ...defined({ hostPort, protocol, hostIP }) }];
  });
}

function member(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}

function textAt(value: unknown, key: string): string | undefined {
  const found = member(value, key);
  return typeof found === "string" ? found : undefined;
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
