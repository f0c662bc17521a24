/**
 * `skerry describe` of what makes pods, and of what they refer to; and `skerry explain` of
 * Services.
 *
 * @module
 */

import type { Resource } from "../api/access/mod.ts";
import type { Pod, WireEvent } from "../api/types/mod.ts";
import {
  type AgentAddress,
  AgentAnswerError,
  askList,
  type ClientContext,
} from "./control_client.ts";
import { describeObject, serviceSentences } from "./describe/mod.ts";
import { findKind, type ShownObject } from "./kinds/mod.ts";
import { writeNothing } from "./listing.ts";
import { fetchObject, fetchObjects } from "./object_client.ts";
import type {
  DescribeObjectsCommand,
  ExplainServiceCommand,
} from "./parse/mod.ts";
import { fetchPods } from "./pod_list.ts";
import { cleanLine } from "./text/mod.ts";

/**
 * Writes all that is known of objects, with an empty line between them.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When it refuses, or a name is not there; those that are there
 * have been written then.
 */
export async function describeObjects(
  command: DescribeObjectsCommand,
  { io, agent }: ClientContext,
): Promise<void> {
  const { targets, namespace } = command;
  const now = new Date(io.clock.now());
  const options = {
    time: now.toISOString(),
    utcOffsetMs: -now.getTimezoneOffset() * 60_000,
  };
  const missing: AgentAnswerError[] = [];
  let count = 0;
  for (const { resource, name } of targets) {
    try {
      const place = { resource, namespace };
      const objects = name === undefined
        ? (await fetchObjects(agent, place)).items
        : [await fetchObject(agent, { ...place, name })];
      const company = await fetchCompany(agent, place);
      for (const object of objects) {
        const events = await fetchEventsOf(agent, object);
        const text = describeObject(object, { ...options, ...company, events });
        await io.out(count++ === 0 ? text : `\n${text}`);
      }
    } catch (error) {
      const isGone = error instanceof AgentAnswerError && error.status === 404;
      if (!isGone) throw error;
      missing.push(error);
    }
  }
  const [failure] = missing;
  if (failure !== undefined) throw failure;
  if (count === 0) await writeNothing(command, io);
}

/**
 * Writes where a Service leads, or why nowhere, one sentence a line.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When it refuses, or no Service has the name.
 */
export async function showServiceExplanation(
  { target: { resource, name = "" }, namespace }: ExplainServiceCommand,
  { io, agent }: ClientContext,
): Promise<void> {
  const object = await fetchObject(agent, { resource, namespace, name });
  const { items } = await fetchPods(agent, namespace);
  const lines = serviceSentences(object, items);
  await io.out(lines.map((line) => `${cleanLine(line)}\n`).join(""));
}

const WITH_PODS = [
  "ReplicaSet",
  "ReplicationController",
  "DaemonSet",
  "StatefulSet",
  "PersistentVolumeClaim",
  "Service",
];

/** What objects of a kind are described with. */
async function fetchCompany(
  agent: AgentAddress,
  place: { readonly resource: Resource; readonly namespace: string },
): Promise<
  {
    readonly pods?: readonly Pod[];
    readonly replicaSets?: readonly ShownObject[];
  }
> {
  const { resource: { kind }, namespace } = place;
  if (WITH_PODS.includes(kind)) {
    return { pods: (await fetchPods(agent, namespace)).items };
  }
  const sets = kind === "Deployment" ? findKind("ReplicaSet") : undefined;
  if (sets === undefined) return {};
  const list = await fetchObjects(agent, { resource: sets, namespace });
  return { replicaSets: list.items };
}

/** What happened to an object, the least recent first. */
async function fetchEventsOf(
  agent: AgentAddress,
  { kind, metadata: { namespace, name } }: ShownObject,
): Promise<readonly WireEvent[]> {
  const fieldSelector =
    `involvedObject.kind=${kind},involvedObject.name=${name}`;
  const path = namespace === ""
    ? "/api/v1/events"
    : `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  const query = new URLSearchParams({ fieldSelector });
  const list = await askList<{ readonly items: readonly WireEvent[] }>(
    agent,
    `${path}?${query}`,
    "events",
  );
  return list.items;
}
