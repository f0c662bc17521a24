/**
 * A reflector into a store, over a script, with a clock that stands still.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { ApiFailure } from "../../../mod/api/access/mod.ts";
import {
  Reflector,
  type ReflectorOptions,
} from "../../../mod/informer/reflector/mod.ts";
import { ObjectIndex } from "../../../mod/informer/store/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { fieldsTo } from "../log_lines.ts";
import { type Item, item, ITEM_KIND } from "./object_server.ts";
import {
  type ListAnswer,
  ScriptedSource,
  type WatchAnswer,
} from "./scripted_source.ts";

/** A reflector into a store, over a script. */
export class ReflectorRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly store: ObjectIndex<Item> = new ObjectIndex<Item>();
  readonly lines: Record<string, unknown>[] = [];
  readonly source: ScriptedSource;
  readonly stop: AbortController = new AbortController();
  readonly #running: Promise<void>;

  constructor(
    script: {
      readonly lists?: readonly ListAnswer[];
      readonly watches?: readonly WatchAnswer[];
    },
    options: Partial<ReflectorOptions> & { readonly chance?: number } = {},
  ) {
    const { chance = 0, ...rest } = options;
    this.source = new ScriptedSource({
      ...script,
      now: () => this.clock.monotonic(),
    });
    const reflector = new Reflector<Item>({
      source: this.source,
      sink: this.store,
      clock: this.clock,
      random: { next: () => chance },
      log: fieldsTo(this.lines),
      metrics: this.metrics,
    }, { ...ITEM_KIND, streams: false, ...rest });
    this.#running = reflector.run(this.stop.signal);
  }

  /** The items in the store by name, with their data. */
  get stored(): string {
    return this.store.list().map(({ metadata, data }) =>
      `${metadata.name}=${data}`
    ).join(" ");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }
}

/** An item as a server has it at a version. */
export function at(version: string, name: string, data: number = 0): Item {
  const made = item(name, { data });
  return { ...made, metadata: { ...made.metadata, resourceVersion: version } };
}

/** A watch that opens and says nothing. */
export const STAYS: WatchAnswer = { events: [], then: "stays" };

/** A refusal. */
export function refusal(
  reason: ApiFailure["reason"],
  retryAfterMs?: number,
): ApiFailure {
  return new ApiFailure(reason, `it is ${reason}`, {
    ...retryAfterMs !== undefined && { retryAfterMs },
  });
}
