/**
 * What controllers make, through the life of a whole agent.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox } from "../../support/agent/manifests.ts";

const NAMESPACE = "shop";
const GRACE_SECONDS = 40;

interface Draft {
  readonly kind: "Deployment" | "StatefulSet" | "DaemonSet";
  readonly name: string;
  /** Tells the versions of the template apart. */
  readonly tag?: string;
  readonly replicas?: number;
  readonly spec?: Readonly<Record<string, unknown>>;
}

function workload({ kind, name, tag = "v1", replicas, spec }: Draft) {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name, namespace: NAMESPACE },
    spec: {
      ...(replicas !== undefined && { replicas }),
      ...(kind === "StatefulSet" && { serviceName: name }),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { tag } },
        spec: {
          terminationGracePeriodSeconds: GRACE_SECONDS,
          containers: [busybox("main")],
          ...spec,
        },
      },
    },
  };
}

/** The pods as `db-0 v1`, or with the beginning of a generated name only, in order. */
function ready(rig: CoreRig): readonly string[] {
  return rig.pods().filter(({ metadata, status }) =>
    metadata.deletionTimestamp === undefined &&
    status?.conditions?.some(({ type, status }) =>
      type === "Ready" && status === "True"
    )
  ).map(({ metadata: { name, labels, annotations } }) => {
    const shown = /-\d+$/.test(name) ? name : labels?.["app"];
    return `${shown} ${annotations?.["tag"]}`;
  }).toSorted();
}

async function until(rig: CoreRig, wanted: readonly string[]): Promise<void> {
  await rig.until(
    () =>
      ready(rig).join() === wanted.join() &&
      rig.fake.running("main").length === wanted.length,
    `${wanted}`,
  );
}

Deno.test("the pods of a node that is called otherwise run on, and none is made beside them", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("log", workload({ kind: "DaemonSet", name: "log" }));
  await rig.apply("db", workload({ kind: "StatefulSet", name: "db" }));
  await until(rig, ["db-0 v1", "log v1"]);
  const from = rig.fake.calls.length;
  await rig.stopAgent();
  const { node } = rig.config;
  rig.config = { ...rig.config, node: { ...node, name: "renamed" } };
  await rig.startAgent();
  await rig.pass(60_000);
  deepStrictEqual(rig.mutations(from), []);
  deepStrictEqual(ready(rig), ["db-0 v1", "log v1"]);
});

Deno.test("what is made anew under its name waits for the pods of that name, through a restart", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave("main", { onTerm: "ignore" });
  const [web, db] = [
    workload({ kind: "Deployment", name: "web", replicas: 2 }),
    workload({ kind: "StatefulSet", name: "db", replicas: 2 }),
  ];
  await rig.apply("web", web);
  await rig.apply("db", db);
  const all = ["db-0 v1", "db-1 v1", "web v1", "web v1"];
  await until(rig, all);
  const before = new Set(rig.pods().map(({ metadata }) => metadata.uid));
  for (const name of ["web", "db"]) await rig.remove(name);
  await rig.pass(5_000);
  await rig.apply("web", web);
  await rig.apply("db", db);
  await rig.pass(5_000);
  deepStrictEqual(ready(rig), ["web v1", "web v1"]);
  await rig.restartAgent();
  await until(rig, all);
  ok(rig.pods().every(({ metadata }) => !before.has(metadata.uid)));
  strictEqual(rig.ready().length, all.length);
});

Deno.test("what is edited and removed while the runtime is away is done when it is back", async () => {
  await using rig = await CoreRig.start();
  const web = { kind: "Deployment", name: "web", replicas: 2 } as const;
  await rig.apply("web", workload(web));
  await rig.apply("db", workload({ kind: "StatefulSet", name: "db" }));
  await until(rig, ["db-0 v1", "web v1", "web v1"]);
  await rig.fake.stop();
  await rig.apply("web", workload({ ...web, tag: "v2", replicas: 3 }));
  await rig.remove("db");
  await rig.pass(20_000);
  await rig.restartAgent();
  await rig.pass(20_000);
  await rig.fake.restart();
  await until(rig, ["web v2", "web v2", "web v2"]);
  await rig.until(() => rig.fake.sandboxes.size === 3, "nothing left");
});

Deno.test("in the place of a pod that was evicted comes another, and it goes with its owner", async () => {
  await using rig = await CoreRig.start();
  const mountPath = "/data";
  const spec = {
    volumes: [{ name: "data", emptyDir: { sizeLimit: "1Mi" } }],
    containers: [
      busybox("main", { volumeMounts: [{ name: "data", mountPath }] }),
    ],
  };
  const web = { kind: "Deployment", name: "web", replicas: 1, spec } as const;
  await rig.apply("web", workload(web));
  await until(rig, ["web v1"]);
  const [first] = rig.pods();
  const mount = rig.only("main").config.mounts
    .find(({ containerPath }) => containerPath === mountPath);
  await Deno.writeFile(`${mount?.hostPath}/big`, new Uint8Array(2 << 20));
  await rig.until(
    () => rig.pods().some(({ status }) => status?.reason === "Evicted"),
    "the eviction",
  );
  await until(rig, ["web v1"]);
  strictEqual(rig.pods().length, 2);
  const uid = rig.only("main").config.labels["io.kubernetes.pod.uid"];
  ok(uid !== undefined && uid !== first?.metadata.uid);
  await rig.remove("web");
  const pods = `${rig.directory}/root/pods`;
  await rig.until(
    () => rig.pods().length === 0 && rig.list(pods).length === 0,
    "nothing left",
  );
});

Deno.test("of two replicas with one port of the node the second waits in words, and starts when the first goes", async () => {
  await using rig = await CoreRig.start();
  const ports = [{ containerPort: 80, hostPort: 8080 }];
  const spec = { containers: [busybox("main", { ports })] };
  const web = { kind: "Deployment", name: "web", spec } as const;
  await rig.apply("web", workload({ ...web, replicas: 2 }));
  await until(rig, ["web v1"]);
  const waits = () =>
    rig.pods().find(({ status }) =>
      status?.conditions?.some(({ type, status, reason }) =>
        type === "PodScheduled" && status === "False" &&
        reason === "Unschedulable"
      )
    );
  await rig.until(() => waits() !== undefined, "the one that waits");
  const second = waits();
  const first = rig.pods().find(({ metadata }) =>
    metadata.uid !== second?.metadata.uid
  );
  ok(first !== undefined && second !== undefined);
  const { uid, name } = second.metadata;
  strictEqual(second.status?.phase, "Pending");
  deepStrictEqual(rig.views.report(NAMESPACE, name)?.explanation, [
    `Refused: hostPort 8080 is taken by pod ${NAMESPACE}/${first.metadata.name}`,
  ]);
  // However long it waits, nothing is made in its place.
  await rig.pass(900_000, 10_000);
  strictEqual(rig.pods().length, 2);
  strictEqual(waits()?.metadata.uid, uid);
  strictEqual(rig.ready().length, 1);
  const { metadata } = first;
  const ref = { apiVersion: "v1", kind: "Pod", ...metadata };
  const { signal } = new AbortController();
  // The rig freezes what controllers share.
  ok(Object.isFrozen(await rig.core.store.get(ref, signal)));
  await rig.core.store.delete(ref, { uid: metadata.uid }, signal);
  await rig.until(
    () =>
      rig.fake.running("main").some(({ config: { labels } }) =>
        labels["io.kubernetes.pod.uid"] === uid
      ),
    "the second in its place",
  );
  await rig.until(() => waits() !== undefined, "another that waits");
  strictEqual(rig.pods().length, 2);
});
