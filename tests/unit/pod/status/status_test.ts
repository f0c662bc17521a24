import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type {
  Pod,
  PodCondition,
  PodStatus,
} from "../../../../mod/api/types/mod.ts";
import {
  buildPodStatus,
  statusOfNotTaken,
} from "../../../../mod/pod/status/status.ts";
import { ANNOTATION_CONFIG_SOURCE } from "../../../../mod/api/vocabulary/mod.ts";
import { findCondition } from "../../../../mod/pod/status/conditions.ts";
import {
  ago,
  ended,
  NOW_MS,
  observed,
  sandbox,
  seen,
  statusInput,
} from "../../../support/observed_pods.ts";
import { container, pod } from "../../../support/pods.ts";

const NOW = "2026-01-02T03:04:05Z";
const EARLIER = "2026-01-02T03:00:00Z";
const one = pod({ containers: [container("a")] });
const never = pod({ containers: [container("a")], restartPolicy: "Never" });

function conditionOf(
  status: PodStatus,
  type: string,
): PodCondition | undefined {
  return findCondition(status.conditions, type);
}

// ST-02: the phase never goes backwards.
for (const phase of ["Succeeded", "Failed"] as const) {
  Deno.test(`buildPodStatus() keeps the phase ${phase} with its reason`, () => {
    const previous = buildPodStatus(statusInput({
      pod: never,
      observed: observed([ended("a", phase === "Failed" ? 1 : 0)]),
    }));
    strictEqual(previous.phase, phase);
    const later = buildPodStatus(statusInput({
      pod: never,
      observed: observed([], []),
      previous: { ...previous, reason: "Why", message: "because" },
    }));
    strictEqual(later.phase, phase);
    strictEqual(later.reason, "Why");
    strictEqual(later.message, "because");
    strictEqual(
      later.containerStatuses?.[0]?.state?.terminated !== undefined,
      true,
    );
  });
}

Deno.test("buildPodStatus() lets a pod go whose refusal was lifted", () => {
  const refused = statusOfNotTaken({
    kind: "refused",
    pod: one,
    reason: "PodFeatureUnsupported",
    message: "x",
    nowMs: NOW_MS,
  });
  const status = buildPodStatus(
    statusInput({ pod: one, observed: observed([], []), previous: refused }),
  );
  strictEqual(status.phase, "Pending");
  strictEqual(status.reason, undefined);
});

Deno.test("a controller's pod that is refused waits as if for a scheduler", () => {
  const annotations = { [ANNOTATION_CONFIG_SOURCE]: "local" };
  const refused = statusOfNotTaken({
    kind: "refused",
    pod: pod({ containers: [container("a")], annotations }),
    reason: "NodePorts",
    message: "port 80 is taken",
    nowMs: NOW_MS,
  });
  strictEqual(refused.phase, "Pending");
  strictEqual(refused.reason, undefined);
  deepStrictEqual(refused.conditions, [{
    type: "PodScheduled",
    status: "False",
    lastTransitionTime: NOW,
    reason: "Unschedulable",
    message: "port 80 is taken",
  }]);
});

Deno.test("buildPodStatus() drops the reason of a phase that is over", () => {
  const status = buildPodStatus(statusInput({
    pod: one,
    observed: observed([seen("a")]),
    previous: { phase: "Pending", reason: "Why" },
  }));
  strictEqual(status.phase, "Running");
  strictEqual(status.reason, undefined);
});

const deadline = pod({
  containers: [container("a")],
  activeDeadlineSeconds: 30,
});
const deadlines = [
  { name: "before the deadline", seconds: 29, phase: "Running" },
  { name: "at the deadline", seconds: 30, phase: "Failed" },
];
for (const { name, seconds, phase } of deadlines) {
  Deno.test(`buildPodStatus() says ${phase} ${name}`, () => {
    const status = buildPodStatus(statusInput({
      pod: deadline,
      observed: observed([seen("a")], [sandbox({ createdAt: ago(seconds) })]),
    }));
    strictEqual(status.phase, phase);
  });
}

Deno.test("buildPodStatus() lets no deadline change an end", () => {
  const status = buildPodStatus(statusInput({
    pod: pod({
      containers: [container("a")],
      activeDeadlineSeconds: 1,
      restartPolicy: "Never",
    }),
    observed: observed([ended("a", 0)]),
  }));
  strictEqual(status.phase, "Succeeded");
});

const starts = [
  {
    name: "now for a new pod",
    sandboxes: [],
    previous: undefined,
    expected: NOW,
  },
  {
    name: "the oldest sandbox's time after the agent lost its notes",
    sandboxes: [
      sandbox({ createdAt: ago(5) }),
      sandbox({ createdAt: ago(245) }),
    ],
    previous: undefined,
    expected: EARLIER,
  },
  {
    name: "no time that the runtime has lost (R10)",
    sandboxes: [
      sandbox({ createdAt: ago(245) }),
      sandbox({ createdAt: 0n }),
      sandbox({ createdAt: -1_000_000_000n }),
    ],
    previous: undefined,
    expected: EARLIER,
  },
  {
    name: "now when the only sandbox is from the future (R10)",
    sandboxes: [sandbox({ createdAt: ago(-3600) })],
    previous: undefined,
    expected: NOW,
  },
  {
    name: "what was said before",
    sandboxes: [sandbox({ createdAt: ago(5) })],
    previous: { startTime: EARLIER },
    expected: EARLIER,
  },
];
for (const { name, sandboxes, previous, expected } of starts) {
  Deno.test(`buildPodStatus() takes as start time ${name}`, () => {
    const status = buildPodStatus(
      statusInput({ pod: one, observed: observed([], sandboxes), previous }),
    );
    strictEqual(status.startTime, expected);
  });
}

