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
import type { Image } from "../../cri/model/mod.ts";
import type { SandboxConfig } from "../../cri/config/mod.ts";
import { type Activities, causeOf, ContainerEvents } from "../account/mod.ts";
import type { CredentialFinder, PullCredential } from "../credentials/mod.ts";
import { ImageCalls, PULL_LIMIT_MS, type PullService } from "./image_calls.ts";
import {
  type Fetched,
  type ImageOutcome,
  type PullEnd,
  type PullKey,
  type PullTask,
  PullTasks,
} from "./pull_tasks.ts";
import { parseImageReference, repositoryOf } from "./image_reference.ts";
import { PullBackoffs } from "./pull_backoffs.ts";
import { type PullActivity, SharedPulls } from "./shared_pulls.ts";

/** What having images takes. */
interface PullerDeps {
  readonly images: PullService;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly activities: Activities;
  readonly credentials: CredentialFinder;
}

type ImageFields = Pick<ContainerSpec, "image" | "imagePullPolicy">;

/** An image, and the container that it is pulled for. */
export type NamedImage = ImageFields & Pick<ContainerSpec, "name">;

/** An image, and the container on whose behalf it is looked for and pulled. */
interface ImageRequest extends PullKey {
  readonly pod: Pod;
  readonly container: string;
  readonly policy: PullPolicy;
  readonly events: ContainerEvents;
  readonly sandboxConfig?: SandboxConfig | undefined;
}

/** The first sync after a failed pull only reports the pause, as upstream. */
const RETRY_AFTER_FAILURE_MS = 1_000;

/**
 * Looks for images and pulls them.
 *
 * A pull goes on by itself. One that never ends takes one of a few places and no more:
 * neither pods whose image is present nor the other containers of its own pod wait for
 * it. Pods that want the same image share a pull. Upstream: pkg/kubelet/images/image_manager.go.
 */
export class ImagePuller {
  /** The pulls of all pods. */
  readonly pulls: PullTasks = new PullTasks();
  readonly #deps: PullerDeps;
  readonly #places: number;
  readonly #shared: SharedPulls;
  readonly #calls: ImageCalls;
  readonly #backoffs: PullBackoffs;

