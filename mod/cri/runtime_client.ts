/**
 * Sandboxes and containers over gRPC.
 *
 * @module
 */

import * as wire from "../../proto/gen/runtime/v1/api.ts";
import {
  type CallOptions,
  type Container,
  type ContainerFilter,
  type ContainerStats,
  type ContainerStatus,
  CriError,
  type ExecResult,
  type RuntimeService,
  type RuntimeStatus,
  type RuntimeVersion,
  type Sandbox,
  type SandboxFilter,
  type SandboxStatus,
  unlessGone,
} from "./model/mod.ts";
import {
  containerConfigToWire,
  containerFilterToWire,
  containerFromWire,
  containerStatusFromWire,
  LIST_CONTAINER_STATS,
  resourcesToWire,
  sandboxConfigToWire,
  sandboxFilterToWire,
  sandboxFromWire,
  sandboxStatusFromWire,
  statusFromWire,
  versionFromWire,
} from "./wire/mod.ts";
import { type Method, RowDecoder, type Rpc } from "./rpc/mod.ts";
import { RUNTIME_METHODS } from "./runtime_methods.ts";
import type {
  ContainerConfig,
  LinuxResources,
  SandboxConfig,
} from "./config/mod.ts";

// What the kubelet says; runtimes do not look at it.
const CALLER_API_VERSION = "0.1.0";

/** The runtime service of one connection. */
export class RuntimeClient implements RuntimeService {
  readonly #rpc: Rpc;
  readonly #requestTimeoutMs: number;
  readonly #sandboxes: Method<wire.ListPodSandboxRequest, readonly Sandbox[]>;
  readonly #containers: Method<
    wire.ListContainersRequest,
    readonly Container[]
  >;

