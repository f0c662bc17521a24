/**
 * The runtime room against a fake runtime, or against any that listens on a socket.
 *
 * @module
 */

import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { Sessions } from "../../../mod/base/mod.ts";
import type { Pod, PodEvent, PodRef } from "../../../mod/api/types/mod.ts";
import { logDirectoryName } from "../../../mod/api/vocabulary/mod.ts";
import { NO_OBJECTS } from "../no_objects.ts";
import { connectCri, type CriConnection } from "../../../mod/cri/mod.ts";
import type {
  ImageService,
  RuntimeService,
} from "../../../mod/cri/model/mod.ts";
import type { PodObjects, VolumeSource } from "../../../mod/pod/inputs/mod.ts";
import type { ObservedPod } from "../../../mod/pod/observed/mod.ts";
import { planPod } from "../../../mod/pod/plan/mod.ts";
import {
  type PodObserver,
  type RuntimePicture,
  type RuntimeWatch,
  unseenPod,
} from "../../../mod/picture/mod.ts";
import { pictureOf } from "../picture/picture.ts";
import {
  ContainerFiles,
  ContainerNotes,
} from "../../../mod/runtime/observe/mod.ts";
import { diskFiles, PodRecords } from "../../../mod/host/files/mod.ts";
import {
  type ExecutorOptions,
  PodExecutor,
} from "../../../mod/runtime/start/mod.ts";
import { findLeftovers, PodRemover } from "../../../mod/runtime/end/mod.ts";
import {
  NO_POD_CGROUPS,
  type PodCgroups,
  PodResources,
  UserNamespaces,
} from "../../../mod/runtime/resources/mod.ts";
import {
  SpecBuilder,
  type SpecNode,
  type SubPaths,
} from "../../../mod/runtime/spec/mod.ts";
import type { SyncOutcome } from "../../../mod/runtime/account/mod.ts";
import { SubPathResolver } from "../../../mod/volume/mod.ts";
import {
  NO_CREDENTIALS,
  NO_INGESTS,
  NO_RECORDS,
  PULL_OPTIONS,
} from "./images_rig.ts";
import { FakeClock } from "../fake_clock.ts";
import { FakeCri } from "../fake_cri/fake_cri.ts";
import { IMAGE } from "../pods.ts";
import { bareNode } from "../../../scripts/lib/bare_node.ts";
import { eventsOfPodsTo } from "../event_list.ts";

/** How often the rig's watch lists, once it runs. */
export const RELIST_PERIOD_MS = 20;

/** An event as it was recorded. */
export interface ToldEvent extends PodEvent {
  readonly pod: PodRef;
}

/** What the room finds on the node; by default no objects and the real paths. */
export interface RigWorld {
  readonly objects?: PodObjects;
  readonly subPaths?: SubPaths;
  /** What the runtime has said of itself. */
  readonly runtime?: SpecNode["runtime"];
  /** Keeps the cgroups of pods; by default nobody can reach them. */
  readonly cgroups?: PodCgroups;
  /** What else the node is like. */
  readonly node?: Partial<SpecNode>;
}

/** The parts of the room, wired to a socket, with a directory of their own. */
export class RuntimeRig implements AsyncDisposable {
  /** Also that of the runtime. */
  readonly clock: FakeClock;
  readonly directory: string;
  readonly podsDir: string;
  readonly podLogsDir: string;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly picture: RuntimePicture;
  readonly watch: RuntimeWatch;
  readonly events: ToldEvent[] = [];
  readonly executor: PodExecutor;
  readonly observer: PodObserver;
  readonly remover: PodRemover;
  readonly sessions: Sessions;
  readonly #connection: CriConnection;
  readonly #signal: AbortController = new AbortController();

  private constructor(
    parts: {
      readonly clock: FakeClock;
      readonly directory: string;
      readonly connection: CriConnection;
      readonly executor: ExecutorOptions;
      readonly world: RigWorld;
      readonly users: UserNamespaces;
      readonly records: PodRecords;
      readonly sessions: Sessions;
    },
  ) {
    const { clock, directory, connection, users, world, records } = parts;
    this.clock = clock;
    const sessions = this.sessions = parts.sessions;
    this.directory = directory;
    this.podsDir = `${directory}/pods`;
    this.podLogsDir = `${directory}/logs`;
    this.#connection = connection;
    this.runtime = connection.runtime;
    this.images = connection.images;
    const paths = { podsDir: this.podsDir, podLogsDir: this.podLogsDir };
    const files = new ContainerFiles({ files: diskFiles }, paths);
    const events = eventsOfPodsTo(this.events);
    const resources = new PodResources({
      runtime: this.runtime,
      records,
      events,
      cgroups: world.cgroups ?? NO_POD_CGROUPS,
      node: nodeFacts(world),
      sessions,
    });
    const notes = new ContainerNotes({ records, events, clock });
    const common = {
      runtime: this.runtime,
      clock,
      resources,
      notes,
    };
    this.executor = new PodExecutor({
      ...common,
      images: this.images,
      credentials: NO_CREDENTIALS,
      imageRecords: NO_RECORDS,
      ingests: NO_INGESTS,
      files: diskFiles,
      containerFiles: files,
      specs: specBuilder(this.podLogsDir, {
        ...world,
        node: { idMapping: (uid) => users.mappingOf(uid), ...world.node },
      }),
      users,
      subPaths: world.subPaths ?? new SubPathResolver(),
      events,
      log: silentLogger,
      metrics: new MetricsRegistry(),
      sessions,
    }, parts.executor);
    const { picture, observer, watch } = pictureOf({
      ...common,
      files: diskFiles,
      relistPeriodMs: RELIST_PERIOD_MS,
    });
    this.picture = picture;
    this.observer = observer;
    this.watch = watch;
    this.remover = new PodRemover({ runtime: this.runtime, files });
  }

