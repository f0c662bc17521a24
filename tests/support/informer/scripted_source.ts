/**
 * A server that answers by a script.
 *
 * @module
 */

import type {
  ApiFailure,
  ListerWatcher,
  ListOptions,
  ObjectList,
  WatchEvent,
  WatchOptions,
} from "../../../mod/api/access/mod.ts";
import type { Item } from "./object_server.ts";

/** What a list is answered with. */
export type ListAnswer = ObjectList<Item> | Error | "silence";

/** What a watch says, and how it ends; or why it does not open. */
export type WatchAnswer =
  | {
    readonly events: readonly WatchEvent<Item>[];
    /** `"stays"` until it is stopped; `"end"`; or what breaks it. */
    readonly then: "stays" | "end" | Error;
  }
  | Error
  | "silence";

/** Gives the answers in order, and the last one again and again. */
export class ScriptedSource implements ListerWatcher<Item> {
  readonly #lists: ListAnswer[];
  readonly #watches: WatchAnswer[];
  /** What was asked for, in order. */
  readonly asked: (ListOptions & WatchOptions & { act: string })[] = [];
  /** When it was asked for. */
  readonly askedAtMs: number[] = [];
  readonly #now: () => number;

  constructor(
    { lists = [], watches = [], now = () => 0 }: {
      readonly lists?: readonly ListAnswer[];
      readonly watches?: readonly WatchAnswer[];
      readonly now?: () => number;
    },
  ) {
    this.#lists = [...lists];
    this.#watches = [...watches];
    this.#now = now;
  }

  /** The acts in order: `list` and `watch`. */
  get acts(): readonly string[] {
    return this.asked.map(({ act }) => act);
  }

  list(options: ListOptions, signal: AbortSignal): Promise<ObjectList<Item>> {
    this.#note("list", options);
    const answer = next(this.#lists);
    if (answer === "silence") return silence(signal);
    return answer instanceof Error
      ? Promise.reject(answer)
      : Promise.resolve(answer);
  }

  watch(
    options: WatchOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<WatchEvent<Item>>> {
    this.#note("watch", options);
    const answer = next(this.#watches);
    if (answer === "silence") return silence(signal);
    return answer instanceof Error
      ? Promise.reject(answer)
      : Promise.resolve(play(answer, signal));
  }

  #note(act: string, options: ListOptions & WatchOptions): void {
    this.asked.push({ act, ...options });
    this.askedAtMs.push(this.#now());
  }
}

/** A list without pages. */
export function listOf(
  items: readonly Item[],
  resourceVersion: string,
): ObjectList<Item> {
  return { items, resourceVersion };
}

/** An event that a server says in place of an object. */
export function failing(failure: ApiFailure): WatchEvent<Item> {
  return { type: "ERROR", failure };
}

function next<T>(answers: T[]): T {
  const [answer] = answers;
  if (answer === undefined) throw new TypeError("the script has no answer");
  if (answers.length > 1) answers.shift();
  return answer;
}

async function* play(
  { events, then }: Exclude<WatchAnswer, Error | "silence">,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<Item>> {
  yield* events;
  if (then instanceof Error) throw then;
  if (then === "stays") {
    // By the port a sequence ends when it is stopped.
    await silence(signal).catch(() => {});
  }
}

/** Waits until it is stopped. */
function silence(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason));
  return promise;
}
