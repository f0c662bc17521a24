/**
 * Sandboxes and containers of the fake runtime, and the rules of their lives.
 *
 * Refusals are worded as containerd words them.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type * as wire from "../../../proto/gen/runtime/v1/api.ts";
import type { Clock } from "../../../mod/base/mod.ts";
import {
  type Behaviour,
  exitReason,
  type ExitWhy,
  type FakeContainer,
  type FakeSandbox,
  type Move,
  type TaskEnd,
} from "./model.ts";
import { CODE, StatusError } from "./status_error.ts";

const SIGKILL_EXIT_CODE = 137;
const OBEYS = { code: 143, afterMs: 0 } as const;

/** What the lifecycle needs of the rest of the fake. */
export interface LifecycleDeps {
  readonly clock: Clock;
  /** Told of every move, in order. */
  readonly moved: (move: Move) => void;
  /** Told of a process that ended before the CRI shows it. */
  readonly ended: (id: string, exit: TaskEnd) => void;
  /** The id of an image on the node. */
  readonly imageId: (name: string) => string | undefined;
  readonly networkReady: () => boolean;
}

/** The state of the fake runtime, which outlives its server. */
export class Lifecycle implements Disposable {
  readonly sandboxes: Map<string, FakeSandbox> = new Map();
  readonly containers: Map<string, FakeContainer> = new Map();
  /** Ends that the CRI does not show yet, by container id. */
  readonly ended: Map<string, TaskEnd & { readonly why: ExitWhy }> = new Map();
  /** By container name. */
  readonly behaviours: Map<string, Behaviour> = new Map();
  readonly #deps: LifecycleDeps;
  readonly #timers = new Set<Disposable>();
  readonly #exits = new Map<string, PromiseWithResolvers<void>>();
  #made = 0;
  #lastStamp = 0n;
  #lastReading = 0n;

  constructor(deps: LifecycleDeps) {
    this.#deps = deps;
  }

  runSandbox(
    config: wire.PodSandboxConfig,
    runtimeHandler: string,
  ): FakeSandbox {
    const { metadata } = config;
    const key = sandboxKey(config);
    const taken = [...this.sandboxes.values()]
      .find((sandbox) => sandboxKey(sandbox.config) === key);
    if (metadata === undefined || taken !== undefined) {
      throw new StatusError(
        CODE.unknown,
        `failed to reserve sandbox name "${key}": name "${key}" is reserved for "${taken?.id}"`,
      );
    }
    const onNode = usesNodeNetwork(config);
    if (!onNode && !this.#deps.networkReady()) {
      throw new StatusError(
        CODE.unknown,
        "failed to setup network for sandbox: cni plugin not initialized",
      );
    }
    const sandbox: FakeSandbox = {
      id: this.#newId("sandbox"),
      config,
      runtimeHandler,
      createdAt: this.#stamp(),
      state: "ready",
      ip: onNode ? "" : this.#freeAddress(),
    };
    this.sandboxes.set(sandbox.id, sandbox);
    this.#announce("created", sandbox.id, sandbox.id);
    this.#announce("started", sandbox.id, sandbox.id);
    return sandbox;
  }

  stopSandbox(id: string): void {
    const sandbox = this.sandboxes.get(id);
    if (sandbox === undefined) return;
    for (const container of this.#containersOf(id)) {
      this.exit(container.id, SIGKILL_EXIT_CODE);
    }
    this.endSandbox(id);
  }

  removeSandbox(id: string): void {
    this.stopSandbox(id);
    for (const container of this.#containersOf(id)) {
      this.removeContainer(container.id);
    }
    if (this.sandboxes.delete(id)) this.#announce("deleted", id, id);
  }

  /** The end of the sandbox's own process; its containers may live on. */
  endSandbox(id: string): void {
    const sandbox = this.sandboxes.get(id);
    if (sandbox?.state !== "ready") return;
    sandbox.state = "not_ready";
    sandbox.ip = "";
    this.#announce("stopped", id, id);
  }

