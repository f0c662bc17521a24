/**
 * Objects of an API server, kept in memory.
 *
 * @module
 */

import { isRecord } from "../../../mod/base/mod.ts";
import type { ApiPath } from "./api_path.ts";
import { ApiRefusal } from "./api_refusal.ts";
import { graceOf, keptOf, timeText, withVersion } from "./kept_fields.ts";
import { isSameJson } from "./same_json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An object as the server has it. */
export interface KeptObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: KeptMeta;
  readonly [field: string]: unknown;
}

/** What every object has. */
export interface KeptMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly [field: string]: unknown;
}

/** One change of an object. */
export interface KeptChange {
  readonly version: number;
  /** Where the objects of its kind are: `v1/pods`. */
  readonly place: string;
  readonly before: KeptObject | undefined;
  /** Absent when it was removed. */
  readonly after: KeptObject | undefined;
  /** What was there last, at the version of the change. */
  readonly last: KeptObject;
}

/** What an object has to be for a change of it. */
export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** How an object is deleted. */
export interface DeleteWish extends Preconditions {
  readonly gracePeriodSeconds?: number;
}

/** Keeps objects with versions, and the changes since the last {@linkcode compact}. */
export class MemoryObjects {
  readonly #kept: Map<string, KeptObject> = new Map();
  readonly #listeners: Set<(change: KeptChange) => void> = new Set();
  #history: KeptChange[] = [];
  // As a server that has kept other things before.
  #version = 100;
  #forgotten = 0;
  #made = 0;
  readonly #now: () => number;

  /** @param now its wall clock */
  constructor(now: () => number = () => Date.now()) {
    this.#now = now;
  }

  /** The version of the newest change. */
  get version(): number {
    return this.#version;
  }

  /** The version before which changes are forgotten. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Forgets all changes: who watches from before has to list again. */
  compact(): void {
    this.#forgotten = this.#version;
    this.#history = [];
  }

