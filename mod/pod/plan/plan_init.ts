/**
 * The part of a plan that concerns init containers and sidecars.
 *
 * @module
 */

import { containerHash } from "../../api/objects/mod.ts";
import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import { isRestartableInit } from "../../api/vocabulary/mod.ts";
import {
  appWasReached,
  currentContainer,
  judgeInitEnd,
  type ObservedContainer,
  restartsAfterKill,
} from "../observed/mod.ts";
import {
  type KillReason,
  type KillStep,
  killStep,
  type PlanInput,
} from "./plan_steps.ts";

/** What the init containers need, and whether the app may start. */
export type InitPlan =
  /** An init container failed for good: nothing of the pod is to run. */
  | { readonly kind: "failed" }
  | {
    readonly kind: "proceed";
    /** Whether the app containers may start. */
    readonly initialized: boolean;
    readonly kill: readonly KillStep[];
    /** Names in spec order. */
    readonly start: readonly string[];
  };

/**
 * Plans the init containers.
 *
 * They are read from the last to the first: finished ones may have been removed
 * from the runtime, so the last that left a trace shows how far the pod came. Only
 * the sandbox that is kept counts: in it the pod began anew.
 */
export function planInit(input: PlanInput): InitPlan {
  const { pod, observed } = input;
  const containers = pod.spec.initContainers ?? [];
  let initialized = appWasReached(pod, observed) || containers.length === 0;
  // Whether something later than the container at hand has been reached.
  let passed = initialized;
  const kill: KillStep[] = [];
  const start = new Set<number>();
  for (const [index, container] of [...containers.entries()].reverse()) {
    const seen = currentContainer(observed, container.name);
    const verdict = judgeInit({ container, seen, passed }, input);
    if (verdict === "failed") return { kind: "failed" };
    if (verdict.kill !== undefined) kill.push(verdict.kill);
    if (verdict.start) start.add(index);
    if (verdict.done) {
      if (index === containers.length - 1) initialized = true;
      else if (!passed) start.add(index + 1);
    }
    if (seen !== undefined) passed = true;
  }
  if (!passed) start.add(0);
  return {
    kind: "proceed",
    initialized,
    kill: kill.reverse(),
    start: containers.filter((_, index) => start.has(index))
      .map((container) => container.name),
  };
}

/** One init container as the walk meets it. */
interface InitStep {
  readonly container: ContainerSpec;
  readonly seen: ObservedContainer | undefined;
  readonly passed: boolean;
}

/** What an init container needs; nothing where it is left alone. */
interface InitVerdict {
  /** The next one may start. */
  readonly done?: boolean;
  readonly start?: boolean;
  readonly kill?: KillStep;
}

function judgeInit(step: InitStep, input: PlanInput): InitVerdict | "failed" {
  const { container, seen, passed } = step;
  const sidecar = isRestartableInit(container);
  // Past its turn an ordinary init container is history, traces or none.
  if (passed && !sidecar) return {};
  if (seen === undefined) return { start: passed };
  switch (seen.state) {
    case "created":
      // Create and start are one step; left in between, its start failed.
      return { start: true };
    case "running":
      return sidecar ? judgeRunningSidecar(container, seen, input) : {};
    case "exited":
      return sidecar
        ? { start: true }
        : judgeEndedInit(container, seen, input.pod);
    case "unknown": {
      const what = "is in an unknown state, will be restarted";
      return sidecar || restartsAfterKill(container, input.pod)
        ? restart(seen, "state_unknown", what)
        : "failed";
    }
  }
}

function judgeRunningSidecar(
  container: ContainerSpec,
  seen: ObservedContainer,
  { probes }: PlanInput,
): InitVerdict {
  if (container.startupProbe !== undefined) {
    const startup = probes.startup(seen.id);
    if (startup === "failure") {
      return restart(seen, "startup_failed", "failed startup probe");
    }
    if (startup !== "success") return {};
  }
  if (seen.hash !== containerHash(container)) {
    const what = "definition changed, will be restarted";
    return { done: true, ...restart(seen, "spec_changed", what) };
  }
  const isAlive = container.livenessProbe === undefined ||
    probes.liveness(seen.id) !== "failure";
  if (isAlive) return { done: true };
  const what = "failed liveness probe";
  return { done: true, ...restart(seen, "liveness_failed", what) };
}

function judgeEndedInit(
  container: ContainerSpec,
  seen: ObservedContainer,
  pod: Pod,
): InitVerdict | "failed" {
  const verdict = judgeInitEnd(container, pod, seen);
  if (verdict === undefined) return { done: true };
  const due = pod.metadata.deletionTimestamp === undefined &&
    verdict !== "leave";
  return due ? { start: true } : "failed";
}

function restart(
  seen: ObservedContainer,
  reason: KillReason,
  what: string,
): InitVerdict {
  const message = `Init container ${seen.name} ${what}`;
  return { start: true, kill: { ...killStep(seen, reason, what), message } };
}
