/**
 * Controllers on a node that is played: pods become ready, or do not, as a test says.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import {
  type ControlledKind,
  type Controller,
  isOfKind,
} from "../../../mod/controller/run/mod.ts";
import type { ControllerKinds } from "../../../mod/controller/run/step.ts";
import { ControllerRunner } from "../../../mod/controller/run/runner.ts";
import { isControllerKind } from "../../../mod/controller/run/kinds.ts";
import { wokenBy } from "../../../mod/controller/run/woken.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { formatTime } from "../../../mod/pod/status/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { ScriptedObjects } from "./scripted_objects.ts";

type AnyController = {
  [Kind in ControlledKind]: {
    readonly wake: (object: ApiObject) => void;
    readonly run: (signal: AbortSignal) => Promise<void>;
    readonly kind: Kind;
  };
}[ControlledKind];

/** A node with some controllers, whose kubelet does what a test says. */
export class SimulatedNode implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly objects: ScriptedObjects = new ScriptedObjects();
  /** What was told, as `Reason message`. */
  readonly told: string[] = [];
  readonly #controllers: AnyController[] = [];
  readonly #added: (() => void)[] = [];
  #ended = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor() {
    this.objects.now = () => formatTime(this.clock.now());
    this.objects.onChange = (object) => {
      for (const { wake } of this.#controllers) wake(object);
    };
  }

  /** Adds a controller; it runs from now on. */
  add<Kind extends ControlledKind, Seen>(
    controller: Controller<Kind, Seen>,
  ): this {
    this.#added.push(() => this.#start(controller));
    this.#start(controller);
    return this;
  }

  /** Ends the controllers, and begins with new ones that remember nothing. */
  async restart(): Promise<void> {
    this.#ended.abort();
    await this.#running;
    this.#ended = new AbortController();
    this.#controllers.splice(0);
    for (const start of this.#added) start();
    await this.wakeAll();
  }

  /** Lets controllers look at everything that they look after, as after a relist. */
  async wakeAll(): Promise<void> {
    for (const { kind, wake } of this.#controllers) {
      for (const object of this.objects.all(kind)) wake(object);
    }
    await this.clock.advance(0);
  }

  #start<Kind extends ControlledKind, Seen>(
    controller: Controller<Kind, Seen>,
  ): void {
    const { clock, objects } = this;
    const { cache } = objects;
    const runner = new ControllerRunner(controller, {
      client: objects,
      cache,
      clock,
      log: silentLogger,
      metrics: new MetricsRegistry(),
      tell: (_object, { reason, message }) =>
        void this.told.push(`${reason} ${message}`),
    });
    this.#controllers.push({
      kind: controller.kind,
      run: (signal) => runner.run(signal),
      wake: (object) => {
        if (!isControllerKind(object.kind)) return;
        if (!isOfKind(object.kind, object)) return;
        const move = { before: object, after: object };
        for (const name of wokenBy(controller, move, cache)) {
          runner.wake(object.metadata.namespace, name);
        }
      },
    });
    const running = runner.run(this.#ended.signal);
    this.#running = Promise.all([this.#running, running]);
  }

  /** Puts an object there, or in the place of what was there, as a user would. */
  async apply(object: ApiObject): Promise<void> {
    this.objects.put(object);
    await this.clock.advance(0);
  }

  /** Puts an object there or edits it; its status stays, and all that follows is done. */
  async edit<Kind extends ControlledKind>(
    kind: Kind,
    wish: ControllerKinds[Kind],
  ): Promise<void> {
    const has = this.get(kind, wish.metadata.name);
    const generation = (has?.metadata.generation ?? 0) + 1;
    const metadata = { ...has?.metadata, ...wish.metadata, generation };
    const status = has?.status === undefined ? {} : { status: has.status };
    await this.apply({ ...wish, metadata, ...status });
    await this.rest();
  }

  /** Lets the controllers do what they can do at once. */
  async rest(): Promise<void> {
    for (let turn = 0; turn < 8; turn++) await this.clock.advance(0);
  }

  /** The one object of that kind and name. */
  get<Kind extends ControlledKind | "Pod">(
    kind: Kind,
    name: string,
  ): ControllerKinds[Kind] | undefined {
    return this.objects.all(kind).find(({ metadata }) =>
      metadata.name === name
    );
  }

  /** The pods that have not ended. */
  pods(): Pod[] {
    return this.objects.all("Pod");
  }

  /** Gives pods a status, as the kubelet does. */
  async report(
    pods: readonly Pod[],
    status: { readonly isReady: boolean; readonly phase?: string },
  ): Promise<void> {
    const { isReady, phase = "Running" } = status;
    for (const pod of pods) {
      this.objects.put({
        ...pod,
        ...{
          status: {
            phase,
            conditions: [{
              type: "Ready",
              status: isReady ? "True" : "False",
              lastTransitionTime: formatTime(this.clock.now()),
            }],
          },
        },
      });
    }
    await this.clock.advance(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }
}
