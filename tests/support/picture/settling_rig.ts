/**
 * Looks at pods over a picture, with a runtime whose details are what its lists show.
 *
 * @module
 */

import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import type { Container, Sandbox } from "../../../mod/cri/model/mod.ts";
import type { ObservedPod } from "../../../mod/pod/observed/mod.ts";
import type { PodListing } from "../../../mod/runtime/observe/mod.ts";
import { PodLooks } from "../../../mod/picture/pod_looks.ts";
import type { RuntimePicture } from "../../../mod/picture/mod.ts";
import { emptyPicture } from "./picture.ts";
import { FakeClock } from "../fake_clock.ts";
import { observed, sandbox, seen } from "../observed_pods.ts";
import { containerRow, sandboxRow } from "../runtime_rows.ts";
import { fieldsTo } from "../log_lines.ts";

/** Does not abort. */
export const NEVER: AbortSignal = new AbortController().signal;

/** A close look at a pod. */
export type Inspect = (
  listing: PodListing,
  signal: AbortSignal,
) => Promise<ObservedPod>;

/** Looks over a picture, and a runtime whose details are what its lists show. */
export class SettlingRig {
  readonly clock: FakeClock = new FakeClock();
  readonly followed: string[] = [];
  readonly picture: RuntimePicture;
  readonly looks: PodLooks;
  readonly inspected: string[] = [];
  readonly log: Record<string, unknown>[] = [];
  /** The kinds of the events published since they were taken. */
  readonly told: string[] = [];
  inspect: Inspect = (listing) => Promise.resolve(seenAs(listing));

  constructor() {
    const { clock } = this;
    const managed = { has: (uid: string) => uid !== "alien" };
    const { picture, pace } = emptyPicture({ clock, managed });
    picture.followUp = (uid) => this.followed.push(uid);
    this.picture = picture;
    this.looks = new PodLooks({
      picture,
      pace,
      clock,
      metrics: new MetricsRegistry(),
      log: fieldsTo(this.log, { clock, level: "debug" }),
      runtime: {
        listContainers: () => Promise.resolve([]),
        listPodSandbox: () => Promise.resolve([]),
      },
      observer: {
        inspect: (listing, signal) => {
          this.inspected.push(listing.uid);
          return this.inspect(listing, signal);
        },
        inspectContainer: () => Promise.resolve(undefined),
      },
      changes: {
        publish: (events) => this.told.push(...events.map(({ kind }) => kind)),
      },
    });
  }

  /** Whether the next list is followed by an inspection of the pod. */
  mustInspect(uid: string): boolean {
    return this.picture.of(uid).published?.mustInspect === true;
  }

  /** A list asked for now shows this of the pod. */
  async list(
    uid: string,
    shown: PodListing | undefined,
    more: { readonly startMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<string[]> {
    const startMs = this.clock.monotonic();
    const options = { startMs, sinceMs: undefined, signal: NEVER, ...more };
    await this.looks.settle(uid, shown, options);
    return this.told.splice(0);
  }
}

/** A pod with one sandbox and one container, as a list shows it. */
export function listed(
  uid: string,
  state: Container["state"] = "running",
  sandbox: Sandbox["state"] = "ready",
): PodListing {
  return {
    uid,
    name: "web",
    namespace: "shop",
    alive: true,
    sandboxes: [sandboxRow(uid, { state: sandbox })],
    containers: [containerRow(uid, { state })],
  };
}

/** What a close look at a pod shows that is listed so. */
export function seenAs(listing: PodListing): ObservedPod {
  const pod = observed(
    listing.containers.map(({ id, state }) => seen("c", { id, state })),
    listing.sandboxes.map(({ id, state }) =>
      sandbox({ id, ready: state === "ready" })
    ),
  );
  return { ...pod, uid: listing.uid };
}
