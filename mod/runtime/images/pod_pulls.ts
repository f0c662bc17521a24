/**
 * Pulling an image on behalf of one container.
 *
 * @module
 */

import type { PullPolicy } from "../../api/defaults/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import type { EventSink, Pod } from "../../api/types/mod.ts";
import {
  type Clock,
  isAbort,
  type Sessions,
  unlessAborted,
} from "../../base/mod.ts";
import type { MetricsRegistry } from "../../base/telemetry/mod.ts";
import { formatDuration } from "../../base/text/mod.ts";
import type { SandboxConfig } from "../../cri/config/mod.ts";
import type { Activity } from "../../pod/lifecycle/mod.ts";
import type { Image } from "../../cri/model/mod.ts";
import {
  type Activities,
  causeOf,
  type ContainerEvents,
} from "../account/mod.ts";
import type { CredentialFinder, PullCredential } from "../credentials/mod.ts";
import { ImageCalls, type PullService } from "./image_calls.ts";
import { ImageHolds } from "./image_holds.ts";
import { repositoryOf } from "./image_reference.ts";
import { PullBackoffs } from "./pull_backoffs.ts";
import { type ListIngests, PullProgress } from "./pull_progress.ts";
import { PullMetrics } from "./pull_metrics.ts";
import { type PullLimits, PullRate } from "./pull_rate.ts";
import {
  type PullEnd,
  type PullKey,
  type PullTask,
  PullTasks,
} from "./pull_tasks.ts";
import type { ImageRecords } from "./pulled_images.ts";
import {
  type PullActivity,
  SharedPulls,
  TooManyPulls,
} from "./shared_pulls.ts";

/** What having images takes. */
export interface PullerDeps {
  readonly images: PullService;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  readonly sessions: Sessions;
  readonly activities: Activities;
  readonly credentials: CredentialFinder;
  readonly records: ImageRecords;
  readonly ingests: ListIngests;
}

/** How many pulls the runtime is asked for. */
export interface PullerOptions {
  /** At the same time; the next ones wait. */
  readonly places: number;
  /** In a time; the next ones are refused. */
  readonly limits: PullLimits;
  /** How long one may stand still where the runtime shows it; 0 for no such limit. */
  readonly progressDeadlineMs: number;
}

/** An image, and the container on whose behalf it is looked for and pulled. */
export interface ImageRequest extends PullKey {
  readonly pod: Pod;
  readonly container: string;
  readonly policy: PullPolicy;
  readonly events: ContainerEvents;
  readonly sandboxConfig?: SandboxConfig | undefined;
}

/** The first sync after a failed pull only reports the pause, as upstream. */
const RETRY_AFTER_FAILURE_MS = 1_000;

/** Begins the pulls of pods, and says in their events what becomes of them. */
export class PodPulls {
  /** Those under way, and their ends. */
  readonly tasks: PullTasks = new PullTasks();
  readonly holds: ImageHolds;
  readonly #backoffs: PullBackoffs;
  readonly calls: ImageCalls;
  readonly metrics: PullMetrics;
  readonly #deps: PullerDeps;
  readonly #places: number;
  readonly #shared: SharedPulls;
  readonly #progress: PullProgress;

  constructor(deps: PullerDeps, options: PullerOptions) {
    this.#deps = deps;
    this.#places = options.places;
    this.#progress = new PullProgress(deps, options);
    this.calls = new ImageCalls({ ...deps, progress: this.#progress });
    this.metrics = new PullMetrics(deps);
    this.holds = new ImageHolds(deps);
    this.#backoffs = new PullBackoffs(deps);
    deps.sessions.onEnd((uid) => this.tasks.giveUp(uid));
    this.#shared = new SharedPulls({
      ...deps,
      calls: this.calls,
      rate: new PullRate(deps, options.limits),
      pullMetrics: this.metrics,
    }, options);
  }

  /** Whether the pod may have an image that is there without a registry's word. */
  async mayUse({ pod, image }: ImageRequest, found: Image): Promise<boolean> {
    const { records, credentials } = this.#deps;
    const repository = repositoryOf(image);
    const ofSecrets = () => credentials.ofSecrets({ pod, repository });
    return await records.mayUse({ image, imageId: found.id }, ofSecrets);
  }

  /**
   * Why the pull has to wait, and until when; `undefined` when it may begin: also when a
   * Secret of the pod has another login now than was tried.
   */
  waitOf(wanted: ImageRequest): PullEnd & { kind: "failed" } | undefined {
    return this.#backoffs.waitOf(wanted, this.#loginsOf(wanted));
  }

