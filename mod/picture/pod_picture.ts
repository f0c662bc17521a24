/**
 * What is known of one pod, and what its listeners know.
 *
 * @module
 */

import {
  isUnclearEnd,
  type ObservedContainer,
  type ObservedPod,
  type ObservedSandbox,
  type ObservedState,
} from "../pod/observed/mod.ts";
import {
  nothingListed,
  podIps,
  type PodListing,
  withContainers,
} from "../runtime/observe/mod.ts";
import {
  type ContainerMoved,
  diffPod,
  isUnchanged,
  type PodSnapshot,
  snapshotOfPod,
} from "./diff.ts";

/**
 * What is known of a pod.
 *
 * ```
 *              seen                    failed
 *   unseen ───────────▶ observed ──────────────────▶ unreadable
 *    ▲ ▲ │               │ ▲ ▲ │ seen, part            │ │ ▲
 *    │ │ │               │ │ └─┘                       │ │ │
 *    │ │ └── failed ─────┼─┼───────────────────────────┼─┼─┘
 *    │ │                 │ └────────── seen ───────────┘ │
 *    │ └── gone, dropped ┘                               │
 *    └──────────────────── gone, dropped ────────────────┘
 *
 *   published ── failed, inspection_wanted, an end that is not clear ──▶ to be inspected
 *     ▲                                                                      │
 *     └──────────────────────── caught_up, settled ──────────────────────────┘
 * ```
 *
 * Every signal carries the time at which the runtime was asked, by the monotonic clock. A
 * signal that is older than what is known changes nothing. So a list from before the start
 * of a container can never hide that container (I1).
 *
 * `gone` removes what was published as well. `dropped` keeps it, so the next list publishes
 * that the pod is gone. A look from before `dropped` counts for nothing, since another pod
 * may have the UID by now.
 */
export interface PodPicture {
  readonly look: PodLook;
  /** What the listeners know; `undefined` before the first event. */
  readonly published: PublishedPod | undefined;
}

/** The newest look at a pod as a whole. */
export type PodLook =
  & {
    readonly atMs: number;
    /** Later looks at single containers, by id. */
    readonly parts: ReadonlyMap<string, TimedPart>;
  }
  & (
    | { readonly kind: "unseen"; readonly pod: undefined }
    /** Includes later looks at single containers. */
    | { readonly kind: "observed"; readonly pod: ObservedPod }
    /** The last observation, and why there is no newer one. */
    | {
      readonly kind: "unreadable";
      readonly pod: ObservedPod | undefined;
      readonly error: Error;
    }
  );

/** One container of a pod as it was seen by itself. */
export interface PodPart {
  readonly containerId: string;
  /** `undefined` when the runtime does not have it any more. */
  readonly container: ObservedContainer | undefined;
  /** The pod's newest sandbox, when it was looked at as well. */
  readonly sandbox?: ObservedSandbox;
}

interface TimedPart {
  readonly part: PodPart;
  readonly atMs: number;
}

/** What a pod was like when its last event was published. */
export interface PublishedPod {
  readonly states: PodSnapshot;
  /** When the runtime was asked for those states. */
  readonly atMs: number;
  /** An inspection follows the next list, even if the list shows no change. */
  readonly mustInspect: boolean;
}

/** What changes a picture. */
export type PictureSignal =
  | { readonly kind: "seen"; readonly pod: ObservedPod; readonly atMs: number }
  | { readonly kind: "failed"; readonly error: Error; readonly atMs: number }
  /** One container was inspected. */
  | { readonly kind: "part"; readonly part: PodPart; readonly atMs: number }
  /** The runtime did not have the pod at that time. */
  | { readonly kind: "gone"; readonly atMs: number }
  /** The agent has removed the pod. */
  | { readonly kind: "dropped"; readonly atMs: number }
  | { readonly kind: "inspection_wanted" }
  /** Publish what the agent's own looks have found. */
  | { readonly kind: "caught_up" }
  /** Publish all that is known, as of a look at `atMs`. */
  | { readonly kind: "settled"; readonly atMs: number };

/** A picture after a signal. */
export interface Stepped {
  /** The same object when nothing has changed. */
  readonly picture: PodPicture;
  /** The events for the listeners. */
  readonly moved: readonly ContainerMoved[];
}

const UNSEEN: PodLook = {
  kind: "unseen",
  pod: undefined,
  atMs: -Infinity,
  parts: new Map(),
};

/** A pod of which nothing is known. */
export const NO_PICTURE: PodPicture = { look: UNSEEN, published: undefined };

/** What the picture is after `signal`. Pure. */
export function stepPicture(
  uid: string,
  picture: PodPicture,
  signal: PictureSignal,
): Stepped {
  const { look, published } = picture;
  switch (signal.kind) {
    case "seen":
    case "failed":
      return still(afterLook(picture, signal));
    case "part":
      return still({ look: withPartOf(look, signal), published });
    case "gone":
      return still(look.atMs > signal.atMs ? picture : NO_PICTURE);
    case "dropped":
      return still({ look: { ...UNSEEN, atMs: signal.atMs }, published });
    case "inspection_wanted":
      return still({
        look,
        published: published && { ...published, mustInspect: true },
      });
    case "caught_up":
      return caughtUp(uid, picture);
    case "settled":
      return settled(uid, picture, signal.atMs);
    default:
      return signal satisfies never;
  }
}

