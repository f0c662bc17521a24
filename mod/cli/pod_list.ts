/**
 * Asks an agent for its pods and finds one by name.
 *
 * @module
 */

import { lastingPod } from "../api/vocabulary/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import {
  type AgentAddress,
  AgentAnswerError,
  askList,
} from "./control_client.ts";

/** A v1 `List` of pods. */
export interface PodList {
  readonly items: readonly Pod[];
}

/**
 * Asks for the pods of a namespace; of all when it is `undefined`.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When the answer is no list.
 */
export async function fetchPods(
  agent: AgentAddress,
  namespace: string | undefined,
  { labelSelector, fieldSelector }: {
    readonly labelSelector?: string;
    readonly fieldSelector?: string;
  } = {},
): Promise<PodList> {
  const query = new URLSearchParams({
    ...(namespace !== undefined && { namespace }),
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  });
  const path = query.size === 0 ? "/api/v1/pods" : `/api/v1/pods?${query}`;
  return await askList(agent, path, "pods");
}

/** The name as the manifest has it: without the node's name at its end. */
export function manifestName(pod: Pod): string {
  const { name } = pod.metadata;
  const node = pod.spec?.nodeName;
  const suffix = node === undefined ? undefined : `-${node.toLowerCase()}`;
  return suffix !== undefined && name.endsWith(suffix)
    ? name.slice(0, -suffix.length)
    : name;
}

/**
 * Finds the pod whose manifest's name or full name is `name`.
 *
 * @throws {AgentAnswerError} When no pod or more than one has that name.
 */
export function requirePod(pods: readonly Pod[], name: string): Pod {
  const matches = pods.filter((pod) =>
    pod.metadata.name === name || manifestName(pod) === name
  );
  const pod = lastingPod(matches);
  if (pod === undefined) {
    throw new AgentAnswerError(
      `Cannot find pod "${name}": no pod and no manifest has that name`,
    );
  }
  if (matches.every(({ metadata }) => metadata.name === pod.metadata.name)) {
    return pod;
  }
  throw new AgentAnswerError(
    `Cannot tell which pod "${name}" is: found ${
      matches.map(({ metadata }) => `"${metadata.name}"`).join(" and ")
    }, wanted one`,
  );
}
