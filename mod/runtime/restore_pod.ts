/**
 * As much of a pod as the runtime remembers, for ending one whose manifest is lost.
 *
 * @module
 */

import {
  ANNOTATION_DELETION_GRACE_PERIOD,
  ANNOTATION_PRE_STOP_HANDLER,
  ANNOTATION_TERMINATION_GRACE_PERIOD,
  type ContainerSpec,
  LABEL_CONTAINER_NAME,
  type LifecycleHandler,
  type Pod,
} from "../api/mod.ts";
import type { Container } from "../cri/mod.ts";
import type { PodListing } from "./list_pods.ts";

/**
 * Restores from labels and annotations what ending a pod needs: its names, grace
 * periods and preStop hooks. Pure.
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
  const text = container.annotations[ANNOTATION_PRE_STOP_HANDLER];
  const preStop = text === undefined ? undefined : readHook(text);
  return preStop === undefined ? { name } : { name, lifecycle: { preStop } };
}

/** A hook that cannot be read is none: the pod has to end all the same. */
function readHook(text: string): LifecycleHandler | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Written by someone else, or cut.
    return undefined;
  }
  const exec = member(value, "exec");
  const command = member(exec, "command");
  if (
    Array.isArray(command) && command.every((word) => typeof word === "string")
  ) {
    return { exec: { command } };
  }
  const seconds = member(member(value, "sleep"), "seconds");
  return typeof seconds === "number" && seconds >= 0
    ? { sleep: { seconds } }
    : undefined;
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