  /** Connects to whatever listens there. */
  static async connect(
    at: { readonly socketPath: string; readonly clock: FakeClock },
    options: Partial<ExecutorOptions> = {},
    world: RigWorld = {},
  ): Promise<RuntimeRig> {
    const { socketPath, clock } = at;
    const directory = await Deno.makeTempDir({ prefix: "skerry-run-" });
    const connection = connectCri({ endpoint: socketPath }, {
      clock,
      log: silentLogger,
      metrics: new MetricsRegistry(),
    });
    await connection.ready(new AbortController().signal);
    const sessions = new Sessions();
    const records = new PodRecords({
      files: diskFiles,
      clock,
      log: silentLogger,
      sessions,
    }, { podsDir: `${directory}/pods` });
    const users = await UserNamespaces.load({ records, sessions }, {
      uids: [],
      lost: new Set(),
    });
    const executor = {
      maxParallelStarts: 6,
      maxRestartWaitMs: 300_000,
      pulls: PULL_OPTIONS,
      ...options,
    };
    const given = { clock, executor, world, users, records, sessions };
    return new RuntimeRig({ ...given, directory, connection });
  }

  get signal(): AbortSignal {
    return this.#signal.signal;
  }

  /** Plans from `observed`, by default from a fresh look, and executes. */
  async sync(
    pod: Pod,
    options: {
      readonly observed?: ObservedPod;
      readonly volumes?: ReadonlyMap<string, VolumeSource>;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<SyncOutcome> {
    const { volumes = new Map(), signal = this.signal } = options;
    const observed = options.observed ?? await this.look(pod);
    const plan = planPod({ pod, observed, probes: NO_PROBES });
    return await this.executor.execute({
      pod,
      observed,
      plan,
      volumes,
      signal,
    });
  }

  /** Removes what of a pod is left over, as the collector does. */
  async prune(observed: ObservedPod): Promise<void> {
    const { signal } = this;
    const { containers, sandboxes } = findLeftovers(observed);
    for (const container of containers) {
      await this.remover.removeContainer(observed, container, { signal });
    }
    for (const { id } of sandboxes) {
      await this.remover.removeSandbox(id, { signal });
    }
  }

  look(pod: Pod): Promise<ObservedPod> {
    return this.observer.look(pod.metadata.uid, this.signal);
  }

  /** The recorded events as `reason: message`. */
  told(): string[] {
    return this.events.map(({ reason, message }) => `${reason}: ${message}`);
  }

  /** What the executor has under way for a pod. */
  activities(uid: string): readonly string[] {
    return this.executor.activities.list(uid).map(({ kind }) => kind);
  }

  logDirectory(pod: Pod): string {
    return `${this.podLogsDir}/${logDirectoryName(pod)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal.abort();
    await this.#connection[Symbol.asyncDispose]();
    await Deno.remove(this.directory, { recursive: true });
  }
}

/** A rig and the fake runtime that it talks to. */
export interface FakeRig extends AsyncDisposable {
  readonly rig: RuntimeRig;
  readonly fake: FakeCri;
  /** Another agent beside the runtime. */
  connect(): Promise<RuntimeRig>;
}

/** Starts a fake runtime with one image, and the room beside it, on one clock. */
export async function fakeRig(
  executor: Partial<ExecutorOptions> = {},
  world: RigWorld = {},
): Promise<FakeRig> {
  const directory = await Deno.makeTempDir({ prefix: "skerry-cri-" });
  const socketPath = `${directory}/cri.sock`;
  const clock = new FakeClock();
  const at = { socketPath, clock };
  const fake = await FakeCri.start(at);
  fake.addImage({ ref: IMAGE });
  const rig = await RuntimeRig.connect(at, executor, world);
  fake.calls.length = 0;
  return {
    rig,
    fake,
    connect: () => RuntimeRig.connect(at),
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]();
      await fake[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** A pod of which nothing has been seen. */
export function unseen(subject: Pod): ObservedPod {
  return unseenPod(subject.metadata.uid);
}

const NO_PROBES = {
  liveness: () => undefined,
  startup: () => undefined,
};

function specBuilder(
  podLogsDir: string,
  world: RigWorld,
): SpecBuilder {
  const { objects = NO_OBJECTS } = world;
  return new SpecBuilder({
    node: nodeFacts(world),
    podLogsDir,
    hostDns: () => undefined,
    clusterDns: [],
    clusterDomain: "",
    nodeHostsFile: () => "127.0.0.1\tlocalhost\n",
    objects,
  });
}

function nodeFacts({ runtime, node }: RigWorld): SpecNode {
  return bareNode({
    ips: ["192.0.2.1"],
    memoryBytes: 4n << 30n,
    ...runtime === undefined ? {} : { runtime },
    ...node,
  });
}
