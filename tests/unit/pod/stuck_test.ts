import { strictEqual } from "node:assert/strict";
import type {
  ContainerSpec,
  Pod,
  PodStatus,
} from "../../../mod/api/types/mod.ts";
import { buildPodStatus } from "../../../mod/pod/status/status.ts";
import { describePlan, planPod } from "../../../mod/pod/plan/plan.ts";
import { isTerminalPhase } from "../../../mod/pod/status/phase.ts";
import {
  latestContainer,
  type ObservedContainer,
  type ObservedPod,
  type ObservedSandbox,
} from "../../../mod/pod/observed/observed.ts";
import type { PlanInput, PodPlan } from "../../../mod/pod/plan/plan_steps.ts";
import {
  ended,
  observed,
  probes,
  sandbox,
  seen,
  statusInput,
} from "../../support/observed_pods.ts";
import { container, pod, sidecar } from "../../support/pods.ts";

/*
 * A pod of which nothing runs and for which nothing is planned must have ended: else
 * it stays as it is until somebody deletes it. Every picture of a small pod is taken
 * through its plans here, each doing what the executor would do.
 */

type Policy = "Always" | "OnFailure" | "Never";
const policies: readonly Policy[] = ["Always", "OnFailure", "Never"];
const asking = {
  action: "RestartAllContainers",
  exitCodes: { operator: "In", values: [1] },
};
const own: readonly Partial<ContainerSpec>[] = [
  {},
  { restartPolicy: "Always" },
  { restartPolicy: "OnFailure" },
  { restartPolicy: "Never" },
  { restartPolicy: "Never", restartPolicyRules: [asking] },
];

/** How one container may be found; `undefined` is without a record. */
const finds: readonly (Partial<ObservedContainer> | undefined)[] = [
  undefined,
  { state: "created" },
  { state: "running" },
  { state: "exited", exitCode: 0 },
  { state: "exited", exitCode: 0, stopped: "to_restart" },
  { state: "exited", exitCode: 0, stopped: "as_failed" },
  { state: "exited", exitCode: 1 },
  { state: "unknown" },
];
/** The other app container need not be found in every way. */
const otherFinds = finds.filter((find) =>
  find?.stopped === undefined && find?.state !== "unknown"
);
const initFinds: typeof finds = [
  ...finds,
  { state: "exited", exitCode: 0, reason: "OOMKilled" },
];

const dead = sandbox({ ready: false });
const worlds: readonly {
  readonly sandboxes: readonly ObservedSandbox[];
  /** Where the records are. */
  readonly sandboxId: string;
}[] = [
  { sandboxes: [], sandboxId: "s0" },
  { sandboxes: [sandbox()], sandboxId: "s0" },
  { sandboxes: [dead], sandboxId: "s0" },
  {
    sandboxes: [sandbox({ id: "s1", attempt: 1 }), dead],
    sandboxId: "s0",
  },
];

const initShapes: readonly (readonly ContainerSpec[])[] = [
  [],
  [container("i")],
  [sidecar("i")],
];

function* cases(): Generator<{ pod: Pod; observed: ObservedPod }> {
  for (const restartPolicy of policies) {
    for (const rest of own) {
      for (const initContainers of initShapes) {
        const subject = pod({
          restartPolicy,
          containers: [container("a", rest), container("b")],
          ...(initContainers.length > 0 && { initContainers }),
        });
        yield* pictures(subject);
      }
    }
  }
}

function* pictures(
  subject: Pod,
): Generator<{ pod: Pod; observed: ObservedPod }> {
  const inits = subject.spec.initContainers === undefined
    ? [undefined]
    : initFinds;
  for (const { sandboxes, sandboxId } of worlds) {
    for (const a of finds) {
      for (const b of otherFinds) {
        for (const i of inits) {
          const found = [["a", a], ["b", b], ["i", i]] as const;
          const records = found.flatMap(([name, rest]) =>
            rest === undefined ? [] : [seen(name, { sandboxId, ...rest })]
          );
          yield { pod: subject, observed: observed(records, sandboxes) };
        }
      }
    }
  }
}

/** What is left of a container that is stopped. */
function stopped(
  container: ObservedContainer,
  exitCode: number,
): ObservedContainer {
  const mayRun = container.state === "running" || container.state === "unknown";
  const { state: _state, ...rest } = container;
  return mayRun
    ? ended(container.name, exitCode, { ...rest, exitCode })
    : container;
}

