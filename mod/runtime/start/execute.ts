/**
 * Doing what a plan says: stop, sandbox, start.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { findContainer } from "../../api/vocabulary/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { ObservedPod } from "../../pod/observed/mod.ts";
import { resetSource } from "../../pod/plan/mod.ts";
import { Activities, type SyncOutcome, SyncReport } from "../account/mod.ts";
import { listPod, restorePod, withSandbox } from "../observe/mod.ts";
import { HookRunner, PlanStops, PodKiller } from "../end/mod.ts";
import {
  type ImageHold,
  ImagePuller,
  imagesOf,
  type PullerOptions,
  pullFirst,
} from "../images/mod.ts";
import { observeStarted } from "./observe_started.ts";
import { countRestarts, watched } from "./new_runs.ts";
import { PostStart } from "./post_start.ts";
import { RestartBackoffs } from "./restart_backoffs.ts";
import { SandboxCreator } from "./sandbox.ts";
import { ContainerStarter } from "./start_container.ts";
import { type StartPlace, StartPlaces } from "./start_places.ts";
import {
  type Execution,
  type ExecutorDeps,
  type StartContext,
  type StartTarget,
  startTargets,
} from "./start_context.ts";

/**
 * A pull that takes longer goes on by itself, and what else is to be done for its pod
 * is done. Those of small images are waited for: to come back costs a look at the pod.
 */
const PULL_PATIENCE_MS = 2_000;

/** How much at once, and how patient. */
export interface ExecutorOptions {
  /**
   * Pods whose sandbox and first container are being made at the same time; some more of
   * those that go first, and those that hang for 2 s do not count. On two cores 4 to 8
   * give the best throughput and half the median of "all at once".
   */
  readonly maxParallelStarts: number;
  readonly pulls: PullerOptions;
  /** Longest wait before a crashed container starts again, in milliseconds. */
  readonly maxRestartWaitMs: number;
}

interface PodEnding {
  /** `undefined` for a pod whose manifest is lost: the runtime's labels must do. */
  readonly pod: Pod | undefined;
  readonly observed: ObservedPod;
  /** Replaces every other grace, in seconds. */
  readonly graceSeconds?: number | undefined;
  /** It is to run again later, however its containers end. */
  readonly startsAgain?: true;
  readonly signal: AbortSignal;
}

/**
 * Executes the plans of pods. At most one call at a time for a pod UID; pods run
 * beside each other.
 *
 * What has begun may be found half done after an abort: nothing is undone here,
 * since the next sync looks first. Upstream: kuberuntime SyncPod, KillPod.
 */
export class PodExecutor {
  /** What is being done for each pod now. */
  readonly activities: Activities;
  readonly #deps: ExecutorDeps;
  readonly #killer: PodKiller;
  readonly #puller: ImagePuller;
  readonly #backoffs: RestartBackoffs;
  readonly #postStart: PostStart;
  readonly #starter: ContainerStarter;
  readonly #sandboxes: SandboxCreator;
  readonly #stops: PlanStops;
  readonly #places: StartPlaces;

