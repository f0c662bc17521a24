/**
 * Runs a controller: one look at a key at a time, and what it wishes is done.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import { hasFailed, type ObjectClient } from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import type { Clock } from "../../base/mod.ts";
import type { Logger, MetricsRegistry } from "../../base/telemetry/mod.ts";
import { RateLimitedQueue } from "../../informer/work/mod.ts";
import { Awaited } from "./awaited.ts";
import { type ChangeListener, doChanges } from "./do_changes.ts";
import { KnownTimes } from "./known_times.ts";
import type {
  ChangeWords,
  ControlledKind,
  Controller,
  ControllerKinds,
  ObjectCache,
  Wishes,
} from "./step.ts";

/** What a runner works with. */
export interface RunnerDeps {
  readonly client: ObjectClient;
  readonly cache: ObjectCache;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** Takes what is told of an object. */
  readonly tell: (object: ApiObject, words: ChangeWords) => void;
}

/** What is remembered of an object between two looks. */
interface Memory {
  /** Another one of its name is remembered anew. */
  readonly uid: string;
  readonly times: KnownTimes;
  /** What was told at the last look, so that it is told again only when it is news. */
  told: readonly ChangeWords[];
}

function partsOf(
  key: string,
): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}

/** Looks after all objects of one kind. */
export class ControllerRunner<Kind extends ControlledKind, Seen> {
  readonly #controller: Controller<Kind, Seen>;
  readonly #deps: RunnerDeps;
  readonly #queue: RateLimitedQueue<string>;
  readonly #awaited = new Awaited();
  readonly #memory = new Map<string, Memory>();

  constructor(controller: Controller<Kind, Seen>, deps: RunnerDeps) {
    this.#controller = controller;
    this.#deps = deps;
    this.#queue = new RateLimitedQueue(deps, { name: controller.name });
  }

  /** Asks for a look at an object. */
  wake(namespace: string, name: string): void {
    this.#queue.add(`${namespace}/${name}`);
  }

  /** Looks after objects until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#queue.run((key, ended) => this.#look(key, ended), signal);
  }

  async #look(
    key: string,
    signal: AbortSignal,
  ): Promise<void | "again" | "pending"> {
    const { cache, clock } = this.#deps;
    const object = this.#find(key);
    if (object === undefined) return await this.#leave(key, signal);
    if (this.#isAwaiting(key)) return "pending";
    this.#queue.dropDelay(key);
    const seen = this.#controller.gather(object, cache);
    const watched = this.#of(key, object).times.look(clock);
    const wishes = this.#controller.step(seen, clock.now(), watched);
    const wasDone = await this.#do(key, object, { wishes, signal });
    this.#isAwaiting(key);
    if (!wasDone) return "again";
    const { againAfterMs } = wishes;
    if (againAfterMs !== undefined) this.#queue.addAfter(key, againAfterMs);
  }

  /** What is awaited wakes the key when it comes; should it not, it is looked at anyway. */
  #isAwaiting(key: string): boolean {
    const { cache, clock } = this.#deps;
    const waitMs = this.#awaited.remainingMs(key, cache, clock.monotonic());
    if (waitMs > 0) this.#queue.addAfter(key, waitMs);
    return waitMs > 0;
  }

  #find(key: string): ControllerKinds[Kind] | undefined {
    const { namespace, name } = partsOf(key);
    return this.#deps.cache.get(this.#controller.kind, namespace, name);
  }

  /** The object is gone. */
  async #leave(
    key: string,
    signal: AbortSignal,
  ): Promise<void | "again" | "pending"> {
    const { cache, client } = this.#deps;
    if (this.#isAwaiting(key)) return "pending";
    this.#queue.dropDelay(key);
    const changes = this.#controller.leave?.(partsOf(key), cache) ?? [];
    const listener = { ...this.#listener(key), tell: () => {} };
    const failures = await doChanges(undefined, changes, {
      client,
      listener,
      signal,
    });
    if (failures.length > 0) return "again";
    if (!this.#isAwaiting(key)) this.#memory.delete(key);
  }

  /** Remembers what is done for a key until it is seen. */
  #listener(key: string): Omit<ChangeListener, "tell"> {
    const { clock } = this.#deps;
    return {
      wrote: (written) => this.#awaited.wrote(key, written, clock.monotonic()),
      deleted: (ref) => this.#awaited.deleted(key, ref, clock.monotonic()),
    };
  }

  async #do(
    key: string,
    object: ControllerKinds[Kind],
    { wishes, signal }: {
      readonly wishes: Wishes<NonNullable<ControllerKinds[Kind]["status"]>>;
      readonly signal: AbortSignal;
    },
  ): Promise<boolean> {
    const { client, tell } = this.#deps;
    let newest: ApiObject = object;
    const { wrote, deleted } = this.#listener(key);
    const listener: ChangeListener = {
      wrote: (written) => {
        if (written.metadata.uid === object.metadata.uid) newest = written;
        wrote(written);
      },
      deleted,
      tell: (words) => tell(object, words),
    };
    const failures = await doChanges(object, wishes.changes, {
      client,
      listener,
      signal,
    });
    this.#tellNews(key, object, wishes.events ?? []);
    const status = wishes.status?.(failures);
    if (status !== undefined && !isDeepStrictEqual(status, object.status)) {
      try {
        const wished = { ...newest, status };
        listener.wrote(await client.updateStatus(wished, signal));
      } catch (error) {
        // Somebody else wrote it, or it is gone: another look will say.
        if (!hasFailed(error, "Conflict", "NotFound")) throw error;
        return hasFailed(error, "NotFound");
      }
    }
    return failures.length === 0;
  }

  #tellNews(
    key: string,
    object: ApiObject,
    events: readonly ChangeWords[],
  ): void {
    const memory = this.#of(key, object);
    for (const words of events) {
      const isOld = memory.told.some((each) => isDeepStrictEqual(each, words));
      if (!isOld) this.#deps.tell(object, words);
    }
    memory.told = events;
  }

  #of(key: string, { metadata: { uid } }: ApiObject): Memory {
    const known = this.#memory.get(key);
    if (known?.uid === uid) return known;
    if (known !== undefined) this.#queue.forget(key);
    const times = new KnownTimes(this.#deps.clock);
    const memory: Memory = { uid, times, told: [] };
    this.#memory.set(key, memory);
    return memory;
  }
}