  /** @param requestTimeoutMs how long a call may take unless it says otherwise */
  constructor(rpc: Rpc, requestTimeoutMs: number) {
    this.#rpc = rpc;
    this.#requestTimeoutMs = requestTimeoutMs;
    this.#sandboxes = {
      ...RUNTIME_METHODS.listPodSandbox,
      answer: new RowDecoder({
        stateField: 3,
        decode: (bytes) => sandboxFromWire(wire.PodSandbox.decode(bytes)),
      }),
    };
    this.#containers = {
      ...RUNTIME_METHODS.listContainers,
      answer: new RowDecoder({
        stateField: 6,
        decode: (bytes) => containerFromWire(wire.Container.decode(bytes)),
      }),
    };
  }

  async version(options?: CallOptions): Promise<RuntimeVersion> {
    const request = { version: CALLER_API_VERSION };
    return versionFromWire(
      await this.#call(RUNTIME_METHODS.version, request, options),
    );
  }

  async status(
    options?: CallOptions & { verbose?: boolean },
  ): Promise<RuntimeStatus> {
    const request = { verbose: options?.verbose ?? false };
    return statusFromWire(
      await this.#call(RUNTIME_METHODS.status, request, options),
    );
  }

  async runPodSandbox(
    config: SandboxConfig,
    options?: CallOptions & { runtimeHandler?: string },
  ): Promise<string> {
    const { podSandboxId } = await this.#rpc.call(
      RUNTIME_METHODS.runPodSandbox,
      {
        config: sandboxConfigToWire(config),
        runtimeHandler: options?.runtimeHandler ?? "",
      },
      {
        // Setting up a pod's network may take long; upstream doubles it as well.
        deadlineMs: 2 * this.#requestTimeoutMs,
        signal: options?.signal,
      },
    );
    return podSandboxId;
  }

  async stopPodSandbox(
    sandboxId: string,
    options?: CallOptions,
  ): Promise<void> {
    const request = { podSandboxId: sandboxId };
    await unlessGone(
      this.#call(RUNTIME_METHODS.stopPodSandbox, request, options),
    );
  }

  async removePodSandbox(
    sandboxId: string,
    options?: CallOptions,
  ): Promise<void> {
    const request = { podSandboxId: sandboxId };
    await unlessGone(
      this.#call(RUNTIME_METHODS.removePodSandbox, request, options),
    );
  }

  async podSandboxStatus(
    sandboxId: string,
    options?: CallOptions,
  ): Promise<SandboxStatus> {
    const { status } = await this.#call(
      RUNTIME_METHODS.podSandboxStatus,
      { podSandboxId: sandboxId },
      options,
    );
    if (status === undefined) throw withoutStatus("PodSandboxStatus");
    return sandboxStatusFromWire(status);
  }

  async listPodSandbox(
    filter?: SandboxFilter,
    options?: CallOptions,
  ): Promise<readonly Sandbox[]> {
    if (filter === undefined) {
      const everything = { filter: undefined };
      return await this.#call(this.#sandboxes, everything, options);
    }
    const request = { filter: sandboxFilterToWire(filter) };
    const { items } = await this.#call(
      RUNTIME_METHODS.listPodSandbox,
      request,
      options,
    );
    return items.map(sandboxFromWire);
  }

  async createContainer(
    request: {
      readonly sandboxId: string;
      readonly config: ContainerConfig;
      readonly sandboxConfig: SandboxConfig;
    },
    options?: CallOptions,
  ): Promise<string> {
    const { containerId } = await this.#call(
      RUNTIME_METHODS.createContainer,
      {
        podSandboxId: request.sandboxId,
        config: containerConfigToWire(request.config),
        sandboxConfig: sandboxConfigToWire(request.sandboxConfig),
      },
      options,
    );
    return containerId;
  }

  async startContainer(
    containerId: string,
    options?: CallOptions,
  ): Promise<void> {
    await this.#call(RUNTIME_METHODS.startContainer, { containerId }, options);
  }

  async stopContainer(
    containerId: string,
    timeoutSeconds: number,
    options?: CallOptions,
  ): Promise<void> {
    const request = { containerId, timeout: wholeSeconds(timeoutSeconds) };
    await unlessGone(
      this.#rpc.call(RUNTIME_METHODS.stopContainer, request, {
        deadlineMs: this.#requestTimeoutMs + timeoutSeconds * 1000,
        signal: options?.signal,
      }),
    );
  }

  async removeContainer(
    containerId: string,
    options?: CallOptions,
  ): Promise<void> {
    const request = { containerId };
    await unlessGone(
      this.#call(RUNTIME_METHODS.removeContainer, request, options),
    );
  }

  async listContainers(
    filter?: ContainerFilter,
    options?: CallOptions,
  ): Promise<readonly Container[]> {
    if (filter === undefined) {
      const everything = { filter: undefined };
      return await this.#call(this.#containers, everything, options);
    }
    const request = { filter: containerFilterToWire(filter) };
    const { containers } = await this.#call(
      RUNTIME_METHODS.listContainers,
      request,
      options,
    );
    return containers.map(containerFromWire);
  }

  async containerStatus(
    containerId: string,
    options?: CallOptions,
  ): Promise<ContainerStatus> {
    const { status } = await this.#call(
      RUNTIME_METHODS.containerStatus,
      { containerId },
      options,
    );
    if (status === undefined) throw withoutStatus("ContainerStatus");
    return containerStatusFromWire(status);
  }

  async listContainerStats(
    options?: CallOptions,
  ): Promise<readonly ContainerStats[]> {
    return await this.#call(LIST_CONTAINER_STATS, {}, options);
  }

  async updateContainerResources(
    containerId: string,
    resources: LinuxResources,
    options?: CallOptions,
  ): Promise<void> {
    await this.#call(
      RUNTIME_METHODS.updateContainerResources,
      {
        containerId,
        linux: resourcesToWire(resources),
      },
      options,
    );
  }

  async updatePodSandboxResources(
    podSandboxId: string,
    amounts: Parameters<RuntimeService["updatePodSandboxResources"]>[1],
    options?: CallOptions,
  ): Promise<void> {
    const overhead = resourcesToWire(amounts.overhead);
    const resources = resourcesToWire(amounts.resources);
    const request = { podSandboxId, overhead, resources };
    await this.#call(
      RUNTIME_METHODS.updatePodSandboxResources,
      request,
      options,
    );
  }

  async reopenContainerLog(
    containerId: string,
    options?: CallOptions,
  ): Promise<void> {
    await this.#call(
      RUNTIME_METHODS.reopenContainerLog,
      { containerId },
      options,
    );
  }

  async execSync(
    containerId: string,
    command: readonly string[],
    options?: CallOptions & { timeoutSeconds?: number },
  ): Promise<ExecResult> {
    const { timeoutSeconds = 0, signal } = options ?? {};
    const deadlineMs = timeoutSeconds === 0
      ? Infinity
      : this.#requestTimeoutMs + timeoutSeconds * 1000;
    return await this.#rpc.call(
      RUNTIME_METHODS.execSync,
      { containerId, cmd: command, timeout: wholeSeconds(timeoutSeconds) },
      { deadlineMs, signal },
    );
  }

  #call<Request, Answer>(
    method: Method<Request, Answer>,
    request: Request,
    options: CallOptions | undefined,
  ): Promise<Answer> {
    const deadlineMs = this.#requestTimeoutMs;
    return this.#rpc.call(method, request, {
      deadlineMs,
      signal: options?.signal,
    });
  }
}

function withoutStatus(method: string): CriError {
  const detail = "the answer has no status";
  return new CriError({ kind: "failed", method, detail });
}

// A fraction would be rounded to no time at all.
function wholeSeconds(seconds: number): bigint {
  return BigInt(Math.ceil(seconds));
}
