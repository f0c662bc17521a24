/**
 * Starting one container: image, files, configuration, create, start, hook.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import { isRestartableInit } from "../../api/vocabulary/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { StartFailure, SyncFailure } from "../../pod/lifecycle/mod.ts";
import { latestContainer } from "../../pod/observed/mod.ts";
import {
  causeOf,
  ContainerEvents,
  restartBackOffText,
  type SyncReport,
} from "../account/mod.ts";
import {
  exchangedFailure,
  exchangedPath,
  type FoundSubPath,
  gatherInputs,
} from "./container_inputs.ts";
import type { ImageOutcome, ImagePuller, PullEnd } from "../images/mod.ts";
import {
  freeName,
  nameHolder,
  RETRY_AFTER_CONFLICT_MS,
} from "./name_conflict.ts";
import { nextRun } from "./new_runs.ts";
import { ignoresStopSignal } from "../spec/mod.ts";
import type { PostStart } from "./post_start.ts";
import type { RestartBackoffs, RestartWait } from "./restart_backoffs.ts";
import {
  specInput,
  type StartContext,
  type StartDeps,
  type StartResult,
  type StartTarget,
} from "./start_context.ts";
import { createWithLog } from "./termination_logs.ts";

interface StarterDeps extends StartDeps {
  readonly puller: ImagePuller;
  readonly postStart: PostStart;
  readonly backoffs: RestartBackoffs;
}

/** A container in the runtime that has not been started yet. */
interface CreatedContainer {
  readonly containerId: string;
  readonly pinned: readonly FoundSubPath[];
}

/** Starts containers, one at a time for a pod. Upstream: kuberuntime startContainer. */
export class ContainerStarter {
  readonly #deps: StarterDeps;

  constructor(deps: StarterDeps) {
    this.#deps = deps;
  }

  /**
   * Starts containers, one after the other, as far as one does not wait for another.
   *
   * @returns the ids of those that were started
   * @throws {unknown} The reason of the context's signal when it aborts.
   */
  async startAll(
    context: StartContext,
    options: { readonly targets: readonly StartTarget[]; report: SyncReport },
  ): Promise<readonly string[]> {
    const started: string[] = [];
    const { report } = options;
    for (const target of options.targets) {
      const result = await this.#start(context, target);
      context.releaseSlot();
      switch (result.kind) {
        case "started":
          started.push(result.containerId);
          report.changed();
          continue;
        case "pulling":
          report.pulling();
          break;
        case "failed":
          report.failed(result.failure);
          if (result.changed) report.stopped();
      }
      // What follows an ordinary init container may count on its work.
      const isOrdinaryInit = target.kind === "init" &&
        !isRestartableInit(target.container);
      if (isOrdinaryInit) break;
    }
    return started;
  }

