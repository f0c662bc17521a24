/**
 * The part of a plan that concerns init containers and sidecars.
 *
 * @module
 */

import { containerHash } from "../../api/objects/mod.ts";
import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import { isRestartableInit } from "../../api/vocabulary/mod.ts";
import {
  currentContainer,
  judgeInitEnd,
  type ObservedContainer,
  type ObservedPod,
  restartsAfterKill,
} from "../observed/mod.ts";
import type { KillReason, KillStep, PlanInput } from "./plan_steps.ts";

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
 * from the runtime, so the last that left a trace tells how far the pod came. Only
 * the sandbox that is kept counts: in it the pod began anew.
 */
export function planInit(input: PlanInput): InitPlan {
  const { pod, observed } = input;
  const containers = pod.spec.initContainers ?? [];
  let initialized = appHasStarted(pod, observed) || containers.length === 0;
  // Whether something later than the container at hand has been reached.
  let passed = initialized;
  const kill: KillStep[] = [];
  const start = new Set<number>();
  for (const [index, container] of [...containers.entries()].reverse()) {
    const seen = currentContainer(observed, container.name);
    const verdict = judgeInit({ container, seen, passed }, input);
    if (verdict.kind === "fail") return { kind: "failed" };
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

/**
 * Whether the app was reached in the sandbox that is kept.
 *
 * The kubelet counts what runs or was made, in whatever sandbox, and not what ended,
 * since it cannot tell where that ran. Here the record says so, whatever its state: no
 * init container or sidecar runs again just because its own record is gone, and none
 * is passed over because the app was reached in a sandbox of the past.
 */
function appHasStarted(pod: Pod, observed: ObservedPod): boolean {
  return pod.spec.containers.some(({ name }) =>
    currentContainer(observed, name) !== undefined
  );
}

/** One init container as the walk meets it. */
interface InitStep {
  readonly container: ContainerSpec;
  readonly seen: ObservedContainer | undefined;
  readonly passed: boolean;
}

type InitVerdict =
  | { readonly kind: "fail" }
  | {
    readonly kind: "go";
    /** The next one may start. */
    readonly done: boolean;
    readonly start: boolean;
    readonly kill: KillStep | undefined;
  };

const WAIT: InitVerdict = go({});

function go(
  what: { done?: boolean; start?: boolean; kill?: KillStep },
): InitVerdict {
  return {
    kind: "go",
    done: what.done ?? false,
    start: what.start ?? false,
    kill: what.kill,
  };
}

function judgeInit(step: InitStep, input: PlanInput): InitVerdict {
  const { container, seen, passed } = step;
  const sidecar = isRestartableInit(container);
  // Past its turn an ordinary init container is history, traces or none.
  if (passed && !sidecar) return WAIT;
  if (seen === undefined) return go({ start: passed });
  switch (seen.state) {
    case "created":
      // Create and start are one step; left in between, its start failed.
      return go({ start: true });
    case "running":
      return sidecar ? judgeRunningSidecar(container, seen, input) : WAIT;
    case "exited":
      return sidecar
        ? go({ start: true })
        : judgeEndedInit(container, seen, input);
    case "unknown":
      if (!sidecar && !restartsAfterKill(container, input.pod)) {
        return { kind: "fail" };
      }
      return go({
        start: true,
        kill: killInit(
          seen,
          "state_unknown",
          `Init container ${container.name} is in an unknown state, will be restarted`,
        ),
      });
  }
}

function judgeRunningSidecar(
  container: ContainerSpec,
  seen: ObservedContainer,
  input: PlanInput,
): InitVerdict {
  const name = container.name;
  if (container.startupProbe !== undefined) {
    const startup = input.probes.startup(seen.id);
    if (startup === "failure") {
      const message = `Init container ${name} failed startup probe`;
      return go({
        start: true,
        kill: killInit(seen, "startup_failed", message),
      });
    }
    if (startup !== "success") return WAIT;
  }
  if (seen.hash !== containerHash(container)) {
    const message =
      `Init container ${name} definition changed, will be restarted`;
    return go({
      done: true,
      start: true,
      kill: killInit(seen, "spec_changed", message),
    });
  }
  if (
    container.livenessProbe !== undefined &&
    input.probes.liveness(seen.id) === "failure"
  ) {
    const message = `Init container ${name} failed liveness probe`;
    return go({
      done: true,
      start: true,
      kill: killInit(seen, "liveness_failed", message),
    });
  }
  return go({ done: true });
}

function judgeEndedInit(
  container: ContainerSpec,
  seen: ObservedContainer,
  input: PlanInput,
): InitVerdict {
  const verdict = judgeInitEnd(container, input.pod, seen);
  if (verdict === undefined) return go({ done: true });
  const due = input.pod.metadata.deletionTimestamp === undefined &&
    verdict !== "leave";
  return due ? go({ start: true }) : { kind: "fail" };
}

function killInit(
  seen: ObservedContainer,
  reason: KillReason,
  message: string,
): KillStep {
  return {
    containerId: seen.id,
    containerName: seen.name,
    reason,
    message,
  };
}
