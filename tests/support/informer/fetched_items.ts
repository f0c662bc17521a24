/**
 * A small client that reads items of an API server by fetch.
 *
 * @module
 */

import { isRecord } from "../../../mod/base/mod.ts";
import {
  ApiFailure,
  type FailureReason,
  type ListerWatcher,
  type ListOptions,
  type ObjectList,
  type WatchEvent,
  type WatchOptions,
} from "../../../mod/api/access/mod.ts";
import { type Item, ITEM_KIND } from "./object_server.ts";

/** Reads the items at an address. */
export class FetchedItems implements ListerWatcher<Item> {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async list(
    options: ListOptions,
    signal: AbortSignal,
  ): Promise<ObjectList<Item>> {
    const response = await this.#get({ ...options }, signal);
    const body = parse(await text(response, signal));
    if (!isRecord(body)) throw garbage();
    const { metadata, items } = body;
    if (!isRecord(metadata) || !Array.isArray(items)) throw garbage();
    const { resourceVersion, continue: next } = metadata;
    if (typeof resourceVersion !== "string") throw garbage();
    return {
      items: items.map(itemOf),
      resourceVersion,
      ...typeof next === "string" && { continue: next },
    };
  }

  async watch(
    options: WatchOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<WatchEvent<Item>>> {
    const response = await this.#get({ ...options, watch: true }, signal);
    return read(response, signal);
  }

  async #get(
    options: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Response> {
    const query = new URLSearchParams(
      Object.entries(options).map(([name, value]) => [name, `${value}`]),
    );
    let response: Response;
    try {
      response = await fetch(`${this.#url}?${query}`, { signal });
    } catch (error) {
      throw unreachable(error, signal);
    }
    if (response.ok) return response;
    const failure = failureOf(parse(await text(response, signal)));
    const seconds = Number(response.headers.get("retry-after") ?? NaN);
    throw new ApiFailure(failure.reason, failure.message, {
      retryAfterMs: seconds * 1000,
    });
  }
}

async function* read(
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<Item>> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of response.body) {
      rest += decoder.decode(chunk, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield eventOf(parse(line));
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof ApiFailure ? error : unreachable(error, signal);
  }
}

function eventOf(wire: unknown): WatchEvent<Item> {
  if (!isRecord(wire) || !isRecord(wire["object"])) throw garbage();
  const { type, object } = wire;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type, object: itemOf(object) };
    case "ERROR":
      return { type, failure: failureOf(object) };
    case "BOOKMARK": {
      const { metadata } = object;
      if (!isRecord(metadata)) throw garbage();
      const { resourceVersion, annotations } = metadata;
      if (typeof resourceVersion !== "string") throw garbage();
      const isInitialEnd = isRecord(annotations) &&
        annotations["k8s.io/initial-events-end"] === "true";
      return { type, resourceVersion, ...isInitialEnd && { isInitialEnd } };
    }
    default:
      throw garbage();
  }
}

/** What cannot be an item still is handed on, as something that says so. */
function itemOf(wire: unknown): Item {
  const none = { kind: "", apiVersion: "", data: 0 };
  const nobody = { ...none, metadata: { namespace: "", name: "", uid: "" } };
  if (!isRecord(wire) || !isRecord(wire["metadata"])) return nobody;
  const { namespace, name, uid, resourceVersion, labels } = wire["metadata"];
  const { kind = ITEM_KIND.kind, apiVersion = ITEM_KIND.apiVersion, data } =
    wire;
  if (
    typeof kind !== "string" || typeof apiVersion !== "string" ||
    typeof namespace !== "string" || typeof name !== "string" ||
    typeof uid !== "string" || typeof data !== "number" || !isRecord(labels)
  ) return nobody;
  const values = Object.entries(labels).map(([key, value]) =>
    [key, `${value}`] as const
  );
  const metadata = {
    namespace,
    name,
    uid,
    labels: Object.fromEntries(values),
    ...typeof resourceVersion === "string" && { resourceVersion },
  };
  return { kind, apiVersion, metadata, data };
}

function failureOf(wire: unknown): ApiFailure {
  if (!isRecord(wire)) return garbage();
  const { message, details } = wire;
  const causes = isRecord(details) ? details["causes"] : undefined;
  const [cause] = Array.isArray(causes) ? causes : [];
  const said = isRecord(cause) ? cause["reason"] : wire["reason"];
  const reason = REASONS.find((each) => each === said) ?? "Garbage";
  return new ApiFailure(reason, `${message}`);
}

const REASONS: readonly FailureReason[] = [
  "BadRequest",
  "Forbidden",
  "Expired",
  "Invalid",
  "TooManyRequests",
  "InternalError",
  "ResourceVersionTooLarge",
];

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw garbage(cause);
  }
}

async function text(response: Response, signal: AbortSignal): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw unreachable(error, signal);
  }
}

function unreachable(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted
    ? signal.reason
    : new ApiFailure("Unreachable", "the connection broke", { cause: error });
}

function garbage(cause?: unknown): ApiFailure {
  return new ApiFailure("Garbage", "not what an API says", { cause });
}
