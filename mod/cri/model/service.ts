/**
 * The ports to a container runtime: every call the agent makes, in its own types.
 *
 * Each call has a deadline of its own and rejects with a `CriError`.
 *
 * @module
 */

import type {
  Container,
  ContainerFilter,
  ContainerStats,
  ExecResult,
  Image,
  ImageFileSystems,
  ListedImage,
  NetworkStats,
  RuntimeContainerStatus,
  RuntimeStatus,
  RuntimeVersion,
  Sandbox,
  SandboxFilter,
  SandboxStatus,
} from "./runtime_answers.ts";
import type {
  ContainerConfig,
  ImageSpec,
  LinuxResources,
  SandboxConfig,
} from "../config/mod.ts";

/** Common to all calls. */
export interface CallOptions {
  /** Cancels the call; the runtime may still finish what it began. */
  readonly signal?: AbortSignal | undefined;
}

/** Sandboxes and containers. */
export interface RuntimeService {
  version(options?: CallOptions): Promise<RuntimeVersion>;
  status(options?: CallOptions & { verbose?: boolean }): Promise<RuntimeStatus>;

  /** Creates and starts a sandbox; resolves to its id. Twice the common deadline. */
  runPodSandbox(
    config: SandboxConfig,
    options?: CallOptions & { runtimeHandler?: string },
  ): Promise<string>;
  /** Ends every process of the sandbox. One that is gone already is no error. */
  stopPodSandbox(sandboxId: string, options?: CallOptions): Promise<void>;
  /** Removes the sandbox and its containers. One that is gone already is no error. */
  removePodSandbox(sandboxId: string, options?: CallOptions): Promise<void>;
  podSandboxStatus(
    sandboxId: string,
    options?: CallOptions,
  ): Promise<SandboxStatus>;
  listPodSandbox(
    filter?: SandboxFilter,
    options?: CallOptions,
  ): Promise<readonly Sandbox[]>;

  /** Resolves to the new container's id. */
  createContainer(
    request: {
      readonly sandboxId: string;
      readonly config: ContainerConfig;
      readonly sandboxConfig: SandboxConfig;
    },
    options?: CallOptions,
  ): Promise<string>;
  startContainer(containerId: string, options?: CallOptions): Promise<void>;
  /** SIGTERM, then SIGKILL after `timeoutSeconds`. One that is gone is no error. */
  stopContainer(
    containerId: string,
    timeoutSeconds: number,
    options?: CallOptions,
  ): Promise<void>;
  /** Removes a dead container. One that is gone is no error. */
  removeContainer(containerId: string, options?: CallOptions): Promise<void>;
  listContainers(
    filter?: ContainerFilter,
    options?: CallOptions,
  ): Promise<readonly Container[]>;
  containerStatus(
    containerId: string,
    options?: CallOptions,
  ): Promise<RuntimeContainerStatus>;
  /**
   * Has the log of a running container go on in the file at its path, which is made if it is
   * missing. Once this resolves, no new line goes to the file that it had before.
   */
  reopenContainerLog(containerId: string, options?: CallOptions): Promise<void>;
  /** What all containers use of the node, as the runtime last measured it. */
  listContainerStats(options?: CallOptions): Promise<readonly ContainerStats[]>;
  /** What went over the networks of sandboxes that have one; not every runtime tells. */
  listNetworkStats(options?: CallOptions): Promise<readonly NetworkStats[]>;
  updateContainerResources(
    containerId: string,
    resources: LinuxResources,
    options?: CallOptions,
  ): Promise<void>;
  /**
   * Notifies the runtime that the pod of a sandbox was resized; it may pass this on to
   * its plug-ins. Runtimes before CRI 1.33 do not have it.
   */
  updatePodSandboxResources(
    sandboxId: string,
    amounts: {
      readonly overhead: LinuxResources;
      /** Of all containers, without the overhead. */
      readonly resources: LinuxResources;
    },
    options?: CallOptions,
  ): Promise<void>;
  /**
   * Runs a command to its end.
   *
   * @param timeoutSeconds 0 for no limit
   */
  execSync(
    containerId: string,
    command: readonly string[],
    options?: CallOptions & { timeoutSeconds?: number },
  ): Promise<ExecResult>;
}

/** What a registry is shown. */
export interface RegistryAuth {
  readonly username: string;
  readonly password: string;
  /** Shown to the service that gives tokens for the registry, in place of both. */
  readonly identityToken?: string;
  /** Shown to the registry itself. */
  readonly registryToken?: string;
}

/** Images. */
export interface ImageService {
  /** The image, or `undefined` when it is not on the node. */
  imageStatus(
    image: ImageSpec,
    options?: CallOptions,
  ): Promise<Image | undefined>;
  /** Pulls; resolves to the reference by which a container names the image. No deadline of its own. */
  pullImage(
    image: ImageSpec,
    options?: CallOptions & {
      sandboxConfig?: SandboxConfig;
      /** Without it the registry is asked as anyone. */
      auth?: RegistryAuth;
    },
  ): Promise<string>;
  /** All images on the node. */
  listImages(options?: CallOptions): Promise<readonly ListedImage[]>;
  /** Removes an image with all its names. One that is gone already is no error. */
  removeImage(image: ImageSpec, options?: CallOptions): Promise<void>;
  /** Where images lie, and what they take there. */
  imageFsInfo(options?: CallOptions): Promise<ImageFileSystems>;
}
