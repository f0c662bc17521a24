/**
 * Having the image of a container on the node before it is created.
 *
 * @module
 */

import { type PullPolicy, pullPolicy } from "../../api/defaults/mod.ts";
import type { ContainerSpec, EventSink, Pod } from "../../api/types/mod.ts";
import {
  type Clock,
  isAbort,
  type Sessions,
  unlessAborted,
} from "../../base/mod.ts";
import { formatDuration } from "../../base/text/mod.ts";
import type { Image, ImageService } from "../../cri/model/mod.ts";
import type { SandboxConfig } from "../../cri/config/mod.ts";
import {
  type Activities,
  causeOf,
  ContainerEvents,
  Slots,
} from "../account/mod.ts";
import { ImageLookups } from "./image_lookups.ts";
import {
  type Fetched,
  type ImageOutcome,
  type PullEnd,
  type PullTask,
  PullTasks,
} from "./pull_tasks.ts";
import { parseImageReference } from "./image_reference.ts";
import { PullBackoffs, type PullWait } from "./pull_backoffs.ts";
import { PULL_LIMIT_MS, pullWithin } from "./pull_limit.ts";

/** The calls that having an image takes. */
export type PullService = Pick<ImageService, "imageStatus" | "pullImage">;

/** What having images takes. */
interface PullerDeps {
  readonly images: PullService;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly activities: Activities;
}

/** How many and how patient. */
export interface ImagePullerOptions {
  /**
   * Pulls at the same time; the next ones wait.
   *
   * @default 5
   */
  readonly maxParallelPulls?: number | undefined;
  /**
   * Longest pause after failed pulls, in milliseconds.
   *
   * @default 300_000
   */
  readonly maxBackoffMs?: number;
}

interface Wanted {
  readonly pod: Pod;
  readonly container: Pick<ContainerSpec, "name">;
  readonly image: string;
  readonly policy: PullPolicy;
  readonly signal: AbortSignal;
  readonly sandboxConfig: SandboxConfig | undefined;
}

/** The first sync after a failed pull only reports the pause, as upstream. */
const RETRY_AFTER_FAILURE_MS = 1_000;

/**
 * Looks for images and pulls them.
 *
 * A pull goes on by itself. One that never ends takes one of a few places and no more:
 * neither pods whose image is present nor the other containers of its own pod wait for
 * it. Upstream: pkg/kubelet/images/image_manager.go.
 */
export class ImagePuller {
  readonly #deps: PullerDeps;
  readonly #slots: Slots;
  readonly #lookups: ImageLookups;
  readonly #tasks = new PullTasks();
  readonly #backoffs: PullBackoffs;

