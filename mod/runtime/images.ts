/**
 * Having the image of a container on the node before it is created.
 *
 * @module
 */

import type { ContainerSpec, EventSink, Pod } from "../api/mod.ts";
import {
  type Clock,
  describeError,
  formatDuration,
  isAbort,
} from "../base/mod.ts";
import {
  CriError,
  type Image,
  type ImageService,
  type SandboxConfig,
} from "../cri/mod.ts";
import {
  type BackoffEntry,
  isBackoffExpired,
  pullDelay,
  pullFailed,
  pullKey,
} from "../pod/mod.ts";
import { Activities } from "./activity.ts";
import { ContainerEvents } from "./container_event.ts";
import { parseImageReference } from "./image_reference.ts";
import { Places } from "./places.ts";
import { unlessAborted } from "./unless_aborted.ts";

/** The image is there, or why it is not; reasons as the kubelet spells them. */
export type ImageOutcome =
  | {
    readonly kind: "present";
    /** What CreateContainer is told: the image's id, or what the pull answered. */
    readonly imageRef: string;
    /** The user that the image declares. */
    readonly image: Pick<Image, "uid" | "username">;
  }
  | {
    readonly kind: "failed";
    readonly reason: string;
    readonly message: string;
    /** When to look again, on the monotonic clock in milliseconds. */
    readonly retryAtMs?: number;
  };

/** When an image is pulled although it may be there. */
export type PullPolicy = "Always" | "IfNotPresent" | "Never";

/** The calls that having an image takes. */
export type PullService = Pick<ImageService, "imageStatus" | "pullImage">;

/** How many and how patient. */
export interface ImagePullerOptions {
  /**
   * Pulls at the same time; the next ones wait.
   *
   * @default 5
   */
  readonly maxParallelPulls?: number;
  /**
   * Longest pause after failed pulls, in milliseconds.
   *
   * @default 300_000
   */
  readonly maxBackoffMs?: number;
}

interface Failure {
  readonly entry: BackoffEntry;
  /** What the container's status shows while it waits. */
  readonly message: string;
}

interface Lookup {
  readonly answer: Promise<Image | undefined>;
  readonly atMs: number;
  /** True once the answer has come and is yes. */
  isPresent: boolean;
}

interface Wanted {
  readonly pod: Pod;
  readonly container: ContainerSpec;
  readonly image: string;
  readonly policy: PullPolicy;
  readonly signal: AbortSignal;
  readonly sandboxConfig: SandboxConfig | undefined;
}

/** A burst of pods with one image asks once; an image imported anew is seen soon. */
const LOOKUP_TTL_MS = 2_000;
/** Enough for any node; what is beyond is asked of the runtime. */
const MAX_LOOKUPS = 256;
/** The first look after a failed pull only tells that it is paused, as upstream. */
const RETRY_AFTER_FAILURE_MS = 1_000;

/**
 * Looks for images and pulls them.
 *
 * One pull that never ends takes one of a few places and no more: pods whose image
 * is present start at once. Upstream: pkg/kubelet/images/image_manager.go.
 */
export class ImagePuller {
  readonly #images: PullService;
  readonly #events: EventSink;
  readonly #clock: Clock;
  readonly #maxBackoffMs: number | undefined;
  readonly #activities: Activities;
  readonly #pulls: Places;
  readonly #lookups = new Map<string, Lookup>();
  readonly #failures = new Map<string, Failure>();

