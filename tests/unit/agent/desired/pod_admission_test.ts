/**
 * Which pods get a worker, and when.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { parseQuantity } from "../../../../mod/api/objects/mod.ts";
import type { Pod, PodStatus } from "../../../../mod/api/types/mod.ts";
import type { PodState } from "../../../../mod/pod/lifecycle/mod.ts";
import { AdmissionRig } from "../../../support/agent/admission_rig.ts";
import { container, pod as plainPod } from "../../../support/pods.ts";

/** A pod that wants one of the node's two processors, or as many as is said. */
function pod(
  uid: string,
  options: { readonly name?: string; readonly cpu?: string } = {},
): Pod {
  const { name = uid, cpu = "1" } = options;
  const containers = [container("c", { resources: { requests: { cpu } } })];
  return plainPod({ uid, name, containers });
}

const ENDING: PodState = {
  kind: "terminating",
  cause: "removed",
  graceSeconds: 30,
};

Deno.test("PodAdmission starts in the order of coming what there is room for", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a"), pod("b", { cpu: "2" }), pod("c"), pod("d"));
  deepStrictEqual(rig.uids(), ["a", "c"]);
  strictEqual(rig.reason("b"), "OutOfcpu");
  strictEqual(rig.reason("d"), "OutOfcpu");
  deepStrictEqual(rig.admission.list().map(({ uid }) => uid), ["b", "d"]);
});

Deno.test("PodAdmission.review() starts a refused pod when there is room, without its refusal", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a", { cpu: "2" }), pod("b"));
  strictEqual(rig.reason("b"), "OutOfcpu");
  rig.end("a");
  deepStrictEqual(rig.uids(), ["a", "b"]);
  strictEqual(rig.statuses.get("b"), undefined);
  strictEqual(rig.admission.pending().has("b"), false);
});

Deno.test("PodAdmission tells once of a refusal, however often it judges", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a"), pod("b", { cpu: "2" }));
  // The figures are others now, the cause is not.
  rig.want(pod("c", { cpu: "500m" }));
  rig.admission.touch();
  rig.admission.review();
  strictEqual(rig.events.length, 1);
  strictEqual(
    rig.statuses.get("b")?.message,
    "Pod was rejected: Node didn't have enough resource: cpu, requested: 2000, used: 1500, capacity: 2000",
  );
  const line = 'kubelet_admission_rejections_total{reason="OutOfcpu"} 1';
  strictEqual(rig.metrics.render().includes(line), true);
});

Deno.test("PodAdmission lets a pod wait, without refusing it, for one that ends", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a", { cpu: "2" }));
  rig.state(pod("a", { cpu: "2" }), ENDING);
  rig.want(pod("b"));
  strictEqual(rig.statuses.get("b")?.phase, "Pending");
  deepStrictEqual(rig.events, []);
  rig.state(pod("a", { cpu: "2" }), {
    kind: "terminated",
    cause: "removed",
    atMs: 0,
  });
  // Nobody has told: a pod that waits is judged at every review.
  rig.admission.review();
  deepStrictEqual(rig.uids(), ["a", "b"]);
});

Deno.test("PodAdmission refuses a pod that would not fit even without those that end", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a"));
  rig.state(pod("a"), ENDING);
  rig.want(pod("b", { cpu: "3" }));
  strictEqual(rig.reason("b"), "OutOfcpu");
  strictEqual(
    rig.statuses.get("b")?.message,
    "Pod was rejected: Node didn't have enough resource: cpu, requested: 3000, used: 0, capacity: 2000",
  );
});

Deno.test("PodAdmission does not count the old version of a pod against the new one (PW-11)", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a1", { name: "a", cpu: "2" }));
  rig.want(pod("a2", { name: "a", cpu: "2" }));
  deepStrictEqual(rig.uids(), ["a1", "a2"]);
});

Deno.test("PodAdmission takes pods that were taken before the agent's start, and before all others (I2)", () => {
  const rig = new AdmissionRig();
  rig.owned.add("z").add("y");
  rig.want(pod("a"), pod("z", { cpu: "2" }), pod("y", { cpu: "2" }));
  deepStrictEqual(rig.uids(), ["z", "y"]);
  // Whether they have ended is not known yet.
  strictEqual(rig.statuses.get("a")?.phase, "Pending");
  const running = { phase: "Running", containerStatuses: [] };
  rig.statuses.setPodStatus(pod("z"), running);
  rig.statuses.setPodStatus(pod("y"), running);
  rig.admission.review();
  strictEqual(rig.reason("a"), "OutOfcpu");
});

Deno.test("PodAdmission lets room be taken that a pod of an earlier agent has given back (PW-09)", () => {
  const rig = new AdmissionRig();
  rig.owned.add("z");
  rig.want(pod("z", { cpu: "2" }), pod("a"));
  strictEqual(rig.statuses.get("a")?.phase, "Pending");
  rig.statuses.setPodStatus(pod("z"), {
    phase: "Succeeded",
    containerStatuses: [],
  });
  rig.state(pod("z", { cpu: "2" }), { kind: "finished", cause: "completed" });
  rig.admission.review();
  deepStrictEqual(rig.uids(), ["z", "a"]);
  deepStrictEqual(rig.events, []);
});

