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
  askJson,
} from "./control_client.ts";

/** A v1 `List` of pods. */
export interface PodList {
  readonly apiVersion: "v1";
  readonly kind: "List";
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Pod[];
}

/**
 * Asks for the pods of a namespace; of all when it is `undefined`.
 *
 * @throws {AgentUnreachableError} When nobody answers.
 * @throws {AgentAnswerError} When the answer is no list.
 */
export async function fetchPods(
  agent: AgentAddress,
  namespace: string | undefined,
): Promise<PodList> {
  const query = namespace === undefined
    ? ""
    : `?namespace=${encodeURIComponent(namespace)}`;
  const body = await askJson(agent, `/api/v1/pods${query}`);
  if (!isPodList(body)) {
    throw new AgentAnswerError(
      `Cannot read the pods of "${agent.socketPath}": found no List`,
    );
  }
  return body;
}

function isPodList(body: unknown): body is PodList {
  return typeof body === "object" && body !== null && "items" in body &&
    Array.isArray(body.items);
}

/** The pod that a name stands for. */
export type PodMatch =
  | { readonly kind: "found"; readonly pod: Pod }
  | { readonly kind: "not_found" }
  | { readonly kind: "ambiguous"; readonly pods: readonly Pod[] };

/** Finds the pod whose manifest's name or full name is `name`. */
export function findPod(pods: readonly Pod[], name: string): PodMatch {
  const matches = pods.filter((pod) =>
    pod.metadata.name === name || manifestName(pod) === name
  );
  const pod = lastingPod(matches);
  if (pod === undefined) return { kind: "not_found" };
  return matches.every(({ metadata }) => metadata.name === pod.metadata.name)
    ? { kind: "found", pod }
    : { kind: "ambiguous", pods: matches };
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
 * Finds one pod, or says why there is none.
 *
 * @throws {AgentAnswerError} When no pod or more than one has that name.
 */
export function requirePod(pods: readonly Pod[], name: string): Pod {
  const match = findPod(pods, name);
  switch (match.kind) {
    case "found":
      return match.pod;
    case "not_found":
      throw new AgentAnswerError(
        `Cannot find pod "${name}": no pod and no manifest has that name`,
      );
    case "ambiguous":
      throw new AgentAnswerError(
        `Cannot tell which pod "${name}" is: found ${
          match.pods.map(({ metadata }) => `"${metadata.name}"`).join(" and ")
        }, wanted one`,
      );
  }
}
