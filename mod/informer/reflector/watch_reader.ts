/**
 * Reading one watch.
 *
 * @module
 */

import type { FailureReason, WatchEvent } from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import { keyInStore, type ObjectSink } from "../store/mod.ts";
import type { Turns } from "../work/mod.ts";
import type { ReflectionOutcome } from "./reflector_step.ts";
import { isOlderVersion } from "./object_version.ts";

/** How a watch came to its end. */
export type WatchEnd = Extract<ReflectionOutcome, { readonly kind: "closed" }>;

/** Where a watch begins. */
export interface WatchBegin {
  readonly version: string;
  /** Whether everything that is there is known already. */
  readonly isListed: boolean;
  readonly isWhole: boolean;
}

/** What the reader of a watch works with. */
export interface WatchReaderDeps<T extends ApiObject> {
  readonly sink: ObjectSink<T>;
  readonly isReadable: (object: T) => boolean;
  /** What a server has sent at once may be very much. */
  readonly turns: Turns;
  /** Is called when everything that is there has been said. */
  readonly whenListed: (isWhole: boolean) => void;
}

/** How far the reading of a watch is. */
export class WatchReader<T extends ApiObject> {
  readonly #deps: WatchReaderDeps<T>;
  /** What is there, until all of it is. */
  readonly #found = new Map<string, T>();
  #version: string;
  #isListed: boolean;
  #isWhole: boolean;
  #events = 0;

  constructor(deps: WatchReaderDeps<T>, begin: WatchBegin) {
    this.#deps = deps;
    this.#version = begin.version;
    this.#isListed = begin.isListed;
    this.#isWhole = begin.isWhole;
  }

  /** How many events have come. */
  get events(): number {
    return this.#events;
  }

  /** Reads until the end; why it ended is `undefined` when the server was done. */
  async read(
    events: AsyncIterable<WatchEvent<T>>,
  ): Promise<Pick<WatchEnd, "reason" | "retryAfterMs">> {
    for await (const event of events) {
      this.#events++;
      if (this.#deps.turns.isDue()) await this.#deps.turns.give();
      switch (event.type) {
        case "BOOKMARK":
          if (this.#isListed) this.#bookmark(event.resourceVersion);
          else if (event.isInitialEnd) this.#endList(event.resourceVersion);
          break;
        case "ERROR": {
          const { reason, retryAfterMs } = event.failure;
          return { reason, retryAfterMs };
        }
        default: {
          const reason = this.#isListed
            ? this.#follow(event)
            : this.#find(event);
          if (reason !== undefined) return { reason };
        }
      }
    }
    return {};
  }

  /** What is known at the end. */
  end(
    why: Pick<WatchEnd, "reason" | "retryAfterMs">,
    lastedMs: number,
  ): WatchEnd {
    return {
      kind: "closed",
      version: this.#version,
      isListed: this.#isListed,
      isWhole: this.#isWhole,
      events: this.#events,
      lastedMs,
      ...why,
    };
  }

  /** Before all is there: in the order of the server, which is not that of versions. */
  #find({ type, object }: WatchedChange<T>): undefined {
    if (!this.#deps.isReadable(object)) this.#isWhole = false;
    else if (type === "DELETED") this.#found.delete(keyInStore(object));
    else this.#found.set(keyInStore(object), object);
  }

  #endList(version: string): void {
    const objects = [...this.#found.values()];
    this.#found.clear();
    this.#isListed = true;
    this.#version = version;
    this.#deps.sink.replace(objects, { version, isWhole: this.#isWhole });
    this.#deps.whenListed(this.#isWhole);
  }

  #bookmark(version: string): void {
    if (isOlderVersion(version, this.#version)) return;
    this.#version = version;
    this.#deps.sink.bookmark(version);
  }

  /**
   * After an event that cannot be read, or that comes too late, nobody knows what the
   * store should hold: a list tells.
   */
  #follow({ type, object }: WatchedChange<T>): FailureReason | undefined {
    if (!this.#deps.isReadable(object)) return "Garbage";
    const { resourceVersion } = object.metadata;
    if (
      resourceVersion === undefined ||
      isOlderVersion(resourceVersion, this.#version)
    ) return "Garbage";
    this.#version = resourceVersion;
    if (type === "DELETED") this.#deps.sink.remove(object);
    else this.#deps.sink.put(object);
    return undefined;
  }
}

type WatchedChange<T extends ApiObject> = Extract<
  WatchEvent<T>,
  { readonly object: T }
>;
