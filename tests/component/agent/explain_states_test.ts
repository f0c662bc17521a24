/**
 * What a whole agent tells of pods that it does not take, that run other than they
 * should, or that have ended.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  ok,
  partialDeepStrictEqual,
  strictEqual,
} from "node:assert/strict";
import type { PodReport } from "../../../mod/server/mod.ts";
import { getCpuCount } from "../../../mod/host/machine/mod.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import { untilFound, untilReport } from "../../support/agent/told.ts";
import { untilRuns, version, withGood } from "../../support/agent/versions.ts";
import {
  areFound,
  isFound,
  type WantedFinding,
} from "../../support/findings.ts";
import { PodServer } from "../../support/agent/pod_server.ts";

const CPUS = getCpuCount();

/** A pod that asks for so many processors. */
function cpu(
  name: string,
  count: number,
  spec: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const resources = { requests: { cpu: String(count), memory: "1Mi" } };
  const containers = [busybox(WEB, { resources })];
  return web({ name, uid: `fixed-${name}`, spec: { containers, ...spec } });
}

/** What the node refuses, and why. */
const REFUSED: readonly {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly reason: string;
  readonly said: RegExp;
}[] = [
  {
    spec: {
      containers: [busybox(WEB, {
        resources: { requests: { cpu: String(CPUS + 1) } },
      })],
    },
    reason: "OutOfcpu",
    said: new RegExp(`\\b${CPUS + 1} .*cpu.* ${CPUS}$`),
  },
  {
    spec: { nodeSelector: { disk: "ssd" } },
    reason: "NodeAffinity",
    said: /disk=ssd/,
  },
  {
    spec: {
      securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] },
    },
    reason: "SysctlForbidden",
    said: /kernel\.msgmax/,
  },
  {
    spec: { os: { name: "windows" } },
    reason: "PodOSNotSupported",
    said: /\bOS\b/,
  },
];

for (const { spec, reason, said } of REFUSED) {
  Deno.test(`explain tells that the node refuses a pod: ${reason}`, async () => {
    await using rig = await CoreRig.start();
    await rig.apply("web", web({ spec }));
    await untilFound(rig, [{ kind: "refused", reason, said }]);
  });
}

Deno.test("explain tells that a pod waits for others to end", async () => {
  await using rig = await CoreRig.start();
  const lifecycle = { preStop: { sleep: { seconds: 60 } } };
  const ports = [{ containerPort: 80, hostPort: 80 }];
  const spec = {
    terminationGracePeriodSeconds: 100,
    containers: [busybox(WEB, { lifecycle, ports })],
  };
  await rig.apply("a", web({ name: "a", uid: "first", spec }));
  await untilFound(rig, ["ready"], "a");
  await rig.remove("a");
  await untilReport(
    rig,
    { what: "its end", name: "a" },
    (report) => isFound("ending", report),
  );
  await rig.apply("b", web({ name: "b", spec }));
  await untilFound(rig, [
    { kind: "waits", reason: "NodePorts", said: /\b80\b.* default\/a-edge1$/ },
  ], "b");
  match(rig.status("b")?.phase ?? "", /Pending/);
  await untilFound(rig, ["ready"], "b");
});

Deno.test("explain tells of readiness gates that nobody opens", async () => {
  await using rig = await CoreRig.start();
  const readinessGates = [{ conditionType: "x.y/ok" }];
  await rig.apply("web", web({ spec: { readinessGates } }));
  await untilFound(rig, [{ kind: "gate", said: "x.y/ok" }]);
});