/** Whether a list shows something else than the listeners know. Pure. */
export function differs(
  uid: string,
  { published }: PodPicture,
  listing: PodListing | undefined,
): boolean {
  return !isUnchanged(
    published?.states ?? NOTHING,
    listing ?? nothingListed(uid),
  );
}

/**
 * Whether a list that began at `startMs` leaves nothing to do for a pod, as it nearly
 * always does. Pure.
 */
export function isSettled(
  { look, published }: PodPicture,
  listing: PodListing | undefined,
  startMs: number,
): boolean {
  // This list is older than the newest look; the next list decides.
  if (look.atMs > startMs) return true;
  return published !== undefined && listing !== undefined &&
    !published.mustInspect &&
    published.atMs >= look.atMs && isUnchanged(published.states, listing);
}

function still(picture: PodPicture): Stepped {
  return { picture, moved: [] };
}

function afterLook(
  picture: PodPicture,
  signal: Extract<PictureSignal, { readonly kind: "seen" | "failed" }>,
): PodPicture {
  const { look, published } = picture;
  const { atMs } = signal;
  if (look.atMs > atMs) return picture;
  const parts = new Map([...look.parts].filter(([, part]) => part.atMs > atMs));
  if (signal.kind === "failed") {
    const { pod } = look;
    const states = published?.states ?? NOTHING;
    return {
      look: { kind: "unreadable", pod, error: signal.error, atMs, parts },
      published: { states, atMs, mustInspect: true },
    };
  }
  let { pod } = signal;
  for (const { part } of parts.values()) pod = withPart(pod, part);
  return { look: { kind: "observed", pod, atMs, parts }, published };
}

function withPartOf(look: PodLook, { part, atMs }: TimedPart): PodLook {
  if (look.pod === undefined || look.atMs > atMs) return look;
  const before = look.parts.get(part.containerId);
  if (before !== undefined && before.atMs > atMs) return look;
  const parts = new Map(look.parts).set(part.containerId, { part, atMs });
  return { ...look, pod: withPart(look.pod, part), parts };
}

/**
 * The pod with the newer look at one container.
 *
 * A container goes from created to running to exited and never back. So of two looks the
 * one with the further state is the later one, in whatever order the answers came.
 */
function withPart(pod: ObservedPod, part: PodPart): ObservedPod {
  const { containerId, container, sandbox } = part;
  const shown = pod.containers.find(({ id }) => id === containerId);
  const isBehind = shown !== undefined && container !== undefined &&
    PROGRESS[shown.state] > PROGRESS[container.state];
  const containers = container === undefined
    ? pod.containers.filter(({ id }) => id !== containerId)
    : isBehind
    ? pod.containers
    : withContainers(pod, [container]).containers;
  if (sandbox === undefined) return { ...pod, containers };
  const sandboxes = pod.sandboxes.map((each) =>
    each.id === sandbox.id ? sandbox : each
  );
  return { ...pod, containers, sandboxes, ips: podIps(sandboxes, pod) };
}

/** How far a container is; `unknown` may hide any state, so every other state beats it. */
const PROGRESS: Readonly<Record<ObservedState, number>> = {
  unknown: 0,
  created: 1,
  running: 2,
  exited: 3,
};

/**
 * Publishes the deaths and removals that the agent's own looks have found. It started the
 * containers itself, so it needs no event about a start.
 */
function caughtUp(uid: string, picture: PodPicture): Stepped {
  const { look, published } = picture;
  if (look.pod === undefined || look.atMs <= (published?.atMs ?? -Infinity)) {
    return still(picture);
  }
  const { picture: { published: now }, moved } = settled(
    uid,
    picture,
    look.atMs,
  );
  const mustInspect = now.mustInspect ||
    (published?.mustInspect === true && mayLearnMore(look.pod, () => true));
  return {
    picture: { look, published: { ...now, mustInspect } },
    moved: moved.filter(({ kind }) =>
      kind === "container_died" || kind === "container_removed"
    ),
  };
}

function settled(uid: string, { look, published }: PodPicture, atMs: number) {
  const before = published?.states ?? NOTHING;
  const { pod } = look;
  const states = pod === undefined ? NOTHING : snapshotOfPod(pod);
  const mustInspect = mayLearnMore(pod, (id) => before.get(id) !== "exited");
  return {
    picture: { look, published: { states, atMs, mustInspect } },
    moved: diffPod(uid, before, states),
  };
}

/**
 * Whether another inspection may show more of the end of a container. That holds for an
 * unclear end that is new, and for one that the runtime does not show yet.
 */
function mayLearnMore(
  pod: ObservedPod | undefined,
  isOpen: (containerId: string) => boolean,
): boolean {
  return (pod?.containers ?? []).some((container) =>
    isUnclearEnd(container) &&
    (container.isUnconfirmed === true || isOpen(container.id))
  );
}

const NOTHING: PodSnapshot = new Map();

/** A pod without sandboxes and containers in the runtime. */
export function unseenPod(uid: string): ObservedPod {
  const nothing = { sandboxes: [], containers: [], ips: [] };
  return { uid, name: "", namespace: "", ...nothing };
}
