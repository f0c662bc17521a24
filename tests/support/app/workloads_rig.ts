/**
 * What makes pods on a node, on a disk and a clock of a test.
 *
 * @module
 */

import type { KindRef } from "../../../mod/api/access/mod.ts";
import { decodeManifest } from "../../../mod/api/read/mod.ts";
import type { EventSink, Pod, PodStatus } from "../../../mod/api/types/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import {
  buildLocalWorkloads,
  type LocalWorkloads,
} from "../../../mod/app/workloads/mod.ts";
import { Sessions } from "../../../mod/base/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { type Heard, ObjectStore } from "../../../mod/local/mod.ts";
import type { SourceName } from "../../../mod/source/merge/mod.ts";
import type { StatusManager } from "../../../mod/status/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { CrashDisk } from "../local/crash_disk.ts";
import { linesTo } from "../log_lines.ts";
import { seededRandom } from "../seeded_random.ts";

type StatusFollower = Parameters<StatusManager["follow"]>[0];

/** Runs them, with an agent that takes each pod and makes nothing of it. */
export class WorkloadsRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly controller: AbortController = new AbortController();
  readonly disk: CrashDisk;
  readonly local: LocalWorkloads;
  readonly objects: ObjectStore = new ObjectStore();
  readonly sessions: Sessions = new Sessions();
  /** What was recorded, as `Normal SuccessfulCreate Job/a: …`. */
  readonly told: string[] = [];
  readonly lines: string[] = [];
  /** The pods that the agent was told of. */
  wanted: readonly Pod[] = [];
  /** The statuses of pods, by UID. */
  readonly statuses: Map<string, PodStatus> = new Map();
  /** The UIDs of pods of which the agent has something. */
  readonly held: Set<string> = new Set();
  isListed = true;
  /** Whether the agent hears nothing of pods any more. */
  isDeaf = false;
  readonly #followers: StatusFollower[] = [];
  /** Why parts have failed that work in the background. */
  readonly failures: unknown[] = [];
  #running: Promise<unknown> | undefined;

  constructor(disk: CrashDisk = new CrashDisk(seededRandom(1)), seed = 1) {
    const { clock, lines, objects, sessions, statuses } = this;
    this.disk = disk;
    const deps = {
      clock,
      disk,
      objects,
      sessions,
      random: seededRandom(seed),
      log: linesTo(lines, { clock }),
      metrics: new MetricsRegistry(),
      freezes: true,
      statuses: {
        follow: (follower: StatusFollower) => {
          this.#followers.push(follower);
        },
        get: (uid: string) => statuses.get(uid),
        stored: (uid: string) => this.#stored(uid),
      },
      storage: { bySource: () => this.#bySource() },
      hasPod: (uid: string) => this.held.has(uid),
      isListed: () => this.isListed,
      events: {
        record: (
          ...[{ kind, name }, { type, reason, message }]: Parameters<
            EventSink["record"]
          >
        ) => {
          this.told.push(`${type} ${reason} ${kind}/${name}: ${message}`);
        },
      },
    };
    this.local = buildLocalWorkloads(deps, {
      directory: "/store",
      nodeName: "edge-1",
      labels: { zone: "a" },
      sources: ["file", "http"],
    });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Runs them, and waits until nothing more happens. */
  async start(): Promise<this> {
    const { background, source } = this.local;
    const follow = async () => {
      for await (const { pods } of source.run(this.signal)) {
        if (!this.isDeaf) this.wanted = pods;
      }
    };
    const failed = (reason: unknown): void => void this.failures.push(reason);
    this.#running = Promise.all([
      ...background.map((each) => each.run(this.signal).catch(failed)),
      follow().catch(failed),
    ]);
    await this.rest();
    return this;
  }

  /** Lets everybody do what can be done within some seconds. */
  async rest(seconds: number = 5): Promise<void> {
    for (let turn = 0; turn < 10 * seconds; turn++) {
      await this.clock.advance(100);
    }
  }

  /** Has a source say all that it has, in YAML. */
  apply(
    text: string,
    { source = "file", heard = "whole" }: {
      readonly source?: SourceName;
      readonly heard?: Heard;
    } = {},
  ): void {
    const found = decodeManifest(text);
    if (found.kind === "refused") {
      throw new Error(found.faults.map(({ message }) => message).join());
    }
    const { objects, workloads } = found;
    this.objects.replace(source, objects);
    this.local.workloads.replace(
      { source, pods: [], objects, workloads },
      heard,
    );
  }

  /** Gives a pod that the agent has a status. */
  report(pod: Pod | undefined, status: PodStatus): void {
    if (pod === undefined) throw new Error("Cannot report: there is no pod");
    const { metadata } = pod;
    this.statuses.set(metadata.uid, status);
    const annotations = { "kubernetes.io/config.source": "local" };
    const own = { ...pod, metadata: { ...metadata, annotations } };
    for (const each of this.#followers) {
      each.changed({ pod: own, version: 1, status, finished: false });
    }
  }

  /** All objects of a kind. */
  async all(kind: KindRef): Promise<readonly ApiObject[]> {
    const { items } = await this.local.store.reader(kind).list({}, this.signal);
    return items;
  }

  #stored(uid: string) {
    const status = this.statuses.get(uid);
    const pod = this.wanted.find(({ metadata }) => metadata.uid === uid);
    return status && pod && { pod, status, version: 1, finished: false };
  }

  #bySource(): ReadonlyMap<SourceName, ReadonlyMap<string, Pod>> {
    const pods = this.wanted.map((pod) => [pod.metadata.uid, pod] as const);
    return new Map([["local", new Map(pods)]]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.controller.abort(new DOMException("over", "AbortError"));
    await this.#running;
  }
}
