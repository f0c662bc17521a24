/**
 * The methods of the runtime service that the agent calls.
 *
 * @module
 */

import * as wire from "../../proto/gen/runtime/v1/api.ts";
import { type Method, runtimeMethod } from "./rpc/mod.ts";

/** By what they are called here; {@linkcode runtimeMethod} says why not all. */
export const RUNTIME_METHODS: {
  readonly version: Method<wire.VersionRequest, wire.VersionResponse>;
  readonly status: Method<wire.StatusRequest, wire.StatusResponse>;
  readonly runPodSandbox: Method<
    wire.RunPodSandboxRequest,
    wire.RunPodSandboxResponse
  >;
  readonly stopPodSandbox: Method<
    wire.StopPodSandboxRequest,
    wire.StopPodSandboxResponse
  >;
  readonly removePodSandbox: Method<
    wire.RemovePodSandboxRequest,
    wire.RemovePodSandboxResponse
  >;
  readonly podSandboxStatus: Method<
    wire.PodSandboxStatusRequest,
    wire.PodSandboxStatusResponse
  >;
  readonly listPodSandbox: Method<
    wire.ListPodSandboxRequest,
    wire.ListPodSandboxResponse
  >;
  readonly createContainer: Method<
    wire.CreateContainerRequest,
    wire.CreateContainerResponse
  >;
  readonly startContainer: Method<
    wire.StartContainerRequest,
    wire.StartContainerResponse
  >;
  readonly stopContainer: Method<
    wire.StopContainerRequest,
    wire.StopContainerResponse
  >;
  readonly removeContainer: Method<
    wire.RemoveContainerRequest,
    wire.RemoveContainerResponse
  >;
  readonly listContainers: Method<
    wire.ListContainersRequest,
    wire.ListContainersResponse
  >;
  readonly containerStatus: Method<
    wire.ContainerStatusRequest,
    wire.ContainerStatusResponse
  >;
  readonly updateContainerResources: Method<
    wire.UpdateContainerResourcesRequest,
    wire.UpdateContainerResourcesResponse
  >;
  readonly updatePodSandboxResources: Method<
    wire.UpdatePodSandboxResourcesRequest,
    wire.UpdatePodSandboxResourcesResponse
  >;
  readonly reopenContainerLog: Method<
    wire.ReopenContainerLogRequest,
    wire.ReopenContainerLogResponse
  >;
  readonly execSync: Method<wire.ExecSyncRequest, wire.ExecSyncResponse>;
} = {
  version: runtimeMethod("Version", wire.VersionRequest, wire.VersionResponse),
  status: runtimeMethod("Status", wire.StatusRequest, wire.StatusResponse),
  runPodSandbox: runtimeMethod(
    "RunPodSandbox",
    wire.RunPodSandboxRequest,
    wire.RunPodSandboxResponse,
  ),
  stopPodSandbox: runtimeMethod(
    "StopPodSandbox",
    wire.StopPodSandboxRequest,
    wire.StopPodSandboxResponse,
  ),
  removePodSandbox: runtimeMethod(
    "RemovePodSandbox",
    wire.RemovePodSandboxRequest,
    wire.RemovePodSandboxResponse,
  ),
  podSandboxStatus: runtimeMethod(
    "PodSandboxStatus",
    wire.PodSandboxStatusRequest,
    wire.PodSandboxStatusResponse,
  ),
  listPodSandbox: runtimeMethod(
    "ListPodSandbox",
    wire.ListPodSandboxRequest,
    wire.ListPodSandboxResponse,
  ),
  createContainer: runtimeMethod(
    "CreateContainer",
    wire.CreateContainerRequest,
    wire.CreateContainerResponse,
  ),
  startContainer: runtimeMethod(
    "StartContainer",
    wire.StartContainerRequest,
    wire.StartContainerResponse,
  ),
  stopContainer: runtimeMethod(
    "StopContainer",
    wire.StopContainerRequest,
    wire.StopContainerResponse,
  ),
  removeContainer: runtimeMethod(
    "RemoveContainer",
    wire.RemoveContainerRequest,
    wire.RemoveContainerResponse,
  ),
  listContainers: runtimeMethod(
    "ListContainers",
    wire.ListContainersRequest,
    wire.ListContainersResponse,
  ),
  containerStatus: runtimeMethod(
    "ContainerStatus",
    wire.ContainerStatusRequest,
    wire.ContainerStatusResponse,
  ),
  updateContainerResources: runtimeMethod(
    "UpdateContainerResources",
    wire.UpdateContainerResourcesRequest,
    wire.UpdateContainerResourcesResponse,
  ),
  updatePodSandboxResources: runtimeMethod(
    "UpdatePodSandboxResources",
    wire.UpdatePodSandboxResourcesRequest,
    wire.UpdatePodSandboxResourcesResponse,
  ),
  reopenContainerLog: runtimeMethod(
    "ReopenContainerLog",
    wire.ReopenContainerLogRequest,
    wire.ReopenContainerLogResponse,
  ),
  execSync: runtimeMethod(
    "ExecSync",
    wire.ExecSyncRequest,
    wire.ExecSyncResponse,
  ),
};
