/**
 * Asks an agent for what it keeps, once and as it changes.
 *
 * @module
 */

import {
  groupResource,
  type Resource,
  resourcePath,
} from "../api/access/mod.ts";
import { isRecord } from "../base/mod.ts";
import {
  type AgentAddress,
  AgentAnswerError,
  AgentUnreachableError,
  ask,
  askJson,
  askList,
  readLines,
} from "./control_client.ts";
import type { ShownObject } from "./kinds/mod.ts";

/** Which objects of a kind are wanted. */
export interface WantedObjects {
  readonly resource: Resource;
  /** `undefined` stands for all namespaces. */
  readonly namespace: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** A list of one kind. */
export interface ShownList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly ShownObject[];
}

/**
 * Asks for objects, ordered by namespace and name.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When it refuses.
 */
export async function fetchObjects(
  agent: AgentAddress,
  wanted: WantedObjects,
): Promise<ShownList> {
  const what = groupResource(wanted.resource);
  return await askList(agent, pathOf(wanted, {}), what);
}

/**
 * Asks for one object.
 *
 * @throws {AgentAnswerError} With status 404 when it is not there.
 */
export async function fetchObject(
  agent: AgentAddress,
  wanted: Pick<WantedObjects, "resource" | "namespace"> & {
    readonly name: string;
  },
): Promise<ShownObject> {
  const { resource, namespace, name } = wanted;
  const path = resourcePath(resource, { namespace, name });
  const body = await askJson(agent, path);
  if (isShown(body)) return body;
  throw new AgentAnswerError(
    `Cannot read the answer of "${agent.socketPath}": found no object`,
  );
}

/** Of an agent of the same version, so that what has a name has all else. */
function isShown(body: unknown): body is ShownObject {
  return isRecord(body) && isRecord(body["metadata"]) &&
    typeof body["metadata"]["name"] === "string";
}

/** What became of an object that is followed. */
export interface ObjectNews {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: ShownObject;
}

/** How long an agent may be away, such as for a restart. */
const ABSENCE_TRIES = 60;
const RETRY_MS = 1_000;

/**
 * Gives all objects that are there and then what becomes of them, until `signal` aborts;
 * an agent may restart meanwhile, and what it tells twice is given once.
 *
 * @throws {AgentUnreachableError} When no agent answers, or none for a minute.
 * @throws {AgentAnswerError} When it refuses.
 */
export async function* followObjects(
  agent: AgentAddress,
  wanted: WantedObjects,
  signal: AbortSignal,
): AsyncGenerator<ObjectNews, void, undefined> {
  const known = new Map<string, ShownObject>();
  let tries = 0;
  let isKnown = false;
  while (!signal.aborted) {
    try {
      const list = await fetchObjects(agent, wanted);
      yield* newsOf(list.items, known);
      isKnown = true;
      tries = 0;
      const after = list.metadata.resourceVersion;
      for await (const news of watchObjects(agent, wanted, { after, signal })) {
        note(news, known);
        yield news;
      }
    } catch (error) {
      if (signal.aborted) return;
      const isAway = error instanceof AgentUnreachableError;
      // An agent that was never there is an error at once.
      if (!isAway || !isKnown || ++tries > ABSENCE_TRIES) throw error;
    }
    await agent.clock.sleep(RETRY_MS, signal).catch(() => {});
  }
}

/** What a list says that was not known. */
function* newsOf(
  items: readonly ShownObject[],
  known: Map<string, ShownObject>,
): Generator<ObjectNews, void, undefined> {
  const before = new Map(known);
  known.clear();
  for (const object of items) {
    const key = keyOf(object);
    const old = before.get(key);
    before.delete(key);
    known.set(key, object);
    const { resourceVersion } = object.metadata;
    if (old === undefined) yield { type: "ADDED", object };
    else if (old.metadata.resourceVersion !== resourceVersion) {
      yield { type: "MODIFIED", object };
    }
  }
  for (const object of before.values()) yield { type: "DELETED", object };
}

function note(
  { type, object }: ObjectNews,
  known: Map<string, ShownObject>,
): void {
  if (type === "DELETED") known.delete(keyOf(object));
  else known.set(keyOf(object), object);
}

function keyOf({ metadata }: ShownObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Ends when the agent ends the watch, or has forgotten what came next. */
async function* watchObjects(
  agent: AgentAddress,
  wanted: WantedObjects,
  options: { readonly after: string; readonly signal: AbortSignal },
): AsyncGenerator<ObjectNews, void, undefined> {
  const { after, signal } = options;
  const path = pathOf(wanted, { watch: "1", resourceVersion: after });
  for await (const line of readLines(await ask(agent, path, { signal }))) {
    // An agent of the same version made it.
    const news = JSON.parse(line) as ObjectNews | { readonly type: "ERROR" };
    if (news.type === "ERROR") return;
    yield news;
  }
}

function pathOf(
  { resource, namespace, labelSelector, fieldSelector }: WantedObjects,
  more: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams({
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...more,
  });
  const path = resourcePath(resource, { namespace });
  return query.size === 0 ? path : `${path}?${query}`;
}
