/**
 * Records of pods over a cache, with a runtime whose details are what its lists show.
 *
 * @module
 */

import { createLogger } from "../../../mod/base/telemetry/mod.ts";
import type { Container, Sandbox } from "../../../mod/cri/model/mod.ts";
import { PodRecords, type Settled } from "../../../mod/picture/pod_records.ts";
import type { ObservedPod } from "../../../mod/pod/observed/mod.ts";
import { PodCache } from "../../../mod/picture/mod.ts";
import type { PodListing } from "../../../mod/runtime/observe/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import {
  containerRow,
  sandboxRow,
  seenContainer,
  seenPod,
  seenSandbox,
} from "../runtime/builders.ts";

/** Does not abort. */
export const NEVER: AbortSignal = new AbortController().signal;

/** A close look at a pod. */
export type Inspect = (
  listing: PodListing,
  signal: AbortSignal,
) => Promise<ObservedPod>;

/** Records over a cache, and a runtime whose details are what its lists show. */
export class RecordRig {
  readonly clock: FakeClock = new FakeClock();
  readonly cache: PodCache = new PodCache();
  readonly inspected: string[] = [];
  readonly log: Record<string, unknown>[] = [];
  readonly records: PodRecords;
  inspect: Inspect = (listing) => Promise.resolve(seenAs(listing));

  constructor() {
    const { cache, clock } = this;
    this.records = new PodRecords({
      cache,
      clock,
      log: createLogger({
        level: "debug",
        format: "json",
        clock,
        write: (line) => this.log.push(JSON.parse(line)),
      }),
      inspect: (listing, signal) => {
        this.inspected.push(listing.uid);
        return this.inspect(listing, signal);
      },
    });
  }

  /** A list asked for now shows this of the pod. */
  async list(
    uid: string,
    shown: PodListing | undefined,
    more: { readonly startMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<string[]> {
    const startMs = this.clock.monotonic();
    const options = { startMs, signal: NEVER, ...more };
    return kinds(await this.records.settle(uid, shown, options));
  }
}

/** The kinds of the events to be told. */
export function kinds({ events }: Settled): string[] {
  return events.map(({ kind }) => kind);
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
  return seenPod({
    uid: listing.uid,
    sandboxes: listing.sandboxes.map(({ id, state }) =>
      seenSandbox({ id, ready: state === "ready" })
    ),
    containers: listing.containers.map(({ id, state }) =>
      seenContainer("c", {
        id,
        state,
        finishedAt: state === "exited" ? 4n : 0n,
      })
    ),
  });
}
