/**
 * One kind of objects at an API server.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import type {
  DeleteOptions,
  ListerWatcher,
  ListOptions,
  NewObject,
  ObjectList,
  Resource,
  Selection,
  WatchEvent,
  WatchOptions,
} from "../../api/access/mod.ts";
import { groupResource, resourcePath } from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import type { ApiCaller, ApiRequest } from "../transport/mod.ts";
import { readWatchEvent } from "./watch_event.ts";
import { garbled, watchLines } from "./watch_lines.ts";
import { readWireObject } from "./wire_object.ts";

/** Which object of a kind is meant. */
export interface KubePlace {
  /** Empty for what belongs to no namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** How an object is patched. */
export interface PatchOptions {
  /** RFC 7386, the one by keys of lists that only built-in kinds have, or RFC 6902. */
  readonly type: "merge" | "strategic" | "json";
  /** `status`, … @default the object itself */
  readonly subresource?: string;
}

/** How calls are made. */
export interface KubeKindOptions {
  /** For all of a call that is no list, and for the begin of a watch. @default {30_000} */
  readonly timeoutMs?: number;
}

const CALL_TIMEOUT_MS = 30_000;

/** API servers end requests after a minute; twice that is no answer. */
const LIST_TIMEOUT_MS = 120_000;

/** API servers take objects of 3 MiB at most; as JSON and with its status one is longer. */
const MAX_OBJECT_BYTES = 10 * 1024 * 1024;

/** Some thousand pods; who has more asks for pages. */
const MAX_LIST_BYTES = 32 * 1024 * 1024;

const PATCH_TYPES: Readonly<Record<PatchOptions["type"], string>> = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
};

/**
 * Reads and writes the objects of one kind.
 *
 * What comes is checked for what every object has; that its spec is as `T` says is taken
 * on trust, since the API server has validated it. Of a list that has an unreadable object,
 * all others are given, and in its place something without a uid that no reader takes.
 *
 * Each call throws `ApiFailure` when it is refused or does not get through. One that only
 * its answer was lost of may have been carried out.
 */
export class KubeKind<T extends ApiObject> implements ListerWatcher<T> {
  readonly #api: ApiCaller;
  readonly #resource: Resource;
  readonly #timeoutMs: number;

  constructor(
    api: ApiCaller,
    resource: Resource,
    { timeoutMs = CALL_TIMEOUT_MS }: KubeKindOptions = {},
  ) {
    this.#api = api;
    this.#resource = resource;
    this.#timeoutMs = timeoutMs;
  }

  async list(
    options: ListOptions,
    signal: AbortSignal,
  ): Promise<ObjectList<T>> {
    const { limit, resourceVersion, continue: from } = options;
    const what = `list ${this.#words}`;
    const answer = await this.#api.call({
      what,
      method: "GET",
      path: resourcePath(this.#resource, { namespace: options.namespace }),
      query: queryOf({
        ...selectionOf(options),
        limit,
        resourceVersion,
        continue: from,
      }),
      timeoutMs: LIST_TIMEOUT_MS,
      maxBytes: MAX_LIST_BYTES,
    }, signal);
    const { kind } = this.#resource;
    if (!isRecord(answer) || answer["kind"] !== `${kind}List`) {
      throw garbled(what, `the answer is no ${kind}List`);
    }
    const { metadata, items } = answer;
    const { resourceVersion: version, continue: next } = isRecord(metadata)
      ? metadata
      : {};
    if (typeof version !== "string" || version === "") {
      throw garbled(what, "the list has no resourceVersion");
    }
    // Go writes an empty list as null at times.
    if (items !== null && !Array.isArray(items)) {
      throw garbled(what, "the list has no items");
    }
    return {
      items: (items ?? []).map((item) => this.#itemOf(item)),
      resourceVersion: version,
      ...typeof next === "string" && next !== "" && { continue: next },
    };
  }

  async watch(
    options: WatchOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<WatchEvent<T>>> {
    const { resourceVersion, timeoutSeconds, sendInitialEvents } = options;
    const what = `watch ${this.#words}`;
    const pieces = await this.#api.stream({
      what,
      method: "GET",
      path: resourcePath(this.#resource, { namespace: options.namespace }),
      query: queryOf({
        watch: true,
        ...selectionOf(options),
        resourceVersion,
        timeoutSeconds,
        allowWatchBookmarks: options.allowWatchBookmarks || undefined,
        ...sendInitialEvents && {
          sendInitialEvents,
          resourceVersionMatch: "NotOlderThan",
        },
      }),
      timeoutMs: this.#timeoutMs,
      maxBytes: MAX_OBJECT_BYTES,
    }, signal);
    return this.#events(pieces, what);
  }

  async get(place: KubePlace, signal: AbortSignal): Promise<T> {
    return await this.#one("get", { ...place, method: "GET" }, signal);
  }

