/**
 * What is told of pods of which more than one thing is to be said, or one thing of many.
 *
 * @module
 */

import type { ExplainFacts } from "../../../mod/explain/facts.ts";
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
  ready,
  type Rows,
  runs,
  secondsAgo,
} from "./rows.ts";

const [WEB, TWO] = [container("web"), container("two")];
const NOT_READY = { type: "Ready", status: "False" };
const UNREADY = { ready: false };
const INITIAL = waitingStatus("web", "PodInitializing");
const PLAN = {
  sandbox: { kind: "keep", sandboxId: "s0", attempt: 0 },
  reset: [],
  postStart: [],
  startEphemeral: [],
  startInit: [],
  start: [],
} as const;

/** The sidecar "proxy" has not started again, and the app stands like this. */
function besideSidecar(status: ReturnType<typeof runs>): ExplainFacts {
  const proxy = waitingStatus("proxy", "CrashLoopBackOff");
  return facts({
    pod: explainedPod(
      pending([status], { initContainerStatuses: [proxy] }),
      { initContainers: [sidecar("proxy")] },
    ),
  });
}

/** The app "web" waits for what its status says, and something failed before. */
function waitsFor(
  earlier: { readonly container: string; readonly message: string },
): ExplainFacts {
  const reason = "CreateContainerConfigError";
  const pod = explainedPod(pending([waitingStatus("web", reason, {
    state: { waiting: { reason, message: "no user" } },
  })]));
  const before = [{ ...earlier, reason, cause: NO_SETTINGS } as const];
  const next = { kind: "acting" } as const;
  return facts({ pod, decision: failed(pod, [], { earlier: before, next }) });
}

