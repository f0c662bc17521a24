/**
 * A whole agent without its process: manifests in a folder, a fake runtime on a
 * socket, and a clock that moves only when a test waits for something.
 *
 * @module
 */

import type { Pod, PodStatus } from "../../../mod/api/types/mod.ts";
import { buildCore, type Core } from "../../../mod/app/mod.ts";
import { AgentViews } from "../../../mod/views/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../../mod/base/mod.ts";
import type { AgentConfig } from "../../../mod/config/mod.ts";
import { connectCri, type CriConnection } from "../../../mod/cri/mod.ts";
import { EventRecorder } from "../../../mod/events/mod.ts";
import type { HealthProblem } from "../../../mod/server/mod.ts";
import { coreConfig, type CoreConfigOptions, NODE } from "./core_config.ts";
import { FakeMachine } from "./fake_machine.ts";
import { FakeClock } from "../fake_clock.ts";
import { FakeCri, type RecordedCall } from "../fake_cri/fake_cri.ts";
import type { FakeContainer, FakeSandbox } from "../fake_cri/model.ts";
import { IMAGE } from "../pods.ts";
import { type HoldingServer, Quiet } from "../quiet/quiet.ts";
import { seededRandom } from "../seeded_random.ts";
import { linesTo } from "../log_lines.ts";

/** What changes something in the runtime. */
export const MUTATING: ReadonlySet<string> = new Set([
  "RunPodSandbox",
  "StopPodSandbox",
  "RemovePodSandbox",
  "CreateContainer",
  "StartContainer",
  "StopContainer",
  "RemoveContainer",
]);

/** How an agent is set up. */
export interface CoreRigOptions extends CoreConfigOptions {
  /** Called before the agent starts. */
  readonly prepare?: (rig: CoreRig) => Promise<void> | void;
  /** Stands between the agent and the runtime. */
  readonly wrap?: (connection: CriConnection) => CriConnection;
  /** The API server of its cluster, if it has one. */
  readonly api?: HoldingServer;
  /** @default one of its own, which begins now */
  readonly clock?: FakeClock;
}

interface Running {
  readonly core: Core;
  readonly connection: CriConnection;
  readonly stop: AbortController;
  readonly done: Promise<unknown>;
}

/**
 * An agent and its world in a temporary directory.
 *
 * At each call that the runtime receives it is checked that no container and no pod
 * runs twice (I1); disposing fails when that ever was so.
 */
export class CoreRig implements AsyncDisposable {
  /** Begins now, since the times of manifest files are compared with it. */
  readonly clock: FakeClock;
  readonly directory: string;
  readonly fake: FakeCri;
  /** What the node has left. */
  readonly machine: FakeMachine = new FakeMachine();
  /** May be exchanged while no agent runs. */
  config: AgentConfig;
  /** Every line of the log, as JSON. */
  readonly log: string[] = [];
  /** Where more than one of a kind ran. */
  readonly violations: string[] = [];
  metrics: MetricsRegistry = new MetricsRegistry();
  readonly #options: CoreRigOptions;
  #running: Running | undefined;
  #starts = 0;
  readonly #quiet: Quiet;
  #failure: unknown;

  private constructor(
    parts: Pick<CoreRig, "directory" | "fake" | "config"> & { quiet: Quiet },
    options: CoreRigOptions,
    clock: FakeClock,
  ) {
    this.directory = parts.directory;
    this.fake = parts.fake;
    this.config = parts.config;
    this.clock = clock;
    this.#options = options;
    this.#quiet = parts.quiet;
    this.#watchCalls();
  }

  /** Starts a fake runtime and, after `prepare`, an agent beside it. */
  static async start(options: CoreRigOptions = {}): Promise<CoreRig> {
    const { clock = new FakeClock(Math.floor(systemClock.now())), api } =
      options;
    const directory = await Deno.makeTempDir({ prefix: "skerry-core-" });
    const socketPath = `${directory}/cri.sock`;
    await Deno.mkdir(`${directory}/manifests`);
    // The agent would wait a moment for one in which something came or went just now.
    await Deno.utime(`${directory}/manifests`, 0, 0);
    const config = await coreConfig(directory, options);
    const fake = await FakeCri.start({ socketPath, clock });
    fake.addImage({ ref: IMAGE });
    const runtime = { fake, socketPath };
    const quiet = await Quiet.open({ clock, runtime, ...api && { api } });
    const rig = new CoreRig({ directory, fake, config, quiet }, options, clock);
    await options.prepare?.(rig);
    await rig.startAgent();
    return rig;
  }

