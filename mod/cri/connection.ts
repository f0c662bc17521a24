/**
 * The connection to a container runtime, from its socket to its features.
 *
 * @module
 */

import type { CgroupDriver } from "../api/types/mod.ts";
import { defined, isAbort, nextDelay } from "../base/mod.ts";
import { runtimeAdvisories } from "./advisories.ts";
import {
  askCgroupDriver,
  type ByteChannel,
  driverOfStatus,
  Rpc,
  type RpcDeps,
  type RpcOptions,
  type RuntimeFeatures,
  toldSandboxImage,
} from "./rpc/mod.ts";
import {
  type ContainerExit,
  EventStreams,
  ExitSource,
  IngestSource,
  type RuntimeEvent,
} from "./events/mod.ts";
import {
  type CallOptions,
  CriError,
  type CriErrorKind,
  type ImageService,
  type Ingest,
  type RuntimeService,
  type RuntimeStatus,
  type RuntimeVersion,
} from "./model/mod.ts";
import { imageClient } from "./image_client.ts";
import { runtimeClient } from "./runtime_client.ts";

// `runtimeRequestTimeout` of the KubeletConfiguration.
const DEFAULT_REQUEST_TIMEOUT_MS = 120_000;

// A device boots for its pods: the runtime must be found soon after it is there.
const PROBE_PAUSE = { baseMs: 50, maxMs: 500 };

/** Failures of a call that another call would meet as well. */
const ENDS_ALL: ReadonlySet<CriErrorKind> = new Set([
  "unavailable",
  "cancelled",
  "denied",
]);

/** Where the runtime is. */
export interface CriOptions {
  /** `unix:///path` or an absolute path. */
  readonly endpoint: string;
  /** @default endpoint */
  readonly imageEndpoint?: string;
  /**
   * How long the runtime may take for a common call.
   *
   * @default 120_000
   */
  readonly requestTimeoutMs?: number;
}

/**
 * A connection that heals by itself: calls made while the runtime is away fail at
 * once as `unavailable`, and succeed again within 2 s of its return.
 */
export interface CriConnection extends AsyncDisposable {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /**
   * Waits until the runtime answers, however long, and asks what it can do.
   *
   * May be called again after an outage, to learn what an upgrade brought.
   *
   * @throws {CriError} Of kind `denied`: waiting does not help against that.
   * @throws {unknown} The reason of `signal` when it aborts.
   */
  ready(signal: AbortSignal): Promise<RuntimeVersion>;
  /** What the runtime can do; `undefined` until it was `ready` once. */
  features(): RuntimeFeatures | undefined;
  /**
   * Yields the runtime's events: from containerd's own stream where there is one, since it
   * reports an end 50 ms earlier and to every reader; else from the stream of the CRI.
   * `connected` comes first, when the stream is open. Some events may be missing, late,
   * doubled or out of order; a reader that is too slow loses events, not memory, and gets
   * a `missed`.
   *
   * Ends when the runtime ends the stream, or `signal` aborts; the caller connects
   * again.
   *
   * @throws {CriError} When the stream breaks or cannot be opened now; of kind
   * `unimplemented` when the runtime says that it has no stream of any kind.
   */
  events(signal: AbortSignal): AsyncIterable<RuntimeEvent>;
  /**
   * How a container or sandbox ended, if that is known already: containerd knows it
   * earlier than its CRI shows it. `undefined` when it has not ended, and when this
   * is unknown; then the CRI shows it later.
   *
   * @throws {CriError} Of kind `cancelled` when the signal aborts.
   */
  containerExit(
    containerId: string,
    options?: CallOptions,
  ): Promise<ContainerExit | undefined>;
  /**
   * What the runtime is writing of images, by anybody's pulls; `undefined` when that is not
   * known: only containerd says it.
   *
   * @throws {CriError} Of kind `cancelled` when the signal aborts.
   */
  ingests(options?: CallOptions): Promise<readonly Ingest[] | undefined>;
}

/**
 * Makes a connection; the runtime need not listen yet.
 *
 * @throws {TypeError} When an endpoint is not a unix socket.
 */
export function connectCri(options: CriOptions, deps: RpcDeps): CriConnection {
  return new GrpcConnection(options, deps);
}

/**
 * The path of the socket that an endpoint names.
 *
 * @throws {TypeError} When it is not a unix socket with an absolute path.
 */
export function socketPath(endpoint: string): string {
  const path = endpoint.replace(/^unix:(\/\/)?(?=\/[^/])/, "");
  if (path.startsWith("/")) return path;
  throw new TypeError(
    `Cannot connect to "${endpoint}": wanted "unix:///" and a path, or an absolute path`,
  );
}

class GrpcConnection implements CriConnection {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly #options: CriOptions;
  readonly #requestTimeoutMs: number;
  readonly #deps: RpcDeps;
  readonly #channels: readonly Promise<ByteChannel>[];
  readonly #rpc: Rpc;
  readonly #streams: EventStreams;
  readonly #exits: ExitSource;
  readonly #ingests: IngestSource;
  #features: RuntimeFeatures | undefined;