Deno.test("explain tells that resources have to wait or cannot be given, and that they come", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("a", cpu("a", 1));
  await rig.apply("b", cpu("b", CPUS - 1));
  await untilFound(rig, ["ready"], "a");
  await untilFound(rig, ["ready"], "b");
  await rig.apply("a", cpu("a", CPUS));
  const deferred = await untilFound(rig, [
    "ready",
    { kind: "resize", said: new RegExp(`Deferred.*cpu.* 1 .*${CPUS} `) },
  ], "a");
  match(pending(deferred), /^Deferred /);
  const { uid } = deferred.pod.metadata;
  const amounts = { resource: "cpu", capacity: milli(CPUS) };
  deepStrictEqual(rig.core.agent.resizes.refusalOf(uid)?.shortage, {
    ...amounts,
    requested: milli(CPUS),
    used: milli(CPUS - 1),
  });
  await rig.apply("a", cpu("a", CPUS + 7));
  await untilReport(
    rig,
    { what: "what cannot be given", name: "a" },
    (report) =>
      areFound(["ready", {
        kind: "resize",
        said: new RegExp(`Infeasible.*cpu.* ${CPUS};`),
      }], report) &&
      new RegExp(`^Infeasible .*cpu.*\\b${CPUS + 7}000\\b.*\\b${CPUS}000$`)
        .test(pending(report)),
  );
  partialDeepStrictEqual(rig.core.agent.resizes.refusalOf(uid)?.shortage, {
    ...amounts,
    requested: milli(CPUS + 7),
  });
  const error = { kind: "error", code: 2, details: "no cgroup" } as const;
  rig.fake.fault("UpdateContainerResources", error);
  await rig.apply("a", cpu("a", CPUS));
  await rig.remove("b");
  await untilReport(
    rig,
    { what: "what could not be given", name: "a" },
    (report) =>
      isFound("ready", report) &&
      report.findings.some((_each, index) =>
        isFound({ kind: "resize", said: "no cgroup" }, report, index)
      ) &&
      report.pod.status?.conditions?.some(({ type, message = "" }) =>
          type === "PodResizeInProgress" && message.includes("no cgroup")
        ) === true,
  );
  rig.fake.clearFaults();
  await untilFound(rig, ["ready"], "a");
});

/** So many processors, in thousandths. */
function milli(cpus: number): bigint {
  return BigInt(cpus) * 1000n;
}

/** Why resources are not given, in upstream's words. */
function pending({ pod }: PodReport): string {
  const { reason = "", message = "" } =
    pod.status?.conditions?.find(({ type }) => type === "PodResizePending") ??
      {};
  return `${reason} ${message}`;
}

Deno.test("explain tells that a pod was rolled back, and why", async () => {
  await using rig = await withGood();
  await rig.apply("web", version("two", { isBad: true }));
  await untilReport(
    rig,
    { what: "a gate that is not opened" },
    (report) => isFound({ kind: "gate", said: "skerry.dev/never" }, report),
  );
  await untilRuns(rig, "one");
  const { pod } = await untilFound(rig, [
    "ready",
    { kind: "rolled_back", said: "1m0s" },
  ]);
  ok(
    pod.status?.conditions?.some(({ type, message = "" }) =>
      type === "skerry.dev/RolledBack" && message.includes("within 1m0s")
    ),
  );
});

Deno.test("explain tells why a pod was evicted", async () => {
  await using rig = await CoreRig.start();
  const containers = [
    busybox(WEB, { volumeMounts: [{ name: "data", mountPath: "/data" }] }),
  ];
  const volumes = [{ name: "data", emptyDir: { sizeLimit: "1Mi" } }];
  await rig.apply("web", web({ spec: { containers, volumes } }));
  await untilFound(rig, ["ready"]);
  const [mount] = rig.only(WEB).config.mounts
    .filter(({ containerPath }) => containerPath === "/data");
  await Deno.writeFile(`${mount?.hostPath}/big`, new Uint8Array(2 << 20));
  const { pod } = await untilFound(rig, [
    { kind: "failed", reason: "Evicted", said: /"data".*"1Mi"/ },
    "final",
  ]);
  strictEqual(
    pod.status?.message?.trimEnd(),
    'Usage of EmptyDir volume "data" exceeds the limit "1Mi".',
  );
  // As it says: another manifest is another pod.
  const more = [{ name: "data", emptyDir: { sizeLimit: "9Mi" } }];
  await rig.apply("web", web({ spec: { containers, volumes: more } }));
  await untilFound(rig, ["ready"]);
});

Deno.test("explain tells that the source of a pod is silent", async () => {
  await using server = new PodServer(web({ name: "remote" }));
  await using rig = await CoreRig.start({ flags: server.flags });
  await untilFound(rig, ["ready"], "remote");
  server.isCut = true;
  await rig.restartAgent();
  await untilFound(
    rig,
    ["ready", { kind: "silent_source", said: server.url }],
    "remote",
  );
  server.isCut = false;
  await untilFound(rig, ["ready"], "remote");
});

Deno.test("explain tells that a pod ran longer than it may", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web({ spec: { activeDeadlineSeconds: 60 } }));
  await untilFound(rig, ["ready"]);
  const late: readonly WantedFinding[] = [
    { kind: "failed", reason: "DeadlineExceeded" },
    "final",
  ];
  await untilFound(rig, late);
  await rig.restartAgent();
  await untilFound(rig, late);
});
