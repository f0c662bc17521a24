/**
 * Sandboxes and containers over gRPC.
 *
 * @module
 */

import * as wire from "../../proto/gen/runtime/v1/api.ts";
import { removeWithTask } from "./events/mod.ts";
import { CriError, type RuntimeService, unlessGone } from "./model/mod.ts";
import { type Call, callsWithin, RowDecoder, type Rpc } from "./rpc/mod.ts";
import {
  containerConfigToWire,
  containerFilterToWire,
  containerFromWire,
  containerStatsFromWire,
  containerStatusFromWire,
  networkStatsFromWire,
  resourcesToWire,
  sandboxConfigToWire,
  sandboxFilterToWire,
  sandboxFromWire,
  sandboxStatusFromWire,
  statusFromWire,
} from "./wire/mod.ts";

// What the kubelet says; runtimes do not look at it.
const CALLER_API_VERSION = "0.1.0";

const METHODS = wire.RuntimeServiceDefinition.methods;

/**
 * The runtime service of one connection.
 *
 * @param requestTimeoutMs how long a call may take unless it says otherwise
 */
export function runtimeClient(
  rpc: Rpc,
  requestTimeoutMs: number,
): RuntimeService {
  const service = wire.RuntimeServiceDefinition;
  const call = callsWithin(rpc, service, requestTimeoutMs);
  return {
    async version(options) {
      const request = { version: CALLER_API_VERSION };
      return await call(METHODS.version, request, options);
    },
    async status(options) {
      const request = { verbose: options?.verbose ?? false };
      return statusFromWire(await call(METHODS.status, request, options));
    },
    ...sandboxCalls(call, requestTimeoutMs),
    ...removals(call, { rpc, requestTimeoutMs }),
    ...containerLists(call),
    ...containerCalls(call),
    ...resourceCalls(call),
  };
}

function sandboxCalls(call: Call, requestTimeoutMs: number) {
  const everySandbox = {
    ...METHODS.listPodSandbox,
    responseType: new RowDecoder({
      stateField: 3,
      decode: (bytes) => sandboxFromWire(wire.PodSandbox.decode(bytes)),
    }),
  };
  return {
    async runPodSandbox(config, options) {
      const { runtimeHandler = "" } = options ?? {};
      const request = { config: sandboxConfigToWire(config), runtimeHandler };
      // Setting up a pod's network may take long; upstream doubles it as well.
      const extraMs = requestTimeoutMs;
      const { podSandboxId } = await call(
        METHODS.runPodSandbox,
        request,
        { ...options, extraMs },
      );
      return podSandboxId;
    },
    async stopPodSandbox(podSandboxId, options) {
      await unlessGone(call(METHODS.stopPodSandbox, { podSandboxId }, options));
    },
    async podSandboxStatus(podSandboxId, options) {
      const { status } = await call(
        METHODS.podSandboxStatus,
        { podSandboxId },
        options,
      );
      if (status === undefined) throw withoutStatus("PodSandboxStatus");
      return sandboxStatusFromWire(status);
    },
    async listPodSandbox(wanted, options) {
      const filter = wanted && sandboxFilterToWire(wanted);
      if (filter === undefined) {
        return await call(everySandbox, { filter }, options);
      }
      const { items } = await call(METHODS.listPodSandbox, { filter }, options);
      return items.map(sandboxFromWire);
    },
  } satisfies Partial<RuntimeService>;
}

function removals(
  call: Call,
  { rpc, requestTimeoutMs: deadlineMs }: {
    readonly rpc: Rpc;
    readonly requestTimeoutMs: number;
  },
) {
  return {
    async removePodSandbox(podSandboxId, options) {
      const remove = async () =>
        void await unlessGone(
          call(METHODS.removePodSandbox, { podSandboxId }, options),
        );
      await removeWithTask(rpc, remove, { ...options, deadlineMs });
    },
    async removeContainer(containerId, options) {
      const remove = async () =>
        void await unlessGone(
          call(METHODS.removeContainer, { containerId }, options),
        );
      await removeWithTask(rpc, remove, { ...options, deadlineMs });
    },
  } satisfies Partial<RuntimeService>;
}

function containerLists(call: Call) {
  const everyContainer = {
    ...METHODS.listContainers,
    responseType: new RowDecoder({
      stateField: 6,
      decode: (bytes) => containerFromWire(wire.Container.decode(bytes)),
    }),
  };
  return {
    async listContainers(wanted, options) {
      const filter = wanted && containerFilterToWire(wanted);
      if (filter === undefined) {
        return await call(everyContainer, { filter }, options);
      }
      const answer = await call(METHODS.listContainers, { filter }, options);
      return answer.containers.map(containerFromWire);
    },
    async containerStatus(containerId, options) {
      const { status } = await call(
        METHODS.containerStatus,
        { containerId },
        options,
      );
      if (status === undefined) throw withoutStatus("ContainerStatus");
      return containerStatusFromWire(status);
    },
    async listContainerStats(options) {
      const { stats } = await call(METHODS.listContainerStats, {}, options);
      return stats.map(containerStatsFromWire);
    },
    async listNetworkStats(options) {
      const { stats } = await call(METHODS.listPodSandboxStats, {}, options);
      return stats.flatMap(networkStatsFromWire);
    },
  } satisfies Partial<RuntimeService>;
}

function containerCalls(call: Call) {
  return {
    async createContainer({ sandboxId, config, sandboxConfig }, options) {
      const request = {
        podSandboxId: sandboxId,
        config: containerConfigToWire(config),
        sandboxConfig: sandboxConfigToWire(sandboxConfig),
      };
      return (await call(METHODS.createContainer, request, options))
        .containerId;
    },
    async startContainer(containerId, options) {
      await call(METHODS.startContainer, { containerId }, options);
    },
    async stopContainer(containerId, timeoutSeconds, options) {
      const request = { containerId, timeout: wholeSeconds(timeoutSeconds) };
      const extraMs = timeoutSeconds * 1000;
      await unlessGone(
        call(METHODS.stopContainer, request, { ...options, extraMs }),
      );
    },
    async reopenContainerLog(containerId, options) {
      await call(METHODS.reopenContainerLog, { containerId }, options);
    },
    async execSync(containerId, cmd, options) {
      const { timeoutSeconds = 0 } = options ?? {};
      const timeout = wholeSeconds(timeoutSeconds);
      const extraMs = timeoutSeconds === 0 ? Infinity : timeoutSeconds * 1000;
      const request = { containerId, cmd, timeout };
      return await call(METHODS.execSync, request, { ...options, extraMs });
    },
  } satisfies Partial<RuntimeService>;
}

function resourceCalls(call: Call) {
  return {
    async updateContainerResources(containerId, resources, options) {
      const request = { containerId, linux: resourcesToWire(resources) };
      await call(METHODS.updateContainerResources, request, options);
    },
    async updatePodSandboxResources(podSandboxId, amounts, options) {
      const overhead = resourcesToWire(amounts.overhead);
      const resources = resourcesToWire(amounts.resources);
      const request = { podSandboxId, overhead, resources };
      await call(METHODS.updatePodSandboxResources, request, options);
    },
  } satisfies Partial<RuntimeService>;
}

function withoutStatus(method: string): CriError {
  const detail = "the answer has no status";
  return new CriError({ kind: "failed", method, detail });
}

// A fraction would be rounded to no time at all.
function wholeSeconds(seconds: number): bigint {
  return BigInt(Math.ceil(seconds));
}