  /** Names the logins of the Secrets of the pod for the image, and shows none. */
  #loginsOf({ pod, image }: ImageRequest): string {
    const repository = repositoryOf(image);
    return this.#deps.credentials.ofSecrets({ pod, repository })
      .map(({ fingerprint }) => fingerprint).join();
  }

  /** From now on the image is in use. */
  hold({ pod, container, image }: ImageRequest): void {
    const sinceMs = this.#deps.clock.monotonic();
    this.holds.hold({ pod: podRef(pod), container, image, sinceMs });
  }

  /** The image is not to be had now. */
  release({ uid, container, image }: ImageRequest): void {
    this.holds.release(
      uid,
      (held) => held.container === container && held.image === image,
    );
  }

  /**
   * Begins a pull that goes on by itself.
   *
   * @param options.isAhead it is for what takes the place of something that runs: one that
   * comes too soon after others waits, since that would be stopped for its failure
   */
  begin(
    wanted: ImageRequest,
    options: { readonly isAhead?: boolean } = {},
  ): PullTask {
    const { uid, container, image } = wanted;
    this.hold(wanted);
    wanted.events.normal(container, "Pulling", `Pulling image "${image}"`);
    const { clock } = this.#deps;
    const begunMs = clock.monotonic();
    const tried = this.#loginsOf(wanted);
    return this.tasks.begin({ uid, image, begunMs }, async (signal) => {
      using progress = whileGoing(clock, FIRST_PROGRESS_MS, (forMs) => {
        const bytes = this.#progress.bytesOf(image);
        const text = `Still pulling image "${image}" after ${wholeMs(forMs)}` +
          (bytes === undefined ? "" : `: ${bytes} bytes have come`);
        wanted.events.normal(container, "Pulling", text);
      });
      const stop = (): void => progress[Symbol.dispose]();
      signal.addEventListener("abort", stop, { once: true });
      try {
        const pulled = await this.#pullInTurn(wanted, { ...options, signal });
        this.#backoffs.succeeded(wanted);
        return pulled;
      } catch (error) {
        if (isAbort(error, signal)) throw error;
        return this.#fail(wanted, { error, tried });
      }
    });
  }

  async #pullInTurn(
    wanted: ImageRequest,
    { isAhead = false, signal }: {
      readonly isAhead?: boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<PullEnd> {
    const { container, image, policy, sandboxConfig, events } = wanted;
    const askedMs = this.#deps.clock.monotonic();
    const begin = (kind: PullActivity) => this.doing(kind, wanted);
    const isAlways = policy === "Always";
    const mayUse = (found: Image) => this.mayUse(wanted, found);
    const credentials = await unlessAborted(
      this.#credentials(wanted),
      signal,
    );
    const of = { image, credentials, sandboxConfig };
    const request = { ...of, isAlways, isAhead, mayUse, begin };
    const end = await this.#shared.join(request, signal);
    if (end.kind === "present") return this.found(wanted, end.image);
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

  /** Says that nothing has to be pulled. */
  found({ container, image, events }: ImageRequest, found: Image): PullEnd {
    events.normal(
      container,
      "Pulled",
      `Container image "${image}" already present on machine and can be accessed by the pod`,
    );
    return present(found.id, found);
  }

  /** Something is being done about an image, until what this returns is disposed of. */
  doing(
    kind: PullActivity | "looking_for_image",
    { uid, container, image }: ImageRequest,
  ): Disposable {
    const of = { container, image };
    const begin = (activity: Activity) =>
      this.#deps.activities.begin(uid, activity);
    const progress = this.#progress;
    switch (kind) {
      case "waiting_for_pull_place":
        return begin({ kind, ...of, places: this.#places });
      case "looking_for_image":
        return begin({ kind, ...of });
      case "pulling_image":
        return begin({
          kind,
          ...of,
          // Asked for when someone looks.
          get bytes() {
            return progress.bytesOf(image);
          },
        });
    }
  }

  #fail(
    wanted: ImageRequest,
    { error, tried }: { readonly error: unknown; readonly tried: string },
  ): PullEnd {
    const { container, image, events } = wanted;
    this.release(wanted);
    const cause = causeOf(error);
    const message = cause.words;
    const text = `Failed to pull image "${image}": ${message}`;
    events.warning(container, "Failed", text);
    const reason = PREFIXED_REASONS.find((word) => message.startsWith(word)) ??
      "ErrImagePull";
    const failure = { kind: "failed", reason, message, cause } as const;
    if (error instanceof TooManyPulls) {
      this.#backoffs.refused(wanted, { failure, tried });
    } else this.#backoffs.failed(wanted, { failure, tried });
    const retryAtMs = this.#deps.clock.monotonic() + RETRY_AFTER_FAILURE_MS;
    return { ...failure, retryAtMs };
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

/** Most runtimes say nothing of the progress of a pull; that it goes on is something. */
const FIRST_PROGRESS_MS = 120_000;

/** Calls `tell` after a time, after twice the time, and so on, until disposed of. */
function whileGoing(
  clock: Clock,
  firstMs: number,
  tell: (forMs: number) => void,
): Disposable {
  const startMs = clock.monotonic();
  const waitFor = (forMs: number): Disposable =>
    clock.after(startMs + forMs - clock.monotonic(), () => {
      timer = waitFor(2 * forMs);
      tell(forMs);
    });
  let timer = waitFor(firstMs);
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

function wholeMs(ms: number): string {
  return formatDuration(Math.trunc(ms));
}
