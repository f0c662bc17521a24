/**
 * What is told of containers that could not be started, one row for each reason.
 *
 * @module
 */

import type {
  ContainerFailureReason,
  FailureCause,
} from "../../../mod/pod/lifecycle/mod.ts";
import { NOW_MS } from "../observed_pods.ts";
import {
  containerFailed,
  CREATING,
  explainedPod,
  facts,
  failed,
  NO_SETTINGS,
  pending,
  type Rows,
  rowsOf,
  secondsAgo,
} from "./rows.ts";
import { waitingStatus } from "../pods.ts";

const WHY = {
  reason: "CreateContainerConfigError",
  message: 'configmap "settings" not found',
} as const;
const LACKING = waitingStatus("web", WHY.reason, { state: { waiting: WHY } });

/** What is known of each reason for which a container is not started. */
const REASONS: Readonly<
  Record<ContainerFailureReason, string | FailureCause>
> = {
  ErrImagePull: "401 Unauthorized",
  ImagePullBackOff: { kind: "said", words: "401 Unauthorized" },
  RegistryUnavailable: "connection refused",
  SignatureValidationFailed: "no key",
  ErrImageNeverPull: "…",
  InvalidImageName: "bad format",
  ImageInspectError: "no answer",
  CrashLoopBackOff: "back-off 10s restarting …",
  FailedMount: 'Cannot set up volume "data": no room',
  CreateContainerConfigError: NO_SETTINGS,
  CreateContainerError: "no space left",
  RunContainerError: "exec: no such file",
  PostStartHookError: "HTTP 500",
};

/** Containers that could not be started. */
export const CONTAINER_ROWS: Rows = {
  "a crash loop": containerFailed(
    "CrashLoopBackOff",
    "back-off 40s restarting …",
    {
      restartCount: 3,
      lastState: {
        terminated: {
          exitCode: 1,
          reason: "Error",
          finishedAt: secondsAgo(85),
          message: "starting\nno such file: /etc/x\n",
        },
      },
    },
  ),
  "a crash loop of one that cannot even be started": containerFailed(
    "CrashLoopBackOff",
    "",
    {
      lastState: {
        terminated: {
          exitCode: 128,
          reason: "StartError",
          finishedAt: secondsAgo(85),
          message:
            'runc create failed: exec: "/x": no such file or directory: unknown',
        },
      },
    },
  ),
  "a crash loop of one that was stopped": {
    ...containerFailed("CrashLoopBackOff", "", {
      restartCount: 1,
      lastState: {
        terminated: {
          exitCode: 0,
          reason: "Completed",
          startedAt: secondsAgo(95),
          finishedAt: secondsAgo(85),
        },
      },
    }),
    stops: [
      // Of an earlier run.
      { container: "web", why: "nothing", atMs: NOW_MS - 200_000 },
      {
        container: "web",
        why: "its liveness probe failed: HTTP 503",
        atMs: NOW_MS - 87_000,
      },
      { container: "other", why: "nothing", atMs: NOW_MS - 87_000 },
    ],
  },
  "a crash loop of which there is no status": {
    ...containerFailed("CrashLoopBackOff", ""),
    pod: explainedPod(pending([])),
  },
  "a crash loop that is over now": (() => {
    const of = containerFailed("CrashLoopBackOff", "");
    const failure = {
      container: "web",
      reason: "CrashLoopBackOff",
      message: "",
      retryMs: NOW_MS + 499,
    } as const;
    return { ...of, decision: failed(of.pod, [failure]) };
  })(),
  ...rowsOf("a container with", REASONS, containerFailed),
  "a container without a key of its Secret": containerFailed(
    "CreateContainerConfigError",
    {
      kind: "missing_key",
      object: "Secret",
      namespace: "default",
      name: "db",
      key: "password",
    },
  ),
  "a container that cannot be configured": containerFailed(
    "CreateContainerConfigError",
    "image runs as root",
  ),
  "a restart of all containers": facts({
    pod: explainedPod(
      pending([waitingStatus("web", "RestartingAllContainers")]),
    ),
  }),
  "a reason that nobody knows": facts({
    pod: explainedPod(pending([waitingStatus("web", "Peculiar", {
      state: { waiting: { reason: "Peculiar", message: "who knows" } },
    })])),
  }),
  "a container of which only the status is known": facts({
    pod: explainedPod(pending([LACKING])),
  }),
  "a container that still waits for what failed before, while the pod is acted on":
    (() => {
      const pod = explainedPod(pending([LACKING]));
      const { reason, message } = WHY;
      const earlier = [{
        container: "web",
        reason,
        message,
        cause: NO_SETTINGS,
      }];
      const next = { kind: "acting" } as const;
      return facts({ pod, decision: failed(pod, [], { earlier, next }) });
    })(),
  "a container whose turn has not come": facts({ pod: explainedPod(CREATING) }),
};
