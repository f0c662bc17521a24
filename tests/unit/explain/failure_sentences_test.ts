/**
 * What is told of a pod that cannot go on, or on its way to be ready, one row for each cause.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import type { ExplainFacts } from "../../../mod/explain/facts.ts";
import type {
  FailureCause,
  PodFailureReason,
} from "../../../mod/pod/lifecycle/mod.ts";
import { NOW_MS, sidecarSpec, spec } from "../pod/builders.ts";
import {
  before,
  CREATING,
  doing,
  ended,
  facts,
  failed,
  NO_SETTINGS,
  pending,
  probe,
  type Row,
  saidOf,
  status,
  tellsOf,
  waits,
  web,
} from "./rows.ts";

/** A pod of which the whole failed in this way; it is looked at again in 9 s. */
function podFailed(
  reason: PodFailureReason,
  cause: string | FailureCause,
): ExplainFacts {
  const pod = web(CREATING);
  const failure = { reason, ...saidOf(cause) };
  return facts({ pod, decision: failed(pod, [failure]) });
}

function running(
  rest: Parameters<typeof status>[1],
  container: Partial<Pod["spec"]["containers"][number]>,
  probes: ExplainFacts["probes"],
): ExplainFacts {
  const shown = pending([status("web", { ready: false, ...rest })], {
    phase: "Running",
  });
  return facts({
    pod: web(shown, { containers: [spec("web", container)] }),
    probes,
  });
}

