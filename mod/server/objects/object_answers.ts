/**
 * Lists, watches and single objects of what the node keeps, as an API server gives them.
 *
 * @module
 */

import {
  ApiFailure,
  groupOf,
  groupResource,
  hasFailed,
  type KindRef,
  type ListerWatcher,
  type ObjectClient,
  type Resource,
  type WatchEvent,
  type WatchOptions,
} from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import type { Semaphore } from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import {
  failure,
  failureStatus,
  json,
  type Pieces,
  type RefusalReason,
  stream,
} from "../answer/mod.ts";
import { type ObjectPath, parseObjectQuery } from "./object_query.ts";

/** One watch a kind and as many again; with those of events fewer than connections. */
export const OPEN_OBJECT_WATCHES = 32;

/** Reads the objects that the node keeps. */
export interface NodeObjects extends Pick<ObjectClient, "get"> {
  /** @throws {ApiFailure} `NotFound` when the kind is not kept. */
  reader(kind: KindRef): ListerWatcher<ApiObject>;
}

/** What answers need. */
export interface ObjectDeps {
  readonly objects: NodeObjects | undefined;
  /** How many more watches may be open on all connections of the server. */
  readonly watches: Semaphore;
  readonly log: Logger;
}

/**
 * Answers a question for objects. A watch goes on until the client leaves or stops
 * reading, the time that it has asked for is over, or `signal` aborts; one that has lost
 * something ends with an `ERROR` of code 410.
 *
 * @throws {QueryError} When the query cannot be read.
 */
export async function answerObjects(
  asked: { readonly path: ObjectPath; readonly query: URLSearchParams },
  deps: ObjectDeps,
  signal: AbortSignal,
): Promise<Response> {
  const { path, query } = asked;
  const { resource, namespace = "", name } = path;
  const { objects } = deps;
  if (objects === undefined) {
    return failure(
      "ServiceUnavailable",
      `Cannot list ${groupResource(resource)}: the agent is starting`,
    );
  }
  try {
    const { apiVersion, kind } = resource;
    if (name !== undefined) {
      const ref = { apiVersion, kind, namespace, name };
      return json(await objects.get(ref, signal));
    }
    const wanted = parseObjectQuery(query, path);
    if (wanted.watch) {
      return await watchObjects(
        wanted.options,
        { ...deps, objects, resource },
        signal,
      );
    }
    const list = await objects.reader(resource).list(wanted.options, signal);
    const { items, resourceVersion, continue: more } = list;
    const metadata = { resourceVersion, ...(more && { continue: more }) };
    return json({ apiVersion, kind: `${kind}List`, metadata, items });
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    return refusal(error, path);
  }
}

function refusal(error: ApiFailure, { resource, name }: ObjectPath): Response {
  if (name !== undefined && hasFailed(error, "NotFound")) {
    const group = groupOf(resource.apiVersion);
    const details = {
      name,
      ...(group !== "" && { group }),
      kind: resource.resource,
    };
    const message = `${groupResource(resource)} "${name}" not found`;
    return failure("NotFound", message, details);
  }
  return failure(reasonOf(error), error.message, detailsOf(error));
}

/** The reason as upstream has it. */
function reasonOf({ reason }: ApiFailure): RefusalReason {
  switch (reason) {
    case "BadRequest":
    case "NotFound":
    case "MethodNotAllowed":
    case "Expired":
    case "TooManyRequests":
      return reason;
    case "ResourceVersionTooLarge":
    case "Timeout":
      return "Timeout";
    default:
      return "InternalError";
  }
}

/** By which a client knows that it is to ask again without a version. */
function detailsOf({ reason }: ApiFailure): object | undefined {
  if (reason !== "ResourceVersionTooLarge") return undefined;
  const message = "Too large resource version";
  const causes = [{ reason: "ResourceVersionTooLarge", message }];
  return { causes, retryAfterSeconds: 1 };
}

async function watchObjects(
  options: WatchOptions,
  deps: ObjectDeps & {
    readonly objects: NodeObjects;
    readonly resource: Resource;
  },
  signal: AbortSignal,
): Promise<Response> {
  const { objects, resource, watches, log } = deps;
  if (watches.available === 0) {
    return failure(
      "TooManyRequests",
      `Cannot watch ${
        groupResource(resource)
      }: found ${OPEN_OBJECT_WATCHES} open watches, wanted fewer`,
    );
  }
  const place = await watches.acquire();
  const gone = new AbortController();
  const finish = (): void => {
    gone.abort();
    place[Symbol.dispose]();
  };
  try {
    const over = AbortSignal.any([gone.signal, signal]);
    const reader = objects.reader(resource);
    const events = await opened(reader.watch(options, over));
    return stream(() => readLines(events, resource), {
      type: "application/json",
      signal,
      finish,
      logFailure: (error) => log.warn("object_watch_failed", { error }),
    });
  } catch (error) {
    finish();
    throw error;
  }
}

/** That a watch begins too late is said as it is said of one that falls behind. */
async function opened(
  watch: Promise<AsyncIterable<WatchEvent<ApiObject>>>,
): Promise<AsyncIterable<WatchEvent<ApiObject>>> {
  try {
    return await watch;
  } catch (error) {
    if (!hasFailed(error, "Expired")) throw error;
    return failed(error);
  }
}

async function* failed(
  failure: ApiFailure,
): AsyncGenerator<WatchEvent<ApiObject>, void, undefined> {
  yield { type: "ERROR", failure };
}

async function* readLines(
  events: AsyncIterable<WatchEvent<ApiObject>>,
  resource: Resource,
): Pieces {
  const encoder = new TextEncoder();
  for await (const event of events) {
    const line = { type: event.type, object: objectOf(event, resource) };
    yield encoder.encode(`${JSON.stringify(line)}\n`);
  }
}

function objectOf(
  event: WatchEvent<ApiObject>,
  { apiVersion, kind }: Resource,
): object {
  switch (event.type) {
    case "BOOKMARK": {
      const { resourceVersion, isInitialEnd } = event;
      const annotations = { "k8s.io/initial-events-end": "true" };
      const metadata = {
        resourceVersion,
        creationTimestamp: null,
        ...(isInitialEnd && { annotations }),
      };
      return { kind, apiVersion, metadata };
    }
    case "ERROR":
      return failureStatus(
        reasonOf(event.failure),
        event.failure.message,
        detailsOf(event.failure),
      );
    default:
      return event.object;
  }
}