Deno.test("PodAdmission does not judge a pod again that has ended for good", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a", { cpu: "2" }));
  const evicted = {
    phase: "Failed",
    reason: "Evicted",
    containerStatuses: [],
  };
  rig.statuses.setPodStatus(pod("b"), evicted);
  rig.want(pod("b"));
  deepStrictEqual(rig.uids(), ["a", "b"]);
  deepStrictEqual(rig.statuses.get("b"), evicted);
});

Deno.test("PodAdmission gives an update of a pod that runs to its worker, whatever it asks for", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a"));
  rig.want(pod("a", { cpu: "9" }));
  deepStrictEqual(rig.uids(), ["a", "a"]);
});

Deno.test("PodAdmission judges the last version of a refused pod, in its old place", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a", { cpu: "2" }), pod("b", { cpu: "9" }), pod("c"));
  rig.want(pod("b"));
  rig.end("a");
  deepStrictEqual(rig.uids(), ["a", "b", "c"]);
});

const ENDED: PodState = { kind: "terminated", cause: "removed", atMs: 0 };

Deno.test("PodAdmission judges a pod that is put back while it ends when it has ended, after those that came before it", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a", { cpu: "2" }), pod("b", { cpu: "2" }));
  rig.state(pod("a", { cpu: "2" }), ENDING);
  rig.want(pod("a", { cpu: "2" }));
  deepStrictEqual(rig.uids(), ["a"]);
  // Its status tells how it ends.
  strictEqual(rig.reason("a"), undefined);
  deepStrictEqual(rig.admission.list().map(({ uid }) => uid), ["b"]);
  rig.state(pod("a", { cpu: "2" }), ENDED);
  rig.admission.touch();
  rig.admission.review();
  deepStrictEqual(rig.uids(), ["a", "b"]);
  strictEqual(rig.statuses.get("a"), undefined);
  rig.end("a");
  strictEqual(rig.reason("a"), "OutOfcpu");
  deepStrictEqual(rig.events.map(({ reason }) => reason), [
    "OutOfcpu",
    "OutOfcpu",
  ]);
  deepStrictEqual(rig.admission.list().map(({ uid }) => uid), ["a"]);
});

Deno.test("PodAdmission does not count the old share of a pod that is put back, also under another name", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a", { cpu: "2" }));
  rig.state(pod("a", { cpu: "2" }), ENDING);
  rig.want(pod("a", { name: "other", cpu: "2" }));
  deepStrictEqual(rig.uids(), ["a"]);
  rig.state(pod("a", { cpu: "2" }), ENDED);
  rig.admission.touch();
  rig.admission.review();
  deepStrictEqual(rig.uids(), ["a", "a"]);
});

Deno.test("PodAdmission counts the share of a pod that has its place again while the rest of its first life is cleared away", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a", { cpu: "2" }));
  rig.state(pod("a", { cpu: "2" }), ENDED, pod("a", { cpu: "2" }));
  rig.want(pod("b"));
  strictEqual(rig.reason("b"), "OutOfcpu");
  // An edit meanwhile is the worker's.
  rig.want(pod("a", { cpu: "2" }));
  deepStrictEqual(rig.uids(), ["a", "a"]);
  deepStrictEqual(rig.events.map(({ reason }) => reason), ["OutOfcpu"]);
});

Deno.test("PodAdmission.drop() leaves the status of a pod that ends, though it was put back and dropped again", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a"));
  const running = { phase: "Running", containerStatuses: [] };
  rig.statuses.setPodStatus(pod("a"), running);
  rig.state(pod("a"), ENDING);
  rig.want(pod("a"));
  rig.admission.drop("a");
  strictEqual(rig.statuses.get("a")?.phase, "Running");
  strictEqual(rig.admission.pending().size, 0);
});

Deno.test("PodAdmission has a pod wait for what is pending without a manifest", () => {
  const rig = new AdmissionRig();
  rig.unclaimed = [pod("orphan", { cpu: "2" })];
  rig.want(pod("a"), pod("new", { name: "orphan" }));
  strictEqual(rig.statuses.get("a")?.phase, "Pending");
  // Its own predecessor ends before it starts.
  deepStrictEqual(rig.uids(), ["new"]);
  rig.unclaimed = [];
  rig.admission.review();
  deepStrictEqual(rig.uids(), ["new", "a"]);
  deepStrictEqual(rig.events, []);
});

Deno.test("PodAdmission judges nothing before it is known what is pending without a manifest", () => {
  const rig = new AdmissionRig();
  rig.unclaimed = undefined;
  rig.want(pod("a"), pod("b", { cpu: "9" }));
  deepStrictEqual(rig.uids(), []);
  strictEqual(rig.statuses.get("b"), undefined);
  rig.unclaimed = [];
  rig.admission.review();
  deepStrictEqual(rig.uids(), ["a"]);
  strictEqual(rig.reason("b"), "OutOfcpu");
});