/** Pods of several containers. */
export const COMPANY_ROWS: Rows = {
  "an app that runs on while its sidecar starts again": besideSidecar(
    runs("web", UNREADY),
  ),
  "an app that ended while its sidecar starts again": besideSidecar(
    exits("web", 1),
  ),
  "an app that ran before and waits while its sidecar starts again":
    besideSidecar(waitingStatus("web", "CrashLoopBackOff", {
      lastState: { terminated: { exitCode: 1 } },
    })),
  "an app that never ran while its sidecar starts": besideSidecar(INITIAL),
  "two apps of which one has started, while a sidecar starts again": facts({
    pod: explainedPod(
      pending([runs("web"), waitingStatus("two", "PodInitializing")], {
        initContainerStatuses: [waitingStatus("proxy", "CrashLoopBackOff")],
      }),
      { initContainers: [sidecar("proxy")], containers: [WEB, TWO] },
    ),
  }),
  "sidecars that have started, one of which is not ready": facts({
    pod: explainedPod(
      pending([runs("web")], {
        initContainerStatuses: [
          runs("a"),
          runs("b", UNREADY),
          exits("c", 0),
        ],
      }),
      { initContainers: [sidecar("a"), sidecar("b"), container("c")] },
    ),
  }),
  "an init container that ended with a failure, beside a sidecar that is not ready":
    facts({
      pod: explainedPod(
        pending([INITIAL], {
          initContainerStatuses: [runs("a", UNREADY), exits("b", 1)],
        }),
        { initContainers: [sidecar("a"), container("b")] },
      ),
    }),
  "an app that is done, beside one that is not ready": facts({
    pod: explainedPod(pending([exits("web", 0), runs("two", UNREADY)]), {
      containers: [WEB, TWO],
    }),
  }),
  "an app that is done, beside one that runs": facts({
    pod: explainedPod(
      ready({
        containerStatuses: [exits("web", 0), runs("two")],
      }),
      { containers: [WEB, TWO] },
    ),
  }),
  "a pod that is ready, all of whose containers are done": facts({
    pod: explainedPod(ready({ containerStatuses: [exits("web", 0)] })),
  }),
  "an ephemeral container that waits, and one that runs": facts({
    pod: explainedPod(
      ready({
        ephemeralContainerStatuses: [
          waitingStatus("debug", "ErrImagePull"),
          runs("shell", UNREADY),
        ],
      }),
      {
        ephemeralContainers: [
          container("debug"),
          container("shell"),
          container("new"),
        ],
      },
    ),
  }),
  "a container that pulls, beside one whose turn has not come": facts({
    pod: explainedPod(
      pending(
        ["web", "two"].map((name) => waitingStatus(name, "ContainerCreating")),
      ),
      { containers: [WEB, TWO] },
    ),
    activities: [
      doing({ kind: "starting_container", container: "web" }, 72),
      doing({ kind: "pulling_image", container: "web", image: "x" }, 70),
    ],
  }),
  "volumes that are made, beside containers of which more is known": (() => {
    const names = ["pulls", "failed", "waits", "new"];
    const statuses = names.map((name) =>
      waitingStatus(name, name === "waits" ? "Peculiar" : "ContainerCreating")
    );
    const pod = explainedPod(pending(statuses), {
      containers: [...names, "bare"].map((name) => container(name)),
    });
    const failure = {
      container: "failed",
      reason: "CreateContainerError",
      message: "no room",
    } as const;
    return facts({
      pod,
      decision: failed(pod, [failure]),
      activities: [
        doing({ kind: "making_volumes" }, 72),
        doing({ kind: "pulling_image", container: "pulls", image: "x" }, 70),
      ],
    });
  })(),
  "a container without a status": facts({ pod: explainedPod(pending([])) }),
  "a container that waits for what failed before, in other words": waitsFor({
    container: "web",
    message: "no group",
  }),
  "a container that waits for what failed before for another": waitsFor({
    container: "two",
    message: "no user",
  }),
  "a container that is stopped since its probe failed": (() => {
    const pod = explainedPod(ready());
    const kill = (
      containerName: string,
      reason: "liveness_failed" | "not_in_spec",
    ) => ({
      containerId: containerName,
      containerName,
      reason,
      message: "",
    });
    const plan = {
      ...PLAN,
      kill: [kill("two", "not_in_spec"), kill("web", "liveness_failed")],
    };
    return facts({
      pod,
      decision: failed(pod, [], { plan, next: { kind: "acting" } }),
      activities: [
        doing(
          { kind: "stopping_container", container: "web", graceSeconds: 30 },
          10,
        ),
      ],
    });
  })(),
  "a container that pulls although it is to be stopped": (() => {
    const pod = explainedPod(CREATING);
    const plan = {
      ...PLAN,
      kill: [
        {
          containerId: "web",
          containerName: "web",
          reason: "spec_changed",
          message: "",
        } as const,
      ],
    };
    return facts({
      pod,
      decision: failed(pod, [], { plan, next: { kind: "acting" } }),
      activities: [
        doing({ kind: "pulling_image", container: "web", image: "x" }, 10),
      ],
    });
  })(),
  "a turn to start, one pod at a time": facts({
    pod: explainedPod(CREATING),
    activities: [doing({ kind: "waiting_for_start_place", places: 1 }, 72)],
  }),
  "a turn to pull, one image at a time": facts({
    pod: explainedPod(CREATING),
    activities: [
      doing({
        kind: "waiting_for_pull_place",
        container: "web",
        image: "x",
        places: 1,
      }, 72),
    ],
  }),
  "a container that has an hour to stop, one that has no time and one whose time is over":
    facts({
      pod: explainedPod(ready()),
      stage: { kind: "terminating", cause: "completed", graceSeconds: 3_600 },
      activities: [
        ["hour", 3_600, 0],
        ["none", 0, 10],
        ["over", 30, 30],
        ["last", 30, 29],
      ].map(([name, graceSeconds, seconds]) =>
        doing({
          kind: "stopping_container",
          container: String(name),
          graceSeconds: Number(graceSeconds),
        }, Number(seconds))
      ),
    }),
  "hooks and waits of containers that end, beside the end of another": facts({
    pod: explainedPod(ready()),
    stage: { kind: "terminating", cause: "completed", graceSeconds: 30 },
    activities: [
      doing(
        { kind: "stopping_container", container: "web", graceSeconds: 30 },
        10,
      ),
      doing({ kind: "pre_stop_hook", container: "two" }, 10),
      doing({ kind: "waiting_for_others_to_end", container: "proxy" }, 10),
      doing({ kind: "starting_container", container: "new" }, 10),
    ],
  }),
  "probes of two containers, one of which is not ready": facts({
    pod: explainedPod(
      pending([runs("web", UNREADY), runs("two")], {
        conditions: [NOT_READY],
        phase: "Running",
      }),
      {
        containers: [
          container("web", { readinessProbe: {} }),
          container("two", { readinessProbe: {}, livenessProbe: {} }),
        ],
      },
    ),
    probes: [
      probe("readiness", { container: "two", consecutive: 2 }),
      probe("readiness", { sinceMs: NOW_MS - 5_000, verdict: "failure" }),
      probe("liveness", { container: "two", verdict: "success" }),
      probe("liveness", { consecutive: 0 }),
      probe("startup", { container: "two" }),
    ],
  }),
  "a sidecar that is not ready": facts({
    pod: explainedPod(
      pending([runs("web")], { initContainerStatuses: [runs("p", UNREADY)] }),
      { initContainers: [sidecar("p", { readinessProbe: {} })] },
    ),
    probes: [probe("readiness", { container: "p" })],
  }),
  "a pod that failed with all that is known of it": facts({
    pod: explainedPod({
      phase: "Failed",
      reason: "Peculiar",
      message: "who knows",
      initContainerStatuses: [exits("prepare", 3), exits("fine", 0)],
      containerStatuses: [
        waitingStatus("web", "PodInitializing", {
          lastState: {
            terminated: { exitCode: 4, finishedAt: secondsAgo(50) },
          },
        }),
      ],
    }, {
      uid: "0123456789abcdef0123456789abcdef",
      initContainers: [container("prepare"), container("fine")],
    }),
    stage: { kind: "finished", cause: "completed" },
  }),
};
