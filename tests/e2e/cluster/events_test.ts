/**
 * What users of a cluster see of the events of a node, its pods and its manifests.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import { BUSYBOX_IMAGE } from "../../../scripts/lib/containerd_rig.ts";
import type { Cluster } from "../../support/cluster/cluster.ts";
import {
  isNodeReady,
  joinedContainer as container,
  JoinedRig,
  lookAtNode,
} from "../../support/cluster/joined_rig.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";

/** One line an event: type, reason, count, component, field and message. */
const COLUMNS = [
  "T:.type,R:.reason,C:.count,S:.source.component,H:.source.host,",
  "F:.involvedObject.fieldPath,V:.involvedObject.resourceVersion,M:.message",
].join("");

const eventsOf = (pod: string) => [
  ...["get", "events", "--no-headers", "-o", `custom-columns=${COLUMNS}`],
  `--field-selector=involvedObject.name=${pod}`,
];

/** The words of upstream's kubelet; a container is `main`. */
const FIELD = String.raw`spec\.containers\{main\}`;
const line = (
  type: string,
  reason: string,
  rest: { readonly field?: string; readonly message: string },
): RegExp =>
  new RegExp(
    String.raw`^${type}\s+${reason}\s+\d+\s+kubelet\s+edge[123]\s+${
      rest.field ?? FIELD
    }\s+\d+\s+${rest.message}$`,
    "m",
  );

const PULLED = line("Normal", "Pulled", {
  message:
    `Container image "${BUSYBOX_IMAGE}" already present on machine and can be accessed by the pod`,
});
const CREATED = line("Normal", "Created", { message: "Container created" });
const STARTED = line("Normal", "Started", { message: "Container started" });
const KILLING = line("Normal", "Killing", {
  message: "Stopping container main",
});

