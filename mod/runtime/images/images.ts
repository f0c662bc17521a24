/**
 * Having the image of a container on the node before it is created.
 *
 * @module
 */

import { pullPolicy } from "../../api/defaults/mod.ts";
import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import { defined, unlessAborted } from "../../base/mod.ts";
import type { SandboxConfig } from "../../cri/config/mod.ts";
import type { Image } from "../../cri/model/mod.ts";
import { causeOf, ContainerEvents } from "../account/mod.ts";
import type { ImageHold } from "./image_holds.ts";
import {
  type ImageFields,
  type NamedImage,
  namedImage,
} from "./named_image.ts";
import {
  type ImageRequest,
  PodPulls,
  type PullerDeps,
  type PullerOptions,
} from "./pod_pulls.ts";
import type { ImageNeed } from "./pull_metrics.ts";
import { PULL_LIMIT_MS } from "./pull_progress.ts";
import type { Fetched, ImageOutcome, PullEnd } from "./pull_tasks.ts";

/**
 * Looks for images and pulls them.
 *
 * A pull goes on by itself. One that never ends takes one of a few places and no more:
 * neither pods whose image is present nor the other containers of its own pod wait for
 * it. Pods that want the same image share a pull. Upstream: pkg/kubelet/images/image_manager.go.
 */
export class ImagePuller {
  readonly #deps: Pick<PullerDeps, "events" | "clock">;
  readonly #pulls: PodPulls;

  constructor(deps: PullerDeps, options: PullerOptions) {
    this.#deps = deps;
    this.#pulls = new PodPulls(deps, options);
  }

  /** The images that containers are about to be made of. */
  holds(): readonly ImageHold[] {
    return this.#pulls.holds.list();
  }

  /** See {@linkcode PullTasks.ends}. */
  ends(signal: AbortSignal): AsyncIterable<string> {
    return this.#pulls.tasks.ends(signal);
  }

  /**
   * Begins to look for an image that `ensure` will be asked for soon, so that the
   * answer is there by then. Pulls nothing and reports nothing.
   */
  prefetch(container: ImageFields): void {
    const named = namedImage(container);
    if (named.kind === "invalid" || named.policy === "Always") return;
    // A failure is reported when the image is asked for again.
    this.#pulls.calls.ask(named.image).catch(() => {});
  }

  /** Whether `ensure` can answer at once that the image is present. */
  isKnown(container: ImageFields): boolean {
    const named = namedImage(container);
    return named.kind === "invalid" ||
      named.policy !== "Always" && this.#pulls.calls.isPresent(named.image);
  }

  /** Makes the next `ensure` ask the runtime again: what is known may be wrong. */
  invalidate(container: ImageFields): void {
    const named = namedImage(container);
    if (named.kind === "ok") this.#pulls.calls.forget(named.image);
  }

  /** Gives up the pulls of a pod, but for those of images that `stillWanted` names. */
  giveUp(podUid: string, stillWanted: Iterable<string> = []): void {
    const wanted = [...stillWanted].flatMap((image) => {
      const named = namedImage({ image });
      return named.kind === "ok" ? [named.image] : [];
    });
    this.#pulls.tasks.giveUp(podUid, new Set(wanted));
    this.#pulls.holds.release(podUid, ({ image }) => !wanted.includes(image));
  }

  /** A container has been made of its images, or could not be. */
  settle(podUid: string, container: string): void {
    this.#pulls.tasks.settle(podUid, container);
    this.#pulls.holds.release(podUid, (held) => held.container === container);
  }

  /**
   * Begins to pull the image of a container that takes the place of another, so that
   * the other need not stop before it is there. Waits for no pull.
   *
   * @throws {unknown} The reason of `signal` when it aborts.
   */
  async fetch(
    pod: Pod,
    container: NamedImage,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<Fetched> {
    const named = namedImage(container);
    // What is wrong with it is reported when the container is to start.
    if (named.kind === "invalid") return "failed";
    const wanted = this.#wanted(pod, container, named);
    const { policy } = wanted;
    if (policy === "Never") return "over";
    const known = this.#fetched(wanted);
    if (known !== undefined) return known;
    if (policy === "IfNotPresent") {
      try {
        const asked = this.#pulls.calls.ask(wanted.image);
        const found = await unlessAborted(asked, signal);
        if (found !== undefined && await this.#pulls.mayUse(wanted, found)) {
          return "over";
        }
      } catch {
        signal.throwIfAborted();
        return "failed";
      }
    }
    // Another may have begun to pull it meanwhile.
    const begun = this.#fetched(wanted);
    if (begun !== undefined) return begun;
    this.#pulls.begin(wanted, { isAhead: true });
    return "pulling";
  }

  /** What has come of the pull of an image so far; `undefined` before the first. */
  #fetched(wanted: ImageRequest): Fetched | undefined {
    const task = this.#pulls.tasks.get(wanted);
    if (task === undefined) return this.#pulls.waitOf(wanted) && "failed";
    if (task.end !== undefined) {
      return task.end.kind === "failed" ? "failed" : "over";
    }
    const forMs = this.#deps.clock.monotonic() - task.begunMs;
    return forMs < PULL_LIMIT_MS ? "pulling" : "failed";
  }