  constructor(deps: ExecutorDeps, options: ExecutorOptions) {
    const log = deps.log.named("runtime");
    this.#deps = { ...deps, log };
    const activities = this.activities = new Activities(deps);
    const hooks = new HookRunner(deps);
    const nodeIps = () => deps.specs.nodeIps;
    const common = { ...deps, log, activities, hooks, nodeIps };
    const killer = this.#killer = new PodKiller(common);
    const files = deps.containerFiles;
    const { pulls, maxRestartWaitMs: maxMs } = options;
    const ofImages = { ...common, records: deps.imageRecords };
    this.#puller = new ImagePuller(ofImages, pulls);
    this.#backoffs = new RestartBackoffs(deps, { maxMs });
    this.#postStart = new PostStart({ ...common, killer });
    this.#starter = new ContainerStarter({
      ...common,
      puller: this.#puller,
      postStart: this.#postStart,
      backoffs: this.#backoffs,
    });
    this.#sandboxes = new SandboxCreator(common);
    this.#stops = new PlanStops({ ...deps, files, killer });
    const slots = options.maxParallelStarts;
    this.#places = new StartPlaces(common, { slots });
  }

  /**
   * Executes one plan as far as it goes.
   *
   * @throws {unknown} The reason of the signal when it aborts.
   */
  async execute(wanted: Execution): Promise<SyncOutcome> {
    const { pod, signal } = wanted;
    const report = new SyncReport(this.#deps.clock);
    const late = await this.#sandboxes.pending(pod.metadata.uid, signal);
    if (late !== undefined) {
      // An earlier execution was given up while it made this sandbox.
      const message = `Sandbox "${late}" was finished meanwhile`;
      report.again("SandboxChanged", message);
      return report.outcome();
    }
    const { plan, isPulling } = wanted.plan.sandbox.kind === "keep"
      ? await pullFirst(this.#puller, wanted)
      : { plan: wanted.plan, isPulling: false };
    const execution = { ...wanted, plan };
    if (isPulling) report.pulling();
    if (plan.sandbox.kind === "create") {
      const wait = this.#sandboxes.pauses.waitOf(pod.metadata.uid);
      if (wait !== undefined) {
        report.podFailed(wait);
        return report.outcome();
      }
    }
    if (plan.reset.length > 0 && this.#resetWaits(execution, report)) {
      return report.outcome();
    }
    if (!await this.#stops.run(execution, report)) return report.outcome();
    await this.#deps.resources.resize(execution, report);
    await this.#catchUp(execution, report);
    const targets = startTargets(pod, plan);
    if (plan.sandbox.kind !== "create" && targets.length === 0) {
      return report.outcome();
    }
    // Asked for while directories are made.
    for (const { container } of targets) this.#puller.prefetch(container);
    await this.#deps.containerFiles.prepareLogs(
      pod,
      targets.map(({ container }) => container.name),
    );
    using place = plan.sandbox.kind === "create"
      ? await this.#places.take(pod, signal)
      : undefined;
    const releaseSlot = (): void => place?.[Symbol.dispose]();
    const ready = await this.#makeReady(execution, { targets, report, place });
    if (ready === undefined) return report.outcome();
    const sinceMs = this.#deps.clock.monotonic();
    const pullsUntilMs = sinceMs + PULL_PATIENCE_MS;
    const context = { ...ready, pullsUntilMs, releaseSlot };
    const started = await this.#starter.startAll(context, { targets, report });
    const done = { started, sinceMs, report };
    return report.outcome(await observeStarted(this.#deps, context, done));
  }

  /**
   * Ends everything of a pod: containers with their grace, then sandboxes.
   *
   * A sandbox that is still being made is waited for and ended, too. For a pod
   * without manifest, the recorded grace and hooks count.
   *
   * @returns the ids of the sandboxes that were stopped
   * @throws {AggregateError} with everything that failed
   * @throws {CriError} when the runtime cannot say what a lost pod was like
   * @throws {unknown} The reason of the signal when it aborts.
   */
  async killPod(ending: PodEnding): Promise<readonly string[]> {
    const { graceSeconds, signal, observed: { uid } } = ending;
    this.#puller.giveUp(uid);
    const late = await this.#sandboxes.pending(uid, signal);
    const observed = late === undefined
      ? ending.observed
      : withSandbox(ending.observed, late);
    const pod = ending.pod ??
      restorePod(await listPod(this.#deps.runtime, uid, { signal }));
    if (ending.startsAgain) await this.#stops.noteWhole(pod, observed);
    await this.#killer.killPod({ pod, observed, graceSeconds, signal });
    return observed.sandboxes.map(({ id }) => id);
  }

  /** The images that containers are about to be made of. */
  imageHolds(): readonly ImageHold[] {
    return this.#puller.holds();
  }

  /** Gives up pulls of images that the pod does not name any more. */
  keepPulls(pod: Pod): void {
    const wanted = imagesOf(pod).map(({ image = "" }) => image);
    this.#puller.giveUp(pod.metadata.uid, wanted);
  }

  /**
   * Begins to pull the images of a pod that is to take the place of another.
   *
   * @returns whether the first pulls go on, and none has failed
   */
  async fetch(
    pod: Pod,
    options: { readonly signal: AbortSignal },
  ): Promise<boolean> {
    const fetched = await Promise.all(
      imagesOf(pod).map((image) => this.#puller.fetch(pod, image, options)),
    );
    return fetched.includes("pulling") && !fetched.includes("failed");
  }

  /** See {@linkcode PullTasks.ends}. */
  pullEnds(signal: AbortSignal): AsyncIterable<string> {
    return this.#puller.ends(signal);
  }

  /**
   * Whether a restart of all containers has to wait, since the one that asks for it
   * has done so too lately. What else runs of the pod runs on meanwhile, as beside any
   * container that crashes. (The kubelet does not wait.)
   */
  #resetWaits({ pod, observed }: Execution, report: SyncReport): boolean {
    const source = resetSource(pod, observed);
    const [newest] = observed.sandboxes;
    // In a sandbox that has ended nothing runs that could wait.
    if (source === undefined || newest?.ready !== true) return false;
    const where = { observed, sandboxId: newest.id };
    const wait = this.#backoffs.ask(pod, source, where);
    if (wait === undefined) return false;
    report.failed(this.#starter.backsOff(pod, source.name, wait));
    return true;
  }

  /** Runs postStart hooks that may not have run. */
  async #catchUp(execution: Execution, report: SyncReport): Promise<void> {
    const { pod, observed, plan, signal } = execution;
    const podIps = this.#killer.addressesOf(pod, observed);
    for (const { containerId, containerName } of plan.postStart) {
      const container = findContainer(pod, containerName);
      if (container === undefined) continue;
      const started = { pod, container, containerId, podIps, signal };
      const result = await this.#postStart.catchUp(started);
      report.stopped();
      if (result.kind === "failed") report.failed(result.failure);
    }
  }

  /** Has a sandbox and all that its containers share, or says in the report why not. */
  async #makeReady(
    execution: Execution,
    options: {
      readonly targets: readonly StartTarget[];
      readonly report: SyncReport;
      readonly place: StartPlace | undefined;
    },
  ): Promise<Omit<StartContext, "pullsUntilMs" | "releaseSlot"> | undefined> {
    const { pod, observed, plan, signal } = execution;
    const { targets, report, place } = options;
    const { containerFiles, specs } = this.#deps;
    const restartCounts = plan.sandbox.kind === "create"
      ? countRestarts(this.#deps, targets, execution)
      : new Map<string, Promise<number>>();
    const sandbox = plan.sandbox.kind === "create"
      ? await this.#sandboxes.create(pod, plan.sandbox.attempt, {
        report,
        signal,
        place,
      })
      : this.#sandboxes.kept(pod, observed, { report });
    if (sandbox === undefined) return undefined;
    const podIps = pod.spec.hostNetwork === true ? specs.nodeIps : sandbox.ips;
    try {
      const content = specs.hostsFile(pod, podIps);
      const written = watched(containerFiles.writeHostsFile(pod, content));
      const hostsFile = { path: containerFiles.hostsFilePath(pod), written };
      return { ...execution, sandbox, podIps, hostsFile, restartCounts };
    } catch (error) {
      signal.throwIfAborted();
      const message = describeError(error);
      report.podFailed({ reason: "CreateContainerConfigError", message });
      return undefined;
    }
  }
}
