import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { buildPodStatus } from "../../../../mod/pod/status/status.ts";
import type { WaitingReason } from "../../../../mod/pod/status/container_statuses.ts";
import {
  ago,
  ended,
  NOW_MS,
  observed,
  sandbox,
  seen,
  statusInput,
} from "../../../support/observed_pods.ts";
import { container, pod, sidecar } from "../../../support/pods.ts";
import {
  never,
  previously,
  statusOf,
} from "../../../support/pod/container_status.ts";

function because(reason: string, message = ""): Map<string, WaitingReason> {
  return new Map([["a", { reason, message }]]);
}

const wasRunning = {
  containerID: "containerd://a-0",
  state: { running: { startedAt: "2026-01-02T03:00:00Z" } },
};
const wasTerminated = {
  containerID: "containerd://a-0",
  state: { terminated: { exitCode: 5, containerID: "containerd://a-0" } },
};

Deno.test("buildPodStatus() shows a container that never was as being created (ST-08)", () => {
  deepStrictEqual(statusOf(), {
    image: "localhost/busybox:1.35",
    imageID: "",
    lastState: {},
    name: "a",
    ready: false,
    restartCount: 0,
    started: false,
    state: { waiting: { reason: "ContainerCreating" } },
  });
});

Deno.test("buildPodStatus() shows a pod with init containers as initialising (ST-08)", () => {
  const { containerStatuses, initContainerStatuses } = buildPodStatus(
    statusInput({
      pod: pod({
        containers: [container("a")],
        initContainers: [container("i")],
      }),
      observed: observed([], []),
    }),
  );
  const expected = { waiting: { reason: "PodInitializing" } };
  deepStrictEqual(containerStatuses?.[0]?.state, expected);
  deepStrictEqual(initContainerStatuses?.[0]?.state, expected);
});

// kubelet_test.go TestGenerateAPIPodStatusWithReasonCache; ST-08.
for (
  const reason of [
    "ErrImagePull",
    "ImagePullBackOff",
    "ErrImageNeverPull",
    "InvalidImageName",
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
    "PostStartHookError",
    "CrashLoopBackOff",
  ]
) {
  Deno.test(`buildPodStatus() shows why a container cannot start: ${reason} (ST-08)`, () => {
    deepStrictEqual(statusOf({ waiting: because(reason, "why") }).state, {
      waiting: { message: "why", reason },
    });
  });
}

Deno.test("buildPodStatus() keeps the last end beside CrashLoopBackOff", () => {
  const status = statusOf({
    observed: observed([ended("a", 3, { restartCount: 4 })]),
    waiting: because("CrashLoopBackOff", "back-off 10s"),
  });
  deepStrictEqual(status.state, {
    waiting: { message: "back-off 10s", reason: "CrashLoopBackOff" },
  });
  strictEqual(status.lastState?.terminated?.exitCode, 3);
  strictEqual(status.restartCount, 4);
});

Deno.test("buildPodStatus() shows the end of a container that may restart but has not tried", () => {
  strictEqual(
    statusOf({ observed: observed([ended("a", 3)]) }).state?.terminated
      ?.exitCode,
    3,
  );
});

Deno.test("buildPodStatus() shows the end of a container that is not to restart, whatever the reason kept", () => {
  const status = statusOf({
    pod: never,
    observed: observed([ended("a", 3)]),
    waiting: because("RunContainerError", "old news"),
  });
  strictEqual(status.state?.terminated?.exitCode, 3);
});

Deno.test("buildPodStatus() takes the end before from the second record", () => {
  const status = statusOf({
    observed: observed([
      seen("a", { restartCount: 2 }),
      ended("a", 7, { restartCount: 1, startedAt: ago(60) }),
      ended("a", 8, { restartCount: 0 }),
    ]),
  });
  strictEqual(status.state?.running !== undefined, true);
  strictEqual(status.restartCount, 2);
  deepStrictEqual(status.lastState, {
    terminated: {
      containerID: "containerd://a-1",
      exitCode: 7,
      finishedAt: "2026-01-02T03:03:55Z",
      reason: "Error",
      startedAt: "2026-01-02T03:03:05Z",
    },
  });
});

Deno.test("buildPodStatus() remembers the end before when the runtime forgot it", () => {
  const status = statusOf({
    observed: observed([seen("a", { restartCount: 1 })]),
    ...previously(wasTerminated),
  });
  strictEqual(status.lastState?.terminated?.exitCode, 5);
  strictEqual(status.restartCount, 1);
});

Deno.test("buildPodStatus() counts a restart whose record knows of none", () => {
  const status = statusOf({
    observed: observed([seen("a", { id: "new" })]),
    ...previously({ ...wasTerminated, restartCount: 3 }),
  });
  strictEqual(status.restartCount, 4);
});

Deno.test("buildPodStatus() never lowers a restart count", () => {
  strictEqual(
    statusOf({
      observed: observed([seen("a", { restartCount: 1 })]),
      ...previously({ ...wasRunning, restartCount: 6 }),
    }).restartCount,
    6,
  );
});

// kubelet_pods_test.go Test_generateAPIPodStatus and TestConvertToAPIContainerStatuses:
// "no current status, with previous statuses and deletion".
Deno.test("buildPodStatus() takes a running container that vanished as ended", () => {
  const status = statusOf({
    observed: observed(),
    ...previously({ ...wasRunning, restartCount: 2 }),
  });
  deepStrictEqual(status.state, { waiting: { reason: "ContainerCreating" } });
  deepStrictEqual(status.lastState, {
    terminated: {
      exitCode: 137,
      message:
        "The container could not be located when the pod was deleted.  " +
        "The container used to be Running",
      reason: "ContainerStatusUnknown",
    },
  });
  strictEqual(status.restartCount, 3);
});

