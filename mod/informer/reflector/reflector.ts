/**
 * Keeps a store as a server has it: by lists, and by watches between them.
 *
 * @module
 */

import {
  type Clock,
  isAbort,
  type Random,
  unlessAborted,
} from "../../base/mod.ts";
import type { Logger, MetricsRegistry } from "../../base/telemetry/mod.ts";
import {
  ApiFailure,
  type FailureReason,
  type KindRef,
  type ListerWatcher,
  type Selection,
} from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import type { ListFacts, ObjectSink } from "../store/mod.ts";
import { Turns } from "../work/mod.ts";
import { Patience } from "./patience.ts";
import { type ReflectorMeters, reflectorMeters } from "./reflector_meters.ts";
import {
  beginReflecting,
  type Reflection,
  type ReflectionOutcome,
  stepReflector,
} from "./reflector_step.ts";
import { WatchReader } from "./watch_reader.ts";

/** How a reflector reads. */
export interface ReflectorOptions extends KindRef {
  /** Which objects of the kind. @default all */
  readonly selection?: Selection;
  /**
   * Whether lists are asked for as a watch that begins with what there is. A server that
   * refuses is asked for pages.
   *
   * @default true
   */
  readonly streams?: boolean;
  /** The most objects of a page. @default 500 */
  readonly pageLimit?: number;
}

/** What a reflector works with. */
export interface ReflectorDeps<T extends ApiObject> {
  readonly source: ListerWatcher<T>;
  readonly sink: ObjectSink<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

/** Upstream's minWatchTimeout: a watch ends after this and up to twice as long. */
const WATCH_TIMEOUT_S = 300;

/** After a list that was not whole. */
const SHORT_TIMEOUT_S = 30;

/** How much longer than asked for a watch may take to end. */
const WATCH_GRACE_MS = 30_000;

/** An API server ends requests after a minute; twice that is no answer. */
const LIST_PATIENCE_MS = 120_000;

/** How long a stream may say nothing before all is there. */
const STREAM_PATIENCE_MS = 30_000;

/**
 * Reads a kind of objects until it is stopped.
 *
 * It decides by `stepReflector` and never ends by a failure: what failed is counted, tried
 * again after a pause, and logged once for each reason until it works again. An object that cannot be read is told, and takes
 * no other with it.
 */
export class Reflector<T extends ApiObject> {
  readonly #deps: ReflectorDeps<T>;
  readonly #options: ReflectorOptions;
  readonly #meters: ReflectorMeters;
  readonly #log: Logger;
  /** What the pages have brought, and how many they are. */
  #items: T[] = [];
  #pages = 0;
  #isWhole = true;
  /** What was said of each act that failed, until it does not. */
  readonly #said = new Map<Reflection["kind"], Set<FailureReason>>();
  /** The names of what could not be read, until all could. */
  readonly #unreadable = new Set<string>();

  constructor(deps: ReflectorDeps<T>, options: ReflectorOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#log = deps.log.named("reflector");
    this.#meters = reflectorMeters(deps.metrics);
  }

  /** Reads until `signal` aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { streams = true, pageLimit } = this.#options;
    const { clock, random } = this.#deps;
    let state = beginReflecting({
      streams,
      ...pageLimit !== undefined && { pageLimit },
    });
    for (;;) {
      const outcome = await this.#perform(state.act, signal);
      if (outcome === undefined || signal.aborted) return;
      if (isWell(outcome)) this.#said.delete(state.act.kind);
      const moment = { nowMs: clock.monotonic(), chance: random.next() };
      const next = stepReflector(state, outcome, moment);
      // Otherwise there are more pages, or the list is not good enough.
      const isList = outcome.kind === "page" && next.act.kind === "watch";
      state = isList && !this.#handOn(state.act, outcome)
        ? stepReflector(state, BROKEN_SINK, moment)
        : next;
    }
  }

  /** @returns whether the list has been taken */
  #handOn(act: Reflection, { version, isWhole }: ListFacts): boolean {
    const items = this.#items;
    this.#items = [];
    if (isWhole) this.#unreadable.clear();
    try {
      this.#deps.sink.replace(items, { version, isWhole });
      return true;
    } catch (error) {
      this.#tell(act, error);
      return false;
    }
  }