  async create(
    object: Omit<NewObject, "metadata"> & { readonly metadata: object },
    signal: AbortSignal,
  ): Promise<T> {
    const { namespace, name, generateName } = namesIn(object.metadata);
    return await this.#one("create", {
      namespace,
      method: "POST",
      body: object,
      shown: name === "" ? `${generateName}*` : name,
    }, signal);
  }

  /** Replaces it; a `resourceVersion` in it that is not the newest is refused. */
  async update(
    object: T,
    { subresource }: Pick<PatchOptions, "subresource">,
    signal: AbortSignal,
  ): Promise<T> {
    const { namespace, name } = object.metadata;
    return await this.#one("update", {
      namespace,
      name,
      method: "PUT",
      body: object,
      ...subresource !== undefined && { subresource },
    }, signal);
  }

  /** @throws {ApiFailure} `Invalid`, too, when a `metadata.uid` in the patch is another's. */
  async patch(
    place: KubePlace,
    patch: { readonly body: unknown } & PatchOptions,
    signal: AbortSignal,
  ): Promise<T> {
    const { type, body, subresource } = patch;
    return await this.#one("patch", {
      ...place,
      method: "PATCH",
      body,
      contentType: PATCH_TYPES[type],
      ...subresource !== undefined && { subresource },
    }, signal);
  }

  async delete(
    place: KubePlace,
    options: DeleteOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const { uid, gracePeriodSeconds, propagation = "Background" } = options;
    await this.#ask("delete", {
      ...place,
      method: "DELETE",
      body: {
        apiVersion: "v1",
        kind: "DeleteOptions",
        propagationPolicy: propagation,
        ...gracePeriodSeconds !== undefined && { gracePeriodSeconds },
        ...uid !== undefined && { preconditions: { uid } },
      },
    }, signal);
  }

  /**
   * Makes something below an object, such as a `token` of a service account.
   *
   * @returns what the server says of it, which is no object that it keeps
   */
  async createSubresource(
    place: KubePlace & { readonly subresource: string },
    body: unknown,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { subresource } = place;
    const what = `create ${subresource} of`;
    const call = { ...place, method: "POST", body } as const;
    const answer = await this.#ask(what, call, signal);
    if (isRecord(answer)) return answer;
    throw garbled(this.#whatOf(what, call), "the answer is no object");
  }

  get #words(): string {
    return groupResource(this.#resource);
  }

  #whatOf(verb: string, { namespace, name, shown = name }: ObjectCall): string {
    const place = namespace === "" ? shown : `${namespace}/${shown}`;
    return `${verb} ${this.#words} "${place}"`;
  }

  #ask(verb: string, call: ObjectCall, signal: AbortSignal): Promise<unknown> {
    const { method, body, contentType, subresource, namespace, name } = call;
    if (this.#resource.isNamespaced && namespace === "") {
      throw new TypeError(
        `Cannot ${this.#whatOf(verb, call)}: wanted a namespace`,
      );
    }
    const path = resourcePath(this.#resource, {
      namespace,
      ...name !== undefined && { name },
    });
    return this.#api.call({
      what: this.#whatOf(verb, call),
      method,
      path: subresource === undefined ? path : `${path}/${subresource}`,
      ...body !== undefined && { body },
      ...contentType !== undefined && { contentType },
      timeoutMs: this.#timeoutMs,
      maxBytes: MAX_OBJECT_BYTES,
      obeysRetryAfter: true,
    }, signal);
  }

  /** Asks for what is answered with the object itself. */
  async #one(verb: string, call: ObjectCall, signal: AbortSignal): Promise<T> {
    const answer = await this.#ask(verb, call, signal);
    const reading = readWireObject(answer, this.#resource);
    const what = this.#whatOf(verb, call);
    if (reading.kind === "garbage") {
      throw garbled(what, `the answer cannot be read: ${reading.fault}`);
    }
    const { namespace, name } = reading.object.metadata;
    if (
      namespace !== call.namespace ||
      (call.name !== undefined && name !== call.name)
    ) throw garbled(what, "the answer is about another object");
    return this.#trusted(reading.object);
  }

  #itemOf(item: unknown): T {
    const reading = readWireObject(item, this.#resource, { isItem: true });
    return this.#trusted(
      reading.kind === "read" ? reading.object : reading.remains,
    );
  }

  async *#events(
    pieces: AsyncIterable<Uint8Array>,
    what: string,
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const options = { what, maxBytes: MAX_OBJECT_BYTES };
    for await (const line of watchLines(pieces, options)) {
      const event = readWatchEvent(line, this.#resource, { what });
      if (typeof event === "string") throw garbled(what, event);
      yield "object" in event
        ? { ...event, object: this.#trusted(event.object) }
        : event;
    }
  }

  #trusted(object: ApiObject): T {
    // The border: an API server validates what it keeps of a kind, and only that is given.
    return object as T;
  }
}

interface ObjectCall {
  readonly method: ApiRequest["method"];
  readonly namespace: string;
  /** Absent of what is made. */
  readonly name?: string;
  /** In messages, in the place of a name. */
  readonly shown?: string;
  readonly subresource?: string;
  readonly body?: unknown;
  readonly contentType?: string;
}

function namesIn(
  metadata: object,
): Readonly<Record<"namespace" | "name" | "generateName", string>> {
  const fields = new Map<string, unknown>(Object.entries(metadata));
  const text = (field: string): string => `${fields.get(field) ?? ""}`;
  return {
    namespace: text("namespace"),
    name: text("name"),
    generateName: text("generateName"),
  };
}

function selectionOf(
  { labelSelector, fieldSelector }: Selection,
): Pick<Selection, "labelSelector" | "fieldSelector"> {
  return {
    ...labelSelector !== undefined && { labelSelector },
    ...fieldSelector !== undefined && { fieldSelector },
  };
}

/** A query of what is given. */
function queryOf(
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, `${value}`]]
    ),
  );
}
