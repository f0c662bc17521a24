/**
 * Ending containers and pods, each with its own grace.
 *
 * @module
 */

import type { EventSink, Pod } from "../../api/types/mod.ts";
import { findContainer } from "../../api/vocabulary/mod.ts";
import { type Clock, deadline, unlessAborted } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import type { RuntimeService } from "../../cri/model/mod.ts";
import {
  containerGrace,
  stopTimeout,
  terminationOrder,
} from "../../pod/lifecycle/mod.ts";
import type { KillReason, KillStep } from "../../pod/plan/mod.ts";
import type { ObservedContainer, ObservedPod } from "../../pod/observed/mod.ts";
import { type Activities, ContainerEvents } from "../account/mod.ts";
import type { HookRunner } from "./hooks.ts";

/** One container to end. */
export interface ContainerKill {
  readonly pod: Pod;
  readonly container: Pick<ObservedContainer, "id" | "name">;
  /** Where its preStop hook finds it. */
  readonly podIps: readonly string[];
  readonly reason: KillReason;
  /** It gets other resources. */
  readonly isResized?: true;
  /** The text of the event; `Stopping container x` when it is left out. */
  readonly message?: string;
  /** Replaces every other grace, in seconds. */
  readonly graceSeconds?: number | undefined;
  readonly signal: AbortSignal;
}

/** A whole pod to end. */
export interface PodKill {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  /** Why some of its containers end, where it is not just that the pod does. */
  readonly reasons?: readonly KillStep[];
  /** Replaces every other grace, in seconds. */
  readonly graceSeconds?: number | undefined;
  readonly signal: AbortSignal;
}

/** The calls that ending makes. */
export type KillService = Pick<
  RuntimeService,
  "stopContainer" | "stopPodSandbox"
>;

/**
 * How long a sandbox may take to stop after its containers have ended. Only its network is
 * left then, which may hang for minutes. A network plugin that works takes less time.
 */
const SANDBOX_PATIENCE_MS = 10_000;

/** The containers of a pod have ended, but a sandbox could not be stopped. */
export class SandboxesLeft extends AggregateError {
  override readonly name = "SandboxesLeft";
  /** All that were to be stopped; to stop one again does no harm. */
  readonly sandboxIds: readonly string[];

  constructor(
    failures: readonly unknown[],
    options: {
      readonly message: string;
      readonly sandboxIds: readonly string[];
    },
  ) {
    super(failures, options.message);
    this.sandboxIds = options.sandboxIds;
  }
}

interface KillerDeps {
  readonly runtime: KillService;
  readonly hooks: HookRunner;
  /** The addresses of a pod on the node's network, primary first. */
  readonly nodeIps: () => readonly string[];
  readonly events: EventSink;
  readonly clock: Clock;
  readonly log: Logger;
  readonly activities: Activities;
}

/** Ends containers: event, preStop hook, those that end before, SIGTERM, SIGKILL. */
export class PodKiller {
  readonly #deps: KillerDeps;

  constructor(deps: KillerDeps) {
    this.#deps = deps;
  }

  /** Where the hooks of a pod find it; a pod on the node's network is at the node. */
  addressesOf(pod: Pod, observed: ObservedPod): readonly string[] {
    // For a pod without manifest, only the sandbox knows whether it uses the node's network.
    const onNode = pod.spec.hostNetwork === true ||
      observed.sandboxes[0]?.hostNetwork === true;
    return onNode ? this.#deps.nodeIps() : observed.ips;
  }

