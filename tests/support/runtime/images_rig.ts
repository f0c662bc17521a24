/**
 * Images that are looked for and pulled.
 *
 * @module
 */

import { Activities } from "../../../mod/runtime/account/mod.ts";
import { Sessions } from "../../../mod/base/mod.ts";
import type { ContainerSpec } from "../../../mod/api/types/mod.ts";
import { CriError, type Image } from "../../../mod/cri/model/mod.ts";
import type { ImageSpec } from "../../../mod/cri/config/mod.ts";
import type { ImageOutcome } from "../../../mod/runtime/images/pull_tasks.ts";
import type { PullService } from "../../../mod/runtime/images/image_calls.ts";
import { ImagePuller } from "../../../mod/runtime/images/images.ts";
import type { CredentialFinder } from "../../../mod/runtime/credentials/mod.ts";
import type { PullLimits } from "../../../mod/runtime/images/pull_rate.ts";
import type {
  ImageRecords,
  ListIngests,
  PullerOptions,
} from "../../../mod/runtime/images/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { container as containerOf, pod } from "../pods.ts";
import { EventList } from "../event_list.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";

const never = new AbortController().signal;

/** Finds no credentials, and nothing wrong. */
export const NO_CREDENTIALS: CredentialFinder = {
  find: () => Promise.resolve({ credentials: [], problems: [] }),
  ofSecrets: () => [],
};

/** Any number of pulls at once. */
export const NO_LIMITS: PullLimits = { perSecond: 0, burst: 0 };

/** The usual options of pulls. */
export const PULL_OPTIONS: PullerOptions = {
  places: 5,
  limits: NO_LIMITS,
  progressDeadlineMs: 300_000,
};

/** A runtime that does not say what it writes. */
export const NO_INGESTS: ListIngests = (): Promise<undefined> =>
  Promise.resolve(undefined);

/** Remembers nothing: every image is for every pod. */
export const NO_RECORDS: ImageRecords = {
  mayUse: () => Promise.resolve(true),
  around: (_wanted, pull) => pull(),
};

/** The images of a node, and a registry that takes its time. */
export class SmallStore implements PullService {
  readonly calls: string[] = [];
  readonly present: Map<string, Image> = new Map();
  readonly registry: Set<string> = new Set();
  readonly #clock: FakeClock;
  pullMs = 0;
  failure: string | undefined;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  add(image: string): void {
    this.present.set(image, {
      id: `sha256:${image}`,
      size: 1234n,
      uid: 7n,
      username: "",
    });
  }

  imageStatus({ image }: ImageSpec): Promise<Image | undefined> {
    this.calls.push(`status ${image}`);
    if (this.failure !== undefined) return Promise.reject(this.#fail());
    return Promise.resolve(this.present.get(image.replace(/^sha256:/, "")));
  }

  async pullImage(
    { image }: ImageSpec,
    options: { signal?: AbortSignal } = {},
  ): Promise<string> {
    this.calls.push(`pull ${image}`);
    await this.#clock.sleep(this.pullMs, options.signal ?? never);
    if (!this.registry.has(image)) throw this.#fail();
    this.add(image);
    return `sha256:${image}`;
  }

  #fail(): CriError {
    const detail = this.failure ?? "not found";
    return new CriError({ kind: "failed", method: "PullImage", detail });
  }
}

/** A puller and all around it. */
export interface PullerRig {
  readonly clock: FakeClock;
  readonly store: SmallStore;
  readonly events: EventList;
  readonly puller: ImagePuller;
  readonly activities: Activities;
  /** Asks for the image of a container, and waits for it. */
  readonly sessions: Sessions;
  readonly ensure: (
    container: Partial<ContainerSpec>,
    signal?: AbortSignal,
  ) => Promise<ImageOutcome>;
}

/** A puller over a store that is empty. */
export function pullerRig(
  options: {
    readonly places?: number;
    readonly limits?: PullLimits;
    readonly progressDeadlineMs?: number;
    readonly ingests?: ListIngests;
    readonly metrics?: MetricsRegistry;
    readonly credentials?: CredentialFinder;
    readonly records?: ImageRecords;
  } = {},
): PullerRig {
  const clock = new FakeClock();
  const store = new SmallStore(clock);
  const events = new EventList();
  const sessions = new Sessions();
  const activities = new Activities({ clock });
  const puller = new ImagePuller({
    images: store,
    events,
    clock,
    metrics: options.metrics ?? new MetricsRegistry(),
    sessions,
    activities,
    credentials: options.credentials ?? NO_CREDENTIALS,
    records: options.records ?? NO_RECORDS,
    ingests: options.ingests ?? NO_INGESTS,
  }, { ...PULL_OPTIONS, ...options });
  const ensure = async (
    container: Partial<ContainerSpec>,
    signal: AbortSignal = never,
  ): Promise<ImageOutcome> => {
    const work = puller.ensure(pod(), containerOf("c", container), {
      signal,
    });
    work.catch(() => {});
    await clock.advance(0);
    return await work;
  };
  return { clock, store, events, sessions, puller, activities, ensure };
}
