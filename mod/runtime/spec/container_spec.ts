/**
 * The configuration of one container.
 *
 * @module
 */

import { containerHash } from "../../api/objects/mod.ts";
import type {
  ContainerPort,
  ContainerSpec,
  LifecycleHandler,
} from "../../api/types/mod.ts";
import { defined } from "../../base/mod.ts";
import {
  ANNOTATION_CONTAINER_HASH,
  ANNOTATION_CONTAINER_PORTS,
  ANNOTATION_CONTAINER_RESTART_COUNT,
  ANNOTATION_DELETION_GRACE_PERIOD,
  ANNOTATION_PRE_STOP_HANDLER,
  ANNOTATION_TERMINATION_GRACE_PERIOD,
  ANNOTATION_TERMINATION_MESSAGE_PATH,
  ANNOTATION_TERMINATION_MESSAGE_POLICY,
  LABEL_CONTAINER_NAME,
  LABEL_POD_NAME,
  LABEL_POD_NAMESPACE,
  LABEL_POD_UID,
} from "../../api/vocabulary/mod.ts";
import type { ContainerConfig, Mount } from "../../cri/config/mod.ts";
import { isStopSignal, type RuntimeService } from "../../cri/model/mod.ts";
import { containerEnvironment } from "./environment.ts";
import { expandAll, ProgramBudget } from "./expansion.ts";
import { containerMounts, terminationLogPath } from "./mount_spec.ts";
import { containerResources } from "./resource_spec.ts";
import { containerSecurity } from "./security_spec.ts";
import type {
  ContainerSpecInput,
  Environment,
  SpecResult,
} from "./spec_input.ts";
import { SpecRefusal, specResult } from "./spec_refusal.ts";

/**
 * Builds what CreateContainer is asked, or says why it cannot.
 *
 * Labels and annotations are the agent's own only: nothing a manifest says becomes
 * one of them except as the value of a key of the agent.
 *
 * Upstream: pkg/kubelet/kuberuntime generateContainerConfig.
 */
export function buildContainerConfig(
  input: ContainerSpecInput,
): SpecResult<ContainerConfig> {
  return specResult(() => containerConfig(input));
}

/** A container's log file relative to its pod's log directory: `<name>/<restarts>.log`. */
export function containerLogPath(name: string, restartCount: number): string {
  return `${name}/${restartCount}.log`;
}

function containerConfig(input: ContainerSpecInput): ContainerConfig {
  const { container, restartCount } = input;
  const environment = input.environment ?? containerEnvironment(input);
  const { command, args } = expandedWords(container, environment);
  const { workingDir = "" } = container;
  return {
    metadata: { name: container.name, attempt: restartCount },
    image: {
      image: input.imageRef,
      userSpecifiedImage: container.image ?? "",
    },
    ...defined({ command, args }),
    ...(workingDir === "" ? {} : { workingDir }),
    envs: Array.from(environment, ([key, value]) => ({ key, value })),
    mounts: mappedMounts(input, containerMounts({ ...input, environment })),
    labels: containerLabels(input),
    annotations: containerAnnotations(input),
    logPath: containerLogPath(container.name, restartCount),
    ...(container.stdin === true ? { stdin: true } : {}),
    ...(container.stdinOnce === true ? { stdinOnce: true } : {}),
    ...(container.tty === true ? { tty: true } : {}),
    ...stopSignal(container),
    linux: {
      resources: containerResources(input),
      securityContext: containerSecurity(input),
    },
  };
}

/** What the program is given beside its variables; they count together. */
function expandedWords(
  { command, args }: Pick<ContainerSpec, "command" | "args">,
  environment: Environment,
) {
  const budget = new ProgramBudget();
  for (const [name, value] of environment) {
    budget.take(name);
    budget.take(value);
  }
  return {
    command: expandAll(command, environment, budget),
    args: expandAll(args, environment, budget),
  };
}

/** In a user namespace the files of a mount keep the owners that they have outside. */
function mappedMounts(
  input: ContainerSpecInput,
  mounts: readonly Mount[],
): readonly Mount[] {
  const { pod, node } = input;
  if (pod.spec.hostUsers !== false) return mounts;
  const mapping = node.idMapping(pod.metadata.uid);
  return mapping === undefined
    ? mounts
    : mounts.map((mount) => ({ ...mount, idMappings: [mapping] }));
}