  constructor(
    deps: {
      readonly images: PullService;
      readonly events: EventSink;
      readonly clock: Clock;
      /** @default ones that nobody looks at */
      readonly activities?: Activities;
    },
    options: ImagePullerOptions = {},
  ) {
    this.#images = deps.images;
    this.#events = deps.events;
    this.#clock = deps.clock;
    this.#maxBackoffMs = options.maxBackoffMs;
    this.#activities = deps.activities ?? new Activities(deps);
    this.#pulls = new Places(
      options.maxParallelPulls ?? 5,
      this.#activities,
    );
  }

  /**
   * Begins to look for an image that `ensure` will be asked for soon, so that the
   * answer is there by then. Pulls nothing and reports nothing.
   */
  prefetch(container: Pick<ContainerSpec, "image" | "imagePullPolicy">): void {
    const reference = parseImageReference(container.image ?? "");
    if (reference.kind === "invalid") return;
    if (pullPolicy(container, reference.image) === "Always") return;
    // A failure is met, and told, by whoever asks for the image.
    this.#lookUp(reference.image).catch(() => {});
  }

  /** Whether `ensure` can answer at once that the image is present. */
  isKnown(
    container: Pick<ContainerSpec, "image" | "imagePullPolicy">,
  ): boolean {
    const reference = parseImageReference(container.image ?? "");
    if (reference.kind === "invalid") return true;
    const { image } = reference;
    const isPresent = this.#lookups.get(image)?.isPresent ?? false;
    return isPresent && pullPolicy(container, image) !== "Always";
  }

  /** Makes the next `ensure` ask the runtime again: what is known may be wrong. */
  invalidate(container: Pick<ContainerSpec, "image">): void {
    const reference = parseImageReference(container.image ?? "");
    if (reference.kind === "ok") this.#lookups.delete(reference.image);
  }

  /** Forgets the failed pulls of a pod that is gone. */
  forget(podUid: string): void {
    const prefix = pullKey(podUid, "");
    for (const key of this.#failures.keys()) {
      if (key.startsWith(prefix)) this.#failures.delete(key);
    }
  }

  /**
   * Sees to it that the image of a container is on the node, as its policy wants.
   *
   * @throws {unknown} The reason of `signal` when it aborts; a pull is given up then.
   */
  async ensure(
    pod: Pod,
    container: ContainerSpec,
    options: {
      readonly signal: AbortSignal;
      readonly sandboxConfig?: SandboxConfig;
    },
  ): Promise<ImageOutcome> {
    const { signal, sandboxConfig } = options;
    const told = new ContainerEvents(this.#events, pod);
    const name = container.image ?? "";
    const reference = parseImageReference(name);
    if (reference.kind === "invalid") {
      const message =
        `Failed to apply default image tag "${name}": ${reference.message}`;
      told.warning(container.name, "InspectFailed", message);
      return { kind: "failed", reason: "InvalidImageName", message };
    }
    const { image } = reference;
    const policy = pullPolicy(container, image);
    const wanted = { pod, container, image, policy, signal, sandboxConfig };
    if (policy === "Always") return await this.#pull(wanted);
    const found = await this.#find(wanted);
    if (found !== undefined) return found;
    if (policy === "IfNotPresent") return await this.#pull(wanted);
    const message =
      `Container image "${image}" is not present with pull policy of Never`;
    told.warning(container.name, "ErrImageNeverPull", message);
    return { kind: "failed", reason: "ErrImageNeverPull", message };
  }

  /** The image if the node has it, or why that cannot be said. */
  async #find(wanted: Wanted): Promise<ImageOutcome | undefined> {
    const { pod, container, image, signal } = wanted;
    const told = new ContainerEvents(this.#events, pod);
    let found: Image | undefined;
    try {
      using _looking = this.#begin("looking_for_image", wanted);
      found = await unlessAborted(this.#lookUp(image), signal);
    } catch (error) {
      signal.throwIfAborted();
      const message = `Failed to inspect image "${image}": ${wordsOf(error)}`;
      told.warning(container.name, "InspectFailed", message);
      return { kind: "failed", reason: "ImageInspectError", message };
    }
    if (found === undefined) return undefined;
    told.normal(
      container.name,
      "Pulled",
      `Container image "${image}" already present on machine and can be accessed by the pod`,
    );
    return present(found.id, found);
  }

  #lookUp(image: string): Promise<Image | undefined> {
    const nowMs = this.#clock.monotonic();
    const known = this.#lookups.get(image);
    if (known !== undefined && nowMs - known.atMs < LOOKUP_TTL_MS) {
      return known.answer;
    }
    if (this.#lookups.size >= MAX_LOOKUPS) this.#lookups.clear();
    const answer = this.#images.imageStatus({ image });
    const lookup: Lookup = { answer, atMs: nowMs, isPresent: false };
    this.#lookups.set(image, lookup);
    const settle = (found?: Image): void => {
      lookup.isPresent = found !== undefined;
      // Only what is there is worth remembering: the rest may come any moment.
      const isLatest = this.#lookups.get(image) === lookup;
      if (isLatest && !lookup.isPresent) this.#lookups.delete(image);
    };
    answer.then(settle, () => settle());
    return answer;
  }

  async #pull(wanted: Wanted): Promise<ImageOutcome> {
    const { pod, container, image } = wanted;
    const told = new ContainerEvents(this.#events, pod);
    const key = pullKey(pod.metadata.uid, image);
    const failure = this.#failures.get(key);
    const verdict = pullDelay(failure?.entry, this.#clock.monotonic());
    if (verdict.kind === "wait") {
      const message = `Back-off pulling image "${image}"`;
      told.normal(container.name, "BackOff", message);
      return {
        kind: "failed",
        reason: "ImagePullBackOff",
        message: failure === undefined
          ? message
          : `${message}: ${failure.message}`,
        retryAtMs: verdict.untilMs,
      };
    }
    told.normal(container.name, "Pulling", `Pulling image "${image}"`);
    try {
      const pulled = await this.#pullInTurn(wanted);
      this.#failures.delete(key);
      return pulled;
    } catch (error) {
      if (isAbort(error, wanted.signal)) throw error;
      return this.#fail(wanted, error);
    }
  }

  async #pullInTurn(wanted: Wanted): Promise<ImageOutcome> {
    const { pod, container, image, policy, signal, sandboxConfig } = wanted;
    const askedMs = this.#clock.monotonic();
    const mustWait = this.#pulls.isFull;
    const { uid } = pod.metadata;
    using _place = await this.#pulls.take({
      kind: "waiting_for_pull_place",
      container: container.name,
      image,
    }, { uid, signal });
    if (mustWait && policy === "IfNotPresent") {
      // Another pod may have pulled it while this one waited.
      const found = await this.#find(wanted);
      if (found?.kind === "present") return found;
    }
    const startMs = this.#clock.monotonic();
    using _pulling = this.#begin("pulling_image", wanted);
    const ref = await this.#images.pullImage({ image }, {
      signal,
      ...(sandboxConfig === undefined ? {} : { sandboxConfig }),
    });
    const endMs = this.#clock.monotonic();
    this.#lookups.delete(image);
    const found = await this.#images.imageStatus({ image: ref }, { signal });
    const whole = wholeMs(endMs - askedMs);
    new ContainerEvents(this.#events, pod).normal(
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
    return this.#activities.begin(uid, {
      kind,
      container: container.name,
      image,
    });
  }

  #fail(wanted: Wanted, error: unknown): ImageOutcome {
    const { pod, container, image } = wanted;
    const message = wordsOf(error);
    new ContainerEvents(this.#events, pod).warning(
      container.name,
      "Failed",
      `Failed to pull image "${image}": ${message}`,
    );
    const reason = PREFIXED_REASONS.find((word) => message.startsWith(word)) ??
      "ErrImagePull";
    const nowMs = this.#clock.monotonic();
    for (const [key, { entry }] of this.#failures) {
      if (isBackoffExpired(entry, nowMs)) this.#failures.delete(key);
    }
    const key = pullKey(pod.metadata.uid, image);
    const entry = pullFailed(this.#failures.get(key)?.entry, {
      nowMs,
      ...(this.#maxBackoffMs === undefined
        ? {}
        : { maxMs: this.#maxBackoffMs }),
    });
    this.#failures.set(key, { entry, message: `${reason}: ${message}` });
    const retryAtMs = this.#clock.monotonic() + RETRY_AFTER_FAILURE_MS;
    return { kind: "failed", reason, message, retryAtMs };
  }
}

/** The policy of a container; the one that its image's tag implies when it names none. */
export function pullPolicy(
  container: Pick<ContainerSpec, "imagePullPolicy">,
  image: string,
): PullPolicy {
  switch (container.imagePullPolicy) {
    case "Always":
    case "Never":
    case "IfNotPresent":
      return container.imagePullPolicy;
    default:
      return image.endsWith(":latest") ? "Always" : "IfNotPresent";
  }
}

/** Runtimes that know more say it by how their message begins (CRI errors). */
const PREFIXED_REASONS = ["RegistryUnavailable", "SignatureValidationFailed"];

function present(imageRef: string, image: Image | undefined): ImageOutcome {
  const { uid, username } = image ?? { uid: undefined, username: "" };
  return { kind: "present", imageRef, image: { uid, username } };
}

/** The runtime's own words about a failed call. */
export function wordsOf(error: unknown): string {
  return error instanceof CriError ? error.detail : describeError(error);
}

function wholeMs(ms: number): string {
  return formatDuration(Math.trunc(ms));
}