Deno.test("buildPodStatus() counts no restart of a container that vanished from a deleted pod", () => {
  const status = statusOf({
    pod: pod({
      containers: [container("a")],
      metadata: { deletionTimestamp: "2026-01-02T03:04:05Z" },
    }),
    ...previously({ ...wasRunning, restartCount: 2 }),
  });
  strictEqual(status.restartCount, 2);
});

Deno.test("buildPodStatus() keeps the end of a container whose record was removed", () => {
  const status = statusOf({ pod: never, ...previously(wasTerminated) });
  strictEqual(status.state?.terminated?.exitCode, 5);
});

Deno.test("buildPodStatus() takes an unknown container that ran as lost", () => {
  const status = statusOf({
    observed: observed([seen("a", { state: "unknown" })]),
    ...previously(wasRunning),
  });
  deepStrictEqual(status.state, {
    terminated: {
      exitCode: 137,
      message: "The container could not be located when the pod was terminated",
      reason: "ContainerStatusUnknown",
    },
  });
  strictEqual(status.restartCount, 1);
});

for (const state of ["created", "unknown"] as const) {
  Deno.test(`buildPodStatus() shows a ${state} container that never ran as waiting`, () => {
    deepStrictEqual(
      statusOf({ observed: observed([seen("a", { state })]) }).state,
      { waiting: {} },
    );
  });
}

Deno.test("buildPodStatus() takes a forgotten init container as completed once the app was made", () => {
  const { initContainerStatuses } = buildPodStatus(statusInput({
    pod: pod({
      containers: [container("a")],
      initContainers: [container("i"), sidecar("s")],
    }),
    observed: observed([seen("a")]),
  }));
  const [i, s] = initContainerStatuses ?? [];
  strictEqual(i?.state?.terminated?.exitCode, 0);
  strictEqual(i?.state?.terminated?.reason, "Completed");
  strictEqual(i?.ready, true);
  deepStrictEqual(s?.state, { waiting: { reason: "PodInitializing" } });
});

Deno.test("buildPodStatus() shows the user a container runs as", () => {
  const user = { uid: 1000, gid: 100, supplementalGroups: [100, 7] };
  deepStrictEqual(
    statusOf({ observed: observed([seen("a", { user })]) }).user,
    { linux: user },
  );
});

Deno.test("buildPodStatus() shows the mounts of a container, and how deep they are read-only", () => {
  const volumeMounts = [
    { name: "v", mountPath: "/a" },
    { name: "v", mountPath: "/b", readOnly: true },
    {
      name: "v",
      mountPath: "/c",
      readOnly: true,
      recursiveReadOnly: "Enabled",
    },
  ];
  for (const records of [[], [seen("a")]]) {
    const status = statusOf({
      pod: pod({ containers: [container("a", { volumeMounts })] }),
      observed: observed(records),
    });
    deepStrictEqual(status.volumeMounts, [
      { name: "v", mountPath: "/a" },
      { ...volumeMounts[1], recursiveReadOnly: "Disabled" },
      volumeMounts[2],
    ]);
  }
});

const asked = {
  requests: { cpu: "1", memory: "100M", "x.io/y": "2" },
  limits: { memory: "200M" },
};
const given = {
  requests: { cpu: "500m", memory: "50M" },
  limits: { memory: "100M" },
};
const ofResources = [
  {
    name: "runs as it was given them",
    record: seen("a", { resources: given }),
    requests: { cpu: "500m", memory: "50M", "x.io/y": "2" },
    limits: { memory: "100000000" },
  },
  {
    name: "runs, as its spec says where only the runtime tells of them",
    record: seen("a", { resources: { ...given, fromRuntime: true } }),
    requests: asked.requests,
    limits: { memory: "200000000" },
  },
  {
    name: "has ended, as its spec says",
    record: ended("a", 1, { resources: given }),
    ...asked,
  },
] as const;
for (const { name, record, requests, limits } of ofResources) {
  Deno.test(`buildPodStatus() shows the resources of a container that ${name}`, () => {
    const status = statusOf({
      pod: pod({ containers: [container("a", { resources: asked })] }),
      observed: observed([record]),
    });
    deepStrictEqual(status.resources, { requests, limits });
    deepStrictEqual(status.allocatedResources, asked.requests);
  });
}

Deno.test("buildPodStatus() shows no reason of an end for which the runtime has none, and no readiness for debugging", () => {
  const status = statusOf({
    pod: never,
    observed: observed([ended("a", 1, { reason: "" })]),
  });
  strictEqual("reason" in (status.state?.terminated ?? {}), false);
  for (const records of [[], [seen("e")]]) {
    const { ephemeralContainerStatuses } = buildPodStatus(statusInput({
      pod: pod({ ephemeralContainers: [container("e")] }),
      observed: observed(records),
    }));
    const [debugging] = ephemeralContainerStatuses ?? [];
    strictEqual(debugging?.ready, false);
    strictEqual(debugging?.started, undefined);
  }
});

Deno.test("buildPodStatus() survives a clock that ran backwards and times that make no sense", () => {
  // CL-05.
  const status = statusOf({
    pod: never,
    observed: observed([
      ended("a", 0, { startedAt: 2n ** 62n, finishedAt: -(2n ** 70n) }),
    ], [sandbox({ createdAt: BigInt(NOW_MS + 9e9) * 1_000_000n })]),
  });
  strictEqual(status.state?.terminated?.startedAt, "2116-02-20T23:53:38Z");
  strictEqual(status.state?.terminated?.finishedAt, "0001-01-01T00:00:00Z");
});