  createContainer(
    sandboxId: string,
    config: wire.ContainerConfig,
  ): FakeContainer {
    const sandbox = this.sandbox(sandboxId);
    if (sandbox.state !== "ready") {
      throw new StatusError(CODE.unknown, "sandbox container is not running");
    }
    const name = config.metadata?.name ?? "";
    const attempt = config.metadata?.attempt ?? 0;
    const taken = this.#containersOf(sandboxId).find((other) =>
      other.name === name && other.config.metadata?.attempt === attempt
    );
    if (taken !== undefined) {
      const key = `${name}_${sandboxKey(sandbox.config)}_${attempt}`;
      throw new StatusError(
        CODE.unknown,
        `failed to reserve container name "${key}": name "${key}" is reserved for "${taken.id}"`,
      );
    }
    const ref = config.image?.image ?? "";
    const imageId = this.#deps.imageId(ref);
    if (imageId === undefined) {
      throw new StatusError(
        CODE.notFound,
        `failed to create containerd container: image "${ref}": not found`,
      );
    }
    const container: FakeContainer = {
      id: this.#newId("container"),
      sandboxId,
      name,
      config,
      imageId,
      createdAt: this.#stamp(),
      state: "created",
      startedAt: 0n,
      finishedAt: 0n,
      exitCode: 0,
      reason: "",
      message: "",
      resources: config.linux?.resources,
      logReopened: 0,
    };
    this.containers.set(container.id, container);
    this.#announce("created", container.id, sandboxId);
    return container;
  }

  startContainer(id: string): void {
    const container = this.container(id);
    if (container.state !== "created") {
      const state = `CONTAINER_${container.state.toUpperCase()}`;
      throw new StatusError(
        CODE.unknown,
        `failed to set starting state for container "${id}": container is in ${state} state`,
      );
    }
    if (this.sandbox(container.sandboxId).state !== "ready") {
      throw new StatusError(
        CODE.unknown,
        `sandbox container "${container.sandboxId}" is not running`,
      );
    }
    const { exit, startError } = this.#behaviour(container);
    container.startedAt = this.#stamp();
    if (startError !== undefined) {
      container.state = "running";
      this.exit(id, 128, { reason: "StartError", message: startError });
      throw new StatusError(
        CODE.unknown,
        `failed to create containerd task: ${startError}`,
      );
    }
    container.state = "running";
    this.#exits.set(id, Promise.withResolvers());
    this.#announce("started", id, container.sandboxId);
    if (exit !== undefined) {
      this.#after(exit.afterMs, () => this.exit(id, exit.code));
    }
  }

  /** SIGTERM, and SIGKILL when the time is over; waits for the end. */
  async stopContainer(
    id: string,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const container = this.container(id);
    const over = this.#exits.get(id);
    if (container.state !== "running" || over === undefined) return;
    const { onTerm = OBEYS } = this.#behaviour(container);
    if (onTerm !== "ignore" && onTerm.afterMs <= timeoutMs) {
      this.#after(onTerm.afterMs, () => this.exit(id, onTerm.code));
    } else {
      this.#after(timeoutMs, () => this.exit(id, SIGKILL_EXIT_CODE));
    }
    const gone = Promise.withResolvers<void>();
    const leave = (): void => gone.resolve();
    signal.addEventListener("abort", leave, { once: true });
    // The container dies of it whether or not the caller waits.
    await Promise.race([over.promise, gone.promise]);
    signal.removeEventListener("abort", leave);
  }

  /** Lets time pass in a container; true when it has ended before the time was over. */
  async endsWithin(
    id: string,
    ms: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const over = this.#exits.get(id)?.promise ?? Promise.resolve();
    const cut = new AbortController();
    const passed = this.#deps.clock.sleep(
      ms,
      AbortSignal.any([signal, cut.signal]),
    ).then(() => false);
    try {
      return await Promise.race([over.then(() => true), passed]);
    } finally {
      passed.catch(() => {});
      cut.abort();
    }
  }

  removeContainer(id: string): void {
    const container = this.containers.get(id);
    if (container === undefined) return;
    this.exit(id, SIGKILL_EXIT_CODE);
    this.containers.delete(id);
    this.#exits.delete(id);
    this.#announce("deleted", id, container.sandboxId);
  }

  /**
   * The end of a running container's process, which the CRI does not show before
   * `exit`; containerd's own services do at once.
   */
  endTask(id: string, code: number, why: ExitWhy = {}): void {
    const container = this.containers.get(id);
    if (container?.state !== "running" || this.ended.has(id)) return;
    const exit = { code, at: this.#stamp(), why };
    this.ended.set(id, exit);
    this.#deps.ended(id, exit);
  }

  /** The end of a running container; nothing when it does not run. */
  exit(
    id: string,
    code: number,
    why: ExitWhy = {},
  ): void {
    const container = this.containers.get(id);
    if (container?.state !== "running") return;
    // A process ends once, whatever is done to it afterwards.
    const exit = this.ended.get(id) ?? { code, at: this.#stamp(), why };
    this.ended.delete(id);
    container.state = "exited";
    container.exitCode = exit.code;
    container.finishedAt = exit.at;
    container.reason = exit.why.reason ?? exitReason(exit.code);
    container.message = exit.why.message ?? "";
    this.#exits.get(id)?.resolve();
    this.#announce("stopped", id, container.sandboxId, exit);
  }

  /** @throws {StatusError} NOT_FOUND. */
  sandbox(id: string): FakeSandbox {
    const sandbox = this.sandboxes.get(id);
    if (sandbox !== undefined) return sandbox;
    throw new StatusError(
      CODE.notFound,
      `an error occurred when try to find sandbox "${id}": not found`,
    );
  }

  /** @throws {StatusError} NOT_FOUND. */
  container(id: string): FakeContainer {
    const container = this.containers.get(id);
    if (container !== undefined) return container;
    throw new StatusError(
      CODE.notFound,
      `an error occurred when try to find container "${id}": not found`,
    );
  }

  /** Gone without a trace, as after somebody else's cleaning. */
  vanish(id: string): void {
    this.#exits.get(id)?.resolve();
    this.containers.delete(id);
    for (const container of this.#containersOf(id)) this.vanish(container.id);
    this.sandboxes.delete(id);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers.clear();
  }

  #containersOf(sandboxId: string): readonly FakeContainer[] {
    return [...this.containers.values()]
      .filter((container) => container.sandboxId === sandboxId);
  }

  #behaviour(container: FakeContainer): Behaviour {
    return this.behaviours.get(container.name) ?? {};
  }

  #after(delayMs: number, callback: () => void): void {
    if (delayMs <= 0) return callback();
    const timer = this.#deps.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      callback();
    });
    this.#timers.add(timer);
  }

  #freeAddress(): string {
    const used = new Set([...this.sandboxes.values()].map(({ ip }) => ip));
    for (let host = 2; host < 65_535; host++) {
      const ip = `10.88.${host >> 8}.${host & 255}`;
      if (!used.has(ip)) return ip;
    }
    throw new StatusError(CODE.unknown, "no IP addresses available in range");
  }

  #newId(kind: string): string {
    this.#made += 1;
    return createHash("sha256").update(`${kind} ${this.#made}`).digest("hex");
  }

  // Strictly rising, even on a clock that stands still.
  #stamp(): bigint {
    const now = BigInt(Math.round(this.#deps.clock.now() * 1000)) * 1000n;
    // A clock that is set back is believed, as by any runtime.
    this.#lastStamp = now === this.#lastReading ? this.#lastStamp + 1n : now;
    this.#lastReading = now;
    return this.#lastStamp;
  }

  #announce(
    kind: Move["kind"],
    id: string,
    sandboxId: string,
    exit?: TaskEnd,
  ): void {
    const at = this.#stamp();
    this.#deps.moved({ kind, id, sandboxId, at, ...exit && { exit } });
  }
}

/** Whether a sandbox has no network of its own. */
export function usesNodeNetwork(config: wire.PodSandboxConfig): boolean {
  return config.linux?.securityContext?.namespaceOptions?.network === 2;
}

function sandboxKey({ metadata }: wire.PodSandboxConfig): string {
  return `${metadata?.name}_${metadata?.namespace}_${metadata?.uid}_${metadata?.attempt}`;
}
