/**
 * Which pods get a worker, and when.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { PodAdmission } from "../../../../mod/agent/desired/pod_admission.ts";
import type { WorkerView } from "../../../../mod/agent/workers/worker_record.ts";
import {
  parseQuantity,
  type RuntimeClassObject,
} from "../../../../mod/api/objects/mod.ts";
import { NO_OBJECTS } from "../../../support/no_objects.ts";
import type { Pod, PodEvent } from "../../../../mod/api/types/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../../mod/base/telemetry/mod.ts";
import { Sessions } from "../../../../mod/base/mod.ts";
import type { PodState } from "../../../../mod/pod/lifecycle/mod.ts";
import { StatusManager } from "../../../../mod/status/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { container, pod as plainPod } from "../../../support/pods.ts";
import { workerView } from "../../../support/agent/worker_view.ts";
import { eventsTo } from "../../../support/event_list.ts";

/** A pod that wants one of the node's two processors, or as many as is said. */
function pod(
  uid: string,
  options: { readonly name?: string; readonly cpu?: string } = {},
): Pod {
  const { name = uid, cpu = "1" } = options;
  const containers = [container("c", { resources: { requests: { cpu } } })];
  return plainPod({ uid, name, containers });
}

class AdmissionRig {
  readonly statuses = new StatusManager({
    clock: new FakeClock(),
    log: silentLogger,
  });
  readonly events: PodEvent[] = [];
  /** What the workers were given, in order. */
  readonly started: Pod[] = [];
  readonly owned = new Set<string>();
  readonly sessions = new Sessions();
  readonly classes = new Map<string, RuntimeClassObject>();
  readonly metrics = new MetricsRegistry();
  /** Pods that may not be resized, as they have their resources. */
  readonly holdings = new Map<string, Pod>();
  /** Pods of which only the runtime tells; `undefined` before its first list. */
  unclaimed: readonly Pod[] | undefined = [];
  retries = 0;
  readonly #workers = new Map<string, WorkerView>();
  readonly admission: PodAdmission;

  constructor() {
    this.admission = new PodAdmission({
      clock: new FakeClock(),
      log: silentLogger,
      metrics: this.metrics,
      events: eventsTo(this.events),
      sessions: this.sessions,
      statuses: this.statuses,
      objects: {
        ...NO_OBJECTS,
        runtimeClass: (name) => this.classes.get(name),
      },
      workers: {
        get: (uid) => this.#workers.get(uid),
        list: () => [...this.#workers.values()],
        remove: () => {},
        update: (pod) => {
          this.started.push(pod);
          this.state(pod, { kind: "syncing" });
        },
      },
      resizes: {
        holding: (pod) => this.holdings.get(pod.metadata.uid) ?? pod,
        retry: () => this.retries++ >= 0,
      },
      node: () => ({
        name: "edge1",
        labels: {},
        allocatable: new Map([["cpu", parseQuantity("2")]]),
        allowedUnsafeSysctls: [],
      }),
      seen: { unclaimed: () => this.unclaimed },
      owns: (uid) => this.owned.has(uid),
    });
  }

  want(...pods: readonly Pod[]): void {
    for (const pod of pods) this.admission.want(pod);
    this.admission.review();
  }

  /** Puts the worker of a pod into a state. */
  state(pod: Pod, state: PodState, next?: Pod): void {
    const stop = { kind: "begun", ...next && { next } } as const;
    this.#workers.set(pod.metadata.uid, workerView(pod, { state, stop }));
  }

  /** The worker of a pod is gone. */
  end(uid: string): void {
    this.#workers.delete(uid);
    this.admission.touch();
    this.admission.review();
  }

  uids(): string[] {
    return this.started.map(({ metadata }) => metadata.uid);
  }

  reason(uid: string): string | undefined {
    return this.statuses.get(uid)?.reason;
  }
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