  /** Starts one container, unless it has crashed too lately. */
  async #start(
    context: StartContext,
    target: StartTarget,
  ): Promise<StartResult> {
    const { activities, puller } = this.#deps;
    const { uid } = context.pod.metadata;
    const { name: container } = target.container;
    const kind = "starting_container";
    using _starting = activities.begin(uid, { kind, container });
    try {
      const result = await this.#try(context, target);
      if (result.kind !== "pulling") puller.settle(uid, container);
      return result;
    } catch (error) {
      context.signal.throwIfAborted();
      const failure = {
        container,
        reason: "RunContainerError",
        message: describeError(error),
        cause: causeOf(error),
      } as const;
      return { kind: "failed", failure, changed: true };
    }
  }

  async #try(
    context: StartContext,
    target: StartTarget,
  ): Promise<StartResult> {
    const { pod, observed } = context;
    const { container } = target;
    const wait = this.#deps.backoffs.ask(pod, container, {
      observed,
      sandboxId: context.sandbox.id,
    });
    if (wait !== undefined) {
      return failed(this.backsOff(pod, container.name, wait));
    }
    const image = await this.#ensureImage(context, container);
    if (image.kind === "pulling") return this.#isPulling(context, container);
    if (image.kind === "failed") {
      const { kind: _kind, ...failure } = image;
      this.#events(pod).warning(
        container.name,
        "Failed",
        `Error: ${image.reason}`,
      );
      return failed({ container: container.name, ...failure });
    }
    return await this.#create(context, target, image);
  }

  /** Records the event that a container has to wait before its next start. */
  backsOff(pod: Pod, name: string, wait: RestartWait): SyncFailure {
    const text = restartBackOffText(pod, name);
    this.#events(pod).warning(name, "BackOff", text);
    return { container: name, reason: "CrashLoopBackOff", ...wait };
  }

  #isPulling(
    { pod, observed }: StartContext,
    container: ContainerSpec,
  ): StartResult {
    this.#deps.backoffs.withdraw(pod, container, observed);
    return { kind: "pulling" };
  }

  async #ensureImage(
    context: StartContext,
    container: ContainerSpec,
  ): Promise<ImageOutcome> {
    const { puller } = this.#deps;
    // Others must not wait for a pull before they may start.
    if (!puller.isKnown(container)) context.releaseSlot();
    return await puller.ensure(context.pod, container, {
      signal: context.signal,
      sandboxConfig: context.sandbox.config,
      untilMs: context.pullsUntilMs,
    });
  }

  async #create(
    context: StartContext,
    target: StartTarget,
    image: PullEnd & { kind: "present" },
  ): Promise<StartResult> {
    const { pod, sandbox: { id: sandboxId, config: sandboxConfig }, signal } =
      context;
    const { container } = target;
    const { runtime } = this.#deps;
    let created: CreatedContainer;
    try {
      const input = specInput(context, target);
      const gathered = await gatherInputs(this.#deps, input, context);
      if (gathered.kind === "pulling") {
        return this.#isPulling(context, container);
      }
      if (gathered.kind === "failed") {
        const { failure } = gathered;
        return {
          ...this.#failed(pod, container.name, failure),
          changed: false,
        };
      }
      const given = { ...input, ...gathered.given };
      const run = await nextRun(this.#deps, context, container);
      // The runtime would make a directory where it finds no file to mount.
      await context.hostsFile.written;
      const made = await createWithLog(this.#deps, run, {
        build: (terminationLog) =>
          this.#deps.specs.container({
            ...given,
            ...terminationLog === undefined ? {} : { terminationLog },
            restartCount: run.restartCount,
            imageRef: image.imageRef,
            imageUser: image.image,
          }),
        create: (config) =>
          runtime.createContainer(
            { sandboxId, config, sandboxConfig },
            { signal },
          ),
      });
      if (made.kind === "refused") {
        const { changed } = run;
        const { kind: _kind, ...refusal } = made;
        return { ...this.#failed(pod, container.name, refusal), changed };
      }
      created = { containerId: made.containerId, pinned: gathered.pinned };
    } catch (error) {
      signal.throwIfAborted();
      return await this.#createFailed(context, container, error);
    }
    return await this.#run(context, container, created);
  }

  async #run(
    context: StartContext,
    container: ContainerSpec,
    created: CreatedContainer,
  ): Promise<StartResult> {
    const { pod, signal } = context;
    const { name } = container;
    const { containerId, pinned } = created;
    const { subPaths, notes } = this.#deps;
    this.#events(pod).normal(name, "Created", "Container created");
    const before = await exchangedPath(subPaths, pinned, signal);
    if (before !== undefined) {
      return this.#failed(pod, name, exchangedFailure(before));
    }
    if (container.lifecycle?.postStart !== undefined) {
      await notes.starting(pod, name, containerId);
    }
    try {
      await this.#deps.runtime.startContainer(containerId, { signal });
      await notes.started(pod, name, containerId);
      await this.#deps.resources.started(pod, container, containerId);
      this.#events(pod).normal(name, "Started", "Container started");
    } catch (error) {
      signal.throwIfAborted();
      const cause = causeOf(error);
      const message = cause.words.replaceAll(containerId, name);
      const failure = {
        reason: "RunContainerError",
        message,
        cause: { ...cause, words: message },
      } as const;
      // One whose start was only slow may run all the same.
      if (await exchangedPath(subPaths, pinned) !== undefined) {
        await this.#killAtOnce(containerId, signal);
      }
      return this.#failed(pod, name, failure);
    }
    const after = await exchangedPath(subPaths, pinned);
    if (after !== undefined) {
      await this.#killAtOnce(containerId, signal);
      return this.#failed(pod, name, exchangedFailure(after));
    }
    await this.#checkStopSignal(context, container, containerId);
    context.releaseSlot();
    const { podIps } = context;
    const started = { pod, container, containerId, podIps, signal };
    return await this.#deps.postStart.run(started);
  }

  /** Warns, at a container's first start, if its runtime ignores the stop signal. */
  async #checkStopSignal(
    context: StartContext,
    container: ContainerSpec,
    containerId: string,
  ): Promise<void> {
    const { pod, observed, signal } = context;
    const { name } = container;
    const wanted = container.lifecycle?.stopSignal ?? "";
    const isFirst = latestContainer(observed, name) === undefined;
    if (wanted === "" || !isFirst) return;
    const { runtime } = this.#deps;
    if (!await ignoresStopSignal(runtime, containerId, { signal })) return;
    this.#events(pod).warning(
      name,
      "StopSignalIgnored",
      `The runtime does not know stop signals: "${wanted}" is not sent, the image's own signal is`,
    );
  }

  /** No grace and no hook: it may see what is not its own. */
  async #killAtOnce(containerId: string, signal: AbortSignal): Promise<void> {
    const { runtime } = this.#deps;
    try {
      await runtime.stopContainer(containerId, 0, { signal });
    } catch {
      signal.throwIfAborted();
      // Removing kills as well, by another way through the runtime.
      await runtime.removeContainer(containerId, { signal });
    }
  }

  async #createFailed(
    context: StartContext,
    container: ContainerSpec,
    error: unknown,
  ): Promise<StartResult> {
    const { pod } = context;
    const { name } = container;
    // The image may be gone: what was known of it is not to be trusted.
    this.#deps.puller.invalidate(container);
    const cause = causeOf(error);
    const reason = "CreateContainerError";
    const failure = { reason, message: cause.words, cause } as const;
    const holder = nameHolder(error);
    if (holder === undefined) {
      return this.#failed(pod, name, failure);
    }
    const { runtime, clock } = this.#deps;
    const { signal } = context;
    const of = { uid: pod.metadata.uid, kind: "containers", signal } as const;
    await freeName(runtime, holder, of);
    const retryAtMs = clock.monotonic() + RETRY_AFTER_CONFLICT_MS;
    return this.#failed(pod, name, { ...failure, retryAtMs });
  }

  #events(pod: Pod): ContainerEvents {
    return new ContainerEvents(this.#deps.events, pod);
  }

  /** Something in the runtime may have changed. */
  #failed(
    pod: Pod,
    container: string,
    failure: StartFailure,
  ): StartResult & { readonly kind: "failed" } {
    const { message } = failure;
    this.#events(pod).warning(container, "Failed", `Error: ${message}`);
    const named = { container, ...failure };
    return { kind: "failed", failure: named, changed: true };
  }
}

function failed(failure: SyncFailure): StartResult {
  return { kind: "failed", failure, changed: false };
}