  /** Does what is to be done; `undefined` when stopped. */
  async #perform(
    act: Reflection,
    signal: AbortSignal,
  ): Promise<ReflectionOutcome | undefined> {
    using patience = new Patience(this.#deps.clock, signal);
    try {
      switch (act.kind) {
        case "pause":
          await this.#deps.clock.sleep(act.ms, signal);
          return { kind: "rested" };
        case "list":
          return await this.#list(act, patience);
        default:
          return await this.#watch(act, patience);
      }
    } catch (error) {
      if (isAbort(error, signal)) return undefined;
      return { kind: "refused", ...this.#tell(act, error) };
    }
  }

  async #list(
    act: Extract<Reflection, { readonly kind: "list" }>,
    patience: Patience,
  ): Promise<ReflectionOutcome> {
    const { source, clock } = this.#deps;
    const { kind, selection } = this.#options;
    const { version, limit, continue: from } = act;
    if (from === undefined) {
      this.#items = [];
      this.#pages = 0;
      this.#isWhole = true;
    }
    if (++this.#pages > MOST_PAGES) {
      this.#items = [];
      const found = `more than ${MOST_PAGES} pages`;
      throw new ApiFailure("Garbage", `Cannot list ${kind}: found ${found}`);
    }
    this.#meters.lists.inc({ kind });
    const beganMs = clock.monotonic();
    patience.within(LIST_PATIENCE_MS);
    const options = {
      ...selection,
      ...limit !== undefined && { limit },
      // The token of a page knows its version itself.
      ...from !== undefined ? { continue: from } : versionOf(version),
    };
    const page = await unlessAborted(
      source.list(options, patience.signal),
      patience.signal,
    );
    const seconds = (clock.monotonic() - beganMs) / 1000;
    this.#meters.listSeconds.observe(seconds, { kind });
    // A server may give all at once, whatever limit was asked for.
    const turns = new Turns(clock, patience.signal);
    for (const object of page.items) {
      if (this.#isReadable(object)) this.#items.push(object);
      else this.#isWhole = false;
      if (turns.isDue()) await turns.give();
      patience.signal.throwIfAborted();
    }
    const { resourceVersion, continue: next } = page;
    return {
      kind: "page",
      version: resourceVersion,
      isWhole: this.#isWhole,
      ...next !== undefined && next !== "" && { continue: next },
    };
  }

  async #watch(
    act: Extract<Reflection, { readonly kind: "stream" | "watch" }>,
    patience: Patience,
  ): Promise<ReflectionOutcome> {
    const { source, sink, clock, random } = this.#deps;
    const { kind, selection } = this.#options;
    const isListed = act.kind === "watch";
    const isWhole = act.kind === "stream" || act.isWhole;
    const leastS = isWhole ? WATCH_TIMEOUT_S : SHORT_TIMEOUT_S;
    const timeoutSeconds = Math.ceil(leastS * (1 + random.next()));
    // One that is not whole is not kept for long, however long it was asked for.
    const whenListed = (isWhole: boolean): void => {
      const seconds = isWhole ? timeoutSeconds : SHORT_TIMEOUT_S;
      patience.within(seconds * 1000 + WATCH_GRACE_MS);
    };
    const reader = new WatchReader<T>(
      {
        sink,
        isReadable: (object) => this.#isReadable(object),
        turns: new Turns(clock, patience.signal),
        whenListed,
      },
      { version: act.version, isListed, isWhole },
    );
    if (isListed) whenListed(isWhole);
    else patience.whileMoving(STREAM_PATIENCE_MS, () => reader.events);
    this.#meters.watches.inc({ kind });
    const options = {
      ...selection,
      ...versionOf(act.version),
      ...!isListed && { sendInitialEvents: true },
      allowWatchBookmarks: true,
      timeoutSeconds,
    };
    const events = await unlessAborted(
      source.watch(options, patience.signal),
      patience.signal,
    );
    const beganMs = clock.monotonic();
    const lastedMs = (): number => clock.monotonic() - beganMs;
    try {
      const why = await reader.read(events);
      // Whoever stops the sequence ends it, too.
      if (patience.isOver) throw patience.signal.reason;
      if (why.reason !== undefined) this.#count(act, why.reason);
      return reader.end(why, lastedMs());
    } catch (error) {
      if (patience.signal.aborted && !patience.isOver) throw error;
      return reader.end(this.#tell(act, error), lastedMs());
    }
  }

  /** What comes from a server may lack anything, whatever its type says. */
  #isReadable(object: T): boolean {
    const { kind, apiVersion } = this.#options;
    const found: Partial<ApiObject> | null | undefined = object;
    const { name = "", uid = "", namespace } = found?.metadata ?? {};
    const isRead = found?.kind === kind && found.apiVersion === apiVersion &&
      name !== "" && uid !== "";
    if (isRead) return true;
    this.#meters.unreadable.inc({ kind });
    const type = `${found?.apiVersion} ${found?.kind}`;
    const said = { kind, type, namespace, name };
    const key = `${namespace}/${name}`;
    if (this.#unreadable.has(key)) this.#log.debug("object_unreadable", said);
    else this.#log.warn("object_is_unreadable", said);
    if (this.#unreadable.size >= MOST_UNREADABLE) this.#unreadable.clear();
    this.#unreadable.add(key);
    return false;
  }

  #count(act: Reflection, reason: FailureReason): void {
    const { kind } = this.#options;
    this.#meters.failures.inc({ kind, act: act.kind, reason });
    const level = this.#isNews(act, reason) ? "info" : "debug";
    this.#log[level]("watch_ended", { kind, act: act.kind, reason });
  }

  /** A server that is ill for hours fills no disk with it, however many kinds are read. */
  #isNews({ kind }: Reflection, reason: FailureReason): boolean {
    const said = this.#said.get(kind) ?? new Set();
    this.#said.set(kind, said);
    const isNews = !said.has(reason);
    said.add(reason);
    return isNews;
  }

  #tell(
    act: Reflection,
    error: unknown,
  ): { readonly reason: FailureReason; readonly retryAfterMs?: number } {
    const { kind } = this.#options;
    const reason = reasonOf(error);
    this.#meters.failures.inc({ kind, act: act.kind, reason });
    const said = { kind, act: act.kind, reason, error };
    if (this.#isNews(act, reason)) this.#log.warn("reflector_failed", said);
    else this.#log.debug("reflector_fails", said);
    const retryAfterMs = error instanceof ApiFailure
      ? error.retryAfterMs
      : undefined;
    return { reason, ...retryAfterMs !== undefined && { retryAfterMs } };
  }
}

/** So many names are remembered; a server that gives more garbage is heard of again. */
const MOST_UNREADABLE = 1_000;

/** No node is to know a hundred thousand objects; a list may also have no end. */
const MOST_PAGES = 200;

const BROKEN_SINK = { kind: "refused", reason: "InternalError" } as const;

/** The newest is asked for by saying nothing. */
function versionOf(version: string): { readonly resourceVersion?: string } {
  return version === "" ? {} : { resourceVersion: version };
}

/** Whether the server has given all of something; a pause says nothing of it. */
function isWell(outcome: ReflectionOutcome): boolean {
  return outcome.kind === "page" && outcome.continue === undefined ||
    outcome.kind === "closed" && outcome.reason === undefined;
}

function reasonOf(error: unknown): FailureReason {
  if (error instanceof ApiFailure) return error.reason;
  const isLate = error instanceof DOMException && error.name === "TimeoutError";
  return isLate ? "Timeout" : "InternalError";
}