  /** @param options.maxParallelPulls by default 5; the next ones wait */
  constructor(
    deps: PullerDeps,
    options: { readonly maxParallelPulls?: number | undefined } = {},
  ) {
    this.#deps = deps;
    this.#calls = new ImageCalls(deps);
    deps.sessions.onEnd((uid) => this.pulls.giveUp(uid));
    this.#backoffs = new PullBackoffs(deps);
    this.#places = options.maxParallelPulls ?? 5;
    const { images, clock } = deps;
    this.#shared = new SharedPulls({ images, clock, calls: this.#calls }, {
      places: this.#places,
    });
  }

  /**
   * Begins to look for an image that `ensure` will be asked for soon, so that the
   * answer is there by then. Pulls nothing and reports nothing.
   */
  prefetch(container: ImageFields): void {
    const named = namedImage(container);
    if (named.kind === "invalid" || named.policy === "Always") return;
    // A failure is reported when the image is asked for again.
    this.#calls.ask(named.image).catch(() => {});
  }

  /** Whether `ensure` can answer at once that the image is present. */
  isKnown(container: ImageFields): boolean {
    const named = namedImage(container);
    return named.kind === "invalid" ||
      named.policy !== "Always" && this.#calls.isPresent(named.image);
  }

  /** Makes the next `ensure` ask the runtime again: what is known may be wrong. */
  invalidate(container: ImageFields): void {
    const named = namedImage(container);
    if (named.kind === "ok") this.#calls.forget(named.image);
  }

  /** Gives up the pulls of a pod, but for those of images that `stillWanted` names. */
  giveUp(podUid: string, stillWanted: Iterable<string> = []): void {
    const wanted = [...stillWanted].flatMap((image) => {
      const named = namedImage({ image });
      return named.kind === "ok" ? [named.image] : [];
    });
    this.pulls.giveUp(podUid, new Set(wanted));
  }

  /**
   * Begins to pull the image of a container that takes the place of another, so that
   * the other need not stop before it is there. Waits for no pull.
   */
  async fetch(
    pod: Pod,
    container: NamedImage,
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
        if (await this.#calls.ask(wanted.image) !== undefined) return "over";
      } catch {
        return "failed";
      }
    }
    // Another may have begun to pull it meanwhile.
    const begun = this.#fetched(wanted);
    if (begun !== undefined) return begun;
    this.#beginPull(wanted);
    return "pulling";
  }

  /** What has come of the pull of an image so far; `undefined` before the first. */
  #fetched(key: PullKey): Fetched | undefined {
    const task = this.pulls.get(key);
    if (task === undefined) return this.#backoffs.waitOf(key) && "failed";
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
      return { kind: "failed", reason: "InvalidImageName", message, cause };
    }
    const wanted = { ...this.#wanted(pod, container, named), sandboxConfig };
    const { image, policy } = wanted;
    const patience = { untilMs, signal };
    if (policy === "Always") return await this.#pull(wanted, patience);
    const found = await this.#find(wanted, signal);
    if (found !== undefined) {
      this.pulls.take(wanted);
      return found;
    }
    if (policy === "IfNotPresent") return await this.#pull(wanted, patience);
    const message =
      `Container image "${image}" is not present with pull policy of Never`;
    wanted.events.warning(container.name, "ErrImageNeverPull", message);
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

  /** The image if the node has it, or why that cannot be said. */
  async #find(
    wanted: ImageRequest,
    signal: AbortSignal,
  ): Promise<PullEnd | undefined> {
    const { container, image, events } = wanted;
    let found: Image | undefined;
    try {
      using _looking = this.#begin("looking_for_image", wanted);
      found = await unlessAborted(this.#calls.ask(image), signal);
    } catch (error) {
      signal.throwIfAborted();
      const cause = causeOf(error);
      const message = `Failed to inspect image "${image}": ${cause.words}`;
      events.warning(container, "InspectFailed", message);
      const reason = "ImageInspectError";
      return { kind: "failed", reason, message, cause };
    }
    return found && this.#found(wanted, found);
  }

  /** Says that nothing has to be pulled. */
  #found({ container, image, events }: ImageRequest, found: Image): PullEnd {
    events.normal(
      container,
      "Pulled",
      `Container image "${image}" already present on machine and can be accessed by the pod`,
    );
    return present(found.id, found);
  }

  async #pull(
    wanted: ImageRequest,
    { untilMs, signal }: { readonly untilMs: number; signal: AbortSignal },
  ): Promise<ImageOutcome> {
    const { container, image } = wanted;
    const running = this.pulls.get(wanted);
    const failed = running === undefined && this.#backoffs.waitOf(wanted);
    if (failed) {
      const message = `Back-off pulling image "${image}"`;
      wanted.events.normal(container, "BackOff", message);
      return {
        ...failed,
        reason: "ImagePullBackOff",
        message: `${message}: ${failed.reason}: ${failed.message}`,
      };
    }
    const task = running ?? this.#beginPull(wanted);
    if (running === undefined || untilMs === Infinity) {
      const { promise: patience, resolve } = Promise.withResolvers<void>();
      const { clock } = this.#deps;
      using _timer = clock.after(untilMs - clock.monotonic(), resolve);
      await this.pulls.wait(task, { patience, signal });
    }
    if (task.end?.kind !== "present") this.pulls.take(task);
    else this.pulls.use(task, container);
    return task.end ?? { kind: "pulling" };
  }

  #beginPull(wanted: ImageRequest): PullTask {
    const { uid, container, image } = wanted;
    wanted.events.normal(container, "Pulling", `Pulling image "${image}"`);
    const begunMs = this.#deps.clock.monotonic();
    return this.pulls.begin({ uid, image, begunMs }, async (signal) => {
      try {
        const pulled = await this.#pullInTurn(wanted, signal);
        this.#backoffs.succeeded(wanted);
        return pulled;
      } catch (error) {
        if (isAbort(error, signal)) throw error;
        return this.#fail(wanted, error);
      }
    });
  }

  async #pullInTurn(
    wanted: ImageRequest,
    signal: AbortSignal,
  ): Promise<PullEnd> {
    const { container, image, policy, sandboxConfig, events } = wanted;
    const askedMs = this.#deps.clock.monotonic();
    const begin = (kind: PullActivity) => this.#begin(kind, wanted);
    const isAlways = policy === "Always";
    const credentials = await unlessAborted(
      this.#credentials(wanted),
      signal,
    );
    const request = { image, credentials, sandboxConfig, isAlways, begin };
    const end = await this.#shared.join(request, signal);
    if (end.kind === "present") return this.#found(wanted, end.image);
    // A pod that comes while the image is described, after its pull, has waited for none.
    const endMs = Math.max(end.endMs, askedMs);
    const tookMs = endMs - Math.max(end.startMs, askedMs);
    const whole = wholeMs(endMs - askedMs);
    events.normal(
      container,
      "Pulled",
      `Successfully pulled image "${image}" in ${wholeMs(tookMs)} ` +
        `(${whole} including waiting). Image size: ${
          end.image?.size ?? 0n
        } bytes.`,
    );
    return present(end.ref, end.image);
  }

  /** What the pod can show a registry; what it cannot is said in its events. */
  async #credentials(
    { pod, container, image, events }: ImageRequest,
  ): Promise<readonly PullCredential[]> {
    const repository = repositoryOf(image);
    const found = await this.#deps.credentials.find({ pod, repository });
    for (const { reason, message } of found.problems) {
      events.warning(container, reason, message);
    }
    return found.credentials;
  }

  #begin(
    kind: PullActivity | "looking_for_image",
    { uid, container, image }: ImageRequest,
  ): Disposable {
    const { activities } = this.#deps;
    const of = { container, image };
    return activities.begin(
      uid,
      kind === "waiting_for_pull_place"
        ? { kind, ...of, places: this.#places }
        : { kind, ...of },
    );
  }

  #fail(wanted: ImageRequest, error: unknown): PullEnd {
    const { container, image, events } = wanted;
    const cause = causeOf(error);
    const message = cause.words;
    const text = `Failed to pull image "${image}": ${message}`;
    events.warning(container, "Failed", text);
    const reason = PREFIXED_REASONS.find((word) => message.startsWith(word)) ??
      "ErrImagePull";
    const failure = { kind: "failed", reason, message, cause } as const;
    this.#backoffs.failed(wanted, failure);
    const retryAtMs = this.#deps.clock.monotonic() + RETRY_AFTER_FAILURE_MS;
    return { ...failure, retryAtMs };
  }
}

/** The image that a container names and when it is pulled, or what is wrong with the name. */
function namedImage(container: ImageFields) {
  const reference = parseImageReference(container.image ?? "");
  if (reference.kind === "invalid") return reference;
  const policy = pullPolicy(container, reference.image);
  return { ...reference, policy };
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