  /** What became of the objects of a place after a version. */
  since(version: number, place: string): readonly KeptChange[] {
    return this.#history.filter((each) =>
      each.version > version && each.place === place
    );
  }

  /** Tells every change from now on, until the function that is given back is called. */
  listen(listener: (change: KeptChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** All objects of a kind, by namespace and name. */
  list(path: ApiPath): readonly KeptObject[] {
    return [...this.#kept].filter(([key, { metadata }]) =>
      key.startsWith(`${placeOf(path)}/`) &&
      (path.namespace === undefined || metadata.namespace === path.namespace)
    ).sort(([a], [b]) => a < b ? -1 : 1).map(([, object]) => object);
  }

  /** @throws {ApiRefusal} NotFound */
  get(path: ApiPath): KeptObject {
    const object = this.#kept.get(keyOf(path));
    if (object !== undefined) return object;
    throw new ApiRefusal(
      404,
      "NotFound",
      `${groupWord(path)} "${path.name}" not found`,
      detailsOf(path),
    );
  }

  /** @throws {ApiRefusal} AlreadyExists, Invalid, BadRequest */
  create(path: ApiPath, body: unknown): KeptObject {
    const draft = readDraft(path, body);
    const meta = fieldsOf(draft["metadata"]);
    const { generateName } = meta;
    const name = typeof meta["name"] === "string" && meta["name"] !== ""
      ? meta["name"]
      : typeof generateName === "string" && generateName !== ""
      ? `${generateName}${(++this.#made).toString(36).padStart(5, "x")}`
      : undefined;
    if (name === undefined) {
      throw invalid(
        path,
        "metadata.name: Required value: name or generateName is required",
      );
    }
    const place = { ...path, name };
    if (this.#kept.has(keyOf(place))) {
      throw new ApiRefusal(
        409,
        "AlreadyExists",
        `${groupWord(path)} "${name}" already exists`,
        detailsOf(place),
      );
    }
    const isPod = path.kind.kind === "Pod";
    return this.#keep(place, {
      ...draft,
      apiVersion: path.apiVersion,
      kind: path.kind.kind,
      metadata: {
        ...meta,
        name,
        ...path.namespace !== undefined && { namespace: path.namespace },
        uid: crypto.randomUUID(),
        resourceVersion: "",
        creationTimestamp: timeText(this.#now()),
        ...path.kind.hasGeneration && { generation: 1 },
      },
      ...isPod && { status: { phase: "Pending", qosClass: "BestEffort" } },
    });
  }

  /**
   * Replaces an object, or by the path of its status only that.
   *
   * @throws {ApiRefusal} NotFound, Conflict, Invalid, BadRequest
   */
  update(path: ApiPath, body: unknown): KeptObject {
    const draft = readDraft(path, body);
    const meta = fieldsOf(draft["metadata"]);
    const before = this.get(path);
    const { resourceVersion } = meta;
    const hasVersion = typeof resourceVersion === "string" &&
      resourceVersion !== "";
    if (!hasVersion && !path.kind.isFree) {
      throw invalid(
        path,
        "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
      );
    }
    this.#check(path, {
      ...hasVersion && { resourceVersion },
      ...typeof meta["uid"] === "string" && { uid: meta["uid"] },
    });
    return this.#change(path, before, draft);
  }

  /**
   * Changes an object by what it was.
   *
   * @throws {ApiRefusal} NotFound, Conflict, Invalid
   */
  patch(path: ApiPath, alter: (object: unknown) => unknown): KeptObject {
    const before = this.get(path);
    const after = fieldsOf(alter(before));
    const { uid, resourceVersion } = fieldsOf(after["metadata"]);
    // Only a version is a precondition of a patch; another uid is a change that is refused.
    this.#check(path, {
      ...typeof resourceVersion === "string" && { resourceVersion },
    });
    if (uid !== before.metadata.uid) {
      const what = `metadata.uid: Invalid value: "${uid}": field is immutable`;
      throw invalid(path, what);
    }
    return this.#change(path, before, after);
  }

  /**
   * Deletes an object: a pod with a node and anything with finalizers stays a while.
   *
   * @returns what is left of it
   * @throws {ApiRefusal} NotFound, Conflict
   */
  delete(path: ApiPath, wish: DeleteWish = {}): KeptObject {
    const before = this.get(path);
    this.#check(path, wish);
    const { metadata } = before;
    const grace = graceOf(before, wish);
    const pending = metadata["deletionGracePeriodSeconds"];
    const isLeaving = metadata["deletionTimestamp"] !== undefined;
    const finalizers = metadata["finalizers"];
    const isHeld = Array.isArray(finalizers) && finalizers.length > 0;
    if (grace === 0 && !isHeld) return this.#remove(path, before);
    if (isLeaving && typeof pending === "number" && grace >= pending) {
      return before;
    }
    return this.#keep(path, {
      ...before,
      metadata: {
        ...metadata,
        deletionTimestamp: timeText(this.#now(), grace),
        deletionGracePeriodSeconds: grace,
        ...path.kind.hasGeneration && !isLeaving && {
          generation: Number(metadata["generation"]) + 1,
        },
      },
    });
  }

  #change(path: ApiPath, before: KeptObject, draft: Fields): KeptObject {
    const isStatus = path.subresource === "status";
    const { hasStatus, hasGeneration } = path.kind;
    const wanted = isStatus
      ? { ...before, status: draft["status"] }
      : hasStatus
      ? { ...draft, status: before["status"] }
      : draft;
    const meta = fieldsOf(draft["metadata"]);
    const hasNewSpec = !isSameJson(before["spec"], wanted["spec"]);
    const { name, uid, resourceVersion, ...rest } = before.metadata;
    const after: KeptObject = {
      ...wanted,
      apiVersion: path.apiVersion,
      kind: path.kind.kind,
      metadata: {
        // A status carries metadata as well: labels, annotations and the like.
        ...meta,
        ...keptOf(rest),
        name,
        uid,
        resourceVersion,
        ...hasGeneration && hasNewSpec && {
          generation: Number(before.metadata["generation"]) + 1,
        },
      },
    };
    const left = after.metadata["finalizers"];
    const isFreed = !Array.isArray(left) || left.length === 0;
    const grace = after.metadata["deletionGracePeriodSeconds"];
    if (isFreed && after.metadata["deletionTimestamp"] && !grace) {
      return this.#remove(path, after);
    }
    // What changes nothing is not written.
    return isSameJson(before, after) ? before : this.#keep(path, after);
  }

  #keep(path: ApiPath, object: KeptObject): KeptObject {
    const before = this.#kept.get(keyOf(path));
    const version = ++this.#version;
    const after = withVersion(object, version);
    this.#kept.set(keyOf(path), after);
    this.#tell({ version, place: placeOf(path), before, after, last: after });
    return after;
  }

  #remove(path: ApiPath, before: KeptObject): KeptObject {
    this.#kept.delete(keyOf(path));
    const version = ++this.#version;
    const last = withVersion(before, version);
    const place = placeOf(path);
    this.#tell({ version, place, before, after: undefined, last });
    return last;
  }

  #tell(change: KeptChange): void {
    this.#history.push(change);
    for (const listener of [...this.#listeners]) listener(change);
  }

  #check(path: ApiPath, { uid, resourceVersion }: Preconditions): void {
    const { metadata } = this.get(path);
    const about = `Operation cannot be fulfilled on ${
      groupWord(path)
    } "${path.name}": `;
    if (uid !== undefined && uid !== metadata.uid) {
      throw new ApiRefusal(
        409,
        "Conflict",
        `${about}Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`,
        detailsOf(path),
      );
    }
    if (
      resourceVersion !== undefined &&
      resourceVersion !== metadata.resourceVersion
    ) {
      throw new ApiRefusal(
        409,
        "Conflict",
        `${about}the object has been modified; please apply your changes to the latest version and try again`,
        detailsOf(path),
      );
    }
  }
}

