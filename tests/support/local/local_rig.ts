/**
 * A store of this node's objects for tests, and short ways to use it.
 *
 * @module
 */

import type {
  AccessRef,
  KindRef,
  NewObject,
  WatchEvent,
  WatchOptions,
} from "../../../mod/api/access/mod.ts";
import type { Random } from "../../../mod/base/mod.ts";
import type { Logger } from "../../../mod/base/telemetry/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import {
  type JournalDisk,
  LocalStore,
  type LocalStoreOptions,
} from "../../../mod/local/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { seededRandom } from "../seeded_random.ts";

export const POD_KIND: KindRef = { apiVersion: "v1", kind: "Pod" };
export const SET_KIND: KindRef = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
};
export const CLAIM_KIND: KindRef = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
};

/** The wish for a pod of one container. */
export function podWish(
  name: string,
  metadata: Partial<NewObject["metadata"]> = {},
): NewObject {
  return {
    ...POD_KIND,
    metadata: { name, namespace: "shop", ...metadata },
    spec: { containers: [{ name: "app", image: "busybox" }] },
  };
}

/** The wish for an object of any other kind; what is in it does not matter. */
export function plainWish(
  kind: KindRef,
  name: string,
  metadata: Partial<NewObject["metadata"]> = {},
): NewObject {
  const { apiVersion } = kind;
  return {
    apiVersion,
    kind: kind.kind,
    metadata: { name, namespace: "shop", ...metadata },
    spec: { replicas: 1 },
  };
}

/** The parts that a test looks at. */
export type Seen = ApiObject & {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
};

/** A store with a clock that stands still, and a signal that never aborts. */
export class LocalRig {
  readonly clock: FakeClock = new FakeClock();
  readonly store: LocalStore;
  readonly controller: AbortController = new AbortController();

  constructor(
    options: LocalStoreOptions & {
      readonly random?: Random;
      readonly disk?: JournalDisk;
      readonly log?: Logger;
    } = {},
  ) {
    const { random = seededRandom(7), disk, log, ...rest } = options;
    const ports = { ...(disk && { disk }), ...(log && { log }) };
    const deps = { clock: this.clock, random, ...ports };
    this.store = new LocalStore(deps, rest);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  async create(wish: NewObject): Promise<Seen> {
    return await this.store.create(wish, this.signal);
  }

  async get(ref: KindRef, name: string): Promise<Seen> {
    return await this.store.get(refOf(ref, name), this.signal);
  }

  /** Gives an object another status. */
  async restate(object: ApiObject, status: object): Promise<Seen> {
    const wish = { ...object, status };
    return await this.store.updateStatus(wish, this.signal);
  }

  /** The names of all of a kind, in order. */
  async names(kind: KindRef): Promise<readonly string[]> {
    const { items } = await this.store.reader(kind).list({}, this.signal);
    return items.map(({ metadata }) => metadata.name);
  }

  /** Opens a watch and gives a function that reads so many events. */
  async watch(
    kind: KindRef,
    options: WatchOptions = {},
  ): Promise<(count: number) => Promise<readonly string[]>> {
    const events = await this.store.reader(kind).watch(options, this.signal);
    const reader = events[Symbol.asyncIterator]();
    return async (count) => {
      const seen: string[] = [];
      while (seen.length < count) {
        const next = await reader.next();
        if (next.done === true) return [...seen, "end"];
        seen.push(eventText(next.value));
      }
      return seen;
    };
  }
}

export function refOf(kind: KindRef, name: string): AccessRef {
  const { apiVersion } = kind;
  return { apiVersion, kind: kind.kind, namespace: "shop", name };
}

/** `ADDED web@3`, `BOOKMARK @3 initial`, `ERROR Expired`. */
export function eventText(event: WatchEvent<ApiObject>): string {
  switch (event.type) {
    case "BOOKMARK":
      return `BOOKMARK @${event.resourceVersion}${
        event.isInitialEnd === true ? " initial" : ""
      }`;
    case "ERROR":
      return `ERROR ${event.failure.reason}`;
    default: {
      const { name, resourceVersion } = event.object.metadata;
      return `${event.type} ${name}@${resourceVersion}`;
    }
  }
}
