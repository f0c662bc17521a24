/**
 * Starting one container: image, files, configuration, create, start, hook.
 *
 * @module
 */

import type { ContainerSpec, EventSink, Pod } from "../../api/types/mod.ts";
import type { Clock } from "../../base/mod.ts";
import type { RuntimeService } from "../../cri/model/mod.ts";
import type { StartFailure, SyncFailure } from "../../pod/lifecycle/mod.ts";
import { latestContainer } from "../../pod/observed/mod.ts";
import { type ContainerFiles, listPod } from "../observe/mod.ts";
import {
  causeOf,
  ContainerEvents,
  restartBackOffText,
} from "../account/mod.ts";
import {
  ContainerInputs,
  exchangedFailure,
  type PinnedSubPath,
} from "./container_inputs.ts";
import type { ImageOutcome, ImagePuller, PullEnd } from "../images/mod.ts";
import { nameHolder } from "./name_conflict.ts";
import type { NewRuns } from "./new_runs.ts";
import type { PodResources } from "../resources/mod.ts";
import {
  ignoresStopSignal,
  type SpecBuilder,
  type SubPaths,
} from "../spec/mod.ts";
import type { PostStart } from "./post_start.ts";
import type { RestartBackoffs, RestartWait } from "./restart_backoffs.ts";
import {
  specInput,
  type StartContext,
  type StartResult,
  type StartTarget,
} from "./start_context.ts";
import { TerminationLogs } from "./termination_logs.ts";

/** How soon to look again when a container's name was taken, in milliseconds. */
const RETRY_AFTER_CONFLICT_MS = 200;

/** What starting containers needs. */
export interface StarterDeps {
  readonly runtime: RuntimeService;
  readonly puller: ImagePuller;
  readonly files: ContainerFiles;
  readonly runs: NewRuns;
  readonly specs: SpecBuilder;
  readonly resources: PodResources;
  readonly subPaths: SubPaths;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly postStart: PostStart;
  readonly backoffs: RestartBackoffs;
}

/** A container in the runtime that has not been started yet. */
interface CreatedContainer {
  readonly containerId: string;
  readonly pinned: readonly PinnedSubPath[];
}

/** Starts containers, one at a time for a pod. Upstream: kuberuntime startContainer. */
export class ContainerStarter {
  readonly #deps: StarterDeps;
  readonly #inputs: ContainerInputs;
  readonly #terminationLogs: TerminationLogs;

  constructor(deps: StarterDeps) {
    this.#deps = deps;
    this.#terminationLogs = new TerminationLogs(deps);
    this.#inputs = new ContainerInputs(deps);
  }

  /**
   * Starts one container, unless it has crashed too lately.
   *
   * @throws {unknown} The reason of the context's signal when it aborts.
   */
  async start(
    context: StartContext,
    target: StartTarget,
  ): Promise<StartResult> {
    const result = await this.#try(context, target);
    if (result.kind !== "pulling") {
      const { uid } = context.pod.metadata;
      this.#deps.puller.settle(uid, target.container.name);
    }
    return result;
  }

  async #try(
    context: StartContext,
    target: StartTarget,
  ): Promise<StartResult> {
    const { pod, observed } = context;
    const { container } = target;
    const wait = this.#deps.backoffs.ask(pod, container, {
      observed,
      sandboxId: context.sandboxId,
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

  /** Tells that a container has to wait before it starts once more. */
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
      sandboxConfig: context.sandboxConfig,
      untilMs: context.pullsUntilMs,
    });
  }

  async #create(
    context: StartContext,
    target: StartTarget,
    image: PullEnd & { kind: "present" },
  ): Promise<StartResult> {
    const { pod, sandboxId, sandboxConfig, signal } = context;
    const { container } = target;
    const { runtime } = this.#deps;
    let created: CreatedContainer;
    try {
      const input = specInput(context, target);
      const gathered = await this.#inputs.gather(input, context);
      if (gathered.kind === "pulling") {
        return this.#isPulling(context, container);
      }
      if (gathered.kind === "failed") {
        return this.#failed(pod, container.name, gathered.failure);
      }
      const given = { ...input, ...gathered.given };
      const run = await this.#deps.runs.next(context, container);
      // The runtime would make a directory where it finds no file to mount.
      await context.hostsFile.written;
      const made = await this.#terminationLogs.create(run, {
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
        return this.#failed(pod, container.name, refusal, { changed });
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
    this.#events(pod).normal(name, "Created", "Container created");
    const before = await this.#inputs.exchanged(pinned, signal);
    if (before !== undefined) {
      return this.#failed(pod, name, exchangedFailure(before), {
        changed: true,
      });
    }
    await this.#deps.postStart.announce({ pod, container, containerId });
    try {
      await this.#deps.runtime.startContainer(containerId, { signal });
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
      if (await this.#inputs.exchanged(pinned) !== undefined) {
        await this.#killAtOnce(containerId, signal);
      }
      return this.#failed(pod, name, failure, { changed: true });
    }
    const after = await this.#inputs.exchanged(pinned);
    if (after !== undefined) {
      await this.#killAtOnce(containerId, signal);
      return this.#failed(pod, name, exchangedFailure(after), {
        changed: true,
      });
    }
    await this.#checkStopSignal(context, container, containerId);
    context.releaseSlot();
    const { podIps } = context;
    const started = { pod, container, containerId, podIps, signal };
    return await this.#deps.postStart.run(started);
  }

  /** Tells, at a container's first start, when its runtime passes over the stop signal. */
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
      return this.#failed(pod, name, failure, { changed: true });
    }
    await this.#clearName(context, holder);
    const retryAtMs = this.#deps.clock.monotonic() + RETRY_AFTER_CONFLICT_MS;
    return this.#failed(pod, name, { ...failure, retryAtMs }, {
      changed: true,
    });
  }

  /**
   * Makes a taken name free again, if what holds it is not to be seen: a container
   * that the runtime lists is dealt with by the next plan.
   */
  async #clearName(context: StartContext, holderId: string): Promise<void> {
    const { pod, signal } = context;
    const { runtime } = this.#deps;
    const { uid } = pod.metadata;
    try {
      const { containers } = await listPod(runtime, uid, { signal });
      if (holderId === "" || containers.some(({ id }) => id === holderId)) {
        return;
      }
      await runtime.removeContainer(holderId, { signal });
    } catch {
      // The failure to create is what is reported; this was an attempt to heal it.
      signal.throwIfAborted();
    }
  }

  #events(pod: Pod): ContainerEvents {
    return new ContainerEvents(this.#deps.events, pod);
  }

  #failed(
    pod: Pod,
    container: string,
    failure: StartFailure,
    options: { readonly changed: boolean } = { changed: false },
  ): StartResult {
    const { message } = failure;
    this.#events(pod).warning(container, "Failed", `Error: ${message}`);
    return {
      kind: "failed",
      failure: { container, ...failure },
      changed: options.changed,
    };
  }
}

function failed(failure: SyncFailure): StartResult {
  return { kind: "failed", failure, changed: false };
}
