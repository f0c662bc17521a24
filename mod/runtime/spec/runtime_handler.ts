/**
 * Which handler of the runtime runs a pod.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { RuntimeVersion } from "../../cri/model/mod.ts";
import { runtimeLack } from "../../pod/admission/mod.ts";
import type { MountAbilities, NodeRuntime, SpecNode } from "./spec_input.ts";
import { SpecRefusal } from "./spec_refusal.ts";

/**
 * The handler for a pod, which can do what the pod wants of it; empty for the
 * runtime's default.
 *
 * A class that no object describes stands for the handler of its own name: a node
 * without an API server has handlers and seldom classes. A runtime that does not
 * list its handlers is given the name and says itself that it has none.
 *
 * @throws {SpecRefusal} when there is neither such a class nor such a handler, or
 * when it lacks what the pod wants
 */
export function podRuntimeHandler(
  pod: Pod,
  node: Pick<SpecNode, "runtime" | "runtimeClass">,
): string {
  const runtime = node.runtime();
  const handlers = (runtime?.handlers ?? []).map(({ name }) => name);
  const handler = handlerOf(pod, node, handlers);
  const lack = runtimeLack(pod, runtime, handler);
  if (lack !== undefined) {
    throw new SpecRefusal(lack.message, { reason: lack.reason });
  }
  return handler;
}

function handlerOf(
  pod: Pod,
  node: Pick<SpecNode, "runtimeClass">,
  handlers: readonly string[],
): string {
  const { runtimeClassName = "" } = pod.spec;
  if (runtimeClassName === "") return "";
  const found = node.runtimeClass(pod, runtimeClassName);
  if (found !== undefined) return found.handler;
  if (handlers.length === 0 || handlers.includes(runtimeClassName)) {
    return runtimeClassName;
  }
  const listed = handlers.filter((name) => name !== "")
    .map((name) => `"${name}"`).join(", ");
  throw new SpecRefusal(
    `RuntimeHandler "${runtimeClassName}" is unknown: found no RuntimeClass and no handler of that name, wanted one of the runtime's handlers (${
      listed || "it has only its default"
    })`,
  );
}

/** What is known of a runtime that has said nothing yet: nothing can be promised. */
const UNKNOWN: MountAbilities = {
  runtime: "the runtime",
  recursiveReadOnly: false,
  imageVolumes: false,
};

/**
 * Judges what a runtime can do under one of its handlers; what is not certain, it
 * cannot. (It would pass over a field that it does not know, and the container would
 * see something else than it asked for.)
 *
 * @param handler the name of the runtime's handler; empty for its default
 */
export function mountAbilities(
  runtime: NodeRuntime | undefined,
  handler: string,
): MountAbilities {
  if (runtime === undefined) return UNKNOWN;
  const { handlers, version } = runtime;
  const known = handlers.find(({ name }) => name === handler);
  return {
    runtime: version === undefined
      ? UNKNOWN.runtime
      : `runtime "${version.runtimeName}" ${version.runtimeVersion}`,
    recursiveReadOnly: known?.recursiveReadOnlyMounts ?? false,
    imageVolumes: version !== undefined && mountsImages(version),
  };
}

/** The first releases that mount images; no field of the CRI tells it. */
const IMAGE_VOLUMES_SINCE: ReadonlyMap<string, readonly [number, number]> =
  new Map([["containerd", [2, 1]], ["cri-o", [1, 31]]]);

function mountsImages(version: RuntimeVersion): boolean {
  const since = IMAGE_VOLUMES_SINCE.get(version.runtimeName);
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version.runtimeVersion) ?? [];
  if (since === undefined || major === undefined || minor === undefined) {
    return false;
  }
  const ahead = Number(major) - since[0];
  return ahead > 0 || (ahead === 0 && Number(minor) >= since[1]);
}
