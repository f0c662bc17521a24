/**
 * What the fake runtime does with each method of the CRI.
 *
 * @module
 */

import { closeSync, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type * as wire from "../../../proto/gen/runtime/v1/api.ts";
import type { Clock } from "../../../mod/base/mod.ts";
import type { ImageStore } from "./image_store.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { ExecScript, FakeContainer } from "./model.ts";
import { CODE, StatusError } from "./status_error.ts";
import {
  matchesContainer,
  matchesSandbox,
  toContainer,
  toContainerStats,
  toContainerStatus,
  toImage,
  toSandbox,
  toSandboxStats,
  toSandboxStatus,
} from "./to_answer.ts";

/** What a test can set about the runtime as a whole. */
export interface RuntimeSettings {
  runtimeName: string;
  runtimeVersion: string;
  runtimeReady: boolean;
  networkReady: boolean;
  /** `undefined` makes RuntimeConfig unimplemented, as before containerd 2.0. */
  cgroupDriver: "cgroupfs" | "systemd" | undefined;
  /** What a command in a container does. */
  exec: (container: FakeContainer, command: readonly string[]) => ExecScript;
  /** How long a pull takes. */
  pullMs: number;
  /** Whether pods can have a user namespace. */
  userNamespaces: boolean;
  /** Where images are said to lie. */
  imageDirectory: string;
}

/** What handlers work on. */
export interface HandlerDeps {
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  readonly images: ImageStore;
  readonly settings: RuntimeSettings;
}

/** Every unary method that the fake has; what is not here is UNIMPLEMENTED. */
export interface UnaryHandlers {
  // Requests come out of the generated decoder of the very method, which a table
  // over all methods cannot say.
  // deno-lint-ignore no-explicit-any -- see above
  readonly [method: string]: (request: any, signal: AbortSignal) => unknown;
}

/** The handlers of both services. */
export function unaryHandlers(deps: HandlerDeps): UnaryHandlers {
  return {
    ...runtimeHandlers(deps),
    ...sandboxHandlers(deps),
    ...containerHandlers(deps),
    ...imageHandlers(deps),
  };
}

function runtimeHandlers({ settings }: HandlerDeps): UnaryHandlers {
  return {
    Version: (): wire.VersionResponse => ({
      runtimeName: settings.runtimeName,
      runtimeVersion: settings.runtimeVersion,
      runtimeApiVersion: "v1",
    }),
    Status: (request: wire.StatusRequest): wire.StatusResponse => ({
      status: {
        conditions: [
          condition("RuntimeReady", settings.runtimeReady),
          condition("NetworkReady", settings.networkReady),
        ],
      },
      info: request.verbose ? { config: "{}" } : {},
      runtimeHandlers: settings.userNamespaces
        ? [{
          name: "",
          features: { recursiveReadOnlyMounts: false, userNamespaces: true },
        }]
        : [],
      features: undefined,
    }),
    RuntimeConfig: (): wire.RuntimeConfigResponse => {
      const { cgroupDriver } = settings;
      if (cgroupDriver === undefined) throw unimplemented("RuntimeConfig");
      return { linux: { cgroupDriver: cgroupDriver === "systemd" ? 0 : 1 } };
    },
  };
}

function sandboxHandlers({ lifecycle }: HandlerDeps): UnaryHandlers {
  return {
    RunPodSandbox: (
      { config, runtimeHandler }: wire.RunPodSandboxRequest,
    ): wire.RunPodSandboxResponse => {
      const given = required(config, "sandbox config");
      const sandbox = lifecycle.runSandbox(given, runtimeHandler);
      return { podSandboxId: sandbox.id };
    },
    StopPodSandbox: ({ podSandboxId }: wire.StopPodSandboxRequest) => {
      lifecycle.sandbox(podSandboxId);
      lifecycle.stopSandbox(podSandboxId);
      return {};
    },
    RemovePodSandbox: ({ podSandboxId }: wire.RemovePodSandboxRequest) => {
      lifecycle.removeSandbox(podSandboxId);
      return {};
    },
    UpdatePodSandboxResources: (
      { podSandboxId }: wire.UpdatePodSandboxResourcesRequest,
    ) => {
      lifecycle.sandbox(podSandboxId);
      return {};
    },
    PodSandboxStatus: (
      { podSandboxId }: wire.PodSandboxStatusRequest,
    ): wire.PodSandboxStatusResponse => {
      const sandbox = lifecycle.sandbox(podSandboxId);
      return {
        status: toSandboxStatus(sandbox),
      };
    },
    ListPodSandbox: (
      { filter }: wire.ListPodSandboxRequest,
    ): wire.ListPodSandboxResponse => ({
      items: byId(lifecycle.sandboxes)
        .filter((sandbox) => matchesSandbox(sandbox, filter))
        .map(toSandbox),
    }),
    ListPodSandboxStats: (): wire.ListPodSandboxStatsResponse => ({
      stats: byId(lifecycle.sandboxes).map(toSandboxStats),
    }),
  };
}

function containerHandlers(deps: HandlerDeps): UnaryHandlers {
  const { lifecycle } = deps;
  return {
    CreateContainer: (
      { podSandboxId, config }: wire.CreateContainerRequest,
    ): wire.CreateContainerResponse => {
      const given = required(config, "container config");
      const container = lifecycle.createContainer(podSandboxId, given);
      return { containerId: container.id };
    },
    StartContainer: ({ containerId }: wire.StartContainerRequest) => {
      openLog(lifecycle.container(containerId), lifecycle);
      lifecycle.startContainer(containerId);
      return {};
    },
    StopContainer: async (
      { containerId, timeout }: wire.StopContainerRequest,
      signal: AbortSignal,
    ) => {
      const timeoutMs = Number(timeout) * 1000;
      await lifecycle.stopContainer(containerId, timeoutMs, signal);
      return {};
    },
    RemoveContainer: ({ containerId }: wire.RemoveContainerRequest) => {
      lifecycle.removeContainer(containerId);
      return {};
    },
    ListContainers: (
      { filter }: wire.ListContainersRequest,
    ): wire.ListContainersResponse => ({
      containers: byId(lifecycle.containers)
        .filter((container) => matchesContainer(container, filter))
        .map(toContainer),
    }),
    ContainerStatus: (
      { containerId }: wire.ContainerStatusRequest,
    ): wire.ContainerStatusResponse => {
      const container = lifecycle.container(containerId);
      const sandbox = lifecycle.sandboxes.get(container.sandboxId);
      return { status: toContainerStatus(container, sandbox) };
    },
    ListContainerStats: (): wire.ListContainerStatsResponse => ({
      stats: byId(lifecycle.containers).map(toContainerStats),
    }),
    UpdateContainerResources: (
      { containerId, linux }: wire.UpdateContainerResourcesRequest,
    ) => {
      lifecycle.container(containerId).resources = linux;
      return {};
    },
    ReopenContainerLog: ({ containerId }: wire.ReopenContainerLogRequest) => {
      const container = running(lifecycle.container(containerId));
      container.logReopened++;
      openLog(container, lifecycle);
      return {};
    },
    ExecSync: (request: wire.ExecSyncRequest, signal: AbortSignal) =>
      execSync(deps, request, signal),
  };
}

/** Makes an empty log where there is a directory for it, as runtimes do. */
function openLog(
  { sandboxId, config }: FakeContainer,
  lifecycle: Lifecycle,
): void {
  const { logDirectory } = lifecycle.sandbox(sandboxId).config;
  const path = `${logDirectory}/${config.logPath}`;
  // Not by calls of Deno, which tests count as the agent's.
  if (config.logPath === "" || !existsSync(dirname(path))) return;
  closeSync(openSync(path, "a"));
}

const NO_BYTES = new Uint8Array();

/** No test lasts longer. */
const LONG_MS = 1_000 * 86_400_000;

async function execSync(
  { lifecycle, settings }: HandlerDeps,
  { containerId, cmd, timeout }: wire.ExecSyncRequest,
  signal: AbortSignal,
): Promise<wire.ExecSyncResponse> {
  const container = running(lifecycle.container(containerId));
  const script = settings.exec(container, cmd);
  const { stdout = "", stderr = "", exitCode = 0, afterMs = 0 } = script;
  const limitMs = timeout === 0n ? Infinity : Number(timeout) * 1000;
  const waitMs = Math.min(afterMs, limitMs, LONG_MS);
  const isKilled = afterMs > 0 &&
    await lifecycle.endsWithin(containerId, waitMs, signal);
  if (isKilled) return { stdout: NO_BYTES, stderr: NO_BYTES, exitCode: 137 };
  if (afterMs > limitMs) {
    throw new StatusError(
      CODE.deadlineExceeded,
      `failed to exec in container: timeout ${timeout}s exceeded: context deadline exceeded`,
    );
  }
  if (script.error !== undefined) {
    throw new StatusError(script.error.code, script.error.details);
  }
  const utf8 = new TextEncoder();
  return { stdout: utf8.encode(stdout), stderr: utf8.encode(stderr), exitCode };
}

function imageHandlers(
  { clock, images, settings }: HandlerDeps,
): UnaryHandlers {
  return {
    ImageStatus: (
      { image }: wire.ImageStatusRequest,
    ): wire.ImageStatusResponse => {
      const found = images.find(image?.image ?? "");
      return { image: found && toImage(found) };
    },
    PullImage: async (
      { image, auth }: wire.PullImageRequest,
      signal: AbortSignal,
    ): Promise<wire.PullImageResponse> => {
      if (settings.pullMs > 0) await clock.sleep(settings.pullMs, signal);
      const login = auth && `${auth.username}:${auth.password}`;
      return { imageRef: images.pull(image?.image ?? "", login).id };
    },
    ListImages: (): wire.ListImagesResponse => ({
      images: byId(images.images).map(toImage),
    }),
    RemoveImage: ({ image }: wire.RemoveImageRequest) => {
      images.remove(image?.image ?? "");
      return {};
    },
    ImageFsInfo: (): wire.ImageFsInfoResponse => {
      const sizes = [...images.images.values()].map(({ size }) => size);
      const usedBytes = sizes.reduce((sum, size) => sum + size, 0n);
      const { imageDirectory } = settings;
      const fileSystem = {
        fsId: { mountpoint: imageDirectory },
        usedBytes: { value: usedBytes },
        inodesUsed: { value: BigInt(sizes.length) },
      };
      return { imageFilesystems: [fileSystem], containerFilesystems: [] };
    },
  };
}

/** The refusal of a method that the runtime does not have. */
export function unimplemented(method: string): StatusError {
  return new StatusError(CODE.unimplemented, `unknown method ${method}`);
}

function condition(type: string, status: boolean): wire.RuntimeCondition {
  return {
    type,
    status,
    reason: status ? "" : `${type}Not`,
    message: status ? "" : `${type} is switched off by the test`,
  };
}

function required<T>(value: T | undefined, what: string): T {
  if (value !== undefined) return value;
  throw new StatusError(CODE.invalidArgument, `${what} is nil`);
}

function running(container: FakeContainer): FakeContainer {
  if (container.state === "running") return container;
  const state = `CONTAINER_${container.state.toUpperCase()}`;
  throw new StatusError(CODE.unknown, `container is in ${state} state`);
}

// Ids have no order, so neither has a list: nobody may lean on it.
function byId<T extends { readonly id: string }>(
  things: ReadonlyMap<string, T>,
): readonly T[] {
  return [...things.values()].sort((a, b) => a.id < b.id ? -1 : 1);
}
