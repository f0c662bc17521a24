/**
 * Which handler of the runtime runs a pod.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { runtimeLack } from "../../pod/admission/mod.ts";
import type { NodeFacts } from "./spec_input.ts";
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
  node: Pick<NodeFacts, "runtime" | "runtimeClass">,
): string {
  const runtime = node.runtime?.();
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
  node: Pick<NodeFacts, "runtimeClass">,
  handlers: readonly string[],
): string {
  const { runtimeClassName = "" } = pod.spec;
  if (runtimeClassName === "") return "";
  const found = node.runtimeClass?.(runtimeClassName);
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