/** Where the objects of a path's kind are: `v1/pods`. */
export function placeOf({ apiVersion, resource }: ApiPath): string {
  return `${apiVersion}/${resource}`;
}

function keyOf(path: ApiPath): string {
  return `${placeOf(path)}/${path.namespace ?? ""}/${path.name}`;
}

/** As messages have it: `pods`, `leases.coordination.k8s.io`. */
function groupWord({ apiVersion, resource }: ApiPath): string {
  const [group, version] = apiVersion.split("/");
  return version === undefined ? resource : `${resource}.${group}`;
}

function detailsOf({ name, resource }: ApiPath): Fields {
  return { name, kind: resource };
}

function invalid(path: ApiPath, what: string): ApiRefusal {
  const { kind } = path.kind;
  return new ApiRefusal(
    422,
    "Invalid",
    `${kind} "${path.name ?? ""}" is invalid: ${what}`,
    detailsOf(path),
  );
}

function readDraft(path: ApiPath, body: unknown): Fields {
  const draft = fieldsOf(body);
  const { apiVersion = path.apiVersion, kind = path.kind.kind } = draft;
  const meta = fieldsOf(draft["metadata"]);
  const found = apiVersion !== path.apiVersion || kind !== path.kind.kind
    ? `the object provided is unrecognized: ${apiVersion} ${kind}`
    : meta["namespace"] !== undefined && meta["namespace"] !== path.namespace
    ? "the namespace of the provided object does not match the namespace sent on the request"
    : path.name !== undefined && meta["name"] !== path.name
    ? `the name of the object (${
      meta["name"]
    }) does not match the name on the URL (${path.name})`
    : undefined;
  if (found === undefined) return draft;
  throw new ApiRefusal(400, "BadRequest", found);
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
