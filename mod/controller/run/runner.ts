/**
 * Runs a controller: one look at a key at a time, and what it wishes is done.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import { hasFailed, type ObjectClient } from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import { type Clock, WorkQueue } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { Counter, Logger } from "../../base/telemetry/mod.ts";
import { Awaited } from "./awaited.ts";
import { type ChangeListener, doChanges } from "./do_changes.ts";
import type {
  ChangeWords,
  ControlledKind,
  Controller,
  ControllerKinds,
  ObjectCache,
  Wishes,
} from "./step.ts";

/** As upstream's concurrent-…-syncs: so many objects are looked after side by side. */
const PLACES = 5;
/** A look that takes longer waits for a server, and another may begin. */
const PATIENCE_MS = 1_000;

/** As upstream's ItemExponentialFailureRateLimiter: the first pause and the longest. */
const RETRY = { baseMs: 5, maxMs: 1_000_000 };

/** What a runner works with. */
export interface RunnerDeps {
  readonly client: ObjectClient;
  readonly cache: ObjectCache;
  readonly clock: Clock;
  readonly log: Logger;
  /** Counts looks by controller and what became of them. */
  readonly looks: Counter;
  /** Takes what is told of an object. */
  readonly tell: (object: ApiObject, words: ChangeWords) => void;
}

/** What is remembered of an object between two looks. */
interface Memory {
  /** Monotonic time of the first look. */
  readonly sinceMs: number;
  failures: number;
  /** What was told at the last look, so that it is told again only when it is news. */
  told: readonly ChangeWords[];
}

/** There is no object left that something could be told of. */
const UNHEARD: ChangeListener = { wrote() {}, deleted() {}, tell() {} };

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
  readonly #queue: WorkQueue<string>;
  readonly #awaited = new Awaited();
  readonly #memory = new Map<string, Memory>();

  constructor(controller: Controller<Kind, Seen>, deps: RunnerDeps) {
    this.#controller = controller;
    this.#deps = deps;
    const { clock } = deps;
    const limit = { places: PLACES, patienceMs: PATIENCE_MS };
    this.#queue = new WorkQueue({ clock }, limit);
  }

  /** Asks for a look at an object. */
  wake(namespace: string, name: string): void {
    this.#queue.add(`${namespace}/${name}`);
  }

  /** Looks after objects until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await using queue = this.#queue;
    await queue.run((key, ended) => this.#look(key, ended), signal);
  }

  async #look(key: string, signal: AbortSignal): Promise<void> {
    const { looks, log } = this.#deps;
    const controller = this.#controller.name;
    try {
      const wasDone = await this.#sync(key, signal);
      looks.inc({ controller, result: wasDone ? "done" : "failed" });
      if (!wasDone) this.#retry(key);
    } catch (error) {
      if (signal.aborted) return;
      looks.inc({ controller, result: "failed" });
      const reason = describeError(error);
      log.warn("controller_failed", { controller, object: key, reason });
      this.#retry(key);
    }
  }

  /** @returns whether all that was wished is done */
  async #sync(key: string, signal: AbortSignal): Promise<boolean> {
    const { cache, clock } = this.#deps;
    const object = this.#find(key);
    if (object === undefined) return await this.#leave(key, signal);
    const waitMs = this.#awaited.remainingMs(key, cache, clock.monotonic());
    if (waitMs > 0) {
      // Whatever is awaited wakes the key when it comes.
      this.#queue.schedule(key, waitMs);
      return true;
    }
    const seen = this.#controller.gather(object, cache);
    const watchedMs = clock.monotonic() - this.#of(key).sinceMs;
    const wishes = this.#controller.step(seen, clock.now(), watchedMs);
    const wasDone = await this.#do(key, object, { wishes, signal });
    if (!wasDone) return false;
    this.#of(key).failures = 0;
    const { againAfterMs = Infinity } = wishes;
    const unseenMs = this.#awaited.remainingMs(key, cache, clock.monotonic());
    const dueMs = unseenMs > 0
      ? Math.min(unseenMs, againAfterMs)
      : againAfterMs;
    if (dueMs !== Infinity) this.#queue.schedule(key, dueMs);
    return true;
  }

  #find(key: string): ControllerKinds[Kind] | undefined {
    const { namespace, name } = partsOf(key);
    return this.#deps.cache.get(this.#controller.kind, namespace, name);
  }

  /** The object is gone. */
  async #leave(key: string, signal: AbortSignal): Promise<boolean> {
    const { cache, client } = this.#deps;
    this.#awaited.forget(key);
    const changes = this.#controller.leave?.(partsOf(key), cache) ?? [];
    const failures = await doChanges(undefined, changes, {
      client,
      listener: UNHEARD,
      signal,
    });
    if (failures.length > 0) return false;
    this.#memory.delete(key);
    return true;
  }

  async #do(
    key: string,
    object: ControllerKinds[Kind],
    { wishes, signal }: {
      readonly wishes: Wishes<NonNullable<ControllerKinds[Kind]["status"]>>;
      readonly signal: AbortSignal;
    },
  ): Promise<boolean> {
    const { client, clock, tell } = this.#deps;
    let newest: ApiObject = object;
    const listener = {
      wrote: (written: ApiObject) => {
        if (written.metadata.uid === object.metadata.uid) newest = written;
        this.#awaited.wrote(key, written, clock.monotonic());
      },
      deleted: (ref: Parameters<Awaited["deleted"]>[1]) =>
        this.#awaited.deleted(key, ref, clock.monotonic()),
      tell: (words: ChangeWords) => tell(object, words),
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
    const memory = this.#of(key);
    for (const words of events) {
      const isOld = memory.told.some((each) => isDeepStrictEqual(each, words));
      if (!isOld) this.#deps.tell(object, words);
    }
    memory.told = events;
  }

  #of(key: string): Memory {
    const sinceMs = this.#deps.clock.monotonic();
    const memory = this.#memory.get(key) ??
      { sinceMs, failures: 0, told: [] };
    this.#memory.set(key, memory);
    return memory;
  }

  #retry(key: string): void {
    const memory = this.#of(key);
    const delayMs = RETRY.baseMs * 2 ** memory.failures;
    memory.failures++;
    this.#queue.schedule(key, Math.min(delayMs, RETRY.maxMs));
  }
}
