/**
 * The periodic lists of the runtime, and the publishing of what moved.
 *
 * @module
 */

import { formatDuration } from "../base/text/mod.ts";
import {
  type Clock,
  type Moment,
  momentOf,
  TaskGroup,
  wallTimeOf,
} from "../base/mod.ts";
import type {
  Gauge,
  Histogram,
  Logger,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import type { RuntimeEvent } from "../cri/events/mod.ts";
import { causeOf } from "../runtime/account/mod.ts";
import {
  type ListService,
  PodLister,
  type RuntimeListing,
} from "../runtime/observe/mod.ts";
import type { AnnouncedEnds } from "./announced_ends.ts";
import { Changes } from "./changes.ts";
import type { PodLifecycleEvent } from "./diff.ts";
import { EventFollower } from "./event_follower.ts";
import type { ListPace } from "./list_pace.ts";
import { PodLooks } from "./pod_looks.ts";
import type { PodObserver } from "./pod_observer.ts";
import type { RuntimePicture } from "./runtime_picture.ts";

interface RuntimeWatchDeps {
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  readonly log: Logger;
  readonly pace: ListPace;
  readonly picture: RuntimePicture;
  /** The runtime, with the ends that are known before it shows them. */
  readonly ends: ListService & Pick<AnnouncedEnds, "announce">;
  readonly observer: Pick<PodObserver, "inspect" | "inspectContainer">;
  /** Follows the runtime's own stream of events until it ends. */
  readonly events: (signal: AbortSignal) => AsyncIterable<RuntimeEvent>;
}

/** An outage: since when the runtime cannot be listed, and why. */
export interface RuntimeOutage {
  readonly message: string;
  /** Milliseconds since the epoch, by the wall clock as it goes now. */
  readonly sinceMs: number;
}

/** Whether the agent's picture of the runtime is recent. */
export interface WatchHealth {
  readonly healthy: boolean;
  /** Empty when it is healthy. */
  readonly message: string;
}

// Upstream: pkg/kubelet/pleg/generic.go relistThreshold.
const HEALTH_THRESHOLD_MS = 180_000;
/** Far longer than a busy runtime takes, and soon enough for an operator. */
const HANG_MS = 15_000;

/**
 * Watches the runtime: upstream's pod lifecycle event generator (PLEG).
 *
 * For each pod that moved it records the details in the picture first, and publishes the
 * events afterwards. It does not repeat the agent's own looks.
 *
 * Upstream: pkg/kubelet/pleg/generic.go.
 */
export class RuntimeWatch {
  readonly #deps: RuntimeWatchDeps;
  readonly #metrics: WatchMetrics;
  readonly #lister: PodLister;
  readonly #changes: Changes;
  readonly #looks: PodLooks;
  readonly #follower: EventFollower;
  #lastStartMs: number | undefined;
  #outage: { readonly message: string; readonly since: Moment } | undefined;
  #tasks: TaskGroup | undefined;
  #outageListener = (): void => {};

  constructor(deps: RuntimeWatchDeps) {
    const { picture, metrics, clock, ends } = deps;
    const common = { ...deps, log: deps.log.named("pleg"), runtime: ends };
    this.#deps = common;
    this.#metrics = new WatchMetrics(metrics);
    this.#changes = new Changes(metrics);
    this.#looks = new PodLooks({ ...common, changes: this.#changes });
    this.#lister = new PodLister({ ...common, uids: () => picture.uids() });
    this.#follower = new EventFollower({
      ...common,
      stream: deps.events,
      listeners: [ends, picture],
    });
    this.#outage = { message: NOT_YET, since: momentOf(clock) };
  }

  /**
   * Why the last list failed, or that a list has hung for 15 s; `undefined` while the
   * runtime answers.
   */
  get runtimeDown(): string | undefined {
    if (this.#outage === undefined) return undefined;
    return this.#isAway ? "the runtime does not answer" : NOT_YET;
  }

  /** Why the runtime cannot be listed, and since when; `undefined` while it can. */
  get downSince(): RuntimeOutage | undefined {
    if (this.#outage === undefined) return undefined;
    const { message, since } = this.#outage;
    const sinceMs = wallTimeOf(since, momentOf(this.#deps.clock));
    return { message, sinceMs };
  }

  /** Has a listener called when an outage begins or ends, and at the first answer. */
  whenOutageChanges(listener: () => void): void {
    this.#outageListener = listener;
  }

  /** Lists at once and then periodically until `signal` aborts, and publishes what moved. */
  async *run(signal: AbortSignal): AsyncIterable<PodLifecycleEvent> {
    // A signal that is already aborted fires no event.
    if (signal.aborted) return;
    using changes = this.#changes;
    await using tasks = new TaskGroup(signal);
    this.#tasks = tasks;
    tasks.signal.addEventListener("abort", () => changes[Symbol.dispose](), {
      once: true,
    });
    tasks.start((scope) => this.#loop(scope));
    tasks.start((scope) => this.#looks.run(scope));
    tasks.start((scope) => this.#follower.run(scope));
    try {
      yield* changes;
    } finally {
      this.#tasks = undefined;
    }
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  /** Whether a list has succeeded within the last three minutes. */
  health(): WatchHealth {
    const { listedMs } = this.#deps.picture;
    if (listedMs === undefined) {
      return { healthy: false, message: "pleg has yet to be successful" };
    }
    const agoMs = this.#deps.clock.monotonic() - listedMs;
    if (agoMs <= HEALTH_THRESHOLD_MS) return { healthy: true, message: "" };
    const ago = formatDuration(Math.round(agoMs));
    const threshold = formatDuration(HEALTH_THRESHOLD_MS);
    return {
      healthy: false,
      message:
        `pleg was last seen active ${ago} ago; threshold is ${threshold}`,
    };
  }

  /**
   * Lists everything once and publishes what moved. A list that fails is logged and changes
   * nothing.
   */
  async relist(signal: AbortSignal): Promise<void> {
    const { clock, picture, pace } = this.#deps;
    const asked = momentOf(clock);
    const startMs = asked.monotonicMs;
    if (this.#lastStartMs !== undefined) {
      this.#metrics.interval.observe((startMs - this.#lastStartMs) / 1000);
    }
    this.#lastStartMs = startMs;
    const listing = await this.#list(asked, signal);
    if (listing === undefined) return pace.listed("failed");
    const sinceMs = picture.listedMs;
    picture.listed(listing, startMs);
    this.#metrics.lastSeen.set(clock.now() / 1000);
    this.#metrics.count(listing);
    const tasks = this.#tasks;
    const options = { startMs, sinceMs, signal, tasks };
    const late = await this.#looks.settleAll(listing, options);
    // This holds even if looks at some pods failed: the others are as recorded.
    picture.confirmAll(startMs, late);
    pace.listed("done");
    this.#endOutage();
    this.#metrics.duration.observe((clock.monotonic() - startMs) / 1000);
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { clock, pace } = this.#deps;
    for (;;) {
      pace.begin();
      await this.relist(signal);
      await pace.wait(clock.monotonic(), signal);
      signal.throwIfAborted();
    }
  }

  /** @returns `undefined` when the list failed */
  async #list(
    asked: Moment,
    signal: AbortSignal,
  ): Promise<RuntimeListing | undefined> {
    const { clock, log, picture } = this.#deps;
    try {
      using _watch = clock.after(HANG_MS, () => {
        if (!this.#isAway) log.warn("relist_hangs", { forMs: HANG_MS });
        this.#beginOutage(HANGS, asked);
      });
      const listing = await this.#lister.list({ signal });
      // A runtime that starts may answer before it has loaded its own containers.
      return listing.pods.size === 0 && picture.hasPublished
        ? await this.#lister.list({ signal })
        : listing;
    } catch (error) {
      signal.throwIfAborted();
      // Logged once an outage, not once a list.
      if (!this.#isAway) log.warn("relist_failed", { error });
      const { words, brief = words } = causeOf(error);
      this.#beginOutage(brief, asked);
      return undefined;
    }
  }

  get #isAway(): boolean {
    return this.#outage !== undefined && this.#outage.message !== NOT_YET;
  }

  /** An outage begins with the request for the first list that failed. */
  #beginOutage(message: string, asked: Moment): void {
    const wasAway = this.#isAway;
    this.#outage = { message, since: this.#outage?.since ?? asked };
    this.#deps.pace.isAway = true;
    if (!wasAway) this.#outageListener();
  }

  #endOutage(): void {
    if (this.#outage === undefined) return;
    const wasAway = this.#isAway;
    this.#outage = undefined;
    this.#deps.pace.isAway = false;
    this.#outageListener();
    if (!wasAway) return;
    this.#deps.log.info("relist_recovered");
    this.#changes.publish([{ kind: "runtime_returned" }]);
    this.#follower.runtimeReturned();
  }
}

const NOT_YET = "the runtime has not answered yet";
const HANGS = "it does not answer when asked to list its pods";

/** The kubelet's names, so that its dashboards show this agent too. */
class WatchMetrics {
  /** Seconds that a list of all pods took. */
  readonly duration: Histogram;
  /** Seconds between the beginnings of two lists. */
  readonly interval: Histogram;
  /** Seconds since the epoch. */
  readonly lastSeen: Gauge;
  readonly #runningPods: Gauge;
  readonly #containers: Gauge;

  /** Registers the metrics. */
  constructor(metrics: MetricsRegistry) {
    this.duration = metrics.histogram(
      "kubelet_pleg_relist_duration_seconds",
      "Time that one list of all pods took, looks at those that moved included",
    );
    this.interval = metrics.histogram(
      "kubelet_pleg_relist_interval_seconds",
      "Time between the beginnings of two lists of all pods",
    );
    this.lastSeen = metrics.gauge(
      "kubelet_pleg_last_seen_seconds",
      "When a list of all pods last succeeded, in seconds since the epoch",
    );
    this.#runningPods = metrics.gauge(
      "kubelet_running_pods",
      "Pods with a ready sandbox",
    );
    this.#containers = metrics.gauge(
      "kubelet_running_containers",
      "Containers by the state they are in",
      ["container_state"],
    );
  }

  /** Counts what a list shows. */
  count(listing: RuntimeListing): void {
    let pods = 0;
    const counts = { created: 0, running: 0, exited: 0, unknown: 0 };
    for (const { sandboxes, containers } of listing.pods.values()) {
      if (sandboxes.some(({ state }) => state === "ready")) pods++;
      for (const { state } of containers) counts[state]++;
    }
    this.#runningPods.set(pods);
    for (const [state, count] of Object.entries(counts)) {
      this.#containers.set(count, { container_state: state });
    }
  }
}
