/**
 * What is told of containers that could not be started, one row for each reason.
 *
 * @module
 */

import { NOW_MS } from "../pod/builders.ts";
import {
  before,
  containerFailed,
  CREATING,
  facts,
  failed,
  NO_SETTINGS,
  pending,
  type Row,
  tellsOf,
  waits,
  web,
} from "./rows.ts";

const WHY = {
  reason: "CreateContainerConfigError",
  message: 'configmap "settings" not found',
} as const;
const LACKING = waits("web", WHY.reason, { state: { waiting: WHY } });

const ROWS: readonly Row[] = [
  // Containers that could not be started (mod/runtime/start/start_container.ts, images.ts).
  [
    "a crash loop",
    containerFailed("CrashLoopBackOff", "back-off 40s restarting …", {
      restartCount: 3,
      lastState: {
        terminated: {
          exitCode: 1,
          reason: "Error",
          finishedAt: before(85),
          message: "starting\nno such file: /etc/x\n",
        },
      },
    }),
    [
      'Container "web" waits to start again until 03:04:43 (CrashLoopBackOff, in 38 s): it ended 4 times, last with exit code 1 at 03:02:40: no such file: /etc/x',
    ],
  ],
  [
    "a crash loop of one that cannot even be started",
    containerFailed("CrashLoopBackOff", "", {
      lastState: {
        terminated: {
          exitCode: 128,
          reason: "StartError",
          finishedAt: before(85),
          message:
            'runc create failed: exec: "/x": no such file or directory: unknown',
        },
      },
    }),
    [
      'Container "web" waits to start again until 03:04:43 (CrashLoopBackOff, in 38 s): it ended once, last with exit code 128 (StartError: it could not be started) at 03:02:40: exec: "/x": no such file or directory',
    ],
  ],
  [
    "a crash loop of one that was stopped",
    {
      ...containerFailed("CrashLoopBackOff", "", {
        restartCount: 1,
        lastState: {
          terminated: {
            exitCode: 0,
            reason: "Completed",
            startedAt: before(95),
            finishedAt: before(85),
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
    [
      'Container "web" waits to start again until 03:04:43 (CrashLoopBackOff, in 38 s): it ended 2 times, last with exit code 0 at 03:02:40, stopped because its liveness probe failed: HTTP 503',
    ],
  ],
  [
    "a pull that failed",
    containerFailed("ErrImagePull", "401 Unauthorized"),
    [
      'The image "registry/x:1" of container "web" could not be pulled (ErrImagePull), next try at 03:04:43 (in 38 s): 401 Unauthorized',
    ],
  ],
  [
    "a pull that is paused",
    containerFailed(
      "ImagePullBackOff",
      { kind: "said", words: "401 Unauthorized" },
    ),
    [
      'The image "registry/x:1" of container "web" cannot be pulled (ImagePullBackOff), next try at 03:04:43 (in 38 s): 401 Unauthorized',
    ],
  ],
  [
    "a registry that is away",
    containerFailed("RegistryUnavailable", "connection refused"),
    [
      'The image "registry/x:1" of container "web" could not be pulled, its registry cannot be reached, next try at 03:04:43 (in 38 s): connection refused',
    ],
  ],
  [
    "an image with a bad signature",
    containerFailed("SignatureValidationFailed", "no key"),
    [
      'The image "registry/x:1" of container "web" is not used, its signature is not valid, next try at 03:04:43 (in 38 s): no key',
    ],
  ],
  [
    "an image that may not be pulled",
    containerFailed("ErrImageNeverPull", "…"),
    [
      'The image "registry/x:1" of container "web" is not on this node and may not be pulled (imagePullPolicy Never), next try at 03:04:43 (in 38 s)',
    ],
  ],
  [
    "an image without a valid name",
    containerFailed("InvalidImageName", "bad format"),
    [
      'The image name "registry/x:1" of container "web" is not valid: bad format',
    ],
  ],
  [
    "an image of which the runtime knows nothing",
    containerFailed("ImageInspectError", "no answer"),
    [
      'The runtime cannot tell whether it has the image "registry/x:1", next try at 03:04:43 (in 38 s): no answer',
    ],
  ],
  [
    "a container without its ConfigMap",
    containerFailed(
      "CreateContainerConfigError",
      NO_SETTINGS,
    ),
    [
      'ConfigMap default/settings is missing (wanted by container "web"), next try at 03:04:43 (in 38 s)',
    ],
  ],
  [
    "a container without a key of its Secret",
    containerFailed(
      "CreateContainerConfigError",
      {
        kind: "missing_key",
        object: "Secret",
        namespace: "default",
        name: "db",
        key: "password",
      },
    ),
    [
      'Secret default/db has no key "password" (wanted by container "web"), next try at 03:04:43 (in 38 s)',
    ],
  ],
  [
    "a container that cannot be configured",
    containerFailed("CreateContainerConfigError", "image runs as root"),
    [
      'Container "web" cannot be configured, next try at 03:04:43 (in 38 s): image runs as root',
    ],
  ],
  [
    "a container that cannot be created",
    containerFailed("CreateContainerError", "no space left"),
    [
      'Container "web" cannot be created, next try at 03:04:43 (in 38 s): no space left',
    ],
  ],
  [
    "a container that cannot be started",
    containerFailed("RunContainerError", "exec: no such file"),
    [
      'Container "web" cannot be started, next try at 03:04:43 (in 38 s): exec: no such file',
    ],
  ],
  [
    "a container whose hook failed",
    containerFailed("PostStartHookError", "HTTP 500"),
    [
      'Container "web" was stopped because its postStart hook failed, next try at 03:04:43 (in 38 s): HTTP 500',
    ],
  ],
  [
    "a restart of all containers",
    facts({ pod: web(pending([waits("web", "RestartingAllContainers")])) }),
    [
      'Container "web" is being restarted with all others of the pod, because of the exit code of one of them',
    ],
  ],
  [
    "a reason that nobody knows",
    facts({
      pod: web(pending([waits("web", "Peculiar", {
        state: { waiting: { reason: "Peculiar", message: "who knows" } },
      })])),
    }),
    ['Container "web" waits (Peculiar): who knows'],
  ],
  [
    "a container of which only the status is known",
    facts({ pod: web(pending([LACKING])) }),
    ['Container "web" cannot be configured: configmap "settings" not found'],
  ],
  [
    "a container that still waits for what failed before, while the pod is acted on",
    (() => {
      const pod = web(pending([LACKING]));
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
    ['ConfigMap default/settings is missing (wanted by container "web")'],
  ],
  [
    "a container whose turn has not come",
    facts({ pod: web(CREATING) }),
    ['Container "web" has not been started yet'],
  ],
];

tellsOf(ROWS);