function containerLabels(input: ContainerSpecInput): Record<string, string> {
  const { name, namespace, uid } = input.pod.metadata;
  return {
    [LABEL_POD_NAME]: name,
    [LABEL_POD_NAMESPACE]: namespace,
    [LABEL_POD_UID]: uid,
    [LABEL_CONTAINER_NAME]: input.container.name,
  };
}

function containerAnnotations(
  input: ContainerSpecInput,
): Record<string, string> {
  const { pod, container, restartCount } = input;
  const { terminationMessagePolicy = "File", ports = [] } = container;
  const deletion = pod.metadata.deletionGracePeriodSeconds;
  const termination = pod.spec.terminationGracePeriodSeconds;
  const preStop = container.lifecycle?.preStop;
  return defined({
    [ANNOTATION_CONTAINER_HASH]: containerHash(container),
    [ANNOTATION_CONTAINER_RESTART_COUNT]: String(restartCount),
    [ANNOTATION_TERMINATION_MESSAGE_PATH]: terminationLogPath(container),
    [ANNOTATION_TERMINATION_MESSAGE_POLICY]: terminationMessagePolicy,
    [ANNOTATION_DELETION_GRACE_PERIOD]: deletion?.toString(),
    [ANNOTATION_TERMINATION_GRACE_PERIOD]: termination?.toString(),
    [ANNOTATION_PRE_STOP_HANDLER]: preStop && goJson(goHandler(preStop)),
    [ANNOTATION_CONTAINER_PORTS]: ports.length === 0
      ? undefined
      : goJson(ports.map(goPort)),
  });
}

/** A port with its fields in the order that Go writes them; empty ones are left out. */
function goPort(port: ContainerPort): unknown {
  return {
    name: port.name || undefined,
    hostPort: port.hostPort || undefined,
    containerPort: port.containerPort,
    protocol: port.protocol ?? "TCP",
    hostIP: port.hostIP || undefined,
  };
}

/** A hook with its fields in the order that Go writes them; empty ones are left out. */
function goHandler(handler: LifecycleHandler): unknown {
  const { exec, httpGet, tcpSocket, sleep } = handler;
  return {
    exec: exec && {
      command: exec.command?.length ? exec.command : undefined,
    },
    httpGet: httpGet && {
      path: httpGet.path || undefined,
      port: httpGet.port,
      host: httpGet.host || undefined,
      scheme: httpGet.scheme || undefined,
      httpHeaders: httpGet.httpHeaders?.length
        ? httpGet.httpHeaders.map(({ name, value }) => ({ name, value }))
        : undefined,
    },
    tcpSocket: tcpSocket && {
      port: tcpSocket.port,
      host: tcpSocket.host || undefined,
    },
    sleep: sleep && { seconds: sleep.seconds },
  };
}

/** JSON as Go's encoder writes it: what could end an HTML script is escaped. */
function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) =>
      `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * The stop signal as the configuration of a container carries it. Pure.
 *
 * @throws {SpecRefusal} When a runtime would not know it.
 */
export function stopSignal(
  container: Pick<ContainerSpec, "lifecycle">,
): Pick<ContainerConfig, "stopSignal"> {
  const name = container.lifecycle?.stopSignal ?? "";
  if (name === "") return {};
  if (isStopSignal(name)) return { stopSignal: name };
  throw new SpecRefusal(
    `Cannot set the stop signal: found "${name}", wanted a name such as "SIGTERM" or "SIGRTMIN+3"`,
  );
}

/**
 * Whether the runtime ignores the stop signal of a container. A runtime that supports it
 * (containerd from 2.3 on) repeats it in the status. False when that is not known.
 *
 * @throws {unknown} The reason of the signal when it aborts.
 */
export async function ignoresStopSignal(
  runtime: Pick<RuntimeService, "containerStatus">,
  containerId: string,
  options: { readonly signal: AbortSignal },
): Promise<boolean> {
  try {
    const status = await runtime.containerStatus(containerId, options);
    return status.stopSignal === undefined;
  } catch {
    // If the failure lasts, the next look at the pod meets it.
    options.signal.throwIfAborted();
    return false;
  }
}
