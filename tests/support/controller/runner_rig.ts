/**
 * A runner of a controller that is played.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import type { ReplicaSet } from "../../../mod/api/workload/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import {
  type Controller,
  controllerReference,
  type Wishes,
} from "../../../mod/controller/run/mod.ts";
import { ControllerRunner } from "../../../mod/controller/run/runner.ts";
import { FakeClock } from "../fake_clock.ts";
import { messagesTo } from "../log_lines.ts";
import { ScriptedObjects } from "./scripted_objects.ts";

/** A set that wants one pod. */
export const ONE_POD_SET: ReplicaSet = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web", namespace: "shop", uid: "owner" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "web" } },
    template: { spec: { containers: [] } },
  },
};

/** The same without any pod. */
export const NO_POD_SET: ReplicaSet = {
  ...ONE_POD_SET,
  spec: { ...ONE_POD_SET.spec, replicas: 0 },
};

type Status = NonNullable<ReplicaSet["status"]>;

/** A runner of a controller that wants as many pods as its object says. */
export class RunnerRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly objects: ScriptedObjects = new ScriptedObjects();
  readonly told: string[] = [];
  /** What was logged. */
  readonly messages: string[] = [];
  looks = 0;
  extra: (pods: number) => Partial<Wishes<Status>> = () => ({});
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly #ended = new AbortController();
  readonly #runner: ControllerRunner<"ReplicaSet", Seen>;
  readonly #running: Promise<void>;

  constructor() {
    const { clock, objects } = this;
    this.#runner = new ControllerRunner(this.#controller(), {
      client: objects,
      cache: objects.cache,
      clock,
      log: messagesTo(this.messages),
      metrics: this.metrics,
      tell: (_object, { reason }) => void this.told.push(reason),
    });
    this.#running = this.#runner.run(this.#ended.signal);
  }

  wake(name: string): void {
    this.#runner.wake("shop", name);
  }

  async look(): Promise<void> {
    this.wake("web");
    await this.clock.advance(0);
  }

  #controller(): Controller<"ReplicaSet", Seen> {
    return {
      kind: "ReplicaSet",
      name: "test",
      owns: ["Pod"],
      gather: (set, cache) => ({
        set,
        pods: cache.candidates("Pod", set.metadata).length,
      }),
      step: ({ set, pods }) => {
        this.looks++;
        const missing = set.spec.replicas - pods;
        return {
          changes: Array.from({ length: Math.max(missing, 0) }, () => ({
            verb: "create",
            object: {
              apiVersion: "v1",
              kind: "Pod",
              metadata: {
                namespace: "shop",
                generateName: "web-",
                ownerReferences: [controllerReference(set)],
              },
            },
          })),
          status: (failures) => ({ replicas: pods - failures.length }),
          ...this.extra(pods),
        };
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }
}

interface Seen {
  readonly set: ReplicaSet;
  readonly pods: number;
}