const addresses = [
  {
    name: "none on the node's network without a node address",
    hostNetwork: true,
    ips: [],
    hostIps: [],
    expected: {},
  },
  {
    name: "the node's on the node's network",
    hostNetwork: true,
    ips: [],
    hostIps: ["192.0.2.1", "2001:db8::1"],
    expected: {
      hostIP: "192.0.2.1",
      podIP: "192.0.2.1",
      podIPs: ["192.0.2.1", "2001:db8::1"],
    },
  },
  {
    name: "one a family, the node's own first",
    hostNetwork: false,
    ips: ["10.88.0.5", "10.88.0.6", "fd00::5", "junk"],
    hostIps: ["2001:db8::1"],
    expected: {
      hostIP: "2001:db8::1",
      podIP: "fd00::5",
      podIPs: ["fd00::5", "10.88.0.5"],
    },
  },
  {
    name: "IPv4 first without a node address",
    hostNetwork: false,
    ips: ["fd00::5", "10.88.0.5"],
    hostIps: [],
    expected: { podIP: "10.88.0.5", podIPs: ["10.88.0.5", "fd00::5"] },
  },
];
for (const row of addresses) {
  Deno.test(`buildPodStatus() shows addresses: ${row.name}`, () => {
    const { hostIP, podIP, podIPs } = buildPodStatus(statusInput({
      pod: pod({ containers: [container("a")], hostNetwork: row.hostNetwork }),
      observed: { ...observed(), ips: row.ips },
      hostIps: row.hostIps,
    }));
    deepStrictEqual({
      ...(hostIP === undefined ? {} : { hostIP }),
      ...(podIP === undefined ? {} : { podIP }),
      ...(podIPs === undefined ? {} : { podIPs: podIPs.map(({ ip }) => ip) }),
    }, row.expected);
  });
}

Deno.test("buildPodStatus() shows the first two addresses of the node", () => {
  const hostIps = ["192.0.2.1", "2001:db8::1", "192.0.2.3"];
  const { hostIPs } = buildPodStatus(
    statusInput({ pod: one, observed: observed(), hostIps }),
  );
  deepStrictEqual(hostIPs, [{ ip: "192.0.2.1" }, { ip: "2001:db8::1" }]);
});

Deno.test("buildPodStatus() shows the generation it is about, if there is one", () => {
  const of = (subject: Pod) =>
    buildPodStatus(statusInput({ pod: subject, observed: observed() }));
  strictEqual(of(one).observedGeneration, undefined);
  const status = of(
    pod({ containers: [container("a")], metadata: { generation: 3 } }),
  );
  strictEqual(status.observedGeneration, 3);
  strictEqual(
    status.conditions?.every(({ observedGeneration }) =>
      observedGeneration === 3
    ),
    true,
  );
});

// TestGenerateAPIPodStatus… with RestartAllContainers.
const resetting = pod({
  restartPolicy: "Never",
  containers: [
    container("a", {
      restartPolicy: "Never",
      restartPolicyRules: [{
        action: "RestartAllContainers",
        exitCodes: { operator: "In", values: [42] },
      }],
    }),
    container("b"),
  ],
});
Deno.test("buildPodStatus() follows a restart of all containers", () => {
  const both = buildPodStatus(statusInput({
    pod: resetting,
    observed: observed([seen("a"), seen("b")]),
  }));
  strictEqual(conditionOf(both, "AllContainersRestarting")?.status, "False");

  const asked = buildPodStatus(statusInput({
    pod: resetting,
    observed: observed([ended("a", 42), seen("b")]),
    previous: both,
  }));
  strictEqual(conditionOf(asked, "AllContainersRestarting")?.status, "True");
  strictEqual(asked.phase, "Running");

  const half = buildPodStatus(statusInput({
    pod: resetting,
    observed: observed([ended("a", 42)]),
    previous: asked,
  }));
  const b = half.containerStatuses?.[1];
  strictEqual(b?.state?.waiting?.reason, "RestartingAllContainers");
  strictEqual(b?.lastState?.terminated?.exitCode, 137);
  strictEqual(b?.restartCount, 1);

  const removed = buildPodStatus(statusInput({
    pod: resetting,
    observed: observed(),
    previous: half,
  }));
  strictEqual(conditionOf(removed, "AllContainersRestarting")?.status, "False");

  const again = buildPodStatus(statusInput({
    pod: resetting,
    observed: observed([
      seen("a", { id: "a2", restartCount: 1 }),
      seen("b", { id: "b2", restartCount: 1 }),
    ]),
    previous: removed,
  }));
  strictEqual(again.phase, "Running");
  deepStrictEqual(
    again.containerStatuses?.map(({ restartCount }) => restartCount),
    [1, 1],
  );
});