/** The picture after a plan was executed; `exitCode` is that of what it stops. */
function after(
  { pod, observed: before }: { pod: Pod; observed: ObservedPod },
  plan: PodPlan,
  exitCode: number,
): ObservedPod {
  const inits = new Set(pod.spec.initContainers?.map(({ name }) => name));
  const kept = plan.sandbox.kind === "keep";
  const killed = new Set(plan.kill.map(({ containerId }) => containerId));
  const removed = new Set(plan.reset.map(({ containerId }) => containerId));
  const left = before.containers
    .map((each) =>
      !kept || killed.has(each.id) ? stopped(each, exitCode) : each
    )
    .filter(({ id, name }) =>
      !removed.has(id) && !(plan.sandbox.kind === "create" && inits.has(name))
    );
  const sandboxes = plan.sandbox.kind === "keep"
    ? before.sandboxes
    : before.sandboxes.map((each) => ({ ...each, ready: false }));
  const made = plan.sandbox.kind === "create"
    ? [
      sandbox({
        id: `n${plan.sandbox.attempt}`,
        attempt: plan.sandbox.attempt,
      }),
    ]
    : [];
  const all = [...made, ...sandboxes];
  const started = [...plan.startInit, ...plan.start].map((name) =>
    seen(name, {
      id: `${name}-new`,
      sandboxId: all[0]?.id ?? "",
      restartCount: 1,
    })
  );
  return observed([...started, ...left], all);
}

/** Takes a pod to where nothing changes any more, and says how it is stuck there. */
function stuck(
  subject: { pod: Pod; observed: ObservedPod },
  exitCode: number,
): string | undefined {
  let picture = subject.observed;
  let previous: PodStatus | undefined;
  for (let turn = 0; turn < 8; turn++) {
    previous = buildPodStatus(
      statusInput({ pod: subject.pod, observed: picture, previous }),
    );
    if (isTerminalPhase(previous.phase)) return undefined;
    const input = { pod: subject.pod, observed: picture, probes: probes() };
    const plan = planPod(input);
    const twice = plan.start.find((name) => isOver(name, input));
    if (twice !== undefined) return `${twice} has ended and starts once more`;
    const next = after(input, plan, exitCode);
    if (next.containers.some(({ state }) => state === "running")) {
      return undefined;
    }
    if (JSON.stringify(names(next)) === JSON.stringify(names(picture))) {
      return `${previous.phase}, ${describePlan(plan)}`;
    }
    picture = next;
  }
  return "no end of plans";
}

/** Whether a container ended by itself in a pod whose policy lets nothing run twice. */
function isOver(name: string, { pod, observed }: PlanInput): boolean {
  const container = pod.spec.containers.find((each) => each.name === name);
  const record = latestContainer(observed, name);
  return pod.spec.restartPolicy === "Never" &&
    container?.restartPolicy === undefined && record?.state === "exited" &&
    record.stopped !== "to_restart";
}

function names(picture: ObservedPod) {
  return [
    picture.containers.map(({ id, state }) => [id, state]),
    picture.sandboxes.map(({ id, ready }) => [id, ready]),
  ];
}

Deno.test("planPod() and the phase leave no pod for ever unfinished with nothing that runs", () => {
  const found = new Map<string, number>();
  let count = 0;
  for (const subject of cases()) {
    const stops = subject.observed.containers.some(({ state }) =>
      state === "running" || state === "unknown"
    );
    for (const exitCode of stops ? [0, 137] : [0]) {
      count++;
      const how = stuck(subject, exitCode);
      if (how === undefined) continue;
      const { restartPolicy, containers, initContainers } = subject.pod.spec;
      const shown = [
        how,
        restartPolicy,
        containers[0]?.restartPolicy,
        initContainers?.[0]?.restartPolicy ?? initContainers?.length ?? "",
        subject.observed.containers.map((each) =>
          `${each.name}:${each.state}:${each.exitCode}:${each.reason}`
        ).join(" "),
        subject.observed.sandboxes.map(({ ready }) => ready).join(),
      ].join(" | ");
      found.set(shown, (found.get(shown) ?? 0) + 1);
    }
  }
  const first = [...found.keys()].slice(0, 5).join("\n");
  strictEqual(found.size, 0, `${found.size} of ${count} are stuck:\n${first}`);
});