const ROWS: readonly Row[] = [
  // The pod as a whole (mod/runtime/start/sandbox.ts, plan_stops.ts, pod_resources.ts; volumes).
  [
    "a sandbox that cannot be made",
    podFailed(
      "CreatePodSandboxError",
      { kind: "said", words: "no network" },
    ),
    [
      "Its sandbox cannot be made, next try at 03:04:14 (in 9 s): no network",
    ],
  ],
  [
    "sandboxes that broke",
    podFailed(
      "CreatePodSandboxError",
      { kind: "sandboxes_broke" },
    ),
    [
      "Waits before it makes another sandbox, next try at 03:04:14 (in 9 s): the last ones broke soon after they were made",
    ],
  ],
  [
    "a volume without its ConfigMap",
    podFailed(
      "FailedMount",
      {
        kind: "volumes",
        volumes: [
          { volume: "cfg", cause: NO_SETTINGS },
          {
            volume: "data",
            cause: { kind: "said", words: '"/x" is no directory' },
          },
        ],
      },
    ),
    [
      'ConfigMap default/settings is missing (wanted by volume "cfg"); Its volume "data" cannot be made ready: "/x" is no directory, next try at 03:04:14 (in 9 s)',
    ],
  ],
  [
    "volumes of which only a message is known",
    podFailed("FailedMount", 'Cannot set up volume "data": no room'),
    [
      'Its volumes cannot be made ready, next try at 03:04:14 (in 9 s): Cannot set up volume "data": no room',
    ],
  ],
  [
    "what ran before and does not stop",
    podFailed("KillPodSandboxError", "no answer"),
    [
      "What ran before cannot be stopped, next try at 03:04:14 (in 9 s): no answer",
    ],
  ],
  [
    "a container that does not stop",
    podFailed("KillContainerError", "no answer"),
    [
      "A container that has to end first cannot be stopped, next try at 03:04:14 (in 9 s): no answer",
    ],
  ],
  [
    "a cgroup that cannot be made",
    podFailed(
      "FailedToCreatePodContainer",
      { kind: "said", words: "read-only" },
    ),
    [
      "The cgroup of the pod cannot be made, next try at 03:04:14 (in 9 s): read-only",
    ],
  ],
  [
    "a pod that could not be looked at",
    podFailed("FailedSync", "no answer"),
    ["It could not be looked after, next try at 03:04:14 (in 9 s): no answer"],
  ],
  // Activities.
  ...([
    [{ kind: "waiting_for_start_place", places: 5 }, [
      "Waiting for its turn to start since 03:02:53 (1 min 12 s): 5 pods start at a time",
    ]],
    [{ kind: "running_on" }, [
      "It is kept running since 03:02:53 (1 min 12 s), until the images of the pod that takes its place are pulled",
    ]],
    [{ kind: "waiting_for_late_sandbox" }, [
      "Waiting for a sandbox that was begun earlier since 03:02:53 (1 min 12 s)",
    ]],
    [{ kind: "making_volumes" }, [
      "Making its volumes ready since 03:02:53 (1 min 12 s)",
    ]],
    [{ kind: "creating_sandbox" }, [
      "Making its sandbox since 03:02:53 (1 min 12 s)",
    ]],
    [{ kind: "stopping_sandboxes" }, [
      "Stopping its sandbox since 03:02:53 (1 min 12 s)",
    ]],
    [{ kind: "looking_for_image", container: "web", image: "x" }, [
      'Asking the runtime for the image "x" since 03:02:53 (1 min 12 s)',
    ]],
    [
      {
        kind: "waiting_for_pull_place",
        container: "web",
        image: "x",
        places: 5,
      },
      [
        'Waiting for its turn to pull the image "x" since 03:02:53 (1 min 12 s): 5 images are pulled at a time',
      ],
    ],
    [{ kind: "pulling_image", container: "web", image: "x" }, [
      'Pulling the image "x" for container "web" since 03:02:53 (1 min 12 s)',
    ]],
    [{ kind: "starting_container", container: "web" }, [
      'Starting container "web" since 03:02:53 (1 min 12 s)',
    ]],
    [{ kind: "post_start_hook", container: "web" }, [
      'Running the postStart hook of container "web" since 03:02:53 (1 min 12 s)',
    ]],
    [{ kind: "stopping_container", container: "web", graceSeconds: 132 }, [
      'Container "web" has until 03:05:05 to stop',
    ]],
  ] as const).map(([activity, sentences]) =>
    [
      `the activity ${activity.kind}`,
      facts({ pod: web(CREATING), activities: [doing(activity, 72)] }),
      sentences,
    ] as const
  ),
  // Init containers and sidecars.
  [
    "an init container that fails",
    facts({
      pod: web(
        pending([waits("web", "PodInitializing")], {
          initContainerStatuses: [
            ended("prepare", 0),
            ended("migrate", 1, { message: "no table" }),
            waits("load", "PodInitializing"),
          ],
        }),
        { initContainers: [spec("prepare"), spec("migrate"), spec("load")] },
      ),
    }),
    [
      'Init container 2 of 3, "migrate", ended with exit code 1 at 03:03:25: no table',
    ],
  ],
  [
    "an init container that runs",
    facts({
      pod: web(
        pending([waits("web", "PodInitializing")], {
          initContainerStatuses: [status("migrate", { ready: false })],
        }),
        { initContainers: [spec("migrate")] },
      ),
    }),
    ['Init container 1 of 1, "migrate", has been running since 02:59:05 (5 min)'],
  ],
  [
    "a sidecar that has not started",
    facts({
      pod: web(
        pending([waits("web", "PodInitializing")], {
          initContainerStatuses: [
            status("proxy", { ready: false, started: false }),
          ],
        }),
        {
          initContainers: [
            sidecarSpec("proxy", { startupProbe: { failureThreshold: 30 } }),
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
    [
      'Sidecar "proxy" has been running since 02:59:05 (5 min) but has not finished starting: its startup probe has failed 3 of 30 times: HTTP 503',
    ],
  ],
  // Probes (mod/prober).
  [
    "an init container that was restarted, by what it does now alone",
    facts({
      pod: web(
        pending([waits("web", "PodInitializing")], {
          initContainerStatuses: [status("prepare", {
            ready: false,
            restartCount: 2,
            lastState: { terminated: { exitCode: 3, finishedAt: before(400) } },
          })],
        }),
        { initContainers: [spec("prepare")] },
      ),
    }),
    ['Init container 1 of 1, "prepare", has been running since 02:59:05 (5 min)'],
  ],
  [
    "a readiness probe that fails once the startup probe has succeeded",
    running({ started: true }, { startupProbe: {}, readinessProbe: {} }, [
      probe("readiness"),
    ]),
    ['The readiness probe of container "web" has been failing since 03:04:04 (1 s): HTTP 503'],
  ],
  [
    "a container that has started without any probe",
    running({ started: false }, {}, []),
    ['Container "web" has been running since 02:59:05 (5 min) but is not ready'],
  ],
  [
    "a pod that failed as a whole, and a container of it",
    (() => {
      const pod = web(CREATING);
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
    [
      "A container that has to end first cannot be stopped, next try at 03:04:14 (in 9 s): no network",
      'Container "web" cannot be created, next try at 03:04:14 (in 9 s): no room',
    ],
  ],
  [
    "a readiness probe that fails",
    running({}, { readinessProbe: {} }, [
      probe("readiness", {
        // Each attempt took longer than the period.
        consecutive: 3,
        verdict: "failure",
        sinceMs: NOW_MS - 61_000,
      }),
    ]),
    ['The readiness probe of container "web" has been failing since 03:03:04 (1 min 1 s): HTTP 503'],
  ],
  [
    "a readiness probe that was not asked yet",
    running({}, { readinessProbe: { initialDelaySeconds: 20 } }, [{
      container: "web",
      kind: "readiness",
      probe: { initialDelaySeconds: 20 },
      verdict: undefined,
      consecutive: 0,
      paused: "initial_delay",
    }]),
    [
      'Container "web" has been running since 02:59:05 (5 min) but is not ready: its readiness probe is first asked 20 s after its start',
    ],
  ],
  [
    "a readiness probe that has to succeed more often",
    running({}, { readinessProbe: { successThreshold: 3 } }, [
      probe("readiness", {
        probe: { successThreshold: 3 },
        consecutive: 2,
        last: { kind: "success", message: "", atMs: NOW_MS },
      }),
    ]),
    [
      'Container "web" has been running since 02:59:05 (5 min) but is not ready: its readiness probe has succeeded 2 of 3 times',
    ],
  ],
  [
    "a probe that cannot be asked",
    running({}, { readinessProbe: {} }, [
      probe("readiness", {
        last: { kind: "error", message: "no port", atMs: NOW_MS - 5_000 },
      }),
    ]),
    [
      'Container "web" has been running since 02:59:05 (5 min) but is not ready: its readiness probe could not be asked at 03:04:00: no port',
    ],
  ],
  [
    "a startup probe",
    running({ started: false }, { startupProbe: {} }, []),
    [
      'Container "web" has been running since 02:59:05 (5 min) but has not finished starting: its startup probe has not been answered yet',
    ],
  ],
  [
    "a readiness gate",
    facts({
      pod: web(
        pending([status("web")], {
          phase: "Running",
          conditions: [
            { type: "Ready", status: "False" },
            { type: "b", status: "False", message: "not yet" },
          ],
        }),
        { readinessGates: [{ conditionType: "a" }, { conditionType: "b" }] },
      ),
    }),
    [
      'It waits for readiness gate "a": nobody has set this condition',
      'It waits for readiness gate "b": it is False: not yet',
    ],
  ],
];

tellsOf(ROWS);
