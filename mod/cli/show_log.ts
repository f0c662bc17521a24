/**
 * `skerry logs`.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import type { LogsCommand } from "./parse/mod.ts";
import { AgentAnswerError, ask, type ClientContext } from "./control_client.ts";
import { fetchPods, requirePod } from "./pod_list.ts";

/**
 * Writes a container's log to standard output.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When there is no such pod, container or log.
 */
export async function showLog(
  command: LogsCommand,
  { io, agent }: ClientContext,
): Promise<void> {
  const list = await fetchPods(agent, command.namespace);
  const pod = requirePod(list.items, command.pod);
  const choice = chooseContainer(pod, command.container);
  if (choice.others.length > 0) {
    await io.err(
      `Defaulted container "${choice.name}" out of: ${
        [choice.name, ...choice.others].join(", ")
      }`,
    );
  }
  const log = await ask(agent, logPath(pod, choice.name, command));
  for await (const chunk of log) await io.out(chunk);
}

/** The path and query under which the agent serves a log. */
export function logPath(
  pod: Pod,
  container: string,
  command: LogsCommand,
): string {
  const { namespace, name } = pod.metadata;
  const query = new URLSearchParams();
  if (command.follow) query.set("follow", "true");
  if (command.previous) query.set("previous", "true");
  if (command.timestamps) query.set("timestamps", "true");
  if (command.tailLines !== undefined) {
    query.set("tailLines", String(command.tailLines));
  }
  for (const name of ["sinceSeconds", "sinceTime", "limitBytes"] as const) {
    const value = command[name];
    if (value !== undefined) query.set(name, String(value));
  }
  const path = [namespace, name, container].map(encodeURIComponent).join("/");
  const text = query.toString();
  return `/containerLogs/${path}${text === "" ? "" : `?${text}`}`;
}

/** The container whose log is shown. */
export interface ContainerChoice {
  readonly name: string;
  /** Those that might have been meant instead. */
  readonly others: readonly string[];
}

const DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

/**
 * Chooses a container as kubectl does: the one named, the one annotated, or the
 * first.
 *
 * @throws {AgentAnswerError} When the pod has no such container.
 */
export function chooseContainer(
  pod: Pod,
  wanted: string | undefined,
): ContainerChoice {
  const apps = (pod.spec?.containers ?? []).map(({ name }) => name);
  const inits = (pod.spec?.initContainers ?? []).map(({ name }) => name);
  if (wanted !== undefined) {
    if ([...apps, ...inits].includes(wanted)) {
      return { name: wanted, others: [] };
    }
    throw new AgentAnswerError(
      `Cannot find container "${wanted}" in pod "${pod.metadata.name}": found ${
        [...apps, ...inits].map((name) => `"${name}"`).join(", ")
      }`,
    );
  }
  const annotated = pod.metadata.annotations?.[DEFAULT_CONTAINER];
  if (annotated !== undefined && apps.includes(annotated)) {
    return { name: annotated, others: [] };
  }
  const [first, ...rest] = apps;
  if (first === undefined) {
    throw new AgentAnswerError(
      `Cannot show a log of pod "${pod.metadata.name}": found no container`,
    );
  }
  const others = [...rest, ...inits.map((name) => `${name} (init)`)];
  return { name: first, others };
}
