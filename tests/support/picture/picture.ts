/**
 * The parts of a picture of the runtime, wired as the agent wires them.
 *
 * @module
 */

import { Bell, type Clock } from "../../../mod/base/mod.ts";
import {
  type Logger,
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import type {
  ContainerExit,
  RuntimeEvent,
} from "../../../mod/cri/events/mod.ts";
import type { RuntimeService } from "../../../mod/cri/model/mod.ts";
import type { ObservedPod } from "../../../mod/pod/observed/mod.ts";
import {
  AnnouncedEnds,
  ListPace,
  PodObserver,
  RuntimePicture,
  RuntimeWatch,
} from "../../../mod/picture/mod.ts";

/** How often a picture without trust lists, in milliseconds. */
export const PERIOD_MS = 1_000;

/** What a picture is made from. */
export interface PictureOptions {
  readonly clock: Clock;
  /** @default silentLogger */
  readonly log?: Logger;
  /** @default new MetricsRegistry() */
  readonly metrics?: MetricsRegistry;
  /** @default every pod is managed */
  readonly managed?: { has(uid: string): boolean };
  /** @default PERIOD_MS */
  readonly relistPeriodMs?: number;
}

/** The runtime that it is a picture of. */
export interface PicturedRuntime extends PictureOptions {
  readonly runtime: Pick<
    RuntimeService,
    | "listContainers"
    | "listPodSandbox"
    | "containerStatus"
    | "podSandboxStatus"
  >;
  readonly files: ConstructorParameters<typeof PodObserver>[0]["files"];
  /** @default fills in nothing */
  readonly resources?: typeof NOTHING_MORE;
  /** @default fills in nothing */
  readonly notes?: typeof NOTHING_MORE;
  /** @default nobody knows of ends */
  readonly ask?: (id: string) => Promise<ContainerExit | undefined>;
  /** @default a stream that never opens */
  readonly events?: (signal: AbortSignal) => AsyncIterable<RuntimeEvent>;
}

/** Knows nothing that the runtime does not tell. */
export const NOTHING_MORE = {
  complete: (pod: ObservedPod): Promise<ObservedPod> => Promise.resolve(pod),
};

/** A picture that nobody brings up to date, and its pace. */
export function emptyPicture(
  options: PictureOptions,
): { readonly picture: RuntimePicture; readonly pace: ListPace } {
  const {
    metrics = new MetricsRegistry(),
    relistPeriodMs = PERIOD_MS,
    managed = { has: () => true },
  } = options;
  const pace = new ListPace({ ...options, metrics }, { relistPeriodMs });
  return { pace, picture: new RuntimePicture({ ...options, pace, managed }) };
}

/** All the parts over a runtime. */
export function pictureOf(options: PicturedRuntime): {
  readonly picture: RuntimePicture;
  readonly pace: ListPace;
  readonly observer: PodObserver;
  readonly watch: RuntimeWatch;
} {
  const {
    log = silentLogger,
    metrics = new MetricsRegistry(),
    resources = NOTHING_MORE,
    notes = NOTHING_MORE,
    ask = () => Promise.resolve(undefined),
    events = neverOpen,
  } = options;
  const common = { ...options, log, metrics, resources, notes };
  const { picture, pace } = emptyPicture(common);
  const ends = new AnnouncedEnds({ ...common, ask });
  const observer = new PodObserver({ ...common, picture, ends });
  const deps = { ...common, picture, pace, ends, observer, events };
  return { picture, pace, observer, watch: new RuntimeWatch(deps) };
}

/** A stream of events that never opens. */
export async function* neverOpen(
  signal: AbortSignal,
): AsyncGenerator<RuntimeEvent> {
  await new Bell().wait(signal);
  yield* [];
}
