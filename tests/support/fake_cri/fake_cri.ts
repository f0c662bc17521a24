/**
 * A container runtime in memory, behind a real gRPC server on a unix socket.
 *
 * @module
 */

import type { ListStatusesResponse } from "../../../proto/gen/containerd/services/content/v1/content.ts";
import type {
  GetRequest,
  GetResponse,
} from "../../../proto/gen/containerd/services/tasks/v1/tasks.ts";
import type * as wire from "../../../proto/gen/runtime/v1/api.ts";
import { type Clock, systemClock } from "../../../mod/base/mod.ts";
import { type Fault, type FaultOptions, FaultPlan } from "./faults.ts";
import {
  type RuntimeSettings,
  type UnaryHandlers,
  unaryHandlers,
  unimplemented,
} from "./handlers.ts";
import {
  type FakeImage,
  type FakeImageOptions,
  ImageStore,
  type RegistryEntry,
} from "./image_store.ts";
import { Lifecycle } from "./lifecycle.ts";
import {
  type EventStream,
  EventStreams,
  exitEnvelope,
} from "./event_streams.ts";
import type {
  Behaviour,
  ExitWhy,
  FakeContainer,
  FakeSandbox,
  Move,
} from "./model.ts";
import { type CallHandler, CriServer } from "./server.ts";
import { CODE, StatusError } from "./status_error.ts";
import { eventMessage, taskMessage } from "./to_answer.ts";

/** How a fake runtime is made. */
export interface FakeCriOptions {
  /** Where it listens; the directory must be there. */
  readonly socketPath: string;
  /**
   * Whose time it lives in: timestamps, exits, delays.
   *
   * @default the clock of the machine
   */
  readonly clock?: Clock;
}

/** A call as it came over the wire. */
export interface RecordedCall {
  /** As the CRI spells it. */
  readonly method: string;
  /** The decoded message. */
  readonly request: unknown;
  /** By the wall clock of the fake. */
  readonly atMs: number;
}

/**
 * A runtime that tests own: honest about states, times and refusals, and ready
 * to fail in every way that a real one does.
 *
 * Its state outlives the server: `stop` and `restart` are what a restart of the
 * runtime is, during which containers run on.
 */
export class FakeCri implements AsyncDisposable {
  /** Every call since the start, in order. */
  readonly calls: RecordedCall[] = [];
  /** What a test may set at any time. */
  readonly settings: RuntimeSettings = {
    runtimeName: "containerd",
    runtimeVersion: "1.6.20",
    runtimeReady: true,
    networkReady: true,
    cgroupDriver: undefined,
    exec: () => ({}),
    pullMs: 0,
    userNamespaces: false,
    imageDirectory: "/var/lib/containerd",
  };
  /**
   * Whether GetContainerEvents is served.
   *
   * @default false
   */
  eventsEnabled = false;
  /**
   * Whether containerd's own Subscribe is served.
   *
   * @default false
   */
  containerdEventsEnabled = false;
  /**
   * Whether containerd's own Tasks/Get is served, and what it says instead of the truth.
   *
   * @default false
   */
  tasks: boolean | ((id: string) => GetResponse | Uint8Array) = false;
  /** What containerd's own Content/ListStatuses says; by default it is not served. */
  ingests: (() => ListStatusesResponse | Uint8Array) | undefined;
  /** The open streams of either kind, to tell or end what no move of the fake would. */
  readonly eventStreams: EventStreams = new EventStreams((move) =>
    this.#event(move)
  );
  readonly #clock: Clock;
  readonly #images = new ImageStore();
  readonly #lifecycle: Lifecycle;
  readonly #faults = new FaultPlan();
  readonly #handlers: UnaryHandlers;
  readonly #server: CriServer;