  /**
   * Sees to it that the image of a container is on the node, as its policy wants.
   *
   * @param options.untilMs how long to wait for a pull that begins now, on the monotonic
   * clock; one that takes longer, or goes on already, is "pulling". Without end by default
   * @throws {unknown} The reason of `signal` when it aborts; a pull is given up then.
   */
  async ensure(
    pod: Pod,
    container: ContainerSpec,
    options: {
      readonly signal: AbortSignal;
      readonly sandboxConfig?: SandboxConfig;
      readonly untilMs?: number;
    },
  ): Promise<ImageOutcome> {
    const { signal, sandboxConfig, untilMs = Infinity } = options;
    const named = namedImage(container);
    if (named.kind === "invalid") {
      const message = `Failed to apply default image tag "${
        container.image ?? ""
      }": ${named.message}`;
      new ContainerEvents(this.#deps.events, pod)
        .warning(container.name, "InspectFailed", message);
      const cause = { kind: "said", words: named.fault } as const;
      const policy = pullPolicy(container, container.image ?? "");
      this.#pulls.metrics.wanted(policy, {});
      return { kind: "failed", reason: "InvalidImageName", message, cause };
    }
    const wanted = { ...this.#wanted(pod, container, named), sandboxConfig };
    this.#pulls.hold(wanted);
    const outcome = await this.#have(wanted, { untilMs, signal });
    if (outcome.kind === "failed") this.#pulls.release(wanted);
    if (outcome.kind === "present") {
      this.#pulls.holds.found({ ...wanted, ref: outcome.imageRef });
    }
    return outcome;
  }

  async #have(
    wanted: ImageRequest,
    patience: { readonly untilMs: number; readonly signal: AbortSignal },
  ): Promise<ImageOutcome> {
    const { container, image, policy } = wanted;
    const { signal } = patience;
    // To come back for a pull that was begun is no other request.
    const count = this.#pulls.tasks.get(wanted) === undefined
      ? (need: ImageNeed) => this.#pulls.metrics.wanted(policy, need)
      : () => {};
    if (policy === "Always") {
      count({ isPullNeeded: true });
      return await this.#pull(wanted, patience);
    }
    const { found, ...need } = await this.#find(wanted, signal);
    count(need);
    if (found !== undefined) {
      this.#pulls.tasks.take(wanted);
      return found;
    }
    if (policy === "IfNotPresent") return await this.#pull(wanted, patience);
    const message =
      `Container image "${image}" is not present with pull policy of Never`;
    wanted.events.warning(container, "ErrImageNeverPull", message);
    return { kind: "failed", reason: "ErrImageNeverPull", message };
  }

  #wanted(
    pod: Pod,
    { name: container }: Pick<ContainerSpec, "name">,
    { image, policy }: Pick<ImageRequest, "image" | "policy">,
  ): ImageRequest {
    const events = new ContainerEvents(this.#deps.events, pod);
    const { uid } = pod.metadata;
    return { uid, pod, container, image, policy, events };
  }

  /** The image if the node has it for this pod, or why that cannot be said. */
  async #find(
    wanted: ImageRequest,
    signal: AbortSignal,
  ): Promise<ImageNeed & { readonly found?: PullEnd }> {
    const { container, image, events, policy } = wanted;
    let found: Image | undefined;
    try {
      using _looking = this.#pulls.doing("looking_for_image", wanted);
      found = await unlessAborted(this.#pulls.calls.ask(image), signal);
    } catch (error) {
      signal.throwIfAborted();
      const cause = causeOf(error);
      const message = `Failed to inspect image "${image}": ${cause.words}`;
      events.warning(container, "InspectFailed", message);
      const reason = "ImageInspectError";
      return { found: { kind: "failed", reason, message, cause } };
    }
    // As upstream: what the pod must not have is for it as if it were not there.
    if (found === undefined) {
      const isPullNeeded = policy === "Never" ? undefined : true;
      return defined({ isPresent: false, isPullNeeded });
    }
    if (!await this.#pulls.mayUse(wanted, found)) {
      return { isPresent: true, isPullNeeded: true };
    }
    return {
      isPresent: true,
      isPullNeeded: false,
      found: this.#pulls.found(wanted, found),
    };
  }

  async #pull(
    wanted: ImageRequest,
    { untilMs, signal }: { readonly untilMs: number; signal: AbortSignal },
  ): Promise<ImageOutcome> {
    const { container, image } = wanted;
    const running = this.#pulls.tasks.get(wanted);
    const failed = running === undefined && this.#pulls.waitOf(wanted);
    if (failed) {
      const message = `Back-off pulling image "${image}"`;
      wanted.events.normal(container, "BackOff", message);
      return {
        ...failed,
        reason: "ImagePullBackOff",
        message: `${message}: ${failed.reason}: ${failed.message}`,
      };
    }
    const task = running ?? this.#pulls.begin(wanted);
    if (running === undefined || untilMs === Infinity) {
      const { promise: patience, resolve } = Promise.withResolvers<void>();
      const { clock } = this.#deps;
      using _timer = clock.after(untilMs - clock.monotonic(), resolve);
      await this.#pulls.tasks.wait(task, { patience, signal });
    }
    if (task.end?.kind !== "present") this.#pulls.tasks.take(task);
    else this.#pulls.tasks.use(task, container);
    return task.end ?? { kind: "pulling" };
  }
}