  constructor(options: CriOptions, deps: RpcDeps) {
    const { endpoint, imageEndpoint = endpoint } = options;
    const { requestTimeoutMs = DEFAULT_REQUEST_TIMEOUT_MS } = options;
    const runtimePath = socketPath(endpoint);
    const imagePath = socketPath(imageEndpoint);
    const runtimeChannel = openChannel(runtimePath);
    const imageChannel = imagePath === runtimePath
      ? runtimeChannel
      : openChannel(imagePath);
    this.#options = options;
    this.#requestTimeoutMs = requestTimeoutMs;
    this.#deps = deps;
    this.#channels = [...new Set([runtimeChannel, imageChannel])];
    this.#rpc = new Rpc(runtimeChannel, deps);
    this.runtime = runtimeClient(this.#rpc, requestTimeoutMs);
    this.#streams = new EventStreams({
      metrics: deps.metrics,
      rpc: this.#rpc,
      version: () => this.#features?.version,
      ask: (signal) => this.runtime.version({ signal }),
    });
    this.#exits = new ExitSource({
      rpc: this.#rpc,
      isContainerd: () => this.#features?.version.runtimeName === "containerd",
    });
    const imageRpc = new Rpc(imageChannel, deps);
    this.images = imageClient(imageRpc, requestTimeoutMs);
    this.#ingests = new IngestSource({ rpc: imageRpc });
  }

  async ready(signal: AbortSignal): Promise<RuntimeVersion> {
    const { clock, log } = this.#deps;
    const { endpoint } = this.#options;
    let lastLogged = "";
    let pauseMs: number | undefined;
    for (;;) {
      try {
        return await this.#probe(signal);
      } catch (error) {
        if (isAbort(error, signal)) throw signal.reason;
        if (!(error instanceof CriError) || error.kind === "denied") {
          throw error;
        }
        if (error.message !== lastLogged) {
          log.warn("runtime_not_ready", { endpoint, error: error.message });
          lastLogged = error.message;
        }
      }
      pauseMs = nextDelay(pauseMs, PROBE_PAUSE);
      await clock.sleep(pauseMs, signal);
    }
  }

  features(): RuntimeFeatures | undefined {
    return this.#features;
  }

  events(signal: AbortSignal): AsyncIterable<RuntimeEvent> {
    return this.#streams.follow(signal);
  }

  async containerExit(
    containerId: string,
    { signal }: CallOptions = {},
  ): Promise<ContainerExit | undefined> {
    return await this.#exits.ask(containerId, signal);
  }

  async ingests(
    { signal }: CallOptions = {},
  ): Promise<readonly Ingest[] | undefined> {
    return await this.#ingests.list(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const channels = await Promise.allSettled(this.#channels);
    for (const channel of channels) {
      // One that could not be opened has nothing to close.
      if (channel.status === "fulfilled") {
        await channel.value[Symbol.asyncDispose]();
      }
    }
  }

  async #probe(signal: AbortSignal): Promise<RuntimeVersion> {
    const { log } = this.#deps;
    const { endpoint } = this.#options;
    const [version, status, configured] = await this.#askAll(signal);
    this.#exits.reset();
    this.#ingests.reset();
    const cgroupDriver = configured ?? driverOfStatus(status.info);
    const before = this.#features?.version.runtimeVersion;
    const { handlers, supplementalGroupsPolicy } = status;
    this.#features = {
      version,
      handlers,
      supplementalGroupsPolicy,
      cgroupDriver,
      ...defined({ sandboxImage: toldSandboxImage(status.info) }),
    };
    const { runtimeName, runtimeVersion } = version;
    log.info("runtime_ready", {
      endpoint,
      runtime: runtimeName,
      version: runtimeVersion,
      cgroupDriver,
    });
    if (runtimeVersion !== before) this.#warnOfFlaws(version);
    return version;
  }

  /** When one fails, the others end as well: the next try asks for all of it. */
  async #askAll(
    outer: AbortSignal,
  ): Promise<[RuntimeVersion, RuntimeStatus, CgroupDriver | undefined]> {
    const scope = new AbortController();
    const signal = AbortSignal.any([outer, scope.signal]);
    const limits = { deadlineMs: this.#requestTimeoutMs, signal };
    try {
      return await Promise.all([
        this.runtime.version({ signal }),
        this.#status(signal),
        this.#cgroupDriver(limits),
      ]);
    } finally {
      scope.abort();
    }
  }

  /** What it says of itself beyond being ready is a courtesy, and may never come. */
  async #status(signal: AbortSignal): Promise<RuntimeStatus> {
    try {
      return await this.runtime.status({ verbose: true, signal });
    } catch (error) {
      if (!(error instanceof CriError) || ENDS_ALL.has(error.kind)) throw error;
      return await this.runtime.status({ signal });
    }
  }

  /** Which driver it has is a courtesy as well: the node is configured with one. */
  async #cgroupDriver(limits: RpcOptions): Promise<CgroupDriver | undefined> {
    try {
      return await askCgroupDriver(this.#rpc, limits);
    } catch (error) {
      if (!(error instanceof CriError) || ENDS_ALL.has(error.kind)) throw error;
      this.#deps.log.warn("runtime_config_unknown", {
        error: error.message,
        note:
          "the cgroup driver is what its status says, or as before, or cgroupDriver of the configuration",
      });
      return undefined;
    }
  }

  #warnOfFlaws(version: RuntimeVersion): void {
    for (const advisory of runtimeAdvisories(version)) {
      this.#deps.log.warn("runtime_advisory", {
        runtime: version.runtimeName,
        version: version.runtimeVersion,
        ...advisory,
        note: "by its version; a distribution may have mended it",
      });
    }
  }
}

/** Loads what is slow to load, while others start. */
function openChannel(path: string): Promise<ByteChannel> {
  const opening = import("./grpc_channel.ts")
    .then(({ GrpcChannel }) => new GrpcChannel(path));
  // The first call reports a failure; until then nothing listens for it.
  opening.catch(() => {});
  return opening;
}