  private constructor(options: FakeCriOptions) {
    const { socketPath, clock = systemClock } = options;
    this.#clock = clock;
    this.#lifecycle = new Lifecycle({
      clock,
      moved: (move) => this.eventStreams.move(move),
      ended: (id, exit) =>
        this.eventStreams.announce(
          "Subscribe",
          exitEnvelope({ containerId: id, processId: id, at: exit.at, exit }),
        ),
      imageId: (name) => this.#images.find(name)?.id,
      networkReady: () => this.settings.networkReady,
    });
    this.#handlers = unaryHandlers({
      clock,
      lifecycle: this.#lifecycle,
      images: this.#images,
      settings: this.settings,
    });
    const handler: CallHandler = {
      unary: (method, request, signal) => this.#unary(method, request, signal),
      stream: (method, request, signal) =>
        this.#stream(method, request, signal),
    };
    this.#server = new CriServer(socketPath, handler);
  }

  /** Makes a runtime that listens. */
  static async start(options: FakeCriOptions): Promise<FakeCri> {
    const fake = new FakeCri(options);
    await fake.#server.start();
    return fake;
  }

  /** All sandboxes by id, as they are now. */
  get sandboxes(): ReadonlyMap<string, FakeSandbox> {
    return this.#lifecycle.sandboxes;
  }

  /** All containers by id, as they are now. */
  get containers(): ReadonlyMap<string, FakeContainer> {
    return this.#lifecycle.containers;
  }

  /** All images by id, as they are now. */
  get images(): ReadonlyMap<string, FakeImage> {
    return this.#images.images;
  }

  /** How many streams of events are open. */
  get listeners(): number {
    return this.eventStreams.size;
  }

  /** The containers of a name of which a process runs, in any pod. */
  running(name: string): readonly FakeContainer[] {
    return [...this.containers.values()]
      .filter((container) =>
        container.name === name && this.isRunning(container)
      );
  }

  /** Whether the process of a container runs, whatever the CRI says. */
  isRunning({ id, state }: FakeContainer): boolean {
    return state === "running" && !this.#lifecycle.ended.has(id);
  }

  /** The recorded calls of one method. */
  callsOf(method: string): readonly RecordedCall[] {
    return this.calls.filter((call) => call.method === method);
  }

  /** Puts an image on the node. */
  addImage(image: FakeImageOptions): FakeImage {
    return this.#images.add(image);
  }

  /** Says what a pull of `ref` does; by default it is not found. */
  setRegistry(ref: string, entry: RegistryEntry): void {
    this.#images.setRegistry(ref, entry);
  }

  /** Says how containers of this name behave from now on. */
  behave(containerName: string, behaviour: Behaviour): void {
    this.#lifecycle.behaviours.set(containerName, behaviour);
  }

  /** Ends a running container, as if its process had ended. */
  exitContainer(
    id: string,
    code: number,
    why?: ExitWhy,
  ): void {
    this.#lifecycle.exit(id, code, why);
  }

  /**
   * Ends the process of a running container, of which the CRI knows nothing before
   * `exitContainer`, or before it is asked to stop it; containerd's own services do.
   */
  endTask(id: string, code: number, why?: ExitWhy): void {
    this.#lifecycle.endTask(id, code, why);
  }

  /** Ends a sandbox's own process; its containers run on, as in containerd. */
  killSandbox(id: string): void {
    this.#lifecycle.endSandbox(id);
  }

  /** Takes a container, or a sandbox with its containers, without a trace. */
  vanish(id: string): void {
    this.#lifecycle.vanish(id);
  }

  /**
   * Makes calls of a method go wrong; the oldest fault that fits is taken.
   *
   * @param method as the CRI spells it, such as `RunPodSandbox`
   */
  fault(method: string, fault: Fault, options?: FaultOptions): void {
    this.#faults.add(method, fault, options);
  }

  /** Removes all faults; calls that hang already go on hanging. */
  clearFaults(): void {
    this.#faults.clear();
  }

  /** How many calls are under way: those that hang, take time, or tell of events. */
  get unanswered(): { readonly unary: number; readonly streams: number } {
    return this.#server.unanswered;
  }

  /** Breaks every connection; new ones are welcome at once. */
  async cut(): Promise<void> {
    await this.#server.cut();
  }

  /** The runtime is killed: connections break, the socket is gone. */
  async stop(): Promise<void> {
    await this.#server.stop();
  }

  /** The runtime is back on the same socket, with all it knew. */
  async restart(): Promise<void> {
    await this.#server.stop();
    await this.#server.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop();
    this.#lifecycle[Symbol.dispose]();
  }

  async #unary(
    method: string,
    request: unknown,
    signal: AbortSignal,
  ): Promise<unknown> {
    this.calls.push({ method, request, atMs: this.#clock.now() });
    const fault = this.#faults.take(method, request);
    const own = method === "ListStatuses" ? this.ingests : undefined;
    const handle = own ??
      (method === "Get" ? this.#getTask : this.#handlers[method]);
    if (handle === undefined) throw unimplemented(method);
    await this.#suffer(fault, signal);
    const answer = await handle(request, signal);
    if (fault?.kind !== "drop_reply") return answer;
    if (fault.reply === "never") await forever(signal);
    throw new StatusError(CODE.unavailable, "transport is closing");
  }

  readonly #getTask = ({ containerId }: GetRequest): unknown => {
    if (this.tasks === false) throw unimplemented("Get");
    if (this.tasks !== true) return this.tasks(containerId);
    const container = this.containers.get(containerId);
    const isThere = container === undefined
      ? this.sandboxes.get(containerId)?.state === "ready"
      : container.state === "running";
    if (!isThere) {
      const details = `task ${containerId} not found: not found`;
      throw new StatusError(CODE.notFound, details);
    }
    return taskMessage(containerId, this.#lifecycle.ended.get(containerId));
  };

  async *#stream(
    method: string,
    request: unknown,
    signal: AbortSignal,
  ): AsyncGenerator<unknown> {
    this.calls.push({ method, request, atMs: this.#clock.now() });
    const fault = this.#faults.take(method, request);
    await this.#suffer(fault, signal);
    const stream = this.#eventStream(method);
    if (stream === undefined) throw unimplemented(method);
    yield* this.eventStreams.listen(stream, signal);
  }

  #eventStream(method: string): EventStream | undefined {
    switch (method) {
      case "GetContainerEvents":
        return this.eventsEnabled ? method : undefined;
      case "Subscribe":
        return this.containerdEventsEnabled ? method : undefined;
      default:
        return undefined;
    }
  }

  // What goes wrong before a call takes effect.
  async #suffer(fault: Fault | undefined, signal: AbortSignal): Promise<void> {
    switch (fault?.kind) {
      case "delay":
        return await this.#clock.sleep(fault.ms, signal);
      case "error":
        throw new StatusError(fault.code, fault.details);
      case "cut":
        await this.#server.cut();
        return await forever(signal);
      case "hang":
        return await forever(signal);
    }
  }

  #event(move: Move): wire.ContainerEventResponse {
    return eventMessage(move, this.sandboxes.get(move.sandboxId));
  }
}

/** Waits until the caller has gone. */
function forever(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(new StatusError(1, "cancelled"));
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  return promise;
}