Deno.test("PodAdmission.drop() forgets a refused pod and its status", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a", { cpu: "9" }));
  rig.admission.drop("a");
  strictEqual(rig.admission.pending().has("a"), false);
  strictEqual(rig.statuses.get("a"), undefined);
});

function heavy(nodeSelector: Readonly<Record<string, string>> = {}) {
  return {
    kind: "RuntimeClass",
    name: "heavy",
    handler: "heavy",
    overhead: new Map([["cpu", parseQuantity("500m")]]),
    nodeSelector,
  } as const;
}

function ofClass(uid: string): Pod {
  const plain = pod(uid);
  return { ...plain, spec: { ...plain.spec, runtimeClassName: "heavy" } };
}

Deno.test("PodAdmission adds what a RuntimeClass adds, for the worker too", () => {
  const rig = new AdmissionRig();
  rig.classes.set("heavy", heavy());
  rig.want(ofClass("a"), pod("b"));
  deepStrictEqual(rig.uids(), ["a"]);
  deepStrictEqual(rig.started[0]?.spec.overhead, { cpu: "500m" });
  strictEqual(rig.reason("b"), "OutOfcpu");
});

Deno.test("PodAdmission refuses a pod that contradicts its RuntimeClass", () => {
  const rig = new AdmissionRig();
  rig.classes.set("heavy", heavy({ disk: "ssd" }));
  const plain = ofClass("a");
  rig.want({
    ...plain,
    spec: { ...plain.spec, nodeSelector: { disk: "hdd" } },
  });
  strictEqual(rig.reason("a"), "NodeAffinity");
});

Deno.test("PodAdmission counts a pod that may not be resized as it is, and has it tried again when another has ended", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a"), pod("b", { cpu: "500m" }));
  rig.holdings.set("a", pod("a"));
  const before = rig.retries;
  rig.want(pod("a", { cpu: "9" }));
  ok(rig.retries > before);
  rig.want(pod("c", { cpu: "500m" }));
  deepStrictEqual(rig.uids(), ["a", "b", "a", "c"]);
  const calm = rig.retries;
  rig.admission.review();
  strictEqual(rig.retries, calm);
  rig.end("b");
  ok(rig.retries > calm);
});

/** A pod that a cluster has bound to the node. */
function bound(uid: string, cpu: string, status?: PodStatus): Pod {
  const { metadata, ...rest } = pod(uid, { cpu });
  const annotations = { "kubernetes.io/config.source": "api" };
  return {
    ...rest,
    metadata: { ...metadata, annotations },
    ...(status && { status }),
  };
}

Deno.test("PodAdmission judges a pod of a cluster once and for all", () => {
  const rig = new AdmissionRig();
  rig.want(pod("a", { cpu: "2" }), bound("b", "1"), pod("c"));
  strictEqual(rig.reason("b"), "OutOfcpu");
  rig.end("a");
  deepStrictEqual(rig.uids(), ["a", "c"]);
  strictEqual(rig.reason("b"), "OutOfcpu");
  rig.want(bound("b", "2"));
  deepStrictEqual(rig.uids(), ["a", "c"]);
  rig.admission.drop("b");
  deepStrictEqual([...rig.admission.pending().keys()], []);
});

Deno.test("PodAdmission has a pod of a cluster wait for others that end", () => {
  const rig = new AdmissionRig();
  rig.state(pod("a", { cpu: "2" }), ENDING);
  rig.want(bound("b", "1"));
  strictEqual(rig.statuses.get("b")?.phase, "Pending");
  rig.end("a");
  deepStrictEqual(rig.uids(), ["b"]);
});

Deno.test("PodAdmission gives a pod that has ended elsewhere in time to its worker, which starts nothing", () => {
  const rig = new AdmissionRig();
  const containerStatuses = [
    { name: "c", image: "a", imageID: "", ready: false, restartCount: 0 },
  ];
  const over = { phase: "Succeeded", containerStatuses } as const;
  rig.want(pod("a", { cpu: "2" }));
  rig.want(bound("b", "1", over));
  deepStrictEqual(rig.uids(), ["a", "b"]);
  rig.want(bound("c", "1", { phase: "Succeeded" }));
  strictEqual(rig.reason("c"), "OutOfcpu");
});

Deno.test("PodAdmission takes a change of a pod of a cluster that has ended for what it is", () => {
  const rig = new AdmissionRig();
  const ended = bound("a", "1");
  rig.statuses.setPodStatus(ended, {
    phase: "Succeeded",
    containerStatuses: [],
  });
  rig.state(ended, { kind: "finished", cause: "completed" });
  rig.want(ended);
  deepStrictEqual(rig.events, []);
  deepStrictEqual(rig.uids(), ["a"]);
});
