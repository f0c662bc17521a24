/**
 * All controllers of a node together.
 *
 * @module
 */

import type { ObjectClient } from "../../api/access/mod.ts";
import type { EventSink } from "../../api/types/mod.ts";
import { type Clock, TaskGroup } from "../../base/mod.ts";
import type { Logger, MetricsRegistry } from "../../base/telemetry/mod.ts";
import type { SharedInformerFactory } from "../../informer/shared/mod.ts";
import type { InformerCache } from "./informer_cache.ts";
import { ControllerRunner } from "./runner.ts";
import type { ControlledKind, Controller } from "./step.ts";
import { type ObjectMove, wokenBy } from "./woken.ts";

/** What controllers work with. */
export interface ControllerManagerDeps {
  readonly cache: InformerCache;
  /** That of the cache; it is run here. */
  readonly factory: SharedInformerFactory;
  readonly client: ObjectClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  /** Waits until what the cache shows may be acted upon. @default at once */
  readonly ready?: (signal: AbortSignal) => Promise<void>;
}

interface Managed {
  wake(move: ObjectMove): void;
  run(signal: AbortSignal): Promise<void>;
}

/** Runs informers and controllers, and tells each controller what has moved. */
export class ControllerManager {
  readonly #deps: ControllerManagerDeps;
  readonly #managed: Managed[] = [];

  constructor(deps: ControllerManagerDeps) {
    this.#deps = { ...deps, log: deps.log.named("controller") };
  }

  /** Adds a controller; to be called before {@linkcode ControllerManager.run}. */
  add<Kind extends ControlledKind, Seen>(
    controller: Controller<Kind, Seen>,
  ): this {
    const { cache, client, clock, log, metrics, events } = this.#deps;
    const runner = new ControllerRunner(controller, {
      cache,
      client,
      clock,
      log,
      metrics,
      tell: ({ apiVersion, kind, metadata }, words) => {
        const { namespace, name, uid } = metadata;
        const about = { apiVersion, kind, namespace, name, uid };
        events.record(about, { ...words, component: controller.name });
      },
    });
    this.#managed.push({
      run: (signal) => runner.run(signal),
      wake: (move) => {
        const { namespace = "" } = (move.after ?? move.before)?.metadata ?? {};
        for (const name of wokenBy(controller, move, cache)) {
          runner.wake(namespace, name);
        }
      },
    });
    return this;
  }

  /** Runs until `signal` aborts; controllers act when every kind has been read once. */
  async run(signal: AbortSignal): Promise<void> {
    const { cache, factory } = this.#deps;
    const registrations = cache.follow("controllers", (move) => {
      for (const each of this.#managed) each.wake(move);
    });
    const tasks = new TaskGroup(signal);
    try {
      const running = [
        tasks.start((scope) => factory.run(scope)),
        tasks.start(async (scope) => {
          await Promise.all(
            registrations.map((each) => each.synced(scope)),
          );
          await this.#deps.ready?.(scope);
          for (const each of this.#managed) tasks.start(each.run);
        }),
      ];
      await Promise.all(running);
    } finally {
      await tasks[Symbol.asyncDispose]();
    }
    if (tasks.failure !== undefined) throw tasks.failure;
  }
}
