/**
 * What is told of a pod that cannot go on, or on its way to be ready, one row for each cause.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import type { ExplainFacts } from "../../../mod/explain/facts.ts";
import type {
  Activity,
  FailureCause,
  PodFailureReason,
} from "../../../mod/pod/lifecycle/mod.ts";
import { NOW_MS } from "../observed_pods.ts";
import { container, sidecar, waitingStatus } from "../pods.ts";
import {
  CREATING,
  doing,
  exits,
  explainedPod,
  facts,
  failed,
  NO_SETTINGS,
  pending,
  probe,
  type Rows,
  rowsOf,
  runs,
  saidOf,
  secondsAgo,
} from "./rows.ts";

/** A pod of which the whole failed in this way; it is looked at again in 9 s. */
function podFailed(
  reason: PodFailureReason,
  cause: string | FailureCause,
): ExplainFacts {
  const pod = explainedPod(CREATING);
  const failure = { reason, ...saidOf(cause) };
  return facts({ pod, decision: failed(pod, [failure]) });
}

function running(
  rest: Parameters<typeof runs>[1],
  fields: Partial<Pod["spec"]["containers"][number]>,
  probes: ExplainFacts["probes"],
): ExplainFacts {
  const shown = pending([runs("web", { ready: false, ...rest })], {
    phase: "Running",
  });
  return facts({
    pod: explainedPod(shown, { containers: [container("web", fields)] }),
    probes,
  });
}

/** A readiness probe before its first answer. */
function unasked(probe: ExplainFacts["probes"][number]["probe"]) {
  return {
    container: "web",
    kind: "readiness",
    probe,
    verdict: undefined,
    consecutive: 0,
    paused: "initial_delay",
  } as const;
}

/** What is known of each reason for which a pod as a whole cannot go on. */
const REASONS: Readonly<Record<PodFailureReason, string | FailureCause>> = {
  FailedSync: "no answer",
  FailedMount: {
    kind: "volumes",
    volumes: [
      { volume: "cfg", cause: NO_SETTINGS },
      {
        volume: "data",
        cause: { kind: "said", words: '"/x" is no directory' },
      },
    ],
  },
  CreatePodSandboxError: { kind: "said", words: "no network" },
  CreateContainerConfigError: "no such user",
  FailedToCreatePodContainer: { kind: "said", words: "read-only" },
  KillContainerError: "no answer",
  KillPodSandboxError: "no answer",
  ResizePodInPlaceError: "no cgroup",
  SandboxChanged: "…",
  RestartingAllContainers: "…",
};

const ACTIVITIES: readonly Activity[] = [
  { kind: "waiting_for_start_place", places: 5 },
  { kind: "waiting_for_late_sandbox" },
  { kind: "making_volumes" },
  { kind: "creating_sandbox" },
  { kind: "stopping_sandboxes" },
  { kind: "looking_for_image", container: "web", image: "x" },
  { kind: "waiting_for_pull_place", container: "web", image: "x", places: 5 },
  { kind: "pulling_image", container: "web", image: "x" },
  { kind: "starting_container", container: "web" },
  { kind: "post_start_hook", container: "web" },
  { kind: "pre_stop_hook", container: "web" },
  { kind: "waiting_for_others_to_end", container: "web" },
  { kind: "stopping_container", container: "web", graceSeconds: 132 },
];