  /** The core that runs. */
  get core(): Core {
    if (this.#running === undefined) throw new Error("The agent is stopped");
    return this.#running.core;
  }

  /** The agent's own connection, for what others might do on the runtime. */
  get connection(): CriConnection {
    if (this.#running === undefined) throw new Error("The agent is stopped");
    return this.#running.connection;
  }

  /** Builds a core over what disk and runtime hold, and runs it. */
  async startAgent(): Promise<void> {
    this.metrics = new MetricsRegistry();
    const { clock, metrics } = this;
    const log = linesTo(this.log, { clock });
    const { wrap = (connection) => connection } = this.#options;
    const connection = wrap(connectCri({
      endpoint: this.config.runtime.socketPath,
      requestTimeoutMs: this.config.runtime.requestTimeoutMs,
    }, { clock, log, metrics }));
    // No two agents draw the same UIDs.
    const random = seededRandom(7 + this.#starts++);
    const events = new EventRecorder({ clock, log, metrics });
    const { machine } = this;
    const process = { clock, random, log, metrics, freezes: true };
    const deps = { ...process, connection, events, machine };
    const core = await buildCore(this.config, deps);
    const stop = new AbortController();
    const done = core.agent.run(stop.signal)
      .catch((error) => this.#failure = error);
    this.#running = { core, connection, stop, done };
  }

  /** Ends the agent as SIGTERM does. */
  async stopAgent(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    running.stop.abort(new DOMException("The agent is stopped", "AbortError"));
    if (this.#options.api !== undefined) await this.#passUntil(running.done);
    await running.done;
    await this.#quiet.hungUp();
    await running.connection[Symbol.asyncDispose]();
  }

  /** Ends the agent and starts another over the same directories and runtime. */
  async restartAgent(): Promise<void> {
    await this.stopAgent();
    await this.startAgent();
  }

  /** Renames a manifest into the folder, as tools do it. */
  async apply(name: string, manifest: unknown): Promise<void> {
    const path = `${this.directory}/${name}.new`;
    await Deno.writeTextFile(path, JSON.stringify(manifest));
    await this.#heard(() => Deno.rename(path, this.manifestPath(name)));
  }

  /** Removes a manifest. */
  async remove(name: string): Promise<void> {
    await this.#heard(() => Deno.remove(this.manifestPath(name)));
  }

  manifestPath(name: string): string {
    return `${this.config.source.manifestPath}/${name}.json`;
  }

  /**
   * Waits until something holds, moving the clock on by `stepMs` whenever nothing
   * else moves.
   */
  async until(
    condition: () => boolean,
    what: string,
    options: { readonly stepMs?: number; readonly limitMs?: number } = {},
  ): Promise<void> {
    const { stepMs = 200, limitMs = 120_000 } = options;
    const endMs = this.clock.monotonic() + limitMs;
    await this.quiet();
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      if (condition()) return;
      if (this.clock.monotonic() >= endMs) {
        throw new Error(`Waited in vain for ${what}\n${this.#describe()}`);
      }
      await this.#step(stepMs);
    }
  }

  /** Lets time pass in steps short enough for no call to meet its deadline. */
  async pass(ms: number, stepMs: number = 1_000): Promise<void> {
    const endMs = this.clock.monotonic() + ms;
    await this.quiet();
    while (this.clock.monotonic() < endMs) {
      const leftMs = endMs - this.clock.monotonic();
      await this.#step(Math.min(stepMs, leftMs));
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits, without moving the clock, until nothing is under way. */
  async quiet(): Promise<void> {
    await this.#quiet.wait();
  }

  /** What clients see of the core that runs. */
  get views(): AgentViews {
    const { clock, metrics, core, config } = this;
    const { events } = core;
    const disk = { problem: undefined };
    const views = new AgentViews(config, { clock, metrics, events, disk });
    views.show(core);
    return views;
  }

  /** The pods as clients see them. */
  pods(): readonly Pod[] {
    return this.views.pods();
  }

  /** The pod of a manifest's name as clients see it; the newest if there are several. */
  pod(name: string): Pod | undefined {
    return this.pods().findLast(({ metadata }) =>
      metadata.name === `${name}-${NODE}`
    );
  }

  /** What was told of the pod of a manifest's name, oldest first: type and reason. */
  events(name: string): string[] {
    return this.core.events.list()
      .filter(({ pod }) => pod.name === `${name}-${NODE}`)
      .map(({ type, reason }) => `${type} ${reason}`);
  }

  status(name: string): PodStatus | undefined {
    return this.pod(name)?.status;
  }

  /** What is wrong, as the health endpoint says it. */
  problems(): readonly HealthProblem[] {
    return this.views.problems();
  }

  /** The names of the calls that change something, from the `from`th call on. */
  mutations(from: number = 0): string[] {
    return this.fake.calls.slice(from).map(({ method }) => method)
      .filter((method) => MUTATING.has(method));
  }

  /** The sandboxes that are ready. */
  ready(): readonly FakeSandbox[] {
    return [...this.fake.sandboxes.values()]
      .filter(({ state }) => state === "ready");
  }

  /** The one running container of a name. */
  only(name: string): FakeContainer {
    const [first, ...others] = this.fake.running(name);
    if (first !== undefined && others.length === 0) return first;
    throw new Error(`Wanted one running "${name}"\n${this.#describe()}`);
  }

  /** The value of a metric without labels. */
  metric(name: string): number | undefined {
    const line = this.metrics.render().split("\n")
      .find((line) => line.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.split(" ").at(-1));
  }

  /** The messages of the log with a given constant text. */
  logged(message: string): readonly string[] {
    return this.log.filter((line) => line.includes(`"${message}"`));
  }

  /** The names in a directory; none when it is not there. */
  list(path: string): string[] {
    try {
      return [...Deno.readDirSync(path)].map(({ name }) => name).sort();
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopAgent();
    this.#quiet[Symbol.dispose]();
    await this.fake[Symbol.asyncDispose]();
    await Deno.remove(this.directory, { recursive: true });
    if (this.#failure !== undefined) throw this.#failure;
    if (this.violations.length > 0) throw new Error(this.violations.join("\n"));
  }

  /**
   * Changes manifests while an agent watches them already, and waits until it has heard
   * of it: it would else take its watch for deaf on a clock that leaps ahead.
   */
  async #heard(change: () => Promise<void>): Promise<void> {
    if (this.#running === undefined) return await change();
    await this.quiet();
    await change();
    await this.quiet();
  }

  /** Moves the clock on, and waits for what that sets off. */
  async #step(ms: number): Promise<void> {
    const { clock } = this;
    const endMs = clock.monotonic() + ms;
    while (clock.monotonic() < endMs) {
      const { moves } = clock;
      const leftMs = endMs - clock.monotonic();
      await clock.advance(Math.min(leftMs, LONGEST_STEP_MS));
      // Where no timer was due, nothing has begun.
      if (clock.moves !== moves) await this.#quiet.settle();
    }
  }

  /** An agent that ends gives an API server a moment for what it was told last. */
  async #passUntil(done: Promise<unknown>): Promise<void> {
    let isDone = false;
    const waiting = done.then(() => {
      isDone = true;
    });
    await this.#quiet.settle();
    for (let steps = 0; !isDone && steps < 30; steps++) await this.#step(100);
    await waiting;
  }

  /** Looks at the runtime before each call takes effect. */
  #watchCalls(): void {
    const { calls } = this.fake;
    calls.push = (...items: RecordedCall[]): number => {
      for (const { method } of items) this.#checkUnique(method);
      return Array.prototype.push.apply(calls, items);
    };
  }

  #checkUnique(method: string): void {
    const containers = new Set<string>();
    const holders = new Map<string, string>();
    for (const container of this.fake.containers.values()) {
      const { name, sandboxId } = container;
      const metadata = this.fake.sandboxes.get(sandboxId)?.config.metadata;
      if (!this.fake.isRunning(container) || metadata === undefined) continue;
      const { uid, namespace } = metadata;
      const key = `${uid}/${name}`;
      if (containers.has(key)) this.#violate(`two containers "${key}"`, method);
      containers.add(key);
      const pod = `${namespace}/${metadata.name}`;
      const holder = holders.get(pod) ?? uid;
      if (holder !== uid) this.#violate(`two pods "${pod}"`, method);
      holders.set(pod, holder);
    }
  }

  #violate(what: string, method: string): void {
    this.violations.push(`Before ${method}: ${what}`);
  }

  #describe(): string {
    const shown = this.#running === undefined ? [] : this.pods();
    const statuses = shown.map(({ metadata, status }) =>
      `${metadata.name} ${metadata.uid} ${JSON.stringify(status)}`
    );
    const last = this.fake.calls.slice(-30).map(({ method }) => method);
    return [...statuses, last.join(" "), ...this.log.slice(-15)].join("\n");
  }
}

/** A file that is read within a step must not meet its deadline there: it has 3 s. */
const LONGEST_STEP_MS = 2_000;