  /**
   * Ends one container; one that is gone already is no error.
   *
   * The hook and the waiting use up the grace; the runtime is given what is left,
   * at least two seconds. (Upstream: kuberuntime killContainer.)
   *
   * @param before resolves when the containers have ended that must end first
   * @throws {CriError} when the runtime cannot say that it has ended
   */
  async killContainer(
    kill: ContainerKill,
    before?: Promise<unknown>,
  ): Promise<void> {
    const { pod, container, signal } = kill;
    const startMs = this.#deps.clock.monotonic();
    const { name } = container;
    new ContainerEvents(this.#deps.events, pod).record(name, {
      type: "Normal",
      reason: "Killing",
      message: kill.message ?? `Stopping container ${name}`,
      facts: {
        kind: "stop",
        container: name,
        reason: kill.isResized === true ? "resized" : kill.reason,
      },
    });
    const grace = graceOf(kill);
    using _stopping = this.#deps.activities.begin(pod.metadata.uid, {
      kind: "stopping_container",
      container: container.name,
      graceSeconds: grace,
    });
    if (grace > 0) {
      await this.#preStop(kill, grace);
      const leftMs = grace * 1000 - (this.#deps.clock.monotonic() - startMs);
      if (before !== undefined) {
        using _others = this.#begin("waiting_for_others_to_end", kill);
        using limit = deadline(this.#deps.clock, Math.max(0, leftMs), signal);
        // What it waits for never rejects.
        await unlessAborted(before, limit.signal).catch(() => {});
        signal.throwIfAborted();
      }
    }
    const usedSeconds = (this.#deps.clock.monotonic() - startMs) / 1000;
    const timeout = stopTimeout(grace, usedSeconds);
    await this.#deps.runtime.stopContainer(container.id, timeout, { signal });
  }

  /**
   * Ends all containers of a pod together, sidecars after the others, then its
   * sandboxes.
   *
   * @throws {SandboxesLeft} when the containers have ended and a sandbox has not
   * @throws {AggregateError} with everything that failed; the rest has been done
   */
  async killPod(kill: PodKill): Promise<void> {
    const { pod, signal } = kill;
    const { failures, isEarly } = await this.#stopContainers(kill);
    signal.throwIfAborted();
    // A sandbox takes its containers with it at once, so it stays as long as one
    // of them still has a right to its grace.
    const left = isEarly
      ? []
      : await this.#stopSandboxes(kill, { haveEnded: failures.length === 0 });
    signal.throwIfAborted();
    const all = [...failures, ...left];
    if (all.length === 0) return;
    const { name, namespace } = pod.metadata;
    const why = all.map(describeError).join("; ");
    const message = `Cannot stop pod "${namespace}/${name}": ${why}`;
    if (failures.length > 0) throw new AggregateError(all, message);
    const sandboxIds = kill.observed.sandboxes.map(({ id }) => id);
    throw new SandboxesLeft(all, { message, sandboxIds });
  }

  /**
   * @param options.haveEnded nothing runs in them: their network is not waited for
   * @returns what failed
   */
  async #stopSandboxes(
    { pod, observed, signal }: PodKill,
    { haveEnded }: { readonly haveEnded: boolean },
  ): Promise<unknown[]> {
    const kind = "stopping_sandboxes";
    using _stopping = this.#deps.activities.begin(pod.metadata.uid, { kind });
    using limit = haveEnded
      ? deadline(this.#deps.clock, SANDBOX_PATIENCE_MS, signal)
      : undefined;
    const stop = async (id: string): Promise<void> => {
      try {
        const scope = limit?.signal ?? signal;
        await this.#deps.runtime.stopPodSandbox(id, { signal: scope });
      } catch (error) {
        if (limit?.signal.aborted !== true) throw error;
        const forMs = SANDBOX_PATIENCE_MS;
        throw new Error(`Sandbox "${id}" did not stop within ${forMs} ms`);
      }
    };
    return await failuresOf(observed.sandboxes.map(({ id }) => stop(id)));
  }

  /** @returns what failed, and whether some of it failed before its grace was over */
  async #stopContainers(
    kill: PodKill,
  ): Promise<{ failures: unknown[]; isEarly: boolean }> {
    const { pod, observed, graceSeconds, signal } = kill;
    // What is not known to have ended may still run.
    const running = observed.containers.filter(({ state }) =>
      state === "running" || state === "unknown"
    );
    const names = new Set(running.map((container) => container.name));
    const order = terminationOrder(pod, names);
    const ended = new Map(
      running.map(({ id }) => [id, Promise.withResolvers<void>()]),
    );
    const podIps = this.addressesOf(pod, observed);
    let isEarly = false;
    const failures = await failuresOf(running.map(async (container) => {
      const why = kill.reasons?.find((step) =>
        step.containerId === container.id
      ) ?? { reason: POD_STOPPING };
      const one = { ...why, pod, container, podIps, graceSeconds, signal };
      const earlier = order.get(container.name) ?? [];
      const waitFor = running.filter(({ name }) => earlier.includes(name))
        .map(({ id }) => ended.get(id)?.promise);
      const startMs = this.#deps.clock.monotonic();
      try {
        await this.killContainer(
          one,
          waitFor.length === 0 ? undefined : Promise.all(waitFor),
        );
      } catch (error) {
        isEarly ||=
          this.#deps.clock.monotonic() - startMs < graceOf(one) * 1000;
        throw error;
      } finally {
        // One that failed to end must not hold up the rest for ever.
        ended.get(container.id)?.resolve();
      }
    }));
    return { failures, isEarly };
  }

  async #preStop(kill: ContainerKill, graceSeconds: number): Promise<void> {
    const { pod, container, podIps, signal } = kill;
    const spec = findContainer(pod, container.name);
    const hook = spec?.lifecycle?.preStop;
    if (spec === undefined || hook === undefined) return;
    using limit = deadline(this.#deps.clock, graceSeconds * 1000, signal);
    using _hook = this.#begin("pre_stop_hook", kill);
    try {
      await this.#deps.hooks.run(hook, {
        pod,
        container: spec,
        containerId: container.id,
        podIps,
        signal: limit.signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      const fields = {
        pod: `${pod.metadata.namespace}/${pod.metadata.name}`,
        uid: pod.metadata.uid,
        container: container.name,
      };
      // A hook that takes all the grace is no failure.
      if (limit.signal.aborted) {
        return this.#deps.log.info("pre_stop_cut_short", {
          ...fields,
          graceSeconds,
        });
      }
      this.#deps.log.warn("pre_stop_failed", { ...fields, error });
      new ContainerEvents(this.#deps.events, pod).warning(
        container.name,
        "FailedPreStopHook",
        "PreStopHook failed",
      );
    }
  }

  #begin(
    kind: "pre_stop_hook" | "waiting_for_others_to_end",
    { pod, container }: ContainerKill,
  ): Disposable {
    const { uid } = pod.metadata;
    return this.#deps.activities.begin(uid, {
      kind,
      container: container.name,
    });
  }
}

const POD_STOPPING: KillReason = "pod_stopping";

function graceOf(kill: Omit<ContainerKill, "signal">): number {
  return containerGrace(kill.pod, {
    container: findContainer(kill.pod, kill.container.name),
    reason: kill.reason,
    overrideSeconds: kill.graceSeconds,
  });
}

async function failuresOf(
  work: readonly Promise<void>[],
): Promise<unknown[]> {
  const results = await Promise.allSettled(work);
  return results.flatMap((result) =>
    result.status === "rejected" ? [result.reason] : []
  );
}
