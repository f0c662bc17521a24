/**
 * One watch of an API server whose objects are in memory.
 *
 * @module
 */

import { ApiFailure, selectionFilter } from "../../../mod/api/access/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import { isRecord } from "../../../mod/base/mod.ts";
import type { ApiPath } from "./api_path.ts";
import { ApiRefusal } from "./api_refusal.ts";
import {
  type KeptChange,
  type KeptObject,
  type MemoryObjects,
  placeOf,
} from "./memory_objects.ts";
import type { ScriptedAnswer } from "./scripted_answer.ts";

/** Which objects a query selects. @throws {ApiRefusal} BadRequest */
export function selected(
  { kind, namespace }: ApiPath,
  query: URLSearchParams,
): (object: KeptObject) => boolean {
  try {
    const filter = selectionFilter(kind.kind, {
      ...namespace !== undefined && { namespace },
      labelSelector: query.get("labelSelector") ?? "",
      fieldSelector: query.get("fieldSelector") ?? "",
    });
    return (object) => filter === undefined || filter(shown(object));
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    throw new ApiRefusal(400, "BadRequest", error.message);
  }
}

/** A watch that is open. */
export class LiveApiWatch {
  readonly #objects: MemoryObjects;
  readonly #path: ApiPath;
  readonly #query: URLSearchParams;
  readonly #answer: ScriptedAnswer;
  readonly #isSelected: (object: KeptObject) => boolean;
  #leave: () => void = () => {};

  constructor(
    objects: MemoryObjects,
    { path, query, answer }: {
      readonly path: ApiPath;
      readonly query: URLSearchParams;
      readonly answer: ScriptedAnswer;
    },
  ) {
    this.#objects = objects;
    this.#path = path;
    this.#query = query;
    this.#answer = answer;
    this.#isSelected = selected(path, query);
  }

  /** Says what was missed, and from then on what happens. */
  start(): void {
    this.#answer.open();
    const version = this.#query.get("resourceVersion") ?? "";
    const isStream = this.#query.get("sendInitialEvents") === "true";
    if (isStream || version === "" || version === "0") {
      for (const object of this.#objects.list(this.#path)) {
        if (this.#isSelected(object)) this.#say("ADDED", object);
      }
      if (isStream) this.bookmark(true);
    } else if (Number(version) < this.#objects.forgotten) {
      // Once a watch is open, all that is wrong with it is an event.
      const message =
        `too old resource version: ${version} (${this.#objects.version})`;
      this.#say("ERROR", new ApiRefusal(410, "Expired", message).status);
      return this.#answer.end();
    } else {
      const place = placeOf(this.#path);
      for (const each of this.#objects.since(Number(version), place)) {
        this.#tell(each);
      }
    }
    this.#leave = this.#objects.listen((change) => {
      if (change.place === placeOf(this.#path)) this.#tell(change);
    });
  }

  /** Says how far it is, if that is welcome. */
  bookmark(isInitialEnd: boolean = false): void {
    if (this.#query.get("allowWatchBookmarks") !== "true") return;
    const { apiVersion, kind } = this.#path;
    this.#say("BOOKMARK", {
      kind: kind.kind,
      apiVersion,
      metadata: {
        resourceVersion: `${this.#objects.version}`,
        ...isInitialEnd && {
          annotations: { "k8s.io/initial-events-end": "true" },
        },
      },
    });
  }

  /** Says something of a test's own. */
  say(line: string): void {
    this.#answer.event(line);
  }

  /** Says no more; with `isPolite` it also ends the answer. */
  stop(isPolite: boolean): void {
    this.#leave();
    if (isPolite) this.#answer.end();
  }

  #tell({ before, after, last }: KeptChange): void {
    const was = before !== undefined && this.#isSelected(before);
    const is = after !== undefined && this.#isSelected(after);
    if (is) this.#say(was ? "MODIFIED" : "ADDED", after);
    else if (was) {
      // What left the selection is as it was, but for its version.
      const { resourceVersion } = last.metadata;
      const metadata = { ...before.metadata, resourceVersion };
      this.#say(
        "DELETED",
        after === undefined ? last : { ...before, metadata },
      );
    }
  }

  #say(type: string, object: unknown): void {
    this.#answer.event(`${JSON.stringify({ type, object })}\n`);
  }
}

/** An object as selectors look at it. */
function shown(object: KeptObject): ApiObject {
  const { name, namespace = "", uid } = object.metadata;
  const labels = isRecord(object.metadata["labels"])
    ? Object.entries(object.metadata["labels"])
    : [];
  return {
    ...object,
    metadata: {
      name,
      namespace,
      uid,
      labels: Object.fromEntries(
        labels.map(([key, value]) => [key, String(value)]),
      ),
    },
  };
}