  constructor(deps: PullerDeps, options: ImagePullerOptions = {}) {
    this.#deps = deps;
    this.#lookups = new ImageLookups(deps);
    deps.sessions.onEnd((uid) => this.#tasks.giveUp(uid));
    this.#backoffs = new PullBackoffs(deps, { maxMs: options.maxBackoffMs });
    this.#slots = new Slots(options.maxParallelPulls ?? 5, deps.activities);
  }

  /**
   * Begins to look for an image that `ensure` will be asked for soon, so that the
   * answer is there by then. Pulls nothing and reports nothing.
   */
  prefetch(container: Pick<ContainerSpec, "image" | "imagePullPolicy">): void {
    const reference = parseImageReference(container.image ?? "");
    if (reference.kind === "invalid") return;
    if (pullPolicy(container, reference.image) === "Always") return;
    // Whoever asks for the image meets and reports a failure.
    this.#lookups.ask(reference.image).catch(() => {});
  }

  /** Whether `ensure` can answer at once that the image is present. */
  isKnown(
    container: Pick<ContainerSpec, "image" | "imagePullPolicy">,
  ): boolean {
    const reference = parseImageReference(container.image ?? "");
    if (reference.kind === "invalid") return true;
    const { image } = reference;
    return this.#lookups.isPresent(image) &&
      pullPolicy(container, image) !== "Always";
  }

  /** Makes the next `ensure` ask the runtime again: what is known may be wrong. */
  invalidate(container: Pick<ContainerSpec, "image">): void {
    const reference = parseImageReference(container.image ?? "");
    if (reference.kind === "ok") this.#lookups.forget(reference.image);
  }

  /** Gives up the pulls of a pod, but for those of images that `stillWanted` names. */
  giveUp(podUid: string, stillWanted: Iterable<string> = []): void {
    const wanted = [...stillWanted].flatMap((name) => {
      const reference = parseImageReference(name);
      return reference.kind === "ok" ? [reference.image] : [];
    });
    this.#tasks.giveUp(podUid, new Set(wanted));
  }

  /** See {@linkcode PullTasks.settle}. */
  settle(podUid: string, container: string): void {
    this.#tasks.settle(podUid, container);
  }

  /** See {@linkcode PullTasks.ends}. */
  ends(signal: AbortSignal): AsyncIterable<string> {
    return this.#tasks.ends(signal);
  }

  /**
   * Begins to pull the image of a container that takes the place of another, so that
   * the other need not stop before it is there. Waits for no pull.
   */
  async fetch(
    pod: Pod,
    container: Pick<ContainerSpec, "name" | "image" | "imagePullPolicy">,
  ): Promise<Fetched> {
    const reference = parseImageReference(container.image ?? "");
    // What is wrong with it is reported when the container is to start.
    if (reference.kind === "invalid") return "failed";
    const { image } = reference;
    const { uid } = pod.metadata;
    const policy = pullPolicy(container, image);
    if (policy === "Never") return "over";
    const known = this.#fetched(uid, image);
    if (known !== undefined) return known;
    if (policy === "IfNotPresent") {
      try {
        if (await this.#lookups.ask(image) !== undefined) return "over";
      } catch {
        return "failed";
      }
    }
    // Another may have begun to pull it meanwhile.
    const begun = this.#fetched(uid, image);
    if (begun !== undefined) return begun;
    const sandboxConfig = undefined;
    this.#beginPull({ pod, container, image, policy, sandboxConfig });
    return "pulling";
  }

  /** What has come of the pull of an image so far; `undefined` before the first. */
  #fetched(uid: string, image: string): Fetched | undefined {
    const task = this.#tasks.get(uid, image);
    if (task === undefined) {
      return this.#backoffs.waitOf(uid, image) && "failed";
    }
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
    const events = new ContainerEvents(this.#deps.events, pod);
    const name = container.image ?? "";
    const reference = parseImageReference(name);
    if (reference.kind === "invalid") {
      const message =
        `Failed to apply default image tag "${name}": ${reference.message}`;
      events.warning(container.name, "InspectFailed", message);
      const cause = { kind: "said", words: reference.fault } as const;
      return { kind: "failed", reason: "InvalidImageName", message, cause };
    }
    const { image } = reference;
    const policy = pullPolicy(container, image);
    const wanted = { pod, container, image, policy, signal, sandboxConfig };
    if (policy === "Always") return await this.#pull(wanted, untilMs);
    const found = await this.#find(wanted);
    if (found !== undefined) {
      this.#tasks.take({ uid: pod.metadata.uid, image });
      return found;
    }
    if (policy === "IfNotPresent") return await this.#pull(wanted, untilMs);
    const message =
      `Container image "${image}" is not present with pull policy of Never`;
    events.warning(container.name, "ErrImageNeverPull", message);
    return { kind: "failed", reason: "ErrImageNeverPull", message };
  }

  /** The image if the node has it, or why that cannot be said. */
  async #find(wanted: Wanted): Promise<PullEnd | undefined> {
    const { pod, container, image, signal } = wanted;
    const events = new ContainerEvents(this.#deps.events, pod);
    let found: Image | undefined;
    try {
      using _looking = this.#begin("looking_for_image", wanted);
      found = await unlessAborted(this.#lookups.ask(image), signal);
    } catch (error) {
      signal.throwIfAborted();
      const cause = causeOf(error);
      const message = `Failed to inspect image "${image}": ${cause.words}`;
      events.warning(container.name, "InspectFailed", message);
      const reason = "ImageInspectError";
      return { kind: "failed", reason, message, cause };
    }
    if (found === undefined) return undefined;
    events.normal(
      container.name,
      "Pulled",
      `Container image "${image}" already present on machine and can be accessed by the pod`,
    );
    return present(found.id, found);
  }

  async #pull(wanted: Wanted, untilMs: number): Promise<ImageOutcome> {
    const { pod: { metadata: { uid } }, image, signal } = wanted;
    const running = this.#tasks.get(uid, image);
    const wait = running === undefined && this.#backoffs.waitOf(uid, image);
    if (wait) return this.#wait(wanted, wait);
    const task = running ?? this.#beginPull(wanted);
    if (running === undefined || untilMs === Infinity) {
      await this.#upTo(task, { untilMs, signal });
    }
    if (task.end?.kind !== "present") this.#tasks.take(task);
    else this.#tasks.use(task, wanted.container.name);
    return task.end ?? { kind: "pulling" };
  }

  #wait({ pod, container, image }: Wanted, wait: PullWait): PullEnd {
    const message = `Back-off pulling image "${image}"`;
    new ContainerEvents(this.#deps.events, pod)
      .normal(container.name, "BackOff", message);
    return {
      kind: "failed",
      reason: "ImagePullBackOff",
      message: `${message}: ${wait.reason}: ${wait.message}`,
      cause: wait.cause,
      retryAtMs: wait.retryAtMs,
    };
  }

  async #upTo(
    task: PullTask,
    { untilMs, signal }: { readonly untilMs: number; signal: AbortSignal },
  ): Promise<void> {
    const { promise: patience, resolve } = Promise.withResolvers<void>();
    const leftMs = untilMs - this.#deps.clock.monotonic();
    using _timer = leftMs === Infinity
      ? undefined
      : this.#deps.clock.after(leftMs, resolve);
    await this.#tasks.wait(task, { patience, signal });
  }

  #beginPull(wanted: Omit<Wanted, "signal">): PullTask {
    const { pod, container, image } = wanted;
    const { uid } = pod.metadata;
    const events = new ContainerEvents(this.#deps.events, pod);
    events.normal(container.name, "Pulling", `Pulling image "${image}"`);
    const begunMs = this.#deps.clock.monotonic();
    return this.#tasks.begin({ uid, image, begunMs }, async (signal) => {
      try {
        const pulled = await this.#pullInTurn({ ...wanted, signal });
        this.#backoffs.succeeded(uid, image);
        return pulled;
      } catch (error) {
        if (isAbort(error, signal)) throw error;
        return this.#fail(wanted, error);
      }
    });
  }

  async #pullInTurn(wanted: Wanted): Promise<PullEnd> {
    const { pod, container, image, policy, signal } = wanted;
    const askedMs = this.#deps.clock.monotonic();
    const mustWait = this.#slots.isFull;
    const { uid } = pod.metadata;
    using _place = await this.#slots.take({
      kind: "waiting_for_pull_place",
      container: container.name,
      image,
    }, { uid, signal });
    if (mustWait && policy === "IfNotPresent") {
      // Another pod may have pulled it while this one waited.
      const found = await this.#find(wanted);
      if (found?.kind === "present") return found;
    }
    const startMs = this.#deps.clock.monotonic();
    using _pulling = this.#begin("pulling_image", wanted);
    const ref = await pullWithin(PULL_LIMIT_MS, wanted, {
      images: this.#deps.images,
      clock: this.#deps.clock,
    });
    const endMs = this.#deps.clock.monotonic();
    this.#lookups.forget(image);
    const found = await this.#deps.images.imageStatus({ image: ref }, {
      signal,
    });
    const whole = wholeMs(endMs - askedMs);
    new ContainerEvents(this.#deps.events, pod).normal(
      container.name,
      "Pulled",
      `Successfully pulled image "${image}" in ${wholeMs(endMs - startMs)} ` +
        `(${whole} including waiting). Image size: ${found?.size ?? 0n} bytes.`,
    );
    return present(ref, found);
  }

  #begin(
    kind: "looking_for_image" | "pulling_image",
    { pod, container, image }: Wanted,
  ): Disposable {
    const { uid } = pod.metadata;
    return this.#deps.activities.begin(uid, {
      kind,
      container: container.name,
      image,
    });
  }

  #fail(wanted: Omit<Wanted, "signal">, error: unknown): PullEnd {
    const { pod, container, image } = wanted;
    const cause = causeOf(error);
    const message = cause.words;
    new ContainerEvents(this.#deps.events, pod).warning(
      container.name,
      "Failed",
      `Failed to pull image "${image}": ${message}`,
    );
    const reason = PREFIXED_REASONS.find((word) => message.startsWith(word)) ??
      "ErrImagePull";
    const failure = { reason, message, cause } as const;
    this.#backoffs.failed(pod.metadata.uid, image, failure);
    const retryAtMs = this.#deps.clock.monotonic() + RETRY_AFTER_FAILURE_MS;
    return { kind: "failed", ...failure, retryAtMs };
  }
}

/** Runtimes that know more say it by how their message begins (CRI errors). */
const PREFIXED_REASONS = [
  "RegistryUnavailable",
  "SignatureValidationFailed",
] as const;

function present(imageRef: string, image: Image | undefined): PullEnd {
  const { uid, username } = image ?? { uid: undefined, username: "" };
  return { kind: "present", imageRef, image: { uid, username } };
}

function wholeMs(ms: number): string {
  return formatDuration(Math.trunc(ms));
}