/** Pods that cannot go on, or are on their way to be ready. */
export const FAILURE_ROWS: Rows = {
  ...rowsOf("a pod with", REASONS, podFailed),
  "sandboxes that broke": podFailed("CreatePodSandboxError", {
    kind: "sandboxes_broke",
  }),
  "a failure of which the brief words are known": podFailed("FailedSync", {
    kind: "said",
    words: "rpc error: no answer",
    brief: "no answer",
  }),
  "a failure that says itself when it is tried again": (() => {
    const pod = explainedPod(CREATING);
    const failure = {
      reason: "FailedSync",
      message: "",
      retryMs: NOW_MS + 499,
    } as const;
    return facts({ pod, decision: failed(pod, [failure]) });
  })(),
  "a failure that is tried again at a time that nobody knows": (() => {
    const pod = explainedPod(CREATING);
    const failure = { reason: "FailedSync", message: "" } as const;
    const next = { kind: "retry" } as const;
    return facts({ pod, decision: failed(pod, [failure], { next }) });
  })(),
  "as many volumes as a sentence names": podFailed("FailedMount", {
    kind: "volumes",
    volumes: Array.from({ length: 10 }, (_, at) => ({
      volume: `v${at}`,
      cause: { kind: "missing_object", object: "Secret", name: `s${at}` },
    })),
  }),
  "a Secret that the API server may have": podFailed("FailedMount", {
    kind: "volumes",
    volumes: [{
      volume: "v",
      cause: {
        kind: "missing_object",
        object: "Secret",
        name: "s",
        why: "the API server has not answered",
      },
    }],
  }),
  "volumes of which only a message is known": podFailed(
    "FailedMount",
    'Cannot set up volume "data": no room',
  ),
  "more volumes than a sentence names": podFailed("FailedMount", {
    kind: "volumes",
    volumes: Array.from({ length: 12 }, (_, at) => ({
      volume: `v${at}`,
      cause: { kind: "missing_object", object: "Secret", name: `s${at}` },
    })),
  }),
  "volumes that are made, beside containers that run, ended and were not started":
    facts({
      pod: explainedPod(
        pending([
          runs("runs", { ready: false }),
          exits("over", 1),
          waitingStatus("new", "ContainerCreating"),
        ]),
        { containers: ["runs", "over", "new"].map((name) => container(name)) },
      ),
      activities: [doing({ kind: "making_volumes" }, 72)],
    }),
  ...Object.fromEntries(ACTIVITIES.map((activity) => [
    `the activity ${activity.kind}`,
    facts({ pod: explainedPod(CREATING), activities: [doing(activity, 72)] }),
  ])),
  // Init containers and sidecars.
  "an init container that fails": facts({
    pod: explainedPod(
      pending([waitingStatus("web", "PodInitializing")], {
        initContainerStatuses: [
          exits("prepare", 0),
          exits("migrate", 1, { message: "no table" }),
          waitingStatus("load", "PodInitializing"),
        ],
      }),
      {
        initContainers: [
          container("prepare"),
          container("migrate"),
          container("load"),
        ],
      },
    ),
  }),
  "an init container that runs": facts({
    pod: explainedPod(
      pending([waitingStatus("web", "PodInitializing")], {
        initContainerStatuses: [runs("migrate", { ready: false })],
      }),
      { initContainers: [container("migrate")] },
    ),
  }),
  "a sidecar that has not started": facts({
    pod: explainedPod(
      pending([waitingStatus("web", "PodInitializing")], {
        initContainerStatuses: [
          runs("proxy", { ready: false, started: false }),
        ],
      }),
      {
        initContainers: [
          sidecar("proxy", { startupProbe: { failureThreshold: 30 } }),
        ],
      },
    ),
    probes: [
      probe("startup", {
        container: "proxy",
        probe: { failureThreshold: 30 },
        consecutive: 3,
      }),
    ],
  }),
  // Probes (mod/prober).
  "an init container that was restarted, by what it does now alone": facts({
    pod: explainedPod(
      pending([waitingStatus("web", "PodInitializing")], {
        initContainerStatuses: [runs("prepare", {
          ready: false,
          restartCount: 2,
          lastState: {
            terminated: { exitCode: 3, finishedAt: secondsAgo(400) },
          },
        })],
      }),
      { initContainers: [container("prepare")] },
    ),
  }),
  "a readiness probe that fails once the startup probe has succeeded": running(
    { started: true },
    { startupProbe: {}, readinessProbe: {} },
    [
      probe("readiness"),
    ],
  ),
  "a container that has started without any probe": running(
    { started: false },
    {},
    [],
  ),
  "a pod that failed as a whole, and a container of it": (() => {
    const pod = explainedPod(CREATING);
    const message = "no network";
    return facts({
      pod,
      decision: failed(pod, [
        { reason: "KillContainerError", message },
        {
          container: "web",
          reason: "CreateContainerError",
          message: "no room",
        },
      ]),
    });
  })(),
  "a readiness probe that fails": running({}, { readinessProbe: {} }, [
    probe("readiness", {
      // Each attempt took longer than the period.
      consecutive: 3,
      verdict: "failure",
      sinceMs: NOW_MS - 61_000,
    }),
  ]),
  "a readiness probe that was not asked yet": running({}, {
    readinessProbe: { initialDelaySeconds: 20 },
  }, [{
    container: "web",
    kind: "readiness",
    probe: { initialDelaySeconds: 20 },
    verdict: undefined,
    consecutive: 0,
    paused: "initial_delay",
  }]),
  "a readiness probe that has to succeed more often": running({}, {
    readinessProbe: { successThreshold: 3 },
  }, [
    probe("readiness", {
      probe: { successThreshold: 3 },
      consecutive: 2,
      last: { kind: "success", message: "", atMs: NOW_MS },
    }),
  ]),
  "a probe that cannot be asked": running({}, { readinessProbe: {} }, [
    probe("readiness", {
      last: { kind: "error", message: "no port", atMs: NOW_MS - 5_000 },
    }),
  ]),
  "a readiness probe without a delay that was not asked yet": running({}, {
    readinessProbe: {},
  }, [unasked({})]),
  "a readiness probe that waits for something else than its delay": running(
    {},
    { readinessProbe: { initialDelaySeconds: 20 } },
    [{ ...unasked({ initialDelaySeconds: 20 }), paused: "on_hold" }],
  ),
  "a readiness probe that has to succeed once": running({}, {
    readinessProbe: {},
  }, [
    probe("readiness", {
      probe: {},
      consecutive: 2,
      last: { kind: "success", message: "", atMs: NOW_MS },
    }),
  ]),
  "a readiness probe with a warning": running({}, { readinessProbe: {} }, [
    probe("readiness", {
      probe: { successThreshold: 2 },
      last: { kind: "warning", message: "redirected", atMs: NOW_MS },
    }),
  ]),
  "a readiness probe that was not asked in time": running({}, {
    readinessProbe: {},
  }, [
    probe("readiness", {
      last: { kind: "stalled", message: "", atMs: NOW_MS },
    }),
  ]),
  "a startup probe that failed more often than it may": running(
    { started: false },
    { startupProbe: {} },
    [probe("startup", { probe: {}, consecutive: 5 })],
  ),
  "a startup probe": running({ started: false }, { startupProbe: {} }, []),
  "one readiness gate of two": facts({
    pod: explainedPod(
      pending([runs("web")], {
        phase: "Running",
        conditions: [
          { type: "Ready", status: "False" },
          { type: "a", status: "True" },
          { type: "b", status: "Unknown" },
        ],
      }),
      { readinessGates: [{ conditionType: "a" }, { conditionType: "b" }] },
    ),
  }),
  "a readiness gate": facts({
    pod: explainedPod(
      pending([runs("web")], {
        phase: "Running",
        conditions: [
          { type: "Ready", status: "False" },
          { type: "b", status: "False", message: "not yet" },
        ],
      }),
      { readinessGates: [{ conditionType: "a" }, { conditionType: "b" }] },
    ),
  }),
};
