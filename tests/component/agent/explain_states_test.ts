/**
 * What a whole agent tells of pods that it does not take, that run other than they
 * should, or that have ended.
 *
 * @module
 */

import { match } from "node:assert/strict";
import { getCpuCount } from "../../../mod/host/machine/mod.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { container, WEB, web } from "../../support/agent/manifests.ts";
import { told, untilTold } from "../../support/agent/told.ts";
import { untilRuns, version, withGood } from "../../support/agent/versions.ts";

const CPUS = getCpuCount();

const RUNS = "It runs: .*";

function says(...lines: readonly string[]): RegExp {
  return new RegExp(`^${lines.join("\n")}$`);
}

/** A pod that asks for so many processors. */
function cpu(
  name: string,
  count: number,
  spec: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const resources = { requests: { cpu: String(count), memory: "1Mi" } };
  const containers = [container(WEB, { resources })];
  return web({ name, uid: `fixed-${name}`, spec: { containers, ...spec } });
}

/** What the node refuses, and why. */
const REFUSED: readonly (readonly [
  Readonly<Record<string, unknown>>,
  string,
])[] = [
  [
    {
      containers: [container(WEB, {
        resources: { requests: { cpu: String(CPUS + 1) } },
      })],
    },
    `.*${CPUS + 1} of cpu, .* only ${CPUS}`,
  ],
  [
    { nodeSelector: { disk: "ssd" } },
    ".*nodeSelector disk=ssd.*",
  ],
  [
    {
      securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] },
    },
    ".*kernel.msgmax.*",
  ],
  [{ os: { name: "windows" } }, ".*operating system.*"],
];

for (const [spec, why] of REFUSED) {
  Deno.test(`explain tells that the node refuses a pod: ${why.slice(0, 40)}`, async () => {
    await using rig = await CoreRig.start();
    await rig.apply("web", web({ spec }));
    await untilTold(rig, says(`Refused: ${why}`));
  });
}

Deno.test("explain tells that a pod waits for others to end", async () => {
  await using rig = await CoreRig.start();
  const lifecycle = { preStop: { sleep: { seconds: 60 } } };
  const ports = [{ containerPort: 80, hostPort: 80 }];
  const spec = {
    terminationGracePeriodSeconds: 100,
    containers: [container(WEB, { lifecycle, ports })],
  };
  await rig.apply("a", web({ name: "a", uid: "first", spec }));
  await untilTold(rig, /^It runs/, "a");
  await rig.remove("a");
  await untilTold(rig, /^It has been ending/, "a");
  await rig.apply("b", web({ name: "b", spec }));
  await untilTold(
    rig,
    says(
      "It waits for other pods to end: hostPort 80 is taken by pod default/a-edge1",
    ),
    "b",
  );
  match(rig.status("b")?.phase ?? "", /Pending/);
  await untilTold(rig, says(RUNS), "b");
});

Deno.test("explain tells of readiness gates that nobody opens", async () => {
  await using rig = await CoreRig.start();
  const readinessGates = [{ conditionType: "x.y/ok" }];
  await rig.apply("web", web({ spec: { readinessGates } }));
  await untilTold(
    rig,
    says('It waits for readiness gate "x.y/ok": .*'),
  );
});

Deno.test("explain tells that resources have to wait or cannot be given, and that they come", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("a", cpu("a", 1));
  await rig.apply("b", cpu("b", CPUS - 1));
  await untilTold(rig, says(RUNS), "a");
  await untilTold(rig, says(RUNS), "b");
  await rig.apply("a", cpu("a", CPUS));
  await untilTold(
    rig,
    says(
      RUNS,
      `.*PodResizePending, Deferred.* only 1 of ${CPUS} is free.*`,
    ),
    "a",
  );
  await rig.apply("a", cpu("a", CPUS + 7));
  await untilTold(
    rig,
    says(
      RUNS,
      `.*PodResizePending, Infeasible.* only ${CPUS};.*`,
    ),
    "a",
  );
  const error = { kind: "error", code: 2, details: "no cgroup" } as const;
  rig.fake.fault("UpdateContainerResources", error);
  await rig.apply("a", cpu("a", CPUS));
  await rig.remove("b");
  await untilTold(
    rig,
    /^It runs: .*\n(.*\n)*.*PodResizeInProgress.*no cgroup/,
    "a",
  );
  rig.fake.clearFaults();
  await untilTold(rig, says(RUNS), "a");
});

Deno.test("explain tells that a pod was rolled back, and why", async () => {
  await using rig = await withGood();
  await rig.apply("web", version("two", { isBad: true }));
  await untilTold(rig, /^It waits for readiness gate "skerry\.dev\/never"/);
  await untilRuns(rig, "one");
  await untilTold(
    rig,
    says(RUNS, "Rolled back .* within 1m0s.*"),
  );
});

Deno.test("explain tells why a pod was evicted", async () => {
  await using rig = await CoreRig.start();
  const containers = [
    container(WEB, { volumeMounts: [{ name: "data", mountPath: "/data" }] }),
  ];
  const volumes = [{ name: "data", emptyDir: { sizeLimit: "1Mi" } }];
  await rig.apply("web", web({ spec: { containers, volumes } }));
  await untilTold(rig, says(RUNS));
  const [mount] = rig.only(WEB).config.mounts
    .filter(({ containerPath }) => containerPath === "/data");
  await Deno.writeFile(`${mount?.hostPath}/big`, new Uint8Array(2 << 20));
  await untilTold(
    rig,
    says(
      'Evicted: Usage of EmptyDir volume "data" exceeds the limit "1Mi".',
      "It does not run again .*",
    ),
  );
  // As it says: another manifest is another pod.
  const more = [{ name: "data", emptyDir: { sizeLimit: "9Mi" } }];
  await rig.apply("web", web({ spec: { containers, volumes: more } }));
  await untilTold(rig, says(RUNS));
});

Deno.test("explain tells that the source of a pod is silent", async () => {
  let isCut = false;
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using server = Deno.serve(options, () => {
    const items = [web({ name: "remote" })];
    return isCut
      ? new Response("away", { status: 503 })
      : Response.json({ apiVersion: "v1", kind: "PodList", items });
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  await using rig = await CoreRig.start({ flags: [`--manifest-url=${url}`] });
  await untilTold(rig, says(RUNS), "remote");
  isCut = true;
  await rig.restartAgent();
  await untilTold(
    rig,
    says(
      RUNS,
      `The source ${url} has not answered .*`,
    ),
    "remote",
  );
  isCut = false;
  await untilTold(rig, says(RUNS), "remote");
});

Deno.test("explain tells that a pod ran longer than it may", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web({ spec: { activeDeadlineSeconds: 60 } }));
  await untilTold(rig, says(RUNS));
  await untilTold(
    rig,
    says(
      "Failed: .*DeadlineExceeded.*",
      "It does not run again .*",
    ),
  );
  await rig.restartAgent();
  await untilTold(rig, /^Failed: .*DeadlineExceeded/);
  match(told(rig), /does not run again/);
});
