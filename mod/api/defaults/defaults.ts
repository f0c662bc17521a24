/**
 * What the API server fills in where a Pod manifest is silent
 * (pkg/apis/core/v1/defaults.go).
 *
 * @module
 */

import type {
  ContainerPort,
  ContainerSpec,
  EnvVar,
  Lifecycle,
  LifecycleHandler,
  PodBody,
  PodSpec,
  Probe,
} from "../types/mod.ts";
import { fillPodRequests, fillRequests } from "./default_resources.ts";
import { applyVolumeDefaults } from "./default_volume.ts";
import { impliedPullPolicy } from "./pull_policy.ts";

/**
 * Fills in the defaults of a pod; returns a new one and leaves the old as it is.
 *
 * Idempotent. The namespace is not among them: that is part of the identity which
 * a source gives.
 */
export function applyPodDefaults(pod: PodBody): PodBody {
  const { spec } = pod;
  const filled: PodSpec = {
    ...spec,
    restartPolicy: spec.restartPolicy || "Always",
    dnsPolicy: spec.dnsPolicy || "ClusterFirst",
    schedulerName: spec.schedulerName || "default-scheduler",
    securityContext: spec.securityContext ?? {},
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
    enableServiceLinks: spec.enableServiceLinks ?? true,
    ...containerLists(spec),
  };
  const complete: PodSpec = {
    ...filled,
    ...(spec.volumes && { volumes: spec.volumes.map(applyVolumeDefaults) }),
  };
  return {
    ...pod,
    spec: spec.resources === undefined
      ? complete
      : { ...complete, resources: fillPodRequests(spec.resources, complete) },
  };
}

function containerLists(
  spec: PodSpec,
): Pick<PodSpec, "containers" | "initContainers" | "ephemeralContainers"> {
  const options = { hostNetwork: spec.hostNetwork === true };
  const fill = (container: ContainerSpec): ContainerSpec =>
    applyContainerDefaults(container, options);
  const { initContainers, ephemeralContainers } = spec;
  return {
    containers: spec.containers.map(fill),
    ...(initContainers && { initContainers: initContainers.map(fill) }),
    ...(ephemeralContainers && {
      ephemeralContainers: ephemeralContainers.map((container) => ({
        ...container,
        ...fill(container),
      })),
    }),
  };
}

/** Fills in the defaults of one container; returns a new one. */
function applyContainerDefaults(
  container: ContainerSpec,
  options: { readonly hostNetwork: boolean },
): ContainerSpec {
  const { env, lifecycle, ports, resources } = container;
  const { livenessProbe, readinessProbe, startupProbe } = container;
  return {
    ...container,
    imagePullPolicy: container.imagePullPolicy ||
      impliedPullPolicy(container.image ?? ""),
    terminationMessagePath: container.terminationMessagePath ||
      "/dev/termination-log",
    terminationMessagePolicy: container.terminationMessagePolicy || "File",
    resources: fillRequests(resources ?? {}),
    ...(ports && { ports: ports.map((port) => fillPort(port, options)) }),
    ...(env && { env: env.map(fillEnv) }),
    ...(livenessProbe && { livenessProbe: fillProbe(livenessProbe) }),
    ...(readinessProbe && { readinessProbe: fillProbe(readinessProbe) }),
    ...(startupProbe && { startupProbe: fillProbe(startupProbe) }),
    ...(lifecycle && { lifecycle: fillLifecycle(lifecycle) }),
  };
}

function fillPort(
  port: ContainerPort,
  options: { readonly hostNetwork: boolean },
): ContainerPort {
  const protocol = port.protocol || "TCP";
  // With the node's network a container's port is a port of the node.
  return options.hostNetwork && !port.hostPort && port.containerPort
    ? { ...port, protocol, hostPort: port.containerPort }
    : { ...port, protocol };
}

function fillEnv(env: EnvVar): EnvVar {
  const fieldRef = env.valueFrom?.fieldRef;
  if (fieldRef === undefined) return env;
  const apiVersion = fieldRef.apiVersion || "v1";
  return {
    ...env,
    valueFrom: { ...env.valueFrom, fieldRef: { ...fieldRef, apiVersion } },
  };
}

function fillProbe(probe: Probe): Probe {
  const { grpc } = probe;
  return {
    ...fillHttp(probe),
    ...(grpc && { grpc: { ...grpc, service: grpc.service ?? "" } }),
    timeoutSeconds: probe.timeoutSeconds || 1,
    periodSeconds: probe.periodSeconds || 10,
    successThreshold: probe.successThreshold || 1,
    failureThreshold: probe.failureThreshold || 3,
  };
}

function fillLifecycle(lifecycle: Lifecycle): Lifecycle {
  const { postStart, preStop } = lifecycle;
  return {
    ...lifecycle,
    ...(postStart && { postStart: fillHttp(postStart) }),
    ...(preStop && { preStop: fillHttp(preStop) }),
  };
}

function fillHttp<Handler extends Pick<LifecycleHandler, "httpGet">>(
  handler: Handler,
): Handler {
  const { httpGet } = handler;
  if (httpGet === undefined) return handler;
  const path = httpGet.path || "/";
  const scheme = httpGet.scheme || "HTTP";
  return { ...handler, httpGet: { ...httpGet, path, scheme } };
}
