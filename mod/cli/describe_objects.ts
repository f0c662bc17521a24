/**
 * `skerry describe` of what makes pods, and of what they refer to.
 *
 * @module
 */

import type { WireEvent } from "../api/types/mod.ts";
import {
  type AgentAddress,
  AgentAnswerError,
  askList,
  type ClientContext,
} from "./control_client.ts";
import { describeObject } from "./describe/mod.ts";
import type { ShownObject } from "./kinds/mod.ts";
import { writeNothing } from "./listing.ts";
import { fetchObject, fetchObjects } from "./object_client.ts";
import type { DescribeObjectsCommand } from "./parse/mod.ts";

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
  const zone = new Date(io.clock.now()).getTimezoneOffset();
  const time = new Date(io.clock.now()).toISOString();
  const missing: AgentAnswerError[] = [];
  let count = 0;
  for (const { resource, name } of targets) {
    try {
      const place = { resource, namespace };
      const objects = name === undefined
        ? (await fetchObjects(agent, place)).items
        : [await fetchObject(agent, { ...place, name })];
      for (const object of objects) {
        const events = await fetchEventsOf(agent, object);
        const options = { events, time, utcOffsetMs: -zone * 60_000 };
        const text = describeObject(object, options);
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
