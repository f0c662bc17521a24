/**
 * The calls of upstream's ReplicationController for the same histories, as recorded by
 * `cd tests/support/replication_recorder && go run . <histories.json
 * >../../testdata/replication_calls.json`.
 */

import { deepStrictEqual } from "node:assert/strict";
import type { ReplicationController } from "../../../../mod/api/workload/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import { replicationController } from "../../../../mod/controller/replicas/mod.ts";
import { SimulatedNode } from "../../../support/controller/simulated_node.ts";
import recorded from "../../../testdata/replication_calls.json" with {
  type: "json",
};

type Status = Partial<NonNullable<ReplicationController["status"]>>;

interface Report {
  readonly pods: readonly string[];
  readonly phase?: string;
  readonly ready?: boolean;
  readonly since?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly cost?: string;
}

interface Step {
  readonly controller?: ReplicationController;
  readonly pod?: Pod;
  readonly replicas?: number;
  readonly report?: Report;
  readonly drop?: string;
  readonly ending?: string;
  readonly refuse?: string;
}

interface Played {
  readonly name: string;
  readonly steps: readonly {
    readonly step: Step;
    readonly calls: readonly string[];
    readonly status: Status;
  }[];
}

// What a JSON file holds has a type of its own for each history.
const HISTORIES: readonly Played[] = JSON.parse(
  JSON.stringify(recorded.histories),
);

for (const { name, steps } of HISTORIES) {
  Deno.test(`the same calls as ${recorded.version}: ${name}`, async () => {
    await using on = new SimulatedNode().add(replicationController);
    on.clock.wall = Date.parse("2026-11-23T00:00:00Z");
    const patches = notePatches(on);
    for (const { step, calls, status } of steps) {
      on.objects.calls.splice(0);
      await play(on, step);
      const made = on.objects.calls
        .filter((call) => !call.startsWith("status"))
        .map((call) =>
          call.startsWith("create")
            ? "create Pod web-"
            : call.startsWith("patch")
            ? patches.shift() ?? call
            : call
        );
      const isRefused = step.refuse !== undefined;
      deepStrictEqual(counted(made, isRefused), counted(calls, isRefused));
      const owner = on.get("ReplicationController", "web");
      deepStrictEqual(facts(owner?.status ?? {}), facts(status));
    }
  });
}

/**
 * Calls without their order, since many go out side by side. What is refused is tried again
 * at a pace that is not compared; an adoption upstream may do again on a stale cache.
 */
function counted(calls: readonly string[], isRefused: boolean): string[] {
  const isMany = (call: string) => !isRefused && /^(create|delete)/.test(call);
  const once = new Set(calls.filter((call) => !isMany(call)));
  return [...calls.filter(isMany), ...once].toSorted();
}

/** The kinds of patches in their order. */
function notePatches(on: SimulatedNode): string[] {
  const patches: string[] = [];
  const before = on.objects.patch.bind(on.objects);
  on.objects.patch = (ref, patch) => {
    const isAdoption = JSON.stringify(patch).includes('"controller":true');
    patches.push(`${isAdoption ? "adopt" : "release"} Pod ${ref.name}`);
    return before(ref, patch);
  };
  return patches;
}

async function play(on: SimulatedNode, step: Step): Promise<void> {
  const { controller, pod, replicas, report, drop, ending, refuse } = step;
  const { objects, clock } = on;
  objects.refuse = (verb, { kind }) =>
    refuse === `${verb} ${kind.toLowerCase()}s`
      ? new ApiFailure("Forbidden", "refused")
      : undefined;
  if (controller !== undefined) objects.put(controller);
  if (pod !== undefined) objects.put(pod);
  if (replicas !== undefined) scale(on, replicas);
  for (const name of report?.pods ?? []) {
    const found = on.get("Pod", name);
    if (found !== undefined && report !== undefined) {
      objects.put(reported(found, report));
    }
  }
  if (drop !== undefined) objects.drop("Pod", "shop", drop);
  const ended = ending === undefined ? undefined : on.get("Pod", ending);
  if (ended !== undefined) {
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    objects.put({
      ...ended,
      metadata: { ...ended.metadata, deletionTimestamp },
    });
  }
  await clock.advance(20);
}

function scale(on: SimulatedNode, replicas: number): void {
  const owner = on.get("ReplicationController", "web");
  if (owner === undefined) return;
  const { metadata, metadata: { generation = 0 } } = owner;
  const changed: ReplicationController = {
    ...owner,
    metadata: { ...metadata, generation: generation + 1 },
    spec: { ...owner.spec, replicas },
  };
  on.objects.put(changed);
}

function reported(pod: Pod, report: Report): Pod {
  const { phase, ready, since, labels, cost } = report;
  const key = "controller.kubernetes.io/pod-deletion-cost";
  const conditions = [{
    type: "Ready",
    status: ready === true ? "True" : "False",
    ...(since !== undefined && { lastTransitionTime: since }),
  }];
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(labels !== undefined && { labels }),
      ...(cost !== undefined && { annotations: { [key]: cost } }),
    },
    ...(phase !== undefined && { status: { phase, conditions } }),
  };
}

/** What of a status both say in the same way. */
function facts(status: Status): unknown {
  return {
    replicas: status.replicas ?? 0,
    fullyLabeledReplicas: status.fullyLabeledReplicas ?? 0,
    readyReplicas: status.readyReplicas ?? 0,
    availableReplicas: status.availableReplicas ?? 0,
    observedGeneration: status.observedGeneration ?? 0,
    conditions: status.conditions?.map(({ type, status, reason }) => [
      type,
      status,
      reason,
    ]) ?? [],
  };
}
