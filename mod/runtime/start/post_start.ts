/**
 * The hook that a container runs after its start: at least once, as Kubernetes says.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import { containerGrace } from "../../pod/lifecycle/mod.ts";
import { judgedStops } from "../../pod/plan/mod.ts";
import { causeOfAll, ContainerEvents } from "../account/mod.ts";
import type { HookRunner, PodKiller } from "../end/mod.ts";
import type { StartDeps, StartResult } from "./start_context.ts";

interface StartedContainer {
  readonly pod: Pod;
  readonly container: ContainerSpec;
  readonly containerId: string;
  readonly podIps: readonly string[];
  readonly signal: AbortSignal;
}

interface PostStartDeps extends StartDeps {
  readonly hooks: HookRunner;
  readonly killer: PodKiller;
}

/** Runs postStart hooks, and notes which have ended. */
export class PostStart {
  readonly #deps: PostStartDeps;

  constructor(deps: PostStartDeps) {
    this.#deps = deps;
  }

  /**
   * Runs the hook of a container whose start was cut off, or whose agent ended before
   * the hook did. It may run for the second time.
   *
   * @throws {unknown} The reason of the signal when it aborts.
   */
  async catchUp(started: StartedContainer): Promise<StartResult> {
    this.#events(started).normal(
      started.container.name,
      "PostStartHookAgain",
      "Nobody knows whether the PostStartHook ran, running it now",
    );
    return await this.run(started);
  }

  /**
   * Runs the hook, if there is one; a container whose hook fails is stopped.
   *
   * @throws {unknown} The reason of the signal when it aborts.
   */
  async run(started: StartedContainer): Promise<StartResult> {
    const { pod, container, containerId, signal } = started;
    const { name } = container;
    const hook = container.lifecycle?.postStart;
    if (hook === undefined) return { kind: "started", containerId };
    try {
      using _hook = this.#deps.activities.begin(pod.metadata.uid, {
        kind: "post_start_hook",
        container: name,
      });
      await this.#deps.hooks.run(hook, started);
    } catch (error) {
      signal.throwIfAborted();
      return await this.#failed(started, error);
    }
    await this.#deps.notes.postStartEnded(pod, containerId);
    return { kind: "started", containerId };
  }

  async #failed(
    started: StartedContainer,
    error: unknown,
  ): Promise<StartResult> {
    const { pod, container, containerId, podIps, signal } = started;
    const { name } = container;
    const reported = "FailedPostStartHook";
    this.#events(started).warning(name, reported, "PostStartHook failed");
    const { killer, notes } = this.#deps;
    // Its end is a failure, even if it obeys with 0.
    const stop = { containerId, containerName: name } as const;
    const stops = judgedStops(pod, [{ ...stop, stopped: "as_failed" }]);
    const reason = "post_start_failed";
    const graceSeconds = containerGrace(pod, { container, reason });
    await notes.stopping(pod, stops, { graceSeconds });
    // It is the hook that failed, whatever becomes of the container after that. One
    // that could not be stopped still has its hook due.
    const notKilled: unknown = await killer.killContainer({
      pod,
      container: { id: containerId, name },
      podIps,
      reason,
      message: reported,
      signal,
    }).catch((failure: unknown) => failure);
    signal.throwIfAborted();
    const causes = notKilled === undefined ? [error] : [error, notKilled];
    const message = causes.map(describeError).join("; ")
      .replaceAll(containerId, name);
    const cause = causeOfAll(causes);
    const words = cause.words.replaceAll(containerId, name);
    return {
      kind: "failed",
      failure: {
        container: name,
        reason: "PostStartHookError",
        message,
        cause: { ...cause, words },
      },
      changed: true,
    };
  }

  #events({ pod }: StartedContainer): ContainerEvents {
    return new ContainerEvents(this.#deps.events, pod);
  }
}