await withCluster("events of a node", (test) => {
  test("kubectl shows what happens to pods in the kubelet's words", async (cluster) => {
    await using rig = await JoinedRig.start(cluster, "edge1");
    await rig.until("a node that is ready", lookAtNode("edge1"), isNodeReady);
    await rig.create(pod("web", container("sleep 3600")));
    const shown = await rig.until(
      "a pod that has started",
      eventsOf("web"),
      (text) => STARTED.test(text),
    );
    match(shown, PULLED);
    match(shown, CREATED);
    match(
      shown,
      /^Normal\s+Scheduled\s.*Successfully assigned default\/web to edge1$/m,
    );
    const { text: described } = await cluster.kubectl([
      ...["describe", "pod", "web"],
    ]);
    match(
      described,
      /Normal\s+Started\s+\S+\s+kubelet\s+\S*:?\s*Container started/,
    );
    await cluster.kubectl(["delete", "pod", "web", "--wait=false"]);
    await rig.until(
      "a pod that is stopped",
      eventsOf("web"),
      (text) => KILLING.test(text),
    );
    await rig.create(pod("sick", {
      ...container("sleep 3600"),
      readinessProbe: { exec: { command: ["false"] }, periodSeconds: 1 },
    }));
    await rig.create(pod("crash", container("exit 3")));
    await rig.until(
      "a pod that is not ready",
      eventsOf("sick"),
      // It happens again, and is counted.
      (text) =>
        /^Warning\s+Unhealthy\s+(?!1\s)\d+\s.*Readiness probe failed: command terminated with exit code 1$/m
          .test(text),
    );
    await rig.until(
      "a pod that waits before it is started again",
      eventsOf("crash"),
      (text) =>
        line("Warning", "BackOff", {
          message: String
            .raw`Back-off restarting failed container main in pod crash_default\([-0-9a-f]{36}\)`,
        }).test(text),
    );
    await rig.create(pod("lost", {
      ...container("true"),
      image: "localhost/skerry/none:1",
      imagePullPolicy: "Never",
    }));
    await rig.until(
      "a pod without its image",
      eventsOf("lost"),
      (text) =>
        line("Warning", "ErrImageNeverPull", {
          message:
            'Container image "localhost/skerry/none:1" is not present with pull policy of Never',
        }).test(text),
    );
    await refuseNothing(rig, cluster);
  });

  test("events of the node and of a manifest are found by kubectl describe", async (cluster) => {
    await using rig = await JoinedRig.start(cluster, "edge2");
    await rig.until("a node that is ready", lookAtNode("edge2"), isNodeReady);
    await rig.agent.apply("kiosk.json", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "kiosk" },
      spec: { containers: [container("sleep 3600")] },
    });
    await rig.until(
      "the events of a manifest",
      ["describe", "pod", "kiosk-edge2"],
      (text) => /Normal\s+Started\s.*Container started/.test(text),
    );
    await cluster.kubectl(["cordon", "edge2"]);
    await rig.until(
      "an event of the node",
      ["describe", "node", "edge2"],
      (text) =>
        /Normal\s+NodeNotSchedulable\s.*kubelet.*Node edge2 status is now: NodeNotSchedulable/
          .test(text),
    );
    await cluster.kubectl(["uncordon", "edge2"]);
    await rig.agent.removeManifest("kiosk.json");
    await rig.until(
      "no mirror",
      ["get", "pods", "-o", "name"],
      (text) => !text.includes("kiosk"),
    );
  });

  test("events of a time without the API server come when it is back, and its own face has them meanwhile", async (cluster) => {
    await using rig = await JoinedRig.start(cluster, "edge3");
    await rig.until("a node that is ready", lookAtNode("edge3"), isNodeReady);
    const shared = `${rig.agent.directory}/shared`;
    await Deno.mkdir(shared);
    await rig.create(
      pod(
        "later",
        container("sleep 3600", {
          livenessProbe: {
            exec: { command: ["test", "!", "-e", "/shared/sick"] },
            periodSeconds: 1,
            failureThreshold: 1,
          },
          volumeMounts: [{ name: "shared", mountPath: "/shared" }],
        }),
        {
          nodeSelector: { "kubernetes.io/hostname": "edge3" },
          volumes: [{ name: "shared", hostPath: { path: shared } }],
        },
      ),
    );
    await rig.until(
      "a pod that has started",
      eventsOf("later"),
      (text) => STARTED.test(text),
    );
    await cluster.endPart("kube-apiserver", "SIGKILL");
    await Deno.writeTextFile(`${shared}/sick`, "");
    await rig.agent.untilAnswer("/api/v1/events", /Liveness probe failed/);
    await cluster.startPart("kube-apiserver");
    const late = await rig.until(
      "what happened meanwhile",
      eventsOf("later"),
      (text) =>
        /^Warning\s+Unhealthy\s.*Liveness probe failed: command terminated with exit code 1$/m
          .test(text) &&
        /^Normal\s+Killing\s.*failed liveness probe, will be restarted$/m
          .test(text),
    );
    strictEqual(late.match(/\sScheduled\s/g)?.length, 1);
  });
}, { hasControllers: true, hasScheduler: true });

/** Nothing that was told of events was wrong. */
async function refuseNothing(rig: JoinedRig, cluster: Cluster): Promise<void> {
  const calls = (await cluster.calls())
    .filter(({ resource }) => resource.startsWith("events"));
  ok(calls.length > 0);
  // A patch of what is not there is how a repeated event comes to be.
  const refused = calls.filter(({ code, verb }) =>
    code >= 400 && !(code === 404 && verb === "patch")
  );
  strictEqual(JSON.stringify(refused), "[]");
  const log = await Deno.readTextFile(`${rig.agent.directory}/agent.log`);
  ok(!log.includes("event_refused"), log);
}

function pod(name: string, main: unknown, rest: object = {}): unknown {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: {
      nodeSelector: { "kubernetes.io/hostname": "edge1" },
      terminationGracePeriodSeconds: 1,
      containers: [main],
      ...rest,
    },
  };
}
