/**
 * The signal that a container wants to be ended by.
 *
 * @module
 */

import type { ContainerSpec } from "../../api/types/mod.ts";
import type { ContainerConfig } from "../../cri/config/mod.ts";
import { isStopSignal, type RuntimeService } from "../../cri/model/mod.ts";
import { SpecRefusal } from "./spec_refusal.ts";

/**
 * The stop signal as the configuration of a container carries it. Pure.
 *
 * @throws {SpecRefusal} When it is none that a runtime could be told of.
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
 * Whether the runtime passes over the stop signal of a container: one that knows of
 * it (containerd from 2.3 on) repeats it in the status. False when that cannot be told.
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
